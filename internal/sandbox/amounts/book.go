package amounts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
)

type (
	// Book has what an organization shows of its amounts. Add everything, then call Learn.
	Book struct {
		facts
		subscriptions map[string]known // by id
		invoiced      map[string]fact  // by terms
		shown         map[string]fact  // by terms
		contradiction string           // of an amount and the arithmetic; "" for none
	}
	// facts are added. The others are learned from them.
	facts struct {
		Currencies    map[string]string        `json:"currencies"` // of billing accounts, by id
		Plans         map[string]listed        `json:"plans"`      // by id
		Prices        map[string]listed        `json:"prices"`     // by id
		Subscriptions map[string]*subscription `json:"subscriptions"`
		Invoices      map[string]invoice       `json:"invoices"`
		List          []Entry                  `json:"list"`
	}
	// listed is the amount of a record of the catalogue.
	listed struct {
		Subcents int64  `json:"subcents"`
		Currency string `json:"currency"`
		Cycle    string `json:"cycle"` // of a plan
	}
	subscription struct {
		Terms
		Account     string    `json:"billing_account_id"`
		Shown       *int64    `json:"recurring_amount_cents"`
		Status      string    `json:"status"`
		PeriodStart time.Time `json:"current_period_start"`
		Updated     time.Time `json:"updated_at"`
		ItemsKnown  bool      `json:"items_known"`
	}
	invoice struct {
		Subscription string    `json:"subscription_id"`
		Cents        *int64    `json:"amount_cents"`
		Currency     string    `json:"currency"`
		Status       string    `json:"status"`
		PeriodStart  time.Time `json:"period_start"`
		Created      time.Time `json:"created_at"`
	}
	// known is what the service shows for one subscription.
	known struct {
		terms    Terms
		key      string
		invoiced *int64
		shown    *int64
	}
	// fact is the amount that subscriptions with the same terms show, or several.
	fact []int64
)

// NewBook returns an empty one.
func NewBook() *Book {
	b := &Book{}
	b.Currencies, b.Plans, b.Prices = map[string]string{}, map[string]listed{}, map[string]listed{}
	b.Subscriptions, b.Invoices = map[string]*subscription{}, map[string]invoice{}
	b.Learn()
	return b
}

// MarshalJSON writes what was added.
func (b *Book) MarshalJSON() ([]byte, error) { return json.Marshal(b.facts) }

// UnmarshalJSON reads what was added, and learns from it.
func (b *Book) UnmarshalJSON(document []byte) error {
	err := json.Unmarshal(document, &b.facts)
	b.Learn()
	return err
}

// Add adds an object of an organization, or replaces it. What has no amount, or one in a form that nobody knows, adds
// nothing.
func (b *Book) Add(o orgcopy.Object) {
	var of struct {
		ID       string `json:"id"`
		Currency string `json:"currency"`
	}
	if json.Unmarshal(o.Object, &of) != nil || of.ID == "" {
		return
	}
	id := strings.ToLower(of.ID)
	switch {
	case o.Kind == evidence.Account:
		b.Currencies[id] = of.Currency
	case o.Kind == evidence.Subscription:
		s := new(subscription)
		if json.Unmarshal(o.Object, s) == nil {
			s.ItemsKnown = o.Items != nil && json.Unmarshal(o.Items, &s.Items) == nil
			b.Subscriptions[id] = s
		}
	case o.Kind == evidence.Record && o.Service == "billing":
		b.addRecord(id, o)
	}
}

func (b *Book) addRecord(id string, o orgcopy.Object) {
	var of struct {
		Cents    *int64 `json:"amount_cents"`
		Subcents *int64 `json:"unit_amount_subcents"`
		Currency string `json:"currency"`
		Cycle    string `json:"billing_cycle"`
	}
	if json.Unmarshal(o.Object, &of) != nil || of.Currency == "" {
		return
	}
	switch {
	case o.Collection == "plans" && of.Cents != nil && of.Cycle != "":
		b.Plans[id] = listed{*of.Cents * SubcentsPerCent, of.Currency, of.Cycle}
	case o.Collection == "prices" && of.Subcents != nil:
		b.Prices[id] = listed{*of.Subcents, of.Currency, ""}
	case o.Collection == "invoices":
		var one invoice
		if json.Unmarshal(o.Object, &one) == nil {
			one.Subscription = strings.ToLower(one.Subscription)
			b.Invoices[id] = one
		}
	}
}

// Currency returns that of a billing account; empty if it is not known.
func (b *Book) Currency(account string) string { return b.Currencies[strings.ToLower(account)] }

// billedNow reports whether the amount of a subscription proves what the service bills today.
func (s *subscription) billedNow() bool {
	return slices.Contains([]string{"active", "past_due", "trialing", "paused"}, s.Status)
}

func (b *Book) terms(s *subscription) Terms {
	t := s.canonical()
	t.Currency = b.Currency(s.Account)
	return t
}

// Learn concludes what the amounts prove.
func (b *Book) Learn() {
	b.subscriptions, b.invoiced, b.shown, b.contradiction = map[string]known{}, map[string]fact{}, map[string]fact{}, ""
	invoices := b.current()
	ids := slices.Sorted(maps.Keys(b.Subscriptions))
	for _, id := range ids {
		s := b.Subscriptions[id]
		t := b.terms(s)
		k := known{terms: t, key: b.key(t), invoiced: invoices[id].one(), shown: s.Shown}
		b.subscriptions[id] = k
		if s.billedNow() && s.ItemsKnown {
			b.invoiced[k.key] = b.invoiced[k.key].and(k.invoiced)
			b.shown[k.key] = b.shown[k.key].and(k.shown)
		}
	}
	for _, id := range ids {
		if s := b.Subscriptions[id]; b.contradiction == "" && s.billedNow() && s.ItemsKnown {
			b.contradiction = b.contradicts(b.subscriptions[id])
		}
	}
}

// contradicts reports an amount that differs from the arithmetic by more than a cent for each line.
func (b *Book) contradicts(k known) string {
	cents, d := cmp.Or(k.invoiced, k.shown), k.terms.discount()
	if cents == nil || d == nil || k.terms.Code != "" || len(k.terms.Items) == 0 && d.Sign() == 0 {
		return ""
	}
	of := b.parts(k.terms.without(), false)
	if of.lines == nil || of.source == PriceList {
		return ""
	}
	expected := Arithmetic{}.Cents(of.lines, d)
	if off := new(big.Int).Sub(expected, big.NewInt(*cents)); off.CmpAbs(big.NewInt(int64(len(of.lines)))) <= 0 {
		return ""
	}
	return fmt.Sprintf("a subscription shows %s, where %s gives %s", Decimal(*cents), of.words(k.terms),
		Decimal(expected.Int64()))
}

// slack is how much later than an invoice the subscription may have been updated by the renewal that made it.
const slack = time.Minute

// payable are the statuses of invoices that are, or were, to be paid.
var payable = []string{"open", "paid"}

// current are the amounts of the invoices of the periods that run, of subscriptions that have not changed since.
func (b *Book) current() map[string]fact {
	all := map[string]fact{}
	for _, i := range b.Invoices {
		s := b.Subscriptions[i.Subscription]
		if s != nil && slices.Contains(payable, i.Status) && i.PeriodStart.Equal(s.PeriodStart) &&
			!s.PeriodStart.IsZero() && i.Currency == b.Currency(s.Account) && s.Updated.Sub(i.Created) < slack {
			all[i.Subscription] = all[i.Subscription].and(i.Cents)
		}
	}
	return all
}

func (f fact) and(cents *int64) fact {
	if cents == nil || slices.Contains(f, *cents) {
		return f
	}
	return append(f, *cents)
}

// one is the amount, if there is one alone.
func (f fact) one() *int64 {
	if len(f) != 1 {
		return nil
	}
	return &f[0]
}
