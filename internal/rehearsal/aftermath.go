package rehearsal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tf "github.com/hashicorp/terraform-json"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/render"
)

// Row is what a subscription that the apply changes is invoiced in a month.
type Row struct {
	Subscription string      `json:"subscription"` // id; empty: the apply creates it
	ExternalID   string      `json:"external_id,omitempty"`
	Address      string      `json:"address,omitempty"` // of one that the apply creates
	Month        string      `json:"month"`             // such as 2026-02
	Currency     string      `json:"currency"`
	Without      money.Money `json:"without"`
	With         money.Money `json:"with"`
	// Before and After are the terms without the apply and with it: at first, and on the last day. They are empty where
	// there is no such subscription.
	Before []fields `json:"terms_without"`
	After  []fields `json:"terms_with"`
}

// name is the subscription for people.
func (r Row) name() string {
	if r.Subscription == "" {
		return cmp.Or(r.ExternalID, r.Address) + " (new)"
	}
	return cmp.Or(r.ExternalID, r.Subscription)
}

// terms are the members of a subscription that decide what it is invoiced, without what only an id identifies.
var termsOf = []string{"plan_id", "billing_cycle", "discount_percent", "discount_code_id", "collection_method",
	"billing_account_id", "status"}

// stagesOf are the terms at the beginning and at the end.
func stagesOf(id string, o outcome) []fields {
	all := []fields{}
	for _, at := range []objects{o.before, o.end} {
		if of := at[evidence.Subscription][id]; of != nil {
			all = append(all, termsIn(of))
		}
	}
	return all
}

func termsIn(of fields) fields {
	terms := fields{}
	for _, name := range termsOf {
		terms[name] = of[name]
	}
	items, _ := of["items"].([]any)
	var lines []string
	for _, one := range items {
		item, _ := one.(fields)
		lines = append(lines, fmt.Sprint(plain.Text(item["product_id"]), " ", plain.Text(item["price_id"]), " × ",
			plain.Text(item["quantity"]), " ", plain.Text(item["unit_amount_subcents"])))
	}
	slices.Sort(lines)
	terms["items"] = strings.Join(lines, "; ")
	return terms
}

// rowsOfChange are the invoices, by month, of the subscriptions that differ.
func rowsOfChange(without, with outcome, addresses map[string]string) (rows []Row) {
	before, now := without.invoiced(), with.invoiced()
	keys := ids(keysOf(before), keysOf(now))
	all := ids(without.end[evidence.Subscription], with.end[evidence.Subscription])
	for _, id := range all {
		if sameTerms(without, with, id) {
			continue
		}
		was, is := without.before[evidence.Subscription][id], with.before[evidence.Subscription][id]
		row := Row{Subscription: id, ExternalID: plain.Text(plain.Either(is, was)["external_id"]),
			Before: stagesOf(id, without), After: stagesOf(id, with)}
		if was == nil {
			row.Subscription, row.Address = "", addresses[id]
		}
		for _, text := range keys {
			month, currency, _ := strings.Cut(text, " ")
			key := [2]string{month, currency}
			if row.Without, row.With = before.of(key, id), now.of(key, id); row.Without != money.Exactly(0) ||
				row.With != money.Exactly(0) {
				row.Month, row.Currency = month, currency
				rows = append(rows, row)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.name(), b.name()), cmp.Compare(a.Subscription, b.Subscription))
	})
	return rows
}

func keysOf(all invoiced) map[string]bool {
	keys := map[string]bool{}
	for key := range all {
		keys[key[0]+" "+key[1]] = true
	}
	return keys
}

// Aftermath is a rehearsal beside what the service has invoiced since. Its JSON is the output of --json.
type Aftermath struct {
	Objects  []Outcome  `json:"objects"`
	Invoices []Invoiced `json:"invoices"`
}

// Outcome is what became of a subscription that the apply was to change.
type Outcome struct {
	Name string `json:"name"`
	// Is is "with", "without", "changed since", or "not found".
	Is   string `json:"is"`
	Text string `json:"text"` // what differs, and when it was changed
	id   string
	on   string // day of the last change
}

// What became of a subscription.
const (
	isWith    = "with"
	isWithout = "without"
	isChanged = "changed since"
	isMissing = "not found"
)

// Invoiced is a row beside what was invoiced.
type Invoiced struct {
	Name     string `json:"name"`
	Month    string `json:"month"`
	Expected string `json:"rehearsed"`
	Really   string `json:"invoiced"`
	// Result is "equal", "differs", "explained", "not known" or "not comparable".
	Result string `json:"result"`
}

// Compare reads the organization, with GET requests only, and compares it with the JSON of a report. state is the JSON
// of a state, or nil: it has the ids of what the apply has created.
func Compare(ctx context.Context, report, state []byte, getenv func(string) string, operations map[string]string,
	progress func(string)) (*Aftermath, error) {
	var r struct {
		From time.Time `json:"from"`
		Rows []Row     `json:"rows"`
	}
	if err := plain.Decode(report, &r); err != nil || r.From.IsZero() {
		return nil, errors.New("this is not the JSON of a rehearsal: write one with --json")
	}
	created, err := idsOf(state)
	if err != nil {
		return nil, err
	}
	source, err := copier.FromEnvironment(getenv, progress, operations)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	collections := []string{orgcopy.BillingPrefix + "invoices"}
	if _, err := copier.Copy(ctx, source, copier.Options{Collections: collections}, &out); err != nil {
		return nil, err
	}
	reader, err := orgcopy.NewReader(&out)
	if err != nil {
		return nil, err
	}
	seen := outcome{end: objects{evidence.Subscription: {}}}
	for line, err := range reader.Objects() {
		if err != nil {
			return nil, err
		}
		if err := seen.add(line, time.Time{}); err != nil {
			return nil, err
		}
	}
	return compared(r.Rows, r.From, reader.Header.Time, created, seen), nil
}

// idsOf are the ids of the subscriptions in the JSON of a state, by address.
func idsOf(state []byte) (map[string]string, error) {
	var of struct {
		Values *tf.StateValues `json:"values"`
	}
	if state == nil {
		return nil, nil
	}
	if err := plain.Decode(state, &of); err != nil {
		return nil, fmt.Errorf("the state is not the output of \"terraform show -json\": %w", err)
	}
	all := map[string]string{}
	for _, one := range plain.Resources(of.Values) {
		all[one.Address] = plain.Text(one.AttributeValues["id"])
	}
	return all, nil
}

// compared compares rows with what was invoiced until now.
func compared(rows []Row, from, now time.Time, created map[string]string, seen outcome) *Aftermath {
	a, outcomes := &Aftermath{}, map[string]Outcome{}
	for _, row := range rows {
		key := row.Subscription + " " + row.Address + " " + row.ExternalID
		of, known := outcomes[key]
		if !known {
			of = outcomeOf(row, from, created, seen)
			outcomes[key] = of
			a.Objects = append(a.Objects, of)
		}
		a.Invoices = append(a.Invoices, beside(row, of, from, now, seen))
	}
	return a
}

// outcomeOf finds the subscription of a row, and says what became of it.
func outcomeOf(row Row, from time.Time, created map[string]string, seen outcome) Outcome {
	all := seen.end[evidence.Subscription]
	of := Outcome{Name: row.name(), Is: isMissing, Text: "not applied, or deleted since",
		id: cmp.Or(row.Subscription, created[row.Address])}
	if of.id == "" && row.ExternalID != "" {
		for _, id := range slices.Sorted(maps.Keys(all)) {
			if plain.Text(all[id]["external_id"]) != row.ExternalID || plain.Time(all[id]["created_at"]).Before(from) {
				continue
			}
			if of.id != "" {
				of.Text, of.id = "several subscriptions have this external_id: pass the state with --state", ""
				return of
			}
			of.id = id
		}
	}
	is := all[of.id]
	if is == nil {
		return of
	}
	changed := cmp.Or(plain.Text(is["canceled_at"]), plain.Text(is["updated_at"]))
	if row.Subscription == "" {
		changed = plain.Text(is["created_at"])
	}
	of.on = plain.Time(changed).UTC().Format(time.DateOnly)
	terms := termsIn(is)
	with, without := differing(row.After, terms), differing(row.Before, terms)
	switch {
	case with == nil:
		of.Is, of.Text = isWith, "as with the change"
	case without == nil:
		of.Is, of.Text = isWithout, "as without the change: not applied, or taken back"
	default:
		of.Is = isChanged
		of.Text = "not applied, or changed since (" + plain.Time(is["updated_at"]).UTC().Format(time.DateOnly) + "): " +
			strings.Join(with, ", ")
	}
	return of
}

// differing are the terms that are not those of a stage, with their values now; nil if all of a stage are. An account
// that is created too has another id in the copy.
func differing(stages []fields, now fields) (fewest []string) {
	for i, stage := range stages {
		var all []string
		for _, name := range sorted(now) {
			if name != "billing_account_id" && !plain.Equal(stage[name], now[name]) {
				all = append(all, name+" is "+cmp.Or(plain.Text(now[name]), "none"))
			}
		}
		if all == nil {
			return nil
		}
		if i == 0 || len(all) < len(fewest) {
			fewest = all
		}
	}
	return append([]string{}, fewest...)
}

// beside is a row beside the invoices of its month.
func beside(row Row, of Outcome, from, now time.Time, seen outcome) Invoiced {
	expected := row.With
	if of.Is == isWithout {
		expected = row.Without
	}
	one := Invoiced{Name: row.name(), Month: row.Month, Expected: expected.In(row.Currency)}
	month := func(at time.Time) string { return at.UTC().Format("2006-01") }
	switch {
	case of.Is == isMissing:
		one.Really, one.Result = "no subscription", "not comparable"
		return one
	case row.Month >= month(now):
		one.Really, one.Result = "the month has not ended", "not comparable"
		return one
	}
	sum, complete := seen.billed(of.id, row.Month, row.Currency)
	if one.Really = sum.In(row.Currency); !complete {
		one.Really, one.Result = "not known: an invoice shows no amount", "not known"
		return one
	}
	switch {
	case !expected.Known:
		one.Result = "not known"
	case sum.Cents == expected.Cents:
		one.Result = "equal"
	case row.Month == month(from) && of.on != from.UTC().Format(time.DateOnly):
		one.Result = "not comparable" // the change may have been made on another day than the rehearsal
	case of.Is == isChanged:
		one.Result = "explained"
	default:
		one.Result = "differs"
	}
	return one
}

// notBilled are the statuses of invoices that nobody has to pay.
var notBilled = []string{"draft", "void", "uncollectible"}

// billed is the sum of the invoices of a subscription in a month and currency; false if one shows no amount.
func (o outcome) billed(id, month, currency string) (sum money.Money, complete bool) {
	sum, complete = money.Exactly(0), true
	for _, of := range o.invoices {
		if !strings.EqualFold(plain.Text(of["subscription_id"]), id) || plain.Text(of["currency"]) != currency ||
			slices.Contains(notBilled, plain.Text(of["status"])) ||
			plain.Time(of["created_at"]).UTC().Format("2006-01") != month {
			continue
		}
		cents, err := json.Number(plain.Text(of["amount_cents"])).Int64()
		complete = complete && err == nil
		sum = sum.Plus(money.Exactly(cents))
	}
	return sum, complete
}

// Code is the exit code: 1 if nothing could be compared, 3 if a row differs without an explanation.
func (a *Aftermath) Code() int {
	count := a.counts()
	switch {
	case count["equal"]+count["differs"]+count["explained"] == 0:
		return 1
	case count["differs"] > 0:
		return 3
	}
	return 0
}

func (a *Aftermath) counts() map[string]int {
	count := map[string]int{}
	for _, one := range a.Invoices {
		count[one.Result]++
	}
	return count
}

// Page is what the comparison says.
func (a *Aftermath) Page() *render.Page {
	count := a.counts()
	all := count["equal"] + count["differs"] + count["explained"]
	headline := fmt.Sprintf("%d of %s as rehearsed", count["equal"], render.Counted(all, "amount"))
	if n := count["differs"]; n > 0 {
		headline += fmt.Sprintf(", %d different", n)
	}
	if n := count["explained"]; n > 0 {
		headline += fmt.Sprintf(", %d changed since", n)
	}
	page := &render.Page{Headlines: []string{headline}, Value: &Aftermath{render.List(a.Objects),
		render.List(a.Invoices)}}
	var rows [][]string
	for _, of := range a.Objects {
		rows = append(rows, []string{of.Name, of.Text})
	}
	page.Sections = append(page.Sections, render.Section{Title: "Subscriptions", Header: []string{"Subscription", "Now"},
		Rows: rows})
	rows = nil
	for _, one := range a.Invoices {
		rows = append(rows, []string{one.Name, one.Month, one.Expected, one.Really, one.Result})
	}
	page.Sections = append(page.Sections, render.Section{Title: "Invoices", Rows: rows,
		Header: []string{"Subscription", "Month", "Rehearsed", "Invoiced", "Result"}})
	return page
}
