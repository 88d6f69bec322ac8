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
	low, high  []*big.Int // between which the lines are; nil: they are exact
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
	return fmt.Sprintf("the invoice shows %s, and the subscription %s", Decimal(invoiced), Decimal(shown))
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
	d := t.discount()
	if invoiced == shown || t.Code != "" || d == nil || d.Sign() == 0 {
		return invoiced == shown || t.Code != ""
	}
	after := Arithmetic{}.Cents(line(shown), d)
	off := after.Sub(after, big.NewInt(invoiced))
	return off.CmpAbs(big.NewInt(int64(len(t.Items)+1))) <= 0 // each line may be rounded
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
	a.Shown = a.Cents
	return a
}

// less is the amount of lines less a part of it. It is not known where rounding leaves open more than a cent for each
// line. A discount is an estimate where nothing confirms that it is that part, or of what.
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
	isOpen := discount.Sign() != 0 && (of.rounded || !b.discounts.confirms())
	return Amount{Cents: &cents, Estimated: of.estimated || low.Cmp(high) != 0 || isOpen, Source: of.source,
		Arithmetic: of.arithmetic}
}

// span is the amount of lines less a part of it by the first rule, and the least and the greatest that it may be.
func (b *Book) span(of base, discount *big.Rat) (first, low, high *big.Int) {
	first = b.rules[0].Cents(of.lines, discount)
	low, high = first, first
	ways := [][]*big.Int{of.lines}
	if of.low != nil {
		ways = append(ways, of.low, of.high)
	}
	for _, lines := range ways {
		for _, a := range b.rules {
			if cents := a.Cents(lines, discount); cents.Cmp(low) < 0 {
				low = cents
			} else if cents.Cmp(high) > 0 {
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
	case t.Code != "", b.net.confirms() && !isWhole,
		whole != nil && shown < *whole && explains(shown, of.lines, t.discount()):
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
	of.source, of.arithmetic = Derived, "shown amount − "+percentText(t)
	a := b.less(of, d)
	a.Shown = &shown
	return a
}

const unexplained = "the amounts of subscriptions with a discount are not explained by their percentages"

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
	of.arithmetic = cmp.Or(of.arithmetic, string(of.source)) + " − " + percentText(t)
	if of.source != PriceList {
		of.source = Derived
	}
	a := b.less(of, d)
	switch {
	case b.net.confirms():
		a.Shown = a.Cents
	case b.isGross():
		a.Shown = b.less(of, none).Cents
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
	case isListed && parts.low == nil && explains(found[0], parts.lines, none):
		return base{lines: parts.lines, cents: &found[0], source: source}
	case isListed && !parts.estimated:
		return unknown("a subscription with the same terms shows %s, and the catalogue says %s", Decimal(found[0]),
			b.less(parts, none).text())
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
		one, source := b.item(item, t.Currency), Derived
		if one == nil {
			if one, source = b.userItem(item, t.Currency), PriceList; one == nil {
				one, source = b.deduced[item.Price+" "+t.Currency].times(item.Quantity), Derived
			}
		}
		if one == nil {
			return unknown("neither the catalogue nor a subscription shows the amount of the price %s", item.Price)
		}
		if sum.source != PriceList {
			sum.source = source
		}
		sum = sum.plus(*one)
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
	sum.estimated = sum.estimated || sum.low != nil || !proof.confirms()
	return sum
}

// plan is the amount of the plan of terms.
func (b *Book) plan(t Terms) base {
	if of, has := b.Plans[t.Plan]; has && of.Currency == t.Currency && of.Cycle == t.Cycle {
		return base{lines: []*big.Int{big.NewInt(of.Subcents)}, source: Catalogue}
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
	if of, has := b.Prices[id]; has && of.Currency == currency {
		return &of.Subcents
	}
	return nil
}

// ranged is a line between two others, in subcents.
type ranged struct{ low, middle, high *big.Int }

// exactly is a line of so many units.
func exactly(subcents, quantity int64) *ranged {
	line := new(big.Int).Mul(big.NewInt(subcents), big.NewInt(quantity))
	return &ranged{line, line, line}
}

// item is the line of an item whose amount the service shows; nil: it does not.
func (b *Book) item(i Item, currency string) *ranged {
	unit := i.Unit
	if unit == nil {
		unit = b.listedPrice(i.Price, currency)
	}
	if unit == nil {
		return nil
	}
	return exactly(*unit, i.Quantity)
}

// userItem is the line of an item whose price is in the list of the user; nil: it is not.
func (b *Book) userItem(i Item, currency string) *ranged {
	for _, e := range b.List {
		if e.Price == i.Price && e.Currency == currency {
			return exactly(e.Cents*SubcentsPerCent, i.Quantity)
		}
	}
	return nil
}

// plus is a sum with one more line.
func (of base) plus(r ranged) base {
	if of.low == nil && r.low.Cmp(r.high) != 0 {
		of.low, of.high = append([]*big.Int{}, of.lines...), append([]*big.Int{}, of.lines...)
	}
	if of.low != nil {
		of.low, of.high = append(slices.Clip(of.low), r.low), append(slices.Clip(of.high), r.high)
	}
	of.lines = append(slices.Clip(of.lines), r.middle)
	return of
}

// deduction is what a subscription is billed for one item, before rounding.
type deduction struct {
	line     *big.Int // in subcents, off by less than a cent; nil: nothing
	quantity int64
}

// times is the line of another quantity; nil: it is not known.
func (d deduction) times(quantity int64) *ranged {
	if d.line == nil {
		return nil
	}
	of := func(off int64) *big.Int {
		line := new(big.Int).Add(d.line, big.NewInt(off))
		line.Mul(line, big.NewInt(quantity))
		return line.Div(line, big.NewInt(d.quantity))
	}
	return &ranged{of(1 - SubcentsPerCent), of(0), of(SubcentsPerCent)}
}

// deduce computes the amount of a price from that of a subscription without a discount, of which all else is known.
func (b *Book) deduce(k known) {
	cents := k.cents()
	var missing []Item
	rest := k.terms
	rest.Items = nil
	for _, item := range k.terms.Items {
		if b.item(item, k.terms.Currency) == nil {
			missing = append(missing, item)
		} else {
			rest.Items = append(rest.Items, item)
		}
	}
	if cents == nil || k.terms.isDiscounted() || len(missing) != 1 {
		return
	}
	line := new(big.Int).Mul(big.NewInt(*cents), big.NewInt(SubcentsPerCent))
	if rest.Plan != "" || len(rest.Items) > 0 {
		parts := b.parts(rest)
		if parts.lines == nil || parts.low != nil || parts.source == PriceList {
			return
		}
		for _, one := range parts.lines {
			line.Sub(line, one)
		}
	}
	key := missing[0].Price + " " + k.terms.Currency
	if line.Sign() >= 0 && missing[0].Quantity > b.deduced[key].quantity {
		b.deduced[key] = deduction{line, missing[0].Quantity}
	}
}

// inverted computes an amount back from one that is shown or invoiced after a discount. The user's price list is used
// where that is not possible.
func (b *Book) inverted(key string, parts base) base {
	for _, k := range b.percents[key] {
		after, items := b.invoiced[k.key].one(), len(k.terms.Items)
		switch {
		case k.shown != nil && b.isGross():
			return base{lines: line(*k.shown), cents: k.shown, source: Shown, rounded: items > 0}
		case items > 1 || items > 0 && k.terms.Plan != "": // each may be rounded
			continue
		case after == nil && b.net.confirms():
			after = k.shown
		}
		if after == nil {
			continue
		}
		if of, ok := b.before(*after, k.terms.discount()); ok {
			of.estimated = of.low != nil || items > 0 || !b.discounts.confirms()
			of.rounded, of.source = items > 0, Derived
			of.arithmetic = "amount before " + percentText(k.terms)
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
	if fits[len(fits)-1]-fits[0] > 2 { // there is always one: the discount is half at most
		return of, false
	}
	of.lines = line(fits[len(fits)/2])
	if len(fits) > 1 {
		of.low, of.high = line(fits[0]), line(fits[len(fits)-1])
	}
	return of, true
}

// differ says that a fact is none.
func (f fact) differ() string {
	return fmt.Sprintf("subscriptions with the same terms show %s and %s", Decimal(slices.Min(f)), Decimal(slices.Max(f)))
}

// text is an amount in units.
func (a Amount) text() string {
	if a.Cents == nil {
		return "another amount"
	}
	return Decimal(*a.Cents)
}

// Decimal is an amount of cents in units, with a comma before every three digits.
func Decimal(cents int64) string {
	whole := fmt.Sprint(cents / 100)
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return fmt.Sprintf("%s.%02d", whole, cents%100)
}
