package amounts

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// base is an amount without a discount, as the lines that it is the sum of.
type base struct {
	lines  []*big.Int // in subcents; nil: not known
	source Source     // of all lines, or Derived
	why    string     // lines is nil
}

func unknown(why string, values ...any) base { return base{why: fmt.Sprintf(why, values...)} }

// Of returns the amount of a subscription with these terms. id is empty, or that of a subscription, which may show an
// amount of its own for them.
func (b *Book) Of(id string, t Terms) Amount {
	t = t.canonical()
	key := b.key(t)
	own, has := b.subscriptions[strings.ToLower(id)]
	if has && own.key == key && (own.invoiced != nil || own.shown != nil) {
		a := seen(fact(nil).and(own.invoiced), fact(nil).and(own.shown), t)
		a.Shown = own.shown
		return a
	}
	invoiced, shown := b.invoiced[key], b.shown[key]
	if len(invoiced)+len(shown) == 0 {
		return b.computed(t)
	}
	a := seen(invoiced, shown, t)
	if listed := b.listedPlan(t); a.Cents != nil && listed != nil && len(t.Items) == 0 && t.discount() != nil &&
		t.discount().Sign() == 0 && t.Code == "" {
		if cents := (Arithmetic{}).Cents([]*big.Int{listed}, none).Int64(); cents != *a.Cents {
			return Amount{Why: fmt.Sprintf("a subscription with the same terms shows %s, and the catalogue says %s",
				Decimal(*a.Cents), Decimal(cents))}
		}
	}
	return a
}

var none = new(big.Rat)

// seen is the amount that invoices, or else subscriptions, show for terms.
func seen(invoiced, shown fact, t Terms) Amount {
	switch {
	case len(invoiced) > 1:
		return Amount{Why: "the invoices of subscriptions with the same terms show different amounts"}
	case len(shown) > 1:
		return Amount{Why: fmt.Sprintf("subscriptions with the same terms show %s and %s", Decimal(slices.Min(shown)),
			Decimal(slices.Max(shown)))}
	case len(invoiced) == 1 && len(shown) == 1 && !near(invoiced[0], shown[0], t):
		return Amount{Why: fmt.Sprintf("the invoice shows %s, and the subscription %s", Decimal(invoiced[0]),
			Decimal(shown[0]))}
	case len(invoiced) == 1:
		return Amount{Cents: invoiced.one(), Shown: cmp.Or(shown.one(), invoiced.one()), Source: Invoiced}
	}
	return Amount{Cents: shown.one(), Shown: shown.one(), Source: Shown}
}

// near reports whether two amounts differ by a cent for each line at most.
func near(a, b int64, t Terms) bool { return max(a-b, b-a) <= int64(len(t.Items)+1) }

// computed is the amount of terms for which nothing shows one.
func (b *Book) computed(t Terms) Amount {
	d := t.discount()
	switch {
	case t.Code != "":
		return Amount{Why: "the service does not show what the discount code is worth"}
	case d == nil:
		return Amount{Why: fmt.Sprintf("%q is not a percentage", t.Percent)}
	}
	of := b.parts(t.without(), true)
	if of.lines == nil {
		return Amount{Why: of.why}
	}
	total := Arithmetic{}.Cents(of.lines, d)
	if !total.IsInt64() {
		return Amount{Why: "it is too large"}
	}
	a := Amount{Cents: new(total.Int64()), Shown: new(total.Int64()), Source: of.source}
	if len(t.Items) == 0 && d.Sign() == 0 {
		return a
	}
	if b.contradiction != "" {
		return Amount{Why: b.contradiction}
	}
	a.Estimated, a.Arithmetic = true, of.words(t)
	if a.Source != PriceList {
		a.Source = Derived
	}
	return a
}

// words are what an amount is computed from.
func (of base) words(t Terms) string {
	text := string(of.source)
	switch {
	case len(t.Items) > 0 && of.source == Shown:
	case len(t.Items) > 0 && t.Plan != "":
		text = "plan + items"
	case len(t.Items) > 0:
		text = "items"
	}
	if t.Percent != "" {
		percent := t.Percent
		if strings.Contains(percent, ".") {
			percent = strings.TrimRight(strings.TrimRight(percent, "0"), ".")
		}
		text += " − " + percent + " %"
	}
	return text
}

// parts are the plan and the items of terms without a discount, or with whole what subscriptions with these terms show.
func (b *Book) parts(t Terms, whole bool) base {
	if key := b.key(t); whole && len(b.invoiced[key])+len(b.shown[key]) > 0 {
		a := b.Of("", t)
		if a.Cents == nil {
			return base{why: a.Why}
		}
		return base{lines: []*big.Int{line(*a.Cents)}, source: Shown}
	}
	of := base{source: Derived}
	if t.Plan != "" {
		if of = b.plan(t); of.lines == nil {
			return of
		}
	}
	for _, item := range t.Items {
		unit, source := b.unit(item, t.Currency)
		if unit == nil {
			return unknown("neither the catalogue nor the price list shows the amount of the price %s", item.Price)
		}
		if of.source = cmp.Or(source, of.source); of.source != PriceList {
			of.source = Derived
		}
		of.lines = append(of.lines, new(big.Int).Mul(big.NewInt(*unit), big.NewInt(item.Quantity)))
	}
	return of
}

// plan is the amount of the plan of terms: of the catalogue, of a subscription with nothing else, or of the price list.
func (b *Book) plan(t Terms) base {
	if listed := b.listedPlan(t); listed != nil {
		return base{lines: []*big.Int{listed}, source: Catalogue}
	}
	alone := t
	alone.Items = nil
	if len(t.Items) > 0 {
		if key := b.key(alone); len(b.invoiced[key])+len(b.shown[key]) > 0 {
			return b.parts(alone, true)
		}
	}
	for _, e := range b.List {
		if e.Plan == t.Plan && e.Currency == t.Currency && e.Cycle == t.Cycle {
			return base{lines: []*big.Int{line(e.Cents)}, source: PriceList}
		}
	}
	return unknown("neither the catalogue nor a subscription shows the amount of the plan %s, %s in %s", t.Plan,
		cmp.Or(t.Cycle, "in its cycle"), cmp.Or(t.Currency, "its currency"))
}

// listedPlan is the amount of the plan in the catalogue, in subcents; nil for none.
func (b *Book) listedPlan(t Terms) *big.Int {
	if of, has := b.Plans[t.Plan]; has && of.Currency == t.Currency && of.Cycle == t.Cycle {
		return big.NewInt(of.Subcents)
	}
	return nil
}

func (b *Book) listedPrice(id, currency string) *int64 {
	if of, has := b.Prices[id]; has && of.Currency == currency {
		return &of.Subcents
	}
	return nil
}

// unit is the amount of one unit of an item, in subcents; nil for none. The source is PriceList or "".
func (b *Book) unit(i Item, currency string) (*int64, Source) {
	if unit := cmp.Or(i.Unit, b.listedPrice(i.Price, currency)); unit != nil {
		return unit, ""
	}
	for _, e := range b.List {
		if e.Price == i.Price && e.Currency == currency {
			return new(e.Cents * SubcentsPerCent), PriceList
		}
	}
	return nil, ""
}

// Decimal is an amount of cents in units, with a comma before every three digits.
func Decimal(cents int64) string {
	whole := fmt.Sprint(cents / 100)
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return fmt.Sprintf("%s.%02d", whole, cents%100)
}
