package amounts

import (
	"cmp"
	"encoding/json"
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
		learned
		subscriptions map[string]known     // by id
		invoiced      map[string]fact      // by terms
		shown         map[string]fact      // by terms
		percents      map[string][]known   // billed now with a percentage, by the terms without it
		deduced       map[string]deduction // by price and currency
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
	b.subscriptions, b.invoiced, b.shown = map[string]known{}, map[string]fact{}, map[string]fact{}
	b.percents, b.deduced = map[string][]known{}, map[string]deduction{}
	invoices := b.current()
	for _, id := range slices.Sorted(maps.Keys(b.Subscriptions)) {
		s := b.Subscriptions[id]
		t := b.terms(s)
		k := known{terms: t, key: b.key(t), invoiced: invoices[id].one(), shown: s.Shown}
		b.subscriptions[id] = k
		if !s.billedNow() || !s.ItemsKnown {
			continue
		}
		b.invoiced[k.key] = b.invoiced[k.key].and(k.invoiced)
		b.shown[k.key] = b.shown[k.key].and(k.shown)
		if t.isDiscounted() && t.Code == "" {
			base := b.key(t.without())
			b.percents[base] = append(b.percents[base], k)
		}
	}
	b.learned = learned{fits: every(), rules: every()}
	b.examples(b.learnItems)
	b.examples(b.learnDiscount)
	b.conclude()
	b.examples(b.deduce)
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

// cents is what the invoice shows, or else the subscription; nil: neither does.
func (k known) cents() *int64 { return cmp.Or(k.invoiced, k.shown) }

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

// examples calls learn for each subscription that proves something.
func (b *Book) examples(learn func(k known)) {
	for _, id := range slices.Sorted(maps.Keys(b.subscriptions)) {
		if s := b.Subscriptions[id]; s.billedNow() && s.ItemsKnown && s.Code == "" {
			learn(b.subscriptions[id])
		}
	}
}

// learnItems learns from a subscription without a discount how items are billed.
func (b *Book) learnItems(k known) {
	cents := k.cents()
	if k.terms.isDiscounted() || len(k.terms.Items) == 0 || cents == nil {
		return
	}
	p := b.parts(k.terms)
	if p.lines == nil || p.source == PriceList || p.low != nil {
		return
	}
	agrees := b.explained(*cents, p.lines, none)
	switch {
	case k.terms.Plan != "":
		b.sum.note(agrees)
	case !agrees, len(k.terms.Items) > 1, k.terms.Items[0].Quantity > 1: // one alone proves nothing
		b.quantity.note(agrees)
	}
}

// learnDiscount learns from a subscription with a percentage.
func (b *Book) learnDiscount(k known) {
	d := k.terms.discount()
	if d == nil || d.Sign() == 0 {
		return
	}
	base := b.undiscounted(k.terms.without(), false)
	if base.lines == nil || base.source == PriceList || base.rounded || base.low != nil {
		if k.invoiced != nil && k.shown != nil {
			b.learnDisplay(*k.invoiced, *k.shown, k.terms)
		}
		return
	}
	b.learnDiscountOf(k, base, d)
}

// learnDiscountOf learns from a subscription with a percentage of an amount that is known.
func (b *Book) learnDiscountOf(k known, base base, d *big.Rat) {
	whole, part := b.less(base, none).Cents, b.less(base, d).Cents
	if whole == nil || part == nil || *whole-*part <= int64(len(base.lines)) { // a discount of a cent proves nothing
		return
	}
	billed := k.invoiced
	if k.shown != nil && *k.shown == *whole {
		b.net.note(false)
	} else if k.shown != nil && b.explained(*k.shown, base.lines, d) {
		b.net.note(true)
		billed = cmp.Or(billed, k.shown)
	} else if !base.estimated {
		billed = cmp.Or(billed, k.shown)
	}
	if billed == nil {
		return
	}
	if agrees := b.explained(*billed, base.lines, d); agrees || !base.estimated {
		b.discounts.note(agrees)
	}
}

// learnDisplay learns from an invoice whether the amount that is shown is before the discount.
func (b *Book) learnDisplay(invoiced, shown int64, t Terms) {
	d, whole := t.discount(), line(shown)
	switch {
	case invoiced == shown:
		b.net.note(true)
	case len(t.Items) > 0 && explains(invoiced, whole, d), len(t.Items) == 0 && b.explained(invoiced, whole, d):
		b.net.note(false)
		b.discounts.note(true)
	}
}
