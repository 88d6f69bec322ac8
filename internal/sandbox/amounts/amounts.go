// Package amounts determines what a subscription is invoiced each billing cycle. The sources, in this order: invoices,
// the amounts that the service shows for subscriptions, its catalogue, and a price list. These are exact. All else is
// estimated by one arithmetic, see Arithmetic, and not known if an amount of the organization contradicts that.
package amounts

import (
	"cmp"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"
)

type (
	// Terms are everything that the amount of a subscription may depend on.
	Terms struct {
		Plan     string `json:"plan_id"` // empty: none
		Cycle    string `json:"billing_cycle"`
		Currency string `json:"-"` // of the billing account
		Items    []Item `json:"items"`
		Percent  string `json:"discount_percent"` // empty: none
		Code     string `json:"discount_code_id"` // empty: none
	}
	// Item is a price that a subscription is billed, times its quantity.
	Item struct {
		Product  string `json:"product_id"`
		Price    string `json:"price_id"`
		Quantity int64  `json:"quantity"`
		// Unit is in subcents, hundredths of a cent. nil: the amount of the price.
		Unit *int64 `json:"unit_amount_subcents"`
	}
	// Amount is what a subscription is invoiced each billing cycle.
	Amount struct {
		Cents *int64 // nil: not known
		// Shown is recurring_amount_cents as the service shows it. nil: not known.
		Shown *int64
		// Estimated is true for what is derived. If the service rounds otherwise, it is off by at most a cent for each line.
		Estimated bool
		Source    Source
		// Arithmetic names what a Derived amount is computed from, such as "plan + items − 10 %".
		Arithmetic string
		// Why says, in half a sentence, why the amount is not known.
		Why string
	}
	// Source says where an amount comes from.
	Source string
)

// Sources of amounts.
const (
	Invoiced  Source = "invoice"   // of the current period
	Shown     Source = "shown"     // for this subscription, or for another one with the same terms that is billed now
	Catalogue Source = "catalogue" // the record of the plan
	Derived   Source = "derived"
	PriceList Source = "price list" // of the user
)

// String is the source for people: the arithmetic of what is derived.
func (a Amount) String() string {
	if a.Arithmetic != "" {
		return a.Arithmetic
	}
	return string(a.Source)
}

// TermsOf returns the terms in the parts of a subscription that describe it in JSON.
func TermsOf(currency string, parts ...any) (t Terms, err error) {
	for _, part := range parts {
		document, failed := json.Marshal(part)
		err = errors.Join(err, failed, json.Unmarshal(document, &t))
	}
	t.Currency = currency
	return t, err
}

// OtherDay reports whether a subscription is invoiced on another day than that of its renewal. During a trial it is
// not: the first invoice follows the trial.
func OtherDay(invoiced, renewed, trialEnd time.Time) bool {
	return !invoiced.IsZero() && !renewed.IsZero() && !trialEnd.After(renewed) && !invoiced.Before(trialEnd) &&
		invoiced.Sub(renewed).Abs() >= 24*time.Hour
}

// canonical returns the terms with ids in lower case.
func (t Terms) canonical() Terms {
	t.Plan, t.Code = strings.ToLower(t.Plan), strings.ToLower(t.Code)
	t.Items = append([]Item(nil), t.Items...) // none has one spelling in a key
	for i, item := range t.Items {
		t.Items[i].Product, t.Items[i].Price = strings.ToLower(item.Product), strings.ToLower(item.Price)
	}
	return t
}

// Discount returns the part of a sum that a percentage takes away; nil if it is not a number. Empty is none.
func Discount(percent string) *big.Rat {
	if percent == "" {
		return new(big.Rat)
	}
	part, ok := new(big.Rat).SetString(percent)
	if !ok {
		return nil
	}
	return part.Quo(part, big.NewRat(100, 1))
}

func (t Terms) discount() *big.Rat { return Discount(t.Percent) }

// without returns the terms without discounts.
func (t Terms) without() Terms {
	t.Percent, t.Code = "", ""
	return t
}

// key identifies terms in any spelling of their values. Items without an amount have that of the catalogue.
func (b *Book) key(t Terms) string {
	t = t.canonical()
	for i, item := range t.Items {
		if item.Unit == nil {
			t.Items[i].Unit = b.listedPrice(item.Price, t.Currency)
		}
	}
	slices.SortFunc(t.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Product, b.Product), cmp.Compare(a.Price, b.Price),
			cmp.Compare(a.Quantity, b.Quantity), cmp.Compare(orNone(a.Unit), orNone(b.Unit)))
	})
	percent := t.Percent
	if d := t.discount(); d != nil {
		percent = d.RatString()
	}
	text, _ := json.Marshal([]any{t.Plan, t.Cycle, t.Currency, t.Items, percent, t.Code}) // strings and numbers
	return string(text)
}

func orNone(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}
