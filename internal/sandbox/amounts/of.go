package amounts

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// base is an amount without discounts, as the lines that it is the sum of.
type base struct {
	lines      []*big.Int // in subcents; nil: not known
	cents      *int64     // that the service shows or invoices for it
	estimated  bool       // the lines are not certain
	rounded    bool       // the only line is the rounded sum of several: what a discount makes of it is not certain
	open       int64      // by how many cents the first line may be off
	source     Source
	arithmetic string
	why        string // lines is nil
}

func unknown(why string, values ...any) base { return base{why: fmt.Sprintf(why, values...)} }

// Of returns the amount of a subscription with these terms. id is empty, or that of a subscription, which may show an
// amount of its own for them.
func (b *Book) Of(id string, t Terms) Amount {
	t = t.canonical()
	key := b.key(t)
	own, has := b.subscriptions[strings.ToLower(id)]
	has = has && own.key == key
	if has && own.invoiced != nil {
		if own.shown != nil && !b.agree(*own.invoiced, *own.shown, t) {
			return Amount{Shown: own.shown, Why: contradiction(*own.invoiced, *own.shown)}
		}
		return Amount{Cents: own.invoiced, Shown: own.shown, Source: Invoiced}
	}
	if has && own.shown != nil {
		return b.fromShown(*own.shown, t)
	}
	a := b.ofOthers(key, t)
	if has {
		a.Shown = nil
	}
	return a
}

// contradiction says that an invoice and a subscription show amounts that exclude each other.
func contradiction(invoiced, shown int64) string {
	return fmt.Sprintf("the invoice shows %s, and the subscription %s", decimal(invoiced), decimal(shown))
}

// ofOthers is the amount of terms for which a subscription shows none of its own.
func (b *Book) ofOthers(key string, t Terms) Amount {
	invoiced, shown := b.invoiced[key], b.shown[key]
	switch {
	case len(invoiced) > 1:
		return Amount{Shown: shown.one(), Why: "the invoices of subscriptions with the same terms show different amounts"}
	case len(invoiced) == 1 && len(shown) == 1 && !b.agree(invoiced[0], shown[0], t):
		return Amount{Why: contradiction(invoiced[0], shown[0])}
	case len(invoiced) == 1 && len(shown) < 2:
		return Amount{Cents: invoiced.one(), Shown: shown.one(), Source: Invoiced}
	case len(shown) > 1:
		return Amount{Why: shown.differ()}
	case t.Code == "" && !t.isDiscounted():
		return b.plain(t)
	case len(shown) == 1:
		return b.fromShown(shown[0], t)
	case t.Code != "":
		return Amount{Why: "the service does not show what the discount code is worth"}
	}
	return b.discounted(t)
}

// agree reports whether an invoice and the amount that is shown can both be right.
func (b *Book) agree(invoiced, shown int64, t Terms) bool {
	return invoiced == shown || t.Code != "" || t.isDiscounted() && explains(invoiced, line(shown), t)
}

// plain is the amount of terms without a discount.
func (b *Book) plain(t Terms) Amount {
	of := b.undiscounted(t, true)
	switch {
	case of.lines == nil:
		return Amount{Why: of.why}
	case of.cents != nil:
		return Amount{Cents: of.cents, Shown: of.cents, Source: of.source}
	}
	a := b.less(of, none)
	a.Shown, a.Source, a.Arithmetic = a.Cents, of.source, of.arithmetic
	return a
}

// less is the amount of lines less a part of it. It is not known where rounding leaves open more than a cent for each
// line.
func (b *Book) less(of base, discount *big.Rat) Amount {
	first, low, high := b.span(of, discount)
	if !high.IsInt64() {
		return Amount{Why: "it is too large"}
	}
	cents, most := first.Int64(), int64(len(of.lines))
	if high.Int64()-low.Int64() > 2*most {
		return Amount{Why: "the organization's amounts leave open how the service rounds"}
	}
	cents = min(max(cents, high.Int64()-most), low.Int64()+most)
	return Amount{Cents: &cents, Estimated: of.estimated || low.Cmp(high) != 0, Source: Derived}
}

// span is the amount of lines less a part of it by the first rule, and the least and the greatest that it may be.
func (b *Book) span(of base, discount *big.Rat) (first, low, high *big.Int) {
	first = b.rules[0].Cents(of.lines, discount)
	low, high = first, first
	for off := -of.open; off <= of.open; off++ {
		lines := slices.Clone(of.lines)
		if off != 0 {
			lines[0] = new(big.Int).Add(lines[0], big.NewInt(off*SubcentsPerCent))
		}
		for _, a := range b.rules {
			cents := a.Cents(lines, discount)
			if cents.Cmp(low) < 0 {
				low = cents
			}
			if cents.Cmp(high) > 0 {
				high = cents
			}
		}
	}
	return first, low, high
}

// fromShown is the amount that is invoiced for terms with an amount that the service shows for them.
func (b *Book) fromShown(shown int64, t Terms) Amount {
	is := Amount{Cents: &shown, Shown: &shown, Source: Shown}
	if t.Code == "" && !t.isDiscounted() {
		return is
	}
	of := b.undiscounted(t.without(), true)
	whole := b.certain(of)
	switch isWhole := whole != nil && shown == *whole; {
	case t.Code != "" && (whole == nil || shown >= *whole):
		return Amount{Shown: &shown, Why: "the amount that the service shows may be before the discount code"}
	case t.Code != "", whole != nil && shown < *whole && explains(shown, of.lines, t), b.net.confirms() && !isWhole:
		return is
	case isWhole:
		return b.afterDiscount(shown, of, t)
	case b.isGross():
		return b.afterDiscount(shown, base{lines: line(shown), rounded: len(t.Items) > 0}, t)
	}
	return Amount{Shown: &shown, Why: "no amount shows whether the service shows amounts before or after a discount"}
}

// certain is the amount of lines that are certain; nil: they are not.
func (b *Book) certain(of base) *int64 {
	if of.lines == nil || of.estimated {
		return nil
	}
	return b.less(of, none).Cents
}

// afterDiscount is the amount of terms for which the service shows the one before the discount.
func (b *Book) afterDiscount(shown int64, of base, t Terms) Amount {
	d := t.discount()
	if d == nil || b.discounts.refutes() {
		return Amount{Shown: &shown, Why: unexplained}
	}
	a := b.less(of, d)
	a.Estimated = a.Estimated || of.rounded || !b.discounts.confirms()
	a.Shown, a.Arithmetic = &shown, "shown amount − "+percentText(t)
	return a
}

const unexplained = "the amounts of subscriptions with a discount are not explained by their percentages"

// explains reports whether an amount is that of lines after the discount of terms, in some arithmetic.
func explains(cents int64, lines []*big.Int, t Terms) bool {
	d := t.discount()
	return d != nil && (&learned{fits: every()}).explained(cents, lines, d)
}

// isGross reports whether the service shows amounts before a discount.
func (b *Book) isGross() bool { return b.net.differs > 0 && b.net.agrees == 0 }

// discounted is the amount of terms with a percentage, from the amount without it.
func (b *Book) discounted(t Terms) Amount {
	of, d := b.undiscounted(t.without(), true), t.discount()
	switch {
	case d == nil:
		return Amount{Why: fmt.Sprintf("%q is not a percentage", t.Percent)}
	case of.lines == nil:
		return Amount{Why: of.why}
	case b.discounts.refutes():
		return Amount{Why: unexplained}
	}
	a := b.less(of, d)
	a.Estimated = a.Estimated || of.rounded || !b.discounts.confirms()
	a.Arithmetic = cmp.Or(of.arithmetic, string(of.source)) + " − " + percentText(t)
	switch {
	case b.net.confirms():
		a.Shown = a.Cents
	case b.isGross():
		a.Shown = b.less(of, none).Cents
	}
	if of.source == PriceList {
		a.Source = PriceList
	}
	return a
}

// percentText is a discount such as 12.5 %.
func percentText(t Terms) string {
	text := t.Percent
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + " %"
}

// undiscounted is the amount of terms without a discount: shown for the same terms, or the sum of its parts, or, with
// invert, computed back from an amount after a discount.
func (b *Book) undiscounted(t Terms, invert bool) base {
	key := b.key(t)
	parts, invoiced, shown := b.parts(t), b.invoiced[key], b.shown[key]
	found, source := shown, Shown
	if len(invoiced) > 0 {
		found, source = invoiced, Invoiced
	}
	if len(shown) > 0 && shown[0] != found[0] {
		return unknown("%s", contradiction(found[0], shown[0]))
	}
	isListed := parts.lines != nil && parts.source != PriceList // what the service shows comes before the list of the user
	switch {
	case len(found) > 1:
		return unknown("%s", found.differ())
	case len(found) == 0 && invert && !isListed:
		return b.inverted(key, parts)
	case len(found) == 0:
		return parts
	case isListed && parts.open == 0 && (&learned{fits: every()}).explained(found[0], parts.lines, none):
		return base{lines: parts.lines, cents: &found[0], source: source}
	case isListed && !parts.estimated:
		return unknown("a subscription with the same terms shows %s, and the catalogue says %s", decimal(found[0]),
			decimal(*b.less(parts, none).Cents))
	}
	return base{lines: line(found[0]), cents: &found[0], source: source, rounded: len(t.Items) > 0}
}

// parts are the plan and the items of terms.
func (b *Book) parts(t Terms) base {
	sum := base{source: Catalogue}
	if t.Plan != "" {
		plan := b.plan(t)
		if plan.lines == nil {
			return plan
		}
		sum = plan
	}
	for _, item := range t.Items {
		unit, source := item.Unit, Derived
		if unit == nil {
			unit = b.listedPrice(item.Price, t.Currency)
		}
		if unit == nil {
			if unit, source = b.userPrice(item.Price, t.Currency), PriceList; unit == nil {
				return unknown("neither the catalogue nor a subscription shows the amount of the price %s", item.Price)
			}
		}
		if sum.source != PriceList {
			sum.source = source
		}
		sum.lines = append(sum.lines, new(big.Int).Mul(big.NewInt(*unit), big.NewInt(item.Quantity)))
	}
	if len(t.Items) == 0 {
		return sum
	}
	sum.cents, sum.arithmetic = nil, "items"
	proof := b.quantity
	if t.Plan != "" {
		sum.arithmetic, proof = "plan + items", b.sum
	} else if b.sum.confirms() {
		proof = b.sum
	}
	if proof.refutes() {
		return unknown("amounts of the organization are not the sums of plan and items")
	}
	sum.estimated = sum.estimated || !proof.confirms()
	return sum
}

// plan is the amount of the plan of terms.
func (b *Book) plan(t Terms) base {
	for _, of := range b.Plans[t.Plan] {
		if of.Currency == t.Currency && of.Cycle == t.Cycle {
			return base{lines: []*big.Int{big.NewInt(of.Subcents)}, source: Catalogue}
		}
	}
	if len(t.Items) > 0 {
		alone := t
		alone.Items = nil
		return b.undiscounted(alone, true)
	}
	for _, e := range b.List {
		if e.Plan == t.Plan && e.Currency == t.Currency && e.Cycle == t.Cycle {
			return base{lines: line(e.Cents), source: PriceList}
		}
	}
	return unknown("neither the catalogue nor a subscription shows the amount of the plan %s, %s in %s", t.Plan,
		cmp.Or(t.Cycle, "in its cycle"), cmp.Or(t.Currency, "its currency"))
}

func (b *Book) listedPrice(id, currency string) *int64 {
	for _, of := range b.Prices[id] {
		if of.Currency == currency {
			return &of.Subcents
		}
	}
	return nil
}

func (b *Book) userPrice(id, currency string) *int64 {
	for _, e := range b.List {
		if e.Price == id && e.Currency == currency {
			return new(e.Cents * SubcentsPerCent)
		}
	}
	return nil
}

// inverted computes an amount back from one that is shown or invoiced after a discount. The user's price list is used
// where that is not possible.
func (b *Book) inverted(key string, parts base) base {
	for _, s := range b.percents[key] {
		if len(s.Items) > 1 || len(s.Items) > 0 && s.Plan != "" { // each may be rounded
			continue
		}
		shown, k := s.Shown, b.key(b.terms(s))
		d := b.terms(s).discount()
		invoiced := b.invoiced[k].one()
		switch {
		case shown != nil && b.isGross():
			return base{lines: line(*shown), cents: shown, source: Shown, rounded: len(s.Items) > 0}
		case invoiced != nil:
			shown = invoiced
		case shown == nil || !b.net.confirms():
			continue
		}
		if of, ok := b.before(*shown, d); ok {
			of.estimated = of.open > 0 || len(s.Items) > 0 || !b.discounts.confirms()
			of.rounded, of.source = len(s.Items) > 0, Derived
			of.arithmetic = "amount before " + percentText(b.terms(s))
			return of
		}
	}
	return parts
}

// before is the amount that a discount makes another one of. It is not known where amounts of more than a cent to
// either side do.
func (b *Book) before(after int64, discount *big.Rat) (of base, ok bool) {
	rest := new(big.Rat).Sub(big.NewRat(1, 1), discount)
	if discount.Sign() < 0 || rest.Cmp(big.NewRat(1, 2)) < 0 {
		return of, false
	}
	middle := Arithmetic{}.round(new(big.Rat).Quo(new(big.Rat).SetInt64(after), rest)).Int64()
	var fits []int64
	for cents := max(middle-3, 0); cents <= middle+3; cents++ {
		if slices.ContainsFunc(b.rules, func(a Arithmetic) bool { return isCents(a.Cents(line(cents), discount), after) }) {
			fits = append(fits, cents)
		}
	}
	if len(fits) == 0 || fits[len(fits)-1]-fits[0] > 2 {
		return of, false
	}
	cents := fits[len(fits)/2]
	return base{lines: line(cents), open: max(cents-fits[0], fits[len(fits)-1]-cents)}, true
}

// differ says that a fact is none.
func (f fact) differ() string {
	return fmt.Sprintf("subscriptions with the same terms show %s and %s", decimal(slices.Min(f)), decimal(slices.Max(f)))
}

// decimal is an amount of cents in units.
func decimal(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
