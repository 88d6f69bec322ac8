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

// at is a time of 2026 as it is returned.
func at(month time.Month, day, hour int) string {
	return time.Date(2026, month, day, hour, 0, 0, 0, time.UTC).Format(`"2006-01-02T15:04:05.000Z"`)
}
