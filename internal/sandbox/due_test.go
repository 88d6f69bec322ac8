package sandbox_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

func TestDueTransitions(t *testing.T) {
	t.Parallel()
	for _, test := range dueTable {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := start(t, sandbox.Options{Start: janLast})
			c := call(t, server)
			path, _ := c.subscribe(test.fields)
			for _, s := range test.steps {
				c.do("POST", path+"/"+s.name, s.body).want(200)
			}
			if test.before != nil {
				server.Clock().Set(test.until.Add(-time.Millisecond))
				c.do("GET", path, "").want(200).holds(test.before)
			}
			server.Clock().Set(test.until)
			// Whatever asks first, it is seen.
			if got := invoicesOf(c, path); !slices.Equal(got, test.invoices) {
				t.Errorf("invoices %q, want %q", got, test.invoices)
			}
			first := c.do("GET", path, "").want(200).holds(test.want)
			// Once: nothing more happens at the same time.
			if again := c.do("GET", path, "").want(200); again.json() != first.json() {
				t.Errorf("asked again %s, first %s", again.body, first.body)
			}
			if got := invoicesOf(c, path); !slices.Equal(got, test.invoices) {
				t.Errorf("invoices afterwards %q, want %q", got, test.invoices)
			}
		})
	}
}

// invoicesOf lists when invoices of a subscription were made, in order, with
// their status when that is not open.
func invoicesOf(c caller, path string) []string {
	c.t.Helper()
	id := path[strings.LastIndex(path, "/")+1:]
	r := c.do("GET", "/v1/invoices?sort_by=created_at&sort_order=asc&per_page=100&subscription_id="+id, "").want(200)
	var made []string
	for i, status := range r.names("status") {
		if status = " " + status; status == " open" {
			status = ""
		}
		made = append(made, r.json("data", i, "created_at")+status)
	}
	return made
}

// A state file in the middle: what had come due before the restart has
// happened once, what came due while nothing ran happens at the next request.
func TestDueAcrossARestart(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state.db")
	first := start(t, sandbox.Options{Start: janLast, StateFile: state})
	c := call(t, first)
	path, _ := c.subscribe(`,"trial_period_days":14`)
	c.do("POST", path+"/change-plan", `{"plan_id":"`+otherPlan+`","timing":"end_of_period"}`).want(200)
	first.Clock().Set(time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC))
	before := c.do("GET", path, "").want(200)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := start(t, sandbox.Options{Start: time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC), StateFile: state})
	again := call(t, second)
	if r := again.do("GET", path, "").want(200); r.json() != before.json() {
		t.Errorf("after the restart %s, before %s", r.body, before.body)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	third := call(t, start(t, sandbox.Options{Start: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), StateFile: state}))
	third.do("GET", path, "").want(200).holds(map[string]string{"current_period_start": at(3, 14, 12), "plan_id": `"` +
		otherPlan + `"`, "status": `"active"`})
	if got, want := invoicesOf(third, path), []string{at(2, 14, 12), at(3, 14, 12)}; !slices.Equal(got, want) {
		t.Errorf("invoices %q, want %q", got, want)
	}
	listed := third.do("GET", "/v1/invoices?sort_by=created_at&sort_order=asc", "").want(200)
	amount := third.do("GET", path, "").json("data", "recurring_amount_cents")
	for i := range listed.names("id") {
		if got := listed.json("data", i, "amount_cents"); got != amount {
			t.Errorf("invoice %d: %s, want the %s of the plan that had arrived", i, got, amount)
		}
	}
	numbers := listed.names("number")
	if want := []string{"INV-000001", "INV-000002"}; !slices.Equal(numbers, want) {
		t.Errorf("numbers %q, want %q", numbers, want)
	}
}

// Several subscriptions come due in one step of the clock: their invoices are
// numbered in the order of their timestamps.
func TestDueOfSeveralSubscriptions(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: janLast})
	c := call(t, server)
	var want []string
	late, _ := c.subscribe(`,"trial_period_days":20`)
	for days := 9; days > 4; days-- {
		_, made := c.subscribe(fmt.Sprintf(`,"trial_period_days":%d`, days))
		want = append(want, made.text("data", "id"))
	}
	slices.Reverse(want)
	server.Clock().Advance(10 * 24 * time.Hour)
	listed := c.do("GET", "/v1/invoices?sort_by=number&sort_order=asc", "").want(200)
	if got := listed.names("subscription_id"); !slices.Equal(got, want) {
		t.Errorf("invoices of %q, want %q", got, want)
	}
	if got := c.do("GET", subscriptions+"?status=active", "").json("meta", "total"); got != "5" {
		t.Errorf("%s are active", got)
	}
	// The one that was not due then is still processed later.
	server.Clock().Advance(10 * 24 * time.Hour)
	c.do("GET", late, "").want(200).holds(map[string]string{"status": `"active"`})
}

// On a clock that runs, time needs no help; moved back, it undoes nothing.
func TestDueOnARunningClock(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	path, _ := c.subscribe(`,"trial_period_days":1`)
	server.Clock().Advance(25 * time.Hour)
	c.do("GET", subscriptions+"?status=active", "").want(200)
	server.Clock().Advance(-25 * time.Hour)
	c.do("GET", path, "").want(200).holds(map[string]string{"status": `"active"`})
	if got := invoicesOf(c, path); len(got) != 1 {
		t.Errorf("invoices %q", got)
	}
}

// A write sees what has come due too, and a rejected one does not undo it.
func TestDueBeforeAWrite(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: janLast})
	c := call(t, server)
	path, _ := c.subscribe("")
	c.do("POST", path+"/cancel", `{"cancel_at_period_end":true}`).want(200)
	server.Clock().Set(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	c.do("POST", path+"/pause", "").refuses("invalid_transition")
	c.do("GET", path, "").want(200).holds(map[string]string{"status": `"canceled"`, "canceled_at": at(2, 28, 12)})
}

// at is a time of 2026 as it is returned.
func at(month time.Month, day, hour int) string {
	return time.Date(2026, month, day, hour, 0, 0, 0, time.UTC).Format(`"2006-01-02T15:04:05.000Z"`)
}

// step is a step to ask for, such as "pause", `{"behavior":"void"}`.
type step struct{ name, body string }

// What time makes of a subscription that was made on 31 January at noon: not
// before its time, at its own time, and with other things that come due on
// the way, in order (Recurring billing §3; wire contract: Behaviour).
var dueTable = []struct {
	name     string
	fields   string
	steps    []step
	until    time.Time
	before   map[string]string // one millisecond earlier; nil: not asked
	want     map[string]string
	invoices []string // when they were made, and their status unless it is open
}{
	{
		name: "trial ends", fields: `,"trial_period_days":14`, until: time.Date(2026, 2, 14, 12, 0, 0, 0, time.UTC),
		before: map[string]string{"status": `"trialing"`, "activated_at": "null", "current_period_end": at(2, 14, 12)},
		want: map[string]string{"status": `"active"`, "activated_at": at(2, 14, 12), "current_period_start": at(2, 14, 12),
			"current_period_end": at(3, 14, 12), "cycle_billing_date": at(3, 14, 12), "trial_end": at(2, 14, 12),
			"updated_at": at(2, 14, 12)},
		invoices: []string{at(2, 14, 12)},
	},
	{
		name: "trial ends between two milliseconds", fields: `,"trial_end":"2026-02-14T12:00:00.000900Z"`,
		until: time.Date(2026, 2, 14, 12, 0, 0, 0, time.UTC), before: map[string]string{"status": `"trialing"`},
		want:     map[string]string{"status": `"active"`, "trial_end": at(2, 14, 12)},
		invoices: []string{at(2, 14, 12)},
	},
	{
		name: "renewal", until: time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC),
		before: map[string]string{"current_period_start": at(1, 31, 12)},
		want: map[string]string{"status": `"active"`, "current_period_start": at(2, 28, 12),
			"current_period_end": at(3, 31, 12), "cycle_billing_date": at(3, 31, 12)},
		invoices: []string{at(2, 28, 12)},
	},
	{
		name: "renewals over months of all lengths", until: time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC),
		want: map[string]string{"current_period_start": at(5, 31, 12), "current_period_end": at(6, 30, 12),
			"activated_at": at(1, 31, 12), "updated_at": at(5, 31, 12)},
		invoices: []string{at(2, 28, 12), at(3, 31, 12), at(4, 30, 12), at(5, 31, 12)},
	},
	{
		name: "pending plan", steps: []step{{"change-plan", `{"plan_id":"` + otherPlan + `","timing":"end_of_period"}`}},
		until:    time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC),
		before:   map[string]string{"plan_id": `"` + plan + `"`, "metadata": `{"pending_plan_id":"` + otherPlan + `"}`},
		want:     map[string]string{"plan_id": `"` + otherPlan + `"`, "metadata": "{}"},
		invoices: []string{at(2, 28, 12)},
	},
	{
		name: "scheduled cancellation", steps: []step{{"cancel", `{"cancel_at_period_end":true,"reason":"enough"}`}},
		until:  time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC),
		before: map[string]string{"status": `"active"`},
		want: map[string]string{"status": `"canceled"`, "canceled_at": at(2, 28, 12), "cancellation_reason": `"enough"`,
			"cancel_at_period_end": "true", "current_period_end": at(2, 28, 12)},
	},
	{
		name: "cancellation comes before a pending plan", steps: []step{
			{"change-plan", `{"plan_id":"` + otherPlan + `","timing":"end_of_period"}`},
			{"cancel", `{"cancel_at_period_end":true}`}},
		until: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		want: map[string]string{"status": `"canceled"`, "plan_id": `"` + plan + `"`, "metadata": "{}",
			"canceled_at": at(2, 28, 12)},
	},
	{
		name: "cancellation at the end of a trial", fields: `,"trial_period_days":14`,
		steps: []step{{"cancel", `{"cancel_at_period_end":true}`}}, until: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		want: map[string]string{"status": `"canceled"`, "activated_at": "null", "canceled_at": at(2, 14, 12)},
	},
	{
		name: "pause runs out", steps: []step{{"pause", `{"resumes_at":"2026-02-10T00:00:00Z"}`}},
		until: time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC), before: map[string]string{"status": `"paused"`,
			"resumes_at": at(2, 10, 0)},
		want: map[string]string{"status": `"active"`, "resumed_at": at(2, 10, 0), "resumes_at": "null", "paused_at": "null",
			"pause_collection": "null", "updated_at": at(2, 10, 0), "current_period_end": at(2, 28, 12)},
	},
	{
		name: "pause runs out within the trial", fields: `,"trial_period_days":14`,
		steps: []step{{"pause", `{"resumes_at":"2026-02-10T00:00:00Z"}`}}, until: time.Date(2026, 2, 10, 0, 0, 0, 0,
			time.UTC), want: map[string]string{"status": `"trialing"`, "resumed_at": at(2, 10, 0), "activated_at": "null"},
	},
	{
		name: "trial ends during a pause", fields: `,"trial_period_days":14`,
		steps: []step{{"pause", `{"resumes_at":"2026-02-20T00:00:00Z"}`}},
		until: time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC), before: map[string]string{"status": `"paused"`,
			"activated_at": "null", "current_period_start": at(2, 14, 12)},
		want: map[string]string{"status": `"active"`, "activated_at": at(2, 20, 0), "resumed_at": at(2, 20, 0),
			"current_period_start": at(2, 14, 12)},
		invoices: []string{at(2, 14, 12) + " uncollectible"},
	},
	{
		name: "pause and trial end together", fields: `,"trial_period_days":14`,
		steps: []step{{"pause", `{"resumes_at":"2026-02-14T12:00:00Z"}`}},
		until: time.Date(2026, 2, 14, 12, 0, 0, 0, time.UTC), want: map[string]string{"status": `"active"`,
			"activated_at": at(2, 14, 12), "resumed_at": at(2, 14, 12), "current_period_start": at(2, 14, 12)},
		invoices: []string{at(2, 14, 12)},
	},
	{
		name: "pause without an end, invoices void", steps: []step{{"pause", `{"behavior":"void"}`}},
		until: time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC), want: map[string]string{"status": `"paused"`,
			"current_period_start": at(3, 31, 12)},
		invoices: []string{at(2, 28, 12) + " void", at(3, 31, 12) + " void"},
	},
	{
		name: "several at once", fields: `,"trial_period_days":14`, steps: []step{
			{"pause", `{"behavior":"keep_as_draft","resumes_at":"2026-03-01T00:00:00Z"}`},
			{"change-plan", `{"plan_id":"` + otherPlan + `","timing":"end_of_period"}`}},
		until: time.Date(2026, 4, 20, 0, 0, 0, 0, time.UTC),
		want: map[string]string{"status": `"active"`, "plan_id": `"` + otherPlan + `"`, "activated_at": at(3, 1, 0),
			"resumed_at": at(3, 1, 0), "current_period_start": at(4, 14, 12), "updated_at": at(4, 14, 12)},
		invoices: []string{at(2, 14, 12) + " draft", at(3, 14, 12), at(4, 14, 12)},
	},
	{
		name: "invoiced by hand", fields: `,"collection_method":"manual_invoice"`,
		until: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), want: map[string]string{"current_period_start": at(5, 31, 12)},
	},
	{
		name: "quarterly", fields: `,"billing_cycle":"quarterly"`, until: time.Date(2026, 4, 30, 12, 0, 0, 0, time.UTC),
		before:   map[string]string{"current_period_end": at(4, 30, 12)},
		want:     map[string]string{"current_period_start": at(4, 30, 12), "current_period_end": at(7, 31, 12)},
		invoices: []string{at(4, 30, 12)},
	},
}
