package rehearsal

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	tf "github.com/hashicorp/terraform-json"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// Every request is shown with its verb and its object, also where an earlier request has created that.
func TestSent(t *testing.T) {
	t.Parallel()
	names := map[string]string{"r-1": "rent", "s-1": "aurora"}
	var got []string
	for _, one := range sent([]sandbox.Request{
		{Operation: "finance.records.update", Object: "r-1", Body: []byte(`{"amount":"1.00"}`), Status: 200},
		{Operation: "finance.records.create", Body: []byte(`{"name":"water"}`), Status: 201},
		{Operation: "subscriptions.items.sync", Object: "s-1", Body: []byte(`{"items":[]}`), Status: 200},
		{Operation: "subscriptions.create", Body: []byte(`{"external_id":"new","plan_id":"p-1"}`), Status: 201,
			Response: []byte(`{"data":{"id":"s-2","external_id":"new"}}`)},
		{Operation: "subscriptions.pause", Object: "s-2", Body: []byte(`{"behavior":"void"}`), Status: 200},
		{Operation: "customers.create", Body: []byte(`{"customer":{"name":"Lua"}}`), Status: 201,
			Response: []byte(`{"data":{"customer":{"id":"c-2","name":"Lua"}}}`)},
		{Operation: "customers.delete", Object: "c-2", Status: 422,
			Response: []byte(`{"error":{"code":"customer_has_active_subscriptions"}}`)},
	}, names, map[string]string{"p-1": "Gold"}) {
		got = append(got, one.Verb+" "+one.Object+" "+one.Code+" "+one.arguments())
	}
	want := []string{
		`update finance record "rent"  amount`,
		`create finance record "water"  name`,
		`set the items of subscription "aurora"  items`,
		`create subscription "new"  external_id, plan_id Gold`,
		`pause subscription "new"  behavior void`,
		`create customer "Lua"  name`,
		`delete customer "Lua" customer_has_active_subscriptions `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A reference that neither a list nor a subscription has is not known to be right, and not known to be wrong.
func TestReferences(t *testing.T) {
	t.Parallel()
	of := func(kind, collection, text string) orgcopy.Object {
		return orgcopy.Object{Kind: kind, Collection: collection, Object: []byte(text)}
	}
	r := rehearsal{objects: []orgcopy.Object{of(evidence.Record, "plans", `{"id":"listed"}`),
		of(evidence.Subscription, "", `{"id":"s","plan_id":"archived"}`)}}
	for _, body := range []string{`{"plan_id":"listed"}`, `{"plan_id":"archived"}`, `{"plan_id":"none"}`, `{"plan_id":"none"}`,
		`{"items":[{"price_id":"p"}]}`} { // no list of prices was read
		r.log.add(sandbox.Request{Method: "POST", Body: []byte(body)})
	}
	if got := r.references(); len(got) != 1 || !strings.HasPrefix(got[0], "Whether the service accepts the plan none: ") {
		t.Errorf("%q", got)
	}
}

// A report says what the copy lacks, what the apply leaves open, and which rules were assumed; and shows no sums of an
// organization whose subscriptions it does not have.
func TestConclusions(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	state := func(plan, url string) objects {
		return objects{evidence.Subscription: of(fields{"id": "s", "external_id": "aurora", "status": "past_due",
			"plan_id":            plan,
			"billing_account_id": "a"}), evidence.Endpoint: of(fields{"id": "e", "url": url})}
	}
	outcomeOf := func(plan, url, cents string) outcome {
		n, _ := json.Number(cents).Int64()
		return outcome{before: state(plan, url), end: state(plan, url), invoices: []fields{{"id": "i",
			"subscription_id": "s",
			"status":          billed, "created_at": "2026-02-10T00:00:00Z"}}, amounts: map[string]amounts.Amount{"i": {Cents: &n},
			"s": {Cents: &n}}}
	}
	r := rehearsal{given: &given{}, leftOut: []string{"Targets."},
		notes: []string{"A note."},
		objects: []orgcopy.Object{{Kind: evidence.Record, Collection: "plans", Object: []byte(`{"id":"1"}`)},
			{Kind: evidence.Subscription, Object: []byte(`{"id":"x","status":"odd"}`)}}}
	r.report = Report{From: since, Until: since.AddDate(0, 0, 90), Sent: []Sent{{Operation: "subscriptions.change_plan",
		Status: 200}}}
	r.log.add(sandbox.Request{Method: "POST", Body: []byte(`{"plan_id":"2"}`)})
	seen := [2]outcome{outcomeOf("1", "https://a.example.com", "100"), outcomeOf("2", "https://b.example.com", "200")}
	first := func(parts ...[]string) (all []string) {
		for _, text := range slices.Concat(parts...) {
			words, _, _ := strings.Cut(text, ":")
			all = append(all, strings.Join(strings.Fields(words)[:min(4, len(strings.Fields(words)))], " "))
		}
		return all
	}
	r.conclude(seen)
	want := []string{"What happens to subscription", "What the service bills", "Overage invoices, payments, taxes,",
		"A note.", "How many events of", "Whether the service accepts", "Whether the token of", "Past due, and invoiced", "Targets."}
	if got := first(r.report.NotKnown, r.report.Assumed, r.report.LeftOut); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(r.report.Differences.Months) != 1 || len(r.report.Differences.Occurrences) != 2 {
		t.Errorf("%+v", r.report.Differences)
	}
	r.report.NotKnown, r.report.LeftOut, r.report.Sent = nil, nil, nil
	r.notCopied = []orgcopy.LeftOut{{Kind: evidence.Subscription, Reason: "the token may not read them"}}
	r.conclude(seen)
	whole := strings.Join(append(r.report.NotKnown, r.report.LeftOut...), "\n")
	if !strings.Contains(whole, "What the organization bills: the copy has no subscriptions.") ||
		r.report.Differences.Months != nil ||
		!strings.Contains(whole, "Not in the copy: subscriptions (the token may not read them).") ||
		strings.Contains(whole, "scopes are not rehearsed") {
		t.Errorf("%s %+v", whole, r.report.Differences.Months)
	}
}

// A report goes into a comment that many can read: URLs lose what can be a secret.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	for of, want := range map[string]string{
		"https://hooks.example.com/":                   "https://hooks.example.com",
		"https://hooks.example.com":                    "https://hooks.example.com",
		"https://u:p@hooks.example.com/b":              "https://hooks.example.com/…",
		"https://hooks.example.com/services/T0/SECRET": "https://hooks.example.com/…",
		"https://hooks.example.com/b?token=SECRET#x":   "https://hooks.example.com/…",
		"no address": "",
	} {
		if got := publicURL(of); got != want {
			t.Errorf("%s: %s, want %s", of, got, want)
		}
	}
}

// Old and new values are those of the plan. Sensitive, unknown and nested ones are left out.
func TestValues(t *testing.T) {
	t.Parallel()
	c := &change{ResourceChange: &tf.ResourceChange{Change: &tf.Change{Actions: tf.Actions{tf.ActionUpdate}}}}
	if err := plain.Decode([]byte(`{"before":{"plan_id":"1","discount":"10","secret":"a","later":"x","items":[],"url":"https://h/a","same":1},
		"after":{"plan_id":"2","discount":null,"secret":"b","items":[1],"url":"https://h.example/b?x=SECRET","same":1},
		"after_unknown":{"later":true},"after_sensitive":{"secret":true}}`), c.Change); err != nil {
		t.Fatal(err)
	}
	c.before, c.after, c.unknown = plain.Members(c.Change.Before), plain.Members(c.Change.After),
		plain.Members(c.Change.AfterUnknown)
	copied := func(collection, object string) orgcopy.Object {
		return orgcopy.Object{Kind: evidence.Record, Collection: collection, Object: json.RawMessage(object)}
	}
	r := &rehearsal{objects: []orgcopy.Object{copied("plans", `{"id":"1","name":"Gold"}`),
		copied("products", `{"id":"2","name":"Seat"}`)}}
	got := valuesOf(c, []string{"plan_id", "discount", "secret", "later", "items", "url", "same"}, r.labels())
	want := []Value{{"plan_id", "Gold", "2"}, {"discount", "10", "none"}, {"url", "https://h/…", "https://h.example/…"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (Sent{Arguments: []string{"plan_id", "timing"}, Values: want}).arguments(); got != "plan_id Gold → 2, "+
		"timing" {
		t.Error(got)
	}
}
