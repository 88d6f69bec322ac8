package rehearsal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Forecast contains the amounts that follow from a plan alone. Its JSON is the output of --json.
type Forecast struct {
	Subscriptions []Forecasted `json:"subscriptions"` // that the plan changes
	Totals        []Total      `json:"totals"`        // of all subscriptions of the configuration
}

// Forecasted is the price of a subscription without and with the apply, after what is scheduled already: a plan change
// or an end at the end of the period.
type Forecasted struct {
	Address string `json:"address"`
	Action  string `json:"action"`
	Amounts
	At string `json:"at,omitempty"` // when the new price begins, where that is not the apply
}

// Total is the sum of the subscriptions of the configuration with one billing cycle and currency.
type Total struct {
	Cycle    string `json:"cycle"`
	Currency string `json:"currency"`
	Without  Money  `json:"without"`
	With     Money  `json:"with"`
}

// formatMajor is the version of Terraform's plan format that is read.
const formatMajor = "1."

// ReadForecast reads the output of terraform show -json of a saved plan.
func ReadForecast(document []byte) (*Forecast, error) {
	if len(document) > 1 && document[0] == 'P' && document[1] == 'K' {
		return nil, errors.New("this is a saved plan: convert it with \"terraform show -json FILE > plan.json\"")
	}
	var p struct {
		plan
		Values any `json:"values"`
	}
	if err := decode(document, &p); err != nil {
		return nil, fmt.Errorf("this is not the JSON of a plan (%w): write it with \"terraform show -json FILE\"", err)
	}
	switch {
	case p.FormatVersion == "":
		return nil, errors.New("this is not the JSON of a plan: write it with \"terraform show -json FILE\"")
	case !strings.HasPrefix(p.FormatVersion, formatMajor):
		return nil, fmt.Errorf("the plan has format version %s, and this version reads %sx: use a newer one", p.FormatVersion,
			formatMajor)
	case p.ResourceChanges == nil && p.Values != nil:
		return nil, errors.New("this is the JSON of a state: save a plan with \"terraform plan -out FILE\", and show that")
	}
	return p.forecast(), nil
}

// terms are all that an amount may depend on, but for the cycle; "" where one of them is not known.
func terms(of, unknown object) string {
	for _, name := range []string{"plan_id", "items", "discount_percent", "discount_code_id"} {
		if hasUnknown(unknown[name]) {
			return ""
		}
	}
	var items []string
	list, _ := of["items"].([]any)
	for _, one := range list {
		fields, _ := one.(object)
		text, _ := json.Marshal([]any{fields["product_id"], fields["price_id"], fields["quantity"],
			fields["unit_amount_subcents"]}) // of decoded JSON
		items = append(items, string(text))
	}
	slices.Sort(items)
	text, _ := json.Marshal([]any{of["plan_id"], items, number(of["discount_percent"]), of["discount_code_id"]})
	return string(text)
}

// number is a number in one wording: 10, 10.0 and "10.00" are the same discount.
func number(v any) string {
	text := textOf(v)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "0" {
		return "" // none
	}
	return text
}

func hasUnknown(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case []any:
		return slices.ContainsFunc(v, hasUnknown)
	case object:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasUnknown)
	}
	return false
}

// running returns a subscription of a state as it is billed now: with its current plan, not a pending one.
func running(of object) object {
	of = maps.Clone(of)
	if current, known := of["current_plan_id"]; known {
		of["plan_id"] = current
	}
	return of
}

// shownAmounts are the amounts that the service showed, by terms and cycle.
type shownAmounts map[string]map[string]Money

// of is the amount for terms. While the plan leaves the cycle open, the service may keep the present one or take that
// of the new plan: the amount is known where the service showed these terms with the present cycle alone.
func (s shownAmounts) of(terms, cycle string, open bool) Money {
	if open && len(s[terms]) > 1 {
		return missing()
	}
	if amount, shown := s[terms][cycle]; shown {
		return amount
	}
	return missing()
}

// shown are the amounts that the service showed. Two amounts for the same terms prove none.
func (p plan) shown(currencies currencies) shownAmounts {
	all := shownAmounts{}
	for _, r := range p.PriorState.Values.RootModule.all() {
		var seen []object
		switch r.Type {
		case "billing_subscription":
			if live(r.Values) { // others prove nothing about what is billed now
				seen = []object{r.Values}
			}
		case "billing_subscriptions":
			list, _ := r.Values["subscriptions"].([]any)
			for _, one := range list {
				of, _ := one.(object)
				if _, lists := of["items"]; lists && live(of) { // else the terms are not complete
					seen = append(seen, of)
				}
			}
		}
		for _, of := range seen {
			key, cycle := currencies.terms(running(of), nil), textOf(of["billing_cycle"])
			amount := money(of["recurring_amount_cents"])
			if all[key] == nil {
				all[key] = map[string]Money{}
			}
			if other, known := all[key][cycle]; known && other != amount {
				amount = missing()
			}
			all[key][cycle] = amount
		}
	}
	return all
}

// currencies are those of the accounts, by id. Under "" is that of an account that is not there yet: known where all
// others, and those that the plan creates, have one and the same.
type currencies map[string]string

func (p plan) currencies() currencies {
	all := currencies{}
	for _, r := range p.PriorState.Values.RootModule.all() {
		if r.Type == "billing_account" {
			all[textOf(r.Values["id"])] = textOf(r.Values["currency"])
		}
	}
	for _, c := range p.ResourceChanges {
		if of := textOf(c.Change.After["currency"]); c.Type == "billing_account" && of != "" {
			all[cmp.Or(textOf(c.Change.Before["id"]), c.Address)] = of
		}
	}
	if of := slices.Compact(slices.Sorted(maps.Values(all))); len(of) == 1 {
		all[""] = of[0]
	}
	return all
}

// of returns the currency of a subscription; "" if it is unknown.
func (c currencies) of(subscription object) string {
	return cmp.Or(c[textOf(subscription["billing_account_id"])], c[""])
}

// terms returns the terms of a subscription with its currency: in another one its price may differ.
func (c currencies) terms(subscription, unknown object) string {
	text := terms(subscription, unknown)
	if text == "" {
		return ""
	}
	currency := c.of(subscription)
	if currency == "" && len(c) > 1 {
		currency = textOf(subscription["billing_account_id"]) // it is like that of no other account
	}
	return currency + " " + text
}

func (p plan) forecast() *Forecast {
	currencies := p.currencies()
	shown := p.shown(currencies)
	f := &Forecast{}
	totals := map[[2]string]*Total{}
	add := func(price *Price, into func(*Total) *Money) {
		if price == nil {
			return
		}
		key := [2]string{price.Cycle, price.Currency}
		if totals[key] == nil {
			totals[key] = &Total{Cycle: price.Cycle, Currency: price.Currency, Without: exactly(0), With: exactly(0)}
		}
		sum := into(totals[key])
		*sum = sum.plus(price.Money)
	}
	for _, c := range p.ResourceChanges {
		if c.Type != "billing_subscription" || c.Mode != managed {
			continue
		}
		one := c.forecast(shown, currencies)
		one.Difference = differs(one.Without, one.With)
		add(one.Without, func(t *Total) *Money { return &t.Without })
		add(one.With, func(t *Total) *Money { return &t.With })
		if action(c.Change.Actions) != "" && !one.stays() {
			f.Subscriptions = append(f.Subscriptions, one)
		}
	}
	for _, t := range slices.SortedFunc(maps.Values(totals), func(a, b *Total) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Cycle, b.Cycle))
	}) {
		f.Totals = append(f.Totals, *t)
	}
	return f
}

// stays reports whether the price of the subscription does not change.
func (f Forecasted) stays() bool {
	if f.Without == nil || f.With == nil {
		return f.Without == f.With
	}
	return f.Difference != nil && f.Difference.none()
}

// forecast returns the effect of a change on the price of a subscription.
func (c resourceChange) forecast(shown shownAmounts, currencies currencies) Forecasted {
	before, after, unknown := c.Change.Before, c.Change.After, c.Change.AfterUnknown
	of := cmpOr(after, before)
	one := Forecasted{Address: c.Address, Action: cmp.Or(action(c.Change.Actions), "no change")}
	one.ID = textOf(of["id"])
	one.Name = cmp.Or(textOf(of["external_id"]), c.Address)
	one.Without = scheduled(before, shown, currencies)
	cycle := textOf(of["billing_cycle"])
	if cycle == "" && !replaced(c) {
		cycle = textOf(before["billing_cycle"])
	}
	priced := func(amount Money) *Price {
		return &Price{amount, cmp.Or(cycle, defaultCycle), currencies.of(of)}
	}
	switch {
	case after == nil:
		c.destroyed(&one)
	case after["status"] == "canceled", after["pause"] != nil:
	case hasUnknown(unknown["pause"]):
		one.With = priced(missing())
	case after["cancel_at_period_end"] == true:
		one.At = textOf(before["current_period_end"])
	default:
		one.With, one.At = priced(c.amount(shown, currencies, cmp.Or(cycle, defaultCycle))), c.later()
		payer := func(of object) string { return textOf(of["billing_account_id"]) }
		if one.With.Currency == "" && len(currencies) > 1 && (one.Without == nil || payer(before) != payer(after)) {
			one.With.Money = missing() // in which currency it will be billed is not known
		}
	}
	return one
}

// scheduled returns the price of a subscription of a state after what is scheduled for it; nil if it then bills
// nothing.
func scheduled(before object, shown shownAmounts, currencies currencies) *Price {
	if !live(before) || before["cancel_at_period_end"] == true {
		return nil
	}
	amount, cycle := money(before["recurring_amount_cents"]), textOf(before["billing_cycle"])
	if now := running(before); !equal(now["plan_id"], before["plan_id"]) {
		amount = shown.of(currencies.terms(before, nil), cycle, false)
	}
	return &Price{amount, cycle, currencies.of(before)}
}

// destroyed returns the price after a destroy, or after a removal from the state alone.
func (c resourceChange) destroyed(one *Forecasted) {
	before := c.Change.Before
	switch {
	case before["deletion_policy"] == "abandon", action(c.Change.Actions) == "forget":
		one.With = one.Without
	case before["deletion_policy"] == "cancel_at_period_end":
		one.At = textOf(before["current_period_end"])
	}
}

// amount returns the amount of the subscription after the change: the present one if its terms do not change.
func (c resourceChange) amount(shown shownAmounts, currencies currencies, cycle string) Money {
	before, after := c.Change.Before, c.Change.After
	wanted, open := currencies.terms(after, c.Change.AfterUnknown), hasUnknown(c.Change.AfterUnknown["billing_cycle"])
	if live(before) && !replaced(c) && !open && wanted == currencies.terms(running(before), nil) &&
		equal(after["billing_cycle"], before["billing_cycle"]) {
		return money(before["recurring_amount_cents"])
	}
	return shown.of(wanted, cycle, open)
}

// later is when another plan begins, where that is not the apply.
func (c resourceChange) later() string {
	before, after := c.Change.Before, c.Change.After
	change, _ := after["plan_change"].(object)
	if before == nil || change["timing"] != "end_of_period" || equal(after["plan_id"], running(before)["plan_id"]) {
		return ""
	}
	return textOf(before["current_period_end"])
}

func replaced(c resourceChange) bool { return strings.HasPrefix(action(c.Change.Actions), "replace") }

// defaultCycle is the cycle of a subscription without billing_cycle.
const defaultCycle = "monthly"

// sections are the tables of a forecast.
func (f *Forecast) sections() []section {
	var all []section
	var rows [][]string
	for _, s := range f.Subscriptions {
		row := amountRows([]Amounts{s.Amounts})[0]
		row[0] = s.Address
		at := ""
		if when := timeOf(s.At); !when.IsZero() {
			at = "from " + when.Format(time.DateOnly)
		}
		rows = append(rows, append(row, strings.Join(strings.Fields(s.Action+" "+at), " ")))
	}
	if len(rows) > 0 {
		all = append(all, section{title: "Subscriptions", header: []string{"Address", "Without", "With", "Difference",
			"Plan"}, rows: rows})
	}
	rows = nil
	for _, t := range f.Totals {
		rows = append(rows, []string{cmp.Or(t.Cycle, notKnownText), t.Without.in(t.Currency), t.With.in(t.Currency)})
	}
	if len(rows) > 0 {
		all = append(all, section{title: "Total of the subscriptions in this configuration", header: []string{"Cycle",
			"Without", "With"}, rows: rows})
	}
	return all
}

func (f *Forecast) headline() string {
	switch n := len(f.Subscriptions); n {
	case 0:
		return "This plan changes what no subscription costs"
	case 1:
		return "This plan changes what 1 subscription costs"
	default:
		return fmt.Sprintf("This plan changes what %d subscriptions cost", n)
	}
}

// Text writes the forecast for people.
func (f *Forecast) Text(out io.Writer) error {
	return writeText(out, []string{f.headline()}, f.sections())
}

// Markdown writes the forecast for a comment on a pull request.
func (f *Forecast) Markdown(out io.Writer) error {
	return writeMarkdown(out, []string{f.headline()}, f.sections())
}

// JSON writes the forecast for programs.
func (f *Forecast) JSON(out io.Writer) error {
	return writeJSON(out, Forecast{list(f.Subscriptions), list(f.Totals)})
}
