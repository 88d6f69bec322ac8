package rehearsal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/render"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

type fields = plain.Fields

// outcome is the content of a copy after its clock has moved.
type outcome struct {
	before     objects                // right after the apply
	end        objects                // after its clock has moved
	invoices   []fields               // since the copy
	past       map[string][]time.Time // when those before it were created, by subscription
	deliveries []sandbox.DeliveryState
	names      map[string]string         // of plans, by id
	amounts    map[string]amounts.Amount // of subscriptions and invoices, by id
}

// objects are the objects of each kind, by id.
type objects map[string]map[string]fields

// observe reads a copy as a client does.
func observe(ctx context.Context, s *sandbox.Server, since time.Time) (outcome, error) {
	env := s.Env()
	source, err := copier.FromEnvironment(func(name string) string { return env[name] }, nil, nil)
	if err != nil {
		return outcome{}, err
	}
	var out bytes.Buffer
	if _, err := copier.Copy(ctx, source, copier.Options{Collections: []string{orgcopy.BillingPrefix + "invoices"}},
		&out); err != nil {
		return outcome{}, err
	}
	reader, err := orgcopy.NewReader(&out)
	if err != nil {
		return outcome{}, err
	}
	seen := outcome{end: objects{}, names: map[string]string{}, past: map[string][]time.Time{}, deliveries: s.Deliveries(),
		amounts: s.Amounts()}
	for line, err := range reader.Objects() {
		if err != nil {
			return outcome{}, err
		}
		if err := seen.add(line, since); err != nil {
			return outcome{}, err
		}
	}
	return seen, nil
}

// add adds an object of a copy, with its items, and an invoice only if it was created after a time.
func (o *outcome) add(line orgcopy.Object, since time.Time) error {
	of := fields{}
	if err := plain.Decode(line.Object, &of); err != nil {
		return err
	}
	switch {
	case line.Collection == "plans" && o.names != nil:
		o.names[fmt.Sprint(of["id"])] = plain.Text(of["name"])
	case line.Collection == "invoices":
		at, id := plain.Time(of["created_at"]), plain.Text(of["subscription_id"])
		switch {
		case at.After(since):
			o.invoices = append(o.invoices, of)
		case o.past != nil && !slices.Contains(notBilled, plain.Text(of["status"])):
			o.past[id] = append(o.past[id], at)
		}
		return nil
	case line.Items != nil:
		var items []any
		if err := plain.Decode(line.Items, &items); err != nil {
			return err
		}
		of["items"] = items
	}
	if o.end[line.Kind] == nil {
		o.end[line.Kind] = map[string]fields{}
	}
	o.end[line.Kind][fmt.Sprint(of["id"])] = of
	return nil
}

// moved moves the clock of a copy, and returns what it then is.
func moved(ctx context.Context, s *sandbox.Server, since time.Time, days int) (outcome, error) {
	now, err := observe(ctx, s, since)
	if err != nil {
		return outcome{}, err
	}
	for range days {
		s.Clock().Advance(24 * time.Hour)
	}
	then, err := observe(ctx, s, since)
	then.before = now.end
	return then, err
}

// compare says what differs between the two copies from one time to another.
func compare(without, with outcome, since, until time.Time) Differences {
	return Differences{
		Months: months(without, with, since, until), Subscriptions: prices(without, with),
		Events: events(without, with), Occurrences: occurrences(without, with, since, until),
	}
}

// billed is the status of a payable invoice. The other statuses are of invoices of a paused subscription.
const billed = "open"

// invoiced are the payable invoices of the subscriptions, by month and currency.
type invoiced map[[2]string]map[string]money.Money

func (o outcome) invoiced() invoiced {
	all := invoiced{}
	for _, of := range o.invoices {
		if of["status"] != billed {
			continue
		}
		key := [2]string{plain.Time(of["created_at"]).UTC().Format("2006-01"), plain.Text(of["currency"])}
		if all[key] == nil {
			all[key] = map[string]money.Money{}
		}
		id := plain.Text(of["subscription_id"])
		all[key][id] = all[key][id].Plus(money.Of(o.amounts[plain.Text(of["id"])]))
	}
	for _, id := range o.irregular() {
		of := o.end[evidence.Subscription][id]
		account := o.end[evidence.Account][plain.Text(of["billing_account_id"])]
		for key, month := range all {
			if key[1] == account["currency"] && money.Live(of) {
				month[id] = o.invoicedMore(month, id)
			}
		}
	}
	return all
}

// invoicedMore is the sum of a subscription in a month and one more invoice, which is not known.
func (o outcome) invoicedMore(month map[string]money.Money, id string) money.Money {
	sum, has := month[id]
	if !has {
		sum = money.Exactly(0)
	}
	return sum.Plus(money.Of(amounts.Amount{}))
}

// irregular are the subscriptions that had more invoices than periods, such as those of overage.
func (o outcome) irregular() (all []string) {
	for id, created := range o.past {
		of := o.end[evidence.Subscription][id]
		cycle := max(monthsOf[plain.Text(of["billing_cycle"])], 1)
		first, last := slices.MinFunc(created, time.Time.Compare), slices.MaxFunc(created, time.Time.Compare)
		const day, month = 24 * time.Hour, 30 * 24 * time.Hour
		periods := 1 + int((last.Sub(first)+5*day)/(month*time.Duration(cycle)))
		if of != nil && len(created) > periods {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

// unknownIn names the subscriptions with an amount in the sums that is not known, but for those that the report prices.
func unknownIn(sums []outcome, priced []money.Amounts) []string {
	names := map[string]string{}
	for _, o := range sums {
		for _, month := range o.invoiced() {
			for id, sum := range month {
				if !sum.Known {
					names[id] = cmp.Or(labelOf(o.end[evidence.Subscription][id]), id)
				}
			}
		}
	}
	for _, one := range priced {
		delete(names, one.ID)
	}
	return slices.Sorted(maps.Values(names))
}

// of is the sum of a subscription in a month and currency.
func (i invoiced) of(key [2]string, id string) money.Money {
	if sum, has := i[key][id]; has {
		return sum
	}
	return money.Exactly(0)
}

// months are the sums of the invoices by month and currency, if any subscription differs in one of them.
func months(without, with outcome, since, until time.Time) (all []Month) {
	before, now := without.invoiced(), with.invoiced()
	keys := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(now)))
	slices.SortFunc(keys, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	differ := false
	for _, key := range slices.Compact(keys) {
		none := money.Exactly(0)
		m := Month{Month: key[0], Currency: key[1], Days: daysOf(key[0], since, until), Without: none, With: none,
			Difference: none}
		for _, id := range ids(before[key], now[key]) {
			a, b := before.of(key, id), now.of(key, id)
			m.Without, m.With = m.Without.Plus(a), m.With.Plus(b)
			if a != b || !a.Known && !sameTerms(without, with, id) {
				m.Difference, differ = m.Difference.Plus(b.Minus(a)), true
			}
		}
		all = append(all, m)
	}
	if !differ {
		return nil
	}
	return all
}

// sameTerms reports whether the apply changes nothing of what an amount of a subscription depends on.
func sameTerms(without, with outcome, id string) bool {
	for _, at := range [][2]objects{{without.before, with.before}, {without.end, with.end}} {
		if !same(at[0][evidence.Subscription][id], at[1][evidence.Subscription][id], "plan_id", "items", "discount_percent",
			"discount_code_id", "billing_cycle", "billing_account_id", "status", "collection_method") {
			return false
		}
	}
	return true
}

// daysOf are the days of a month between two times; empty for the whole month.
func daysOf(month string, since, until time.Time) string {
	begin, _ := time.Parse("2006-01", month)
	first, last := begin, begin.AddDate(0, 1, -1)
	if since = since.UTC(); since.After(first) {
		first = since
	}
	if until = until.UTC(); until.Before(last.AddDate(0, 0, 1)) {
		last = until
	}
	if first.Equal(begin) && last.Day() == begin.AddDate(0, 1, -1).Day() {
		return ""
	}
	if first.Day() == last.Day() {
		return fmt.Sprint(first.Day())
	}
	return fmt.Sprintf("%d-%d", first.Day(), last.Day())
}

// manual is the collection method of subscriptions that the service does not invoice.
const manual = "manual_invoice"

// price is what a subscription costs in a copy; nil if the service does not bill it.
func (o outcome) price(of fields) *money.Price {
	if !money.Live(of) || of["collection_method"] == manual {
		return nil
	}
	account := o.end[evidence.Account][plain.Text(of["billing_account_id"])]
	amount := o.amounts[plain.Text(of["id"])]
	if of["status"] == "suspended" {
		amount = amounts.Amount{Why: "no description says whether a suspended subscription is billed"}
	}
	return money.PriceOf(amount, plain.Text(of["billing_cycle"]), plain.Text(account["currency"]))
}

// prices returns those, at the end, of the subscriptions whose price, plan or status the apply changes.
func prices(without, with outcome) (all []money.Amounts) {
	for _, id := range ids(without.end[evidence.Subscription], with.end[evidence.Subscription]) {
		before, now := without.end[evidence.Subscription][id], with.end[evidence.Subscription][id]
		if same(before, now, "recurring_amount_cents", "billing_cycle", "status", "plan_id", "items", "discount_percent",
			"discount_code_id", "collection_method") && money.Of(without.amounts[id]) == money.Of(with.amounts[id]) {
			continue
		}
		one := money.Amounts{ID: id, Name: cmp.Or(plain.Text(plain.Either(now, before)["external_id"]), id),
			Without: without.price(before), With: with.price(now)}
		if one.Without == nil && one.With == nil {
			continue
		}
		one.Difference = money.Differs(one.Without, one.With)
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b money.Amounts) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// same reports whether two objects agree in these fields. One that is not there agrees with none.
func same(a, b fields, names ...string) bool {
	if (a == nil) != (b == nil) {
		return false
	}
	for _, name := range names {
		if !plain.Equal(a[name], b[name]) {
			return false
		}
	}
	return true
}

func ids[V any](of ...map[string]V) (all []string) {
	for _, some := range of {
		all = slices.AppendSeq(all, maps.Keys(some))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// events counts the deliveries by event and endpoint, where the counts differ.
func events(without, with outcome) (all []Event) {
	counts := map[[2]string]*Event{}
	add := func(deliveries []sandbox.DeliveryState, into func(*Event) *int) {
		for _, d := range deliveries {
			of := without.before[evidence.Endpoint][d.EndpointID] // the apply may have deleted it
			key := [2]string{d.Event, cmp.Or(publicURL(d.URL), publicURL(of["url"]), d.EndpointID)}
			if counts[key] == nil {
				counts[key] = &Event{Event: key[0], Endpoint: key[1]}
			}
			*into(counts[key])++
		}
	}
	add(without.deliveries, func(e *Event) *int { return &e.Without })
	add(with.deliveries, func(e *Event) *int { return &e.With })
	for _, e := range slices.SortedFunc(maps.Values(counts), func(a, b *Event) int {
		return cmp.Or(cmp.Compare(a.Event, b.Event), cmp.Compare(a.Endpoint, b.Endpoint))
	}) {
		if e.Without != e.With {
			all = append(all, *e)
		}
	}
	return all
}

// happenings are what happens to an object, and when.
type happenings map[What]time.Time

// beginners are the kinds that do something from their creation on; that of the others is a request and no more.
var beginners = []string{evidence.Subscription, evidence.Key}

// occurrences are what happens in only one of the copies, from one time to another.
func occurrences(without, with outcome, since, until time.Time) (all []Occurrence) {
	for _, one := range []struct {
		of    outcome
		other outcome
		with  bool
	}{{with, without, true}, {without, with, false}} {
		for kind, happening := range map[string]func(l stages) happenings{
			evidence.Customer: func(stages) happenings { return happenings{} }, evidence.Account: accountEvents,
			evidence.Subscription: subscriptionEvents, evidence.Key: keyEvents,
		} {
			add := func(at time.Time, id string, of fields, what What) {
				all = append(all, Occurrence{At: at, Kind: kind, Object: nameOf(kind, id, of), What: what, With: one.with})
			}
			for id, of := range one.of.end[kind] {
				start := without.before[kind][id]
				happens := happening(stages{start, one.of.before[kind][id], of, without.names, since})
				if start == nil && slices.Contains(beginners, kind) {
					at := plain.Time(cmp.Or(plain.Text(of["created_at"]), plain.Text(of["createdAt"])))
					happens[What{begins, one.of.payer(kind, of)}] = at
				}
				elsewhere := happenings{}
				if other := one.other.end[kind][id]; other != nil {
					elsewhere = happening(stages{start, one.other.before[kind][id], other, without.names, since})
				}
				for what, at := range happens {
					if there, also := elsewhere[what]; !also || !there.Equal(at) {
						add(at, id, of, what)
					}
				}
			}
			for id, of := range without.before[kind] { // deleted by the apply
				if one.with && one.of.before[kind][id] == nil {
					add(since, id, of, What{Verb: deleted})
				}
			}
		}
	}
	all = slices.DeleteFunc(all, func(o Occurrence) bool {
		return !o.At.IsZero() && (o.At.Before(since) || o.At.After(until))
	})
	slices.SortFunc(all, func(a, b Occurrence) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Object, b.Object), cmp.Compare(a.What.String(), b.What.String()))
	})
	return all
}

// payer is who pays for a subscription that the apply creates, in words; "" of other kinds.
func (o outcome) payer(kind string, of fields) string {
	if kind != evidence.Subscription {
		return ""
	}
	id := plain.Text(of["billing_account_id"])
	return ", billed to " + nameOf(evidence.Account, id, o.end[evidence.Account][id])
}

// nameOf is an object in messages, by its kind and its name.
func nameOf(kind, id string, of fields) string {
	return evidence.KindOf(kind).Noun + " \"" + cmp.Or(labelOf(of), id) + "\""
}

// stages are an object at the time of the copy, right after the apply, and at the end.
type stages struct {
	start, before, end fields
	names              map[string]string // of plans, by id
	since              time.Time
}

func (l stages) plan(of fields) string {
	id := plain.Text(of["plan_id"])
	if id == "" {
		return "no plan"
	}
	return "plan " + cmp.Or(l.names[id], id)
}

func subscriptionEvents(l stages) happenings {
	events := happenings{}
	if l.end["status"] == "canceled" {
		events[What{Verb: ends}] = plain.Time(l.end["canceled_at"])
	}
	for _, of := range []fields{l.before, l.end} { // a pause that ends before the last day has begun all the same
		if at := plain.Text(of["paused_at"]); at != "" {
			events[What{Verb: becomes("paused")}] = plain.Time(at)
		}
	}
	if at := plain.Text(l.end["resumed_at"]); at != "" {
		events[What{continues, " after its pause"}] = plain.Time(at)
	}
	change := func(from, to fields, at time.Time) {
		if from != nil && to != nil && l.plan(from) != l.plan(to) {
			events[What{changes, " from " + l.plan(from) + " to " + l.plan(to)}] = at
		}
	}
	change(l.start, l.before, l.since)
	change(l.before, l.end, plain.Time(l.before["current_period_end"]))
	return events
}

func accountEvents(l stages) happenings {
	switch status := plain.Text(l.end["status"]); {
	case status == "active" && l.start != nil && l.start["status"] != "active":
		return happenings{What{Verb: reactivated}: l.since}
	case status == "active":
		return happenings{}
	default:
		at := l.end["updated_at"]
		if status == "suspended" {
			at = l.end["suspended_at"]
		}
		return happenings{What{Verb: becomes(status)}: plain.Time(at)}
	}
}

func keyEvents(l stages) happenings {
	if at := plain.Text(l.end["revokedAt"]); at != "" {
		return happenings{What{Verb: becomes("revoked")}: plain.Time(at)}
	}
	if at := plain.Text(l.end["expiresAt"]); at != "" {
		return happenings{What{Verb: ends}: plain.Time(at)}
	}
	return happenings{}
}

// notKnown returns sentences about effects of this change that the rehearsal cannot determine.
func notKnown(r Report, planned []*change) (all []string) {
	all = money.Reasons(r.Differences.Subscriptions)
	sent := func(operation string) bool {
		return slices.ContainsFunc(r.Sent, func(s Sent) bool { return s.accepted(operation) })
	}
	if slices.ContainsFunc(r.Sent, func(s Sent) bool { return s.accepted("") && s.changesAmount() }) {
		all = append(all, "What the service bills or refunds for the rest of the current period (proration).")
	}
	if begun := newPrices(r); len(begun) > 0 {
		all = append(all, "Whether the service invoices the first period when it begins, of "+render.Some(begun)+
			". The copy does not.")
	}
	if sent("billing_accounts.suspend") {
		all = append(all, "Whether the service bills the subscriptions of a suspended account.")
	}
	if len(r.Differences.Months) > 0 {
		all = append(all, "Overage invoices, payments, taxes, what discount codes are worth, and what other systems change "+
			"until then.")
	}
	if slices.ContainsFunc(planned, func(c *change) bool {
		return c.Type == "billing_webhook_endpoint" && c.does() != ""
	}) {
		all = append(all, "Whether receivers accept deliveries: a copy sends none.")
	}
	if changed := objectsSent(r, "webhook_endpoints."); len(changed) > 0 && sent("api_keys.") {
		all = append(all, "Which events of this apply reach "+render.Some(changed)+": the order of these requests varies.")
	}
	return all
}

// accepted reports whether the service has carried out a request of an operation, or of a family such as "api_keys.".
func (s Sent) accepted(operation string) bool {
	return s.Status < 300 && strings.HasPrefix(s.Operation, operation)
}

// objectsSent are the objects of the accepted requests of a family of operations.
func objectsSent(r Report, family string) (names []string) {
	for _, s := range r.Sent {
		if s.accepted(family) {
			names = append(names, s.Object)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// newPrices are the new subscriptions, with their prices where they bill.
func newPrices(r Report) (all []string) {
	prices := map[string]string{}
	for _, one := range r.Differences.Subscriptions {
		prices[one.ID] = " (" + one.With.Text() + ")"
	}
	for _, s := range r.Sent {
		if s.accepted("subscriptions.create") {
			all = append(all, s.Object+prices[s.ID])
		}
	}
	return all
}

// unknownStatuses returns sentences about objects with undocumented statuses, which the copy does not simulate.
func unknownStatuses(objects []orgcopy.Object) (all []string) {
	labels := map[[2]string][]string{} // by kind and status
	for _, o := range objects {
		if status := o.UnknownStatus(); status != "" {
			var of fields
			_ = json.Unmarshal(o.Object, &of) // it has been parsed
			key := [2]string{o.Kind, status}
			labels[key] = append(labels[key], nameOf(o.Kind, o.ID(), of))
		}
	}
	byText := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(labels), byText) {
		names := labels[key]
		more := ""
		if len(names) > 3 {
			names, more = names[:3], fmt.Sprintf(" and %d more", len(names)-3)
		}
		all = append(all, fmt.Sprintf("What happens to %s%s: the copy does not simulate the status %q.",
			strings.Join(names, ", "), more, key[1]))
	}
	return all
}

// changesAmount reports whether a request changes the price of the current period.
func (s Sent) changesAmount() bool {
	switch s.Operation {
	case "subscriptions.change_plan", "subscriptions.items.sync", "subscriptions.cancel":
		return true
	case "subscriptions.update":
		return slices.ContainsFunc(s.Arguments, func(name string) bool {
			return slices.Contains([]string{"plan_id", "discount_percent", "discount_code_id", "billing_cycle"}, name)
		})
	}
	return false
}
