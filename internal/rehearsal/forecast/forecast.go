// Package forecast computes the amounts that follow from a plan alone.
package forecast

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/render"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/tfjson"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
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
	money.Amounts
	At string `json:"at,omitempty"` // when the new price begins, where that is not the apply
}

// Total is the sum of the subscriptions of the configuration with one billing cycle and currency.
type Total struct {
	Cycle    string      `json:"cycle"`
	Currency string      `json:"currency"`
	Without  money.Money `json:"without"`
	With     money.Money `json:"with"`
}

type fields = tfjson.Fields

// formatMajor is the version of Terraform's plan format that is read.
const formatMajor = "1."

// Read reads the output of terraform show -json of a saved plan. A copy of the organization and a price list
// are further sources of amounts; nil: none. An error in the copy is an *orgcopy.Error.
func Read(document, copied []byte, prices []amounts.Entry) (*Forecast, error) {
	if len(document) > 1 && document[0] == 'P' && document[1] == 'K' {
		return nil, errors.New("this is a saved plan: convert it with \"terraform show -json FILE > plan.json\"")
	}
	var p struct {
		tfjson.Plan
		Values any `json:"values"`
	}
	if err := tfjson.Decode(document, &p); err != nil {
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
	from, err := sourcesOf(p.Plan, copied, prices)
	if err != nil {
		return nil, err
	}
	return from.forecast(p.Plan), nil
}

// termsOf are the terms of a subscription of a plan; false where one of them is not known.
func termsOf(of, unknown fields, currency string) (t amounts.Terms, known bool) {
	for _, name := range []string{"plan_id", "items", "discount_percent", "discount_code_id"} {
		if tfjson.HasUnknown(unknown[name]) {
			return t, false
		}
	}
	t, err := amounts.TermsOf(currency, of)
	return t, err == nil
}

// itemsOf is the list of items of a subscription in JSON. A plan shows none as null.
func itemsOf(of fields) json.RawMessage {
	all, _ := of["items"].([]any)
	text, _ := json.Marshal(append([]any{}, all...)) // of decoded JSON
	return text
}

// running returns a subscription of a state as it is billed now: with its current plan, not a pending one.
func running(of fields) fields {
	of = maps.Clone(of)
	if current, known := of["current_plan_id"]; known {
		of["plan_id"] = current
	}
	return of
}

// sources are what a forecast takes amounts from.
type sources struct {
	book       *amounts.Book
	currencies currencies
}

// sourcesOf reads what the prior state of the plan shows, and what the copy and the price list have beside it.
func sourcesOf(p tfjson.Plan, copied []byte, prices []amounts.Entry) (sources, error) {
	s := sources{book: amounts.NewBook()}
	if copied != nil {
		reader, err := orgcopy.NewReader(bytes.NewReader(copied))
		if err != nil {
			return s, err
		}
		for object, err := range reader.Objects() {
			if err != nil {
				return s, err
			}
			s.book.Add(object)
		}
	}
	subscriptions := s.shown(p)
	s.currencies = currenciesOf(p, s.book.Currencies)
	for id, of := range subscriptions {
		of = running(of)
		of["id"], of["status"] = id, cmp.Or(tfjson.Text(of["status"]), "active")
		if payer := tfjson.Text(of["billing_account_id"]); s.book.Currency(payer) == "" {
			s.add(evidence.Account, "", fields{"id": payer, "currency": s.currencies.as(of)})
		}
		s.add(evidence.Subscription, "", of)
	}
	s.book.Use(prices)
	s.book.Learn()
	return s, nil
}

// shown adds what the plan shows, but for the subscriptions, which it returns by id.
func (s sources) shown(p tfjson.Plan) map[string]fields {
	subscriptions := map[string]fields{} // by id
	for _, r := range p.PriorState.Values.RootModule.All() {
		switch r.Type {
		case "billing_account":
			s.add(evidence.Account, "", r.Values)
		case "billing_subscription":
			subscriptions[idIn(r.Values, r.Address)] = withItems(r.Values)
		case "billing_accounts":
			for _, of := range objectsOf(r.Values["accounts"]) {
				s.add(evidence.Account, "", of)
			}
		case "billing_subscriptions":
			for _, of := range objectsOf(r.Values["subscriptions"]) {
				subscriptions[tfjson.Text(of["id"])] = of
			}
		case "billing_invoices":
			s.addRecords("invoices", r.Values["invoices"])
		case "billing_records":
			s.addRecords(tfjson.Text(r.Values["collection"]), r.Values["items"])
		}
	}
	for _, c := range p.ResourceChanges { // what the plan has refreshed
		if c.Type == "billing_subscription" && c.Change.Before != nil {
			subscriptions[idIn(c.Change.Before, c.Address)] = withItems(c.Change.Before)
		}
	}
	return subscriptions
}

// idIn is the id of an object of a plan, or its address.
func idIn(of fields, address string) string { return cmp.Or(tfjson.Text(of["id"]), address) }

// withItems is a subscription of the configuration, which has no items where it shows none.
func withItems(of fields) fields {
	of = maps.Clone(of)
	if of["items"] == nil {
		of["items"] = []any{}
	}
	return of
}

// add adds an object of the state.
func (s sources) add(kind, collection string, of fields) {
	text, _ := json.Marshal(of) // of decoded JSON
	o := orgcopy.Object{Kind: kind, Service: "billing", Collection: collection, Object: text}
	if _, lists := of["items"]; lists {
		o.Items = itemsOf(of)
	}
	s.book.Add(o)
}

// addRecords adds records of a data source, which are in JSON.
func (s sources) addRecords(collection string, all any) {
	for _, of := range objectsOf(all) {
		var record fields
		if tfjson.Decode([]byte(tfjson.Text(of["json"])), &record) == nil {
			s.add(evidence.Record, collection, record)
		}
	}
}

func objectsOf(list any) (all []fields) {
	some, _ := list.([]any)
	for _, one := range some {
		if of, is := one.(fields); is {
			all = append(all, of)
		}
	}
	return all
}

// of is the amount of a subscription of the plan. id is empty for a new one.
func (s sources) of(id string, of, unknown fields, cycle string) amounts.Amount {
	terms, known := termsOf(of, unknown, s.currencies.as(of))
	if !known {
		return amounts.Amount{Why: "the plan leaves its terms open"}
	}
	terms.Cycle = cycle
	amount := s.book.Of(id, terms)
	if !tfjson.HasUnknown(unknown["billing_cycle"]) {
		return amount
	}
	// The service may keep the present cycle or take that of the new plan.
	for _, other := range money.Cycles {
		if terms.Cycle = other; other != cycle && s.book.Of("", terms).Cents != nil {
			return amounts.Amount{Why: "the service chooses the billing cycle"}
		}
	}
	return amount
}

// currencies are those of the accounts, by id. Under "" is that of an account that is not there yet: known where all
// others, and those that the plan creates, have one and the same.
type currencies map[string]string

func currenciesOf(p tfjson.Plan, known map[string]string) currencies {
	all := currencies(maps.Clone(known))
	for _, c := range p.ResourceChanges {
		if of := tfjson.Text(c.Change.After["currency"]); c.Type == "billing_account" && of != "" {
			all[cmp.Or(strings.ToLower(tfjson.Text(c.Change.Before["id"])), c.Address)] = of
		}
	}
	if of := slices.Compact(slices.Sorted(maps.Values(all))); len(of) == 1 {
		all[""] = of[0]
	}
	return all
}

// of returns the currency of a subscription; "" if it is unknown.
func (c currencies) of(subscription fields) string {
	return cmp.Or(c[strings.ToLower(tfjson.Text(subscription["billing_account_id"]))], c[""])
}

// as is the currency that amounts of a subscription are compared in: in another one its price may differ. That of an
// unknown one is like that of no other account.
func (c currencies) as(subscription fields) string {
	currency := c.of(subscription)
	if currency == "" && len(c) > 1 {
		currency = tfjson.Text(subscription["billing_account_id"])
	}
	return currency
}

// forecast returns the amounts of a plan.
func (s sources) forecast(p tfjson.Plan) *Forecast {
	f := &Forecast{}
	totals := map[[2]string]*Total{}
	add := func(price *money.Price, into func(*Total) *money.Money) {
		if price == nil {
			return
		}
		key := [2]string{price.Cycle, price.Currency}
		if totals[key] == nil {
			totals[key] = &Total{Cycle: price.Cycle, Currency: price.Currency, Without: money.Exactly(0), With: money.Exactly(0)}
		}
		sum := into(totals[key])
		*sum = sum.Plus(price.Money)
	}
	for _, c := range p.ResourceChanges {
		if c.Type != "billing_subscription" || c.Mode != tfjson.Managed {
			continue
		}
		one := s.change(c)
		one.Difference = money.Differs(one.Without, one.With)
		add(one.Without, func(t *Total) *money.Money { return &t.Without })
		add(one.With, func(t *Total) *money.Money { return &t.With })
		if c.Action() != "" && !one.stays() {
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
	return f.Difference != nil && f.Difference.None()
}

// change returns the effect of a change on the price of a subscription.
func (s sources) change(c tfjson.ResourceChange) Forecasted {
	before, after, unknown := c.Change.Before, c.Change.After, c.Change.AfterUnknown
	of := tfjson.Either(after, before)
	one := Forecasted{Address: c.Address, Action: cmp.Or(c.Action(), "no change")}
	one.ID = tfjson.Text(of["id"])
	id := idIn(of, c.Address)
	one.Name = cmp.Or(tfjson.Text(of["external_id"]), c.Address)
	one.Without = s.scheduled(id, before)
	cycle := tfjson.Text(of["billing_cycle"])
	if cycle == "" && !replaced(c) {
		cycle = tfjson.Text(before["billing_cycle"])
	}
	cycle = cmp.Or(cycle, defaultCycle)
	priced := func(amount amounts.Amount) *money.Price { return money.PriceOf(amount, cycle, s.currencies.of(of)) }
	switch {
	case after == nil:
		destroyed(c, &one)
	case after["status"] == "canceled", after["pause"] != nil:
	case tfjson.HasUnknown(unknown["pause"]):
		one.With = priced(amounts.Amount{Why: "the plan leaves open whether it is paused"})
	case after["cancel_at_period_end"] == true:
		one.At = tfjson.Text(before["current_period_end"])
	default:
		if replaced(c) || !money.Live(before) {
			id = ""
		}
		one.With, one.At = priced(s.of(id, after, unknown, cycle)), later(c)
		payer := func(of fields) string { return tfjson.Text(of["billing_account_id"]) }
		if one.With.Currency == "" && len(s.currencies) > 1 && (one.Without == nil || payer(before) != payer(after)) {
			one.With = priced(amounts.Amount{Why: "the currency of its billing account is not known yet"})
		}
	}
	return one
}

// scheduled returns the price of a subscription of a state after what is scheduled for it; nil if it then bills
// nothing.
func (s sources) scheduled(id string, before fields) *money.Price {
	if !money.Live(before) || before["cancel_at_period_end"] == true {
		return nil
	}
	cycle := tfjson.Text(before["billing_cycle"])
	return money.PriceOf(s.of(id, before, nil, cycle), cycle, s.currencies.of(before))
}

// destroyed returns the price after a destroy, or after a removal from the state only.
func destroyed(c tfjson.ResourceChange, one *Forecasted) {
	before := c.Change.Before
	switch {
	case before["deletion_policy"] == "abandon", c.Action() == "forget":
		one.With = one.Without
	case before["deletion_policy"] == "cancel_at_period_end":
		one.At = tfjson.Text(before["current_period_end"])
	}
}

// later is when another plan begins, where that is not the apply.
func later(c tfjson.ResourceChange) string {
	before, after := c.Change.Before, c.Change.After
	change, _ := after["plan_change"].(fields)
	if before == nil || change["timing"] != "end_of_period" || tfjson.Equal(after["plan_id"], running(before)["plan_id"]) {
		return ""
	}
	return tfjson.Text(before["current_period_end"])
}

func replaced(c tfjson.ResourceChange) bool { return strings.HasPrefix(c.Action(), "replace") }

// defaultCycle is the cycle of a subscription without billing_cycle.
const defaultCycle = "monthly"

// sections are the tables of a forecast.
func (f *Forecast) sections() []render.Section {
	var all []render.Section
	var rows [][]string
	for _, s := range f.Subscriptions {
		row := money.Rows([]money.Amounts{s.Amounts})[0]
		row[0] = s.Address
		at := ""
		if when := tfjson.Time(s.At); !when.IsZero() {
			at = "from " + when.Format(time.DateOnly)
		}
		rows = append(rows, append(row, strings.Join(strings.Fields(s.Action+" "+at), " ")))
	}
	if len(rows) > 0 {
		all = append(all, render.Section{Title: "Subscriptions", Header: []string{"Address", "Without", "With", "Difference",
			"Source", "Plan"}, Rows: rows})
	}
	rows = nil
	for _, t := range f.Totals {
		rows = append(rows, []string{cmp.Or(t.Cycle, money.NotKnown), t.Without.In(t.Currency), t.With.In(t.Currency)})
	}
	if len(rows) > 0 {
		all = append(all, render.Section{Title: "Total of the subscriptions in this configuration", Header: []string{"Cycle",
			"Without", "With"}, Rows: rows})
	}
	var changed []money.Amounts
	for _, s := range f.Subscriptions {
		changed = append(changed, s.Amounts)
	}
	if reasons := money.Reasons(changed); len(reasons) > 0 {
		all = append(all, render.Section{Title: "Not known", Rows: render.Lines(reasons)})
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

// Page is what the forecast says.
func (f *Forecast) Page() *render.Page {
	return &render.Page{Headlines: []string{f.headline()}, Sections: f.sections(),
		Value: Forecast{render.List(f.Subscriptions), render.List(f.Totals)}}
}
