package rehearsal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// of are objects of one kind, by their ids.
func of(all ...fields) map[string]fields {
	found := map[string]fields{}
	for _, one := range all {
		found[plain.Text(one["id"])] = one
	}
	return found
}

// What happens is what happens between the two times, also where the end shows no trace of it: a pause that is over,
// and an account that is active again. A past suspension or pause does not happen again, and a later end is not shown.
func TestOccurrences(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 2, 20, 14, 0, 0, 0, time.UTC)
	const past, now, later, beyond = "2026-01-15T00:00:00Z", "2026-02-20T14:00:00Z", "2026-04-01T00:00:00Z",
		"2026-09-01T00:00:00Z"
	account := func(status string, more fields) fields {
		of := fields{"id": "a", "external_id": "a", "status": status}
		for name, v := range more {
			of[name] = v
		}
		return of
	}
	suspended := account("suspended", fields{"suspended_at": past})
	paused := fields{"id": "p", "external_id": "p", "status": "paused", "paused_at": past}
	active := fields{"id": "s", "external_id": "s", "status": "active"}
	key := func(end string) fields { return fields{"id": "k", "name": "k", "expiresAt": end} }
	without := outcome{
		before: objects{
			evidence.Account: of(suspended), evidence.Subscription: of(paused, active), evidence.Key: of(key(later)),
		},
		end: objects{evidence.Account: of(suspended), evidence.Subscription: of(paused, active),
			evidence.Key: of(key(later))},
	}
	with := outcome{
		before: objects{evidence.Account: of(account("active", nil)),
			evidence.Subscription: of(
				fields{"id": "p", "external_id": "p", "status": "active", "resumed_at": now},
				fields{"id": "s", "external_id": "s", "status": "paused", "paused_at": now},
				fields{"id": "n", "external_id": "n", "status": "active", "billing_account_id": "a", "created_at": now}),
			evidence.Key: of(key(beyond))},
		end: objects{evidence.Account: of(account("active", nil)),
			evidence.Subscription: of(
				fields{"id": "p", "external_id": "p", "status": "active", "resumed_at": now},
				fields{"id": "s", "external_id": "s", "status": "active", "resumed_at": later},
				fields{"id": "n", "external_id": "n", "status": "active", "billing_account_id": "a", "created_at": now}),
			evidence.Key: of(key(beyond), fields{"id": "m", "name": "m", "createdAt": now})},
	}
	var got []string
	for _, o := range occurrences(without, with, since, since.AddDate(0, 0, 90)) {
		got = append(got, fmt.Sprint(o.At.Format(time.DateOnly), " ", o.Object, " ", o.What, " ", o.With))
	}
	want := []string{
		`2026-02-20 API key "m" begins true`,
		`2026-02-20 billing account "a" is reactivated true`,
		`2026-02-20 subscription "n" begins, billed to billing account "a" true`,
		`2026-02-20 subscription "p" continues after its pause true`,
		`2026-02-20 subscription "s" is paused true`,
		`2026-04-01 API key "k" ends false`,
		`2026-04-01 subscription "s" continues after its pause true`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Months are sums of what is known. Only subscriptions that differ are part of a difference, and one that the apply
// does not touch takes nothing from it, also if its amount is not known.
func TestMonths(t *testing.T) {
	t.Parallel()
	cents := func(n int64) amounts.Amount { return amounts.Amount{Cents: &n} }
	all := map[string]amounts.Amount{"100": cents(100), "200": cents(200), "500": cents(500), "9": cents(9)}
	invoice := func(subscription, month, amount string) fields {
		return fields{"id": amount, "subscription_id": subscription, "status": billed, "currency": "BRL",
			"created_at": month + "-10T00:00:00Z"}
	}
	terms := func(plan string) objects {
		return objects{evidence.Subscription: of(fields{"id": "same", "plan_id": "1"}, fields{"id": "changed",
			"plan_id": plan},
			fields{"id": "unknown", "plan_id": plan})}
	}
	without := outcome{amounts: all, before: terms("1"), end: terms("1"),
		invoices: []fields{invoice("same", "2026-02", ""),
			invoice("changed", "2026-02", "500"), invoice("unknown", "2026-02", ""), invoice("same", "2026-03", "100")}}
	with := outcome{amounts: all, before: terms("2"), end: terms("2"),
		invoices: []fields{invoice("same", "2026-02", ""),
			invoice("changed", "2026-02", "200"), invoice("unknown", "2026-02", ""), invoice("same", "2026-03", "100"),
			{"id": "9", "subscription_id": "changed", "status": "void", "created_at": "2026-02-10T00:00:00Z"}}}
	since, until := time.Date(2026, 2, 5, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	want := []Month{
		{Month: "2026-02", Days: "5-28", Currency: "BRL", Without: money.Money{Cents: 500, Unknown: 2},
			With: money.Money{Cents: 200, Unknown: 2}, Difference: money.Money{Cents: -300, Unknown: 1}},
		{Month: "2026-03", Currency: "BRL", Without: money.Exactly(100), With: money.Exactly(100), Difference: money.Exactly(0)}}
	if got := months(without, with, since, until); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := months(without, without, since, until); got != nil {
		t.Errorf("without a difference: %+v", got)
	}
}

// Without and with are the prices at the end: a subscription whose end is taken back goes on, instead of ending.
func TestPricesAtTheEnd(t *testing.T) {
	t.Parallel()
	state := func(status string) objects {
		return objects{evidence.Account: of(fields{"id": "a", "currency": "BRL"}),
			evidence.Subscription: of(fields{"id": "jade",
				"billing_account_id": "a", "status": status, "billing_cycle": "monthly"})}
	}
	all := map[string]amounts.Amount{"jade": {Cents: new(int64(9990)), Source: amounts.Shown}}
	got := money.Rows(prices(outcome{before: state("active"), end: state("canceled"), amounts: all},
		outcome{before: state("active"), end: state("active"), amounts: all}))
	want := []string{"jade", "–", "BRL 99.90 monthly", "+BRL 99.90", "shown"}
	if len(got) != 1 || !slices.Equal(got[0], want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// An amount is shown with the cycle in which it is billed.
func TestAmountsOfAnotherCycle(t *testing.T) {
	t.Parallel()
	state := func(cycle string) objects {
		return objects{evidence.Account: of(fields{"id": "a", "currency": "BRL"}), evidence.Subscription: of(fields{"id": "s",
			"billing_account_id": "a", "status": "active", "billing_cycle": cycle})}
	}
	all := map[string]amounts.Amount{"s": {Cents: new(int64(9990)), Source: amounts.Invoiced}}
	without := outcome{before: state("monthly"), end: state("monthly"), amounts: all}
	with := outcome{before: state("annual"), end: state("annual"), amounts: all}
	got := money.Rows(prices(without, with))
	want := []string{"s", "BRL 99.90 monthly", "BRL 99.90 annual", "another cycle or currency", "invoice"}
	if len(got) != 1 || !slices.Equal(got[0], want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A delivery to an endpoint that the apply has deleted since is shown with the address of that.
func TestEventsOfDeletedEndpoint(t *testing.T) {
	t.Parallel()
	endpoints := objects{evidence.Endpoint: of(fields{"id": "e", "url": "https://hooks.example.com"})}
	got := events(outcome{before: endpoints}, outcome{deliveries: []sandbox.DeliveryState{
		{EndpointID: "e", Event: "api_key.revoked"}}})
	want := Event{Event: "api_key.revoked", Endpoint: "https://hooks.example.com", With: 1}
	if len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A status that no description lists is named, for three objects and a count of the others.
func TestUnknownStatuses(t *testing.T) {
	t.Parallel()
	var all []orgcopy.Object
	add := func(kind, name, status string) {
		all = append(all, orgcopy.Object{Kind: kind, Object: fmt.Appendf(nil, `{"id":%[1]q,"external_id":%[1]q,"status":%[2]q}`,
			name, status)})
	}
	add(evidence.Customer, "c", "happy")
	add(evidence.Account, "a", "closed")
	add(evidence.Account, "b", "frozen")
	for _, name := range []string{"s1", "s2", "s3", "s4", "s5"} {
		add(evidence.Subscription, name, "hibernating")
	}
	add(evidence.Subscription, "s6", "past_due")
	want := []string{
		`What happens to billing account "b": the copy does not simulate the status "frozen".`,
		`What happens to subscription "s1", subscription "s2", subscription "s3" and 2 more: the copy does not simulate ` +
			`the status "hibernating".`,
	}
	if got := unknownStatuses(all); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What the descriptions of the service leave open is not known, where a request was accepted that depends on it.
func TestNotKnown(t *testing.T) {
	t.Parallel()
	const (
		proration = "for the rest of the current period"
		first     = "invoices the first period when it begins, of subscription \"nova\" (BRL 99.90 monthly)"
		suspended = "the subscriptions of a suspended account"
		order     = "Which events of this apply reach webhook endpoint \"keys\": the order"
	)
	for name, c := range map[string]struct {
		sent []Sent
		want []string
	}{
		"nothing":     {nil, nil},
		"a plan":      {[]Sent{{Operation: "subscriptions.change_plan", Status: 200}}, []string{proration}},
		"rejected":    {[]Sent{{Operation: "subscriptions.create", Status: 422}}, nil},
		"a new one":   {[]Sent{{Operation: "subscriptions.create", Status: 201, ID: "n", Object: `subscription "nova"`}}, []string{first}},
		"suspended":   {[]Sent{{Operation: "billing_accounts.suspend", Status: 200}}, []string{suspended}},
		"only a key":  {[]Sent{{Operation: "api_keys.rotate", Status: 200}}, nil},
		"key and end": {[]Sent{{Operation: "api_keys.rotate"}, {Operation: "webhook_endpoints.delete", Object: `webhook endpoint "keys"`}}, []string{order}},
	} {
		price := &money.Price{Money: money.Exactly(9990), Cycle: "monthly", Currency: "BRL"}
		r := Report{Sent: c.sent, Differences: Differences{Subscriptions: []money.Amounts{{ID: "n", With: price}}}}
		got := notKnown(r, nil)
		if !slices.EqualFunc(got, c.want, strings.Contains) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// An unknown part of a sum names its subscription, unless the report has its price.
func TestUnknownInSums(t *testing.T) {
	t.Parallel()
	invoice := func(id string) fields {
		return fields{"id": "i-" + id, "subscription_id": id, "status": billed, "created_at": "2026-02-10T00:00:00Z"}
	}
	o := outcome{end: objects{evidence.Subscription: of(fields{"id": "a", "external_id": "aurora"}, fields{"id": "b"})},
		invoices: []fields{invoice("a"), invoice("b"), invoice("known"), invoice("priced")},
		amounts:  map[string]amounts.Amount{"i-known": {Cents: new(int64(1))}}}
	got := unknownIn([]outcome{o, o}, []money.Amounts{{ID: "priced"}})
	if want := []string{"aurora", "b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A subscription that had more invoices than periods has totals with one that is not known.
func TestFurtherInvoices(t *testing.T) {
	t.Parallel()
	at := func(days ...int) (all []time.Time) {
		for _, n := range days {
			all = append(all, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n))
		}
		return all
	}
	state := objects{evidence.Account: of(fields{"id": "a", "currency": "BRL"}), evidence.Subscription: of(
		fields{"id": "even", "billing_account_id": "a", "billing_cycle": "monthly", "status": "active"},
		fields{"id": "odd", "billing_account_id": "a", "billing_cycle": "quarterly", "status": "active"})}
	o := outcome{before: state, end: state, amounts: map[string]amounts.Amount{"i": {Cents: new(int64(100))}},
		past: map[string][]time.Time{"even": at(0, 31, 59, 90), "odd": at(0, 31, 90), "gone": at(0, 1)},
		invoices: []fields{{"id": "i", "subscription_id": "even", "status": billed, "currency": "BRL",
			"created_at": "2026-05-10T00:00:00Z"}}}
	if got := o.irregular(); !slices.Equal(got, []string{"odd"}) {
		t.Errorf("%q", got)
	}
	month := o.invoiced()[[2]string{"2026-05", "BRL"}]
	if want := (money.Money{Unknown: 1}); month["odd"] != want || month["even"] != money.Exactly(100) {
		t.Errorf("%+v", month)
	}
}
