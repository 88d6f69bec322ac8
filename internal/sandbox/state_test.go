package sandbox_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// A seed makes runs repeat, and a restart over the same state does not repeat ids.
func TestSeed(t *testing.T) {
	t.Parallel()
	ids := func(o sandbox.Options) []string {
		server := start(t, o)
		c := call(t, server)
		made := []string{server.BillingToken(), c.create(`{"name":"Ana"}`), c.create(`{"name":"Bia"}`)}
		made = append(made, c.do("GET", "/v1/customers", "").names("name")...)
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		return made
	}
	first := ids(sandbox.Options{Seed: 42})
	if again := ids(sandbox.Options{Seed: 42}); !slices.Equal(first, again) {
		t.Errorf("runs differ: %v and %v", first, again)
	}
	if other := ids(sandbox.Options{Seed: 43}); other[1] == first[1] || !anUUID.MatchString(other[1]) {
		t.Errorf("another seed makes %v", other)
	}
	state := filepath.Join(t.TempDir(), "state.db")
	var runs [3][]string
	for i := range runs {
		runs[i] = ids(sandbox.Options{Seed: 42, StateFile: state})
	}
	if runs[0][0] != runs[2][0] || runs[0][1] == runs[1][1] || runs[1][1] == runs[2][1] {
		t.Errorf("restarts made %v", runs)
	}
}

// A restart over the same state file keeps rows, tokens and the authority.
func TestStateFile(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state.db")
	first := start(t, sandbox.Options{StateFile: state})
	c := call(t, first)
	path := "/v1/customers/" + c.create(everyCustomerField)
	gone := "/v1/customers/" + c.create(`{"name":"Bia"}`)
	c.do("DELETE", gone, "").want(200)
	before := c.do("GET", path, "").want(200)
	if _, err := sandbox.Start(t.Context(), sandbox.Options{StateFile: state}); err == nil ||
		!strings.Contains(err.Error(), "another process") {
		t.Errorf("a second server on the same state: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(state); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("state file %v, %v", info, err)
	}

	second := start(t, sandbox.Options{StateFile: state})
	again := call(t, second)
	again.client = trusting(t, first.CAPEM(), nil)
	if r := again.do("GET", path, "").want(200); r.json() != before.json() ||
		r.header.Get("ETag") != before.header.Get("ETag") {
		t.Errorf("after the restart %s, before %s", r.body, before.body)
	}
	again.do("GET", gone, "").want(404)
	if second.BillingToken() != first.BillingToken() || second.ControlToken() != first.ControlToken() ||
		second.Organization() != first.Organization() {
		t.Error("credentials or organization differ after a restart")
	}
	if second.CAFile() != state+".ca.pem" {
		t.Errorf("CA file %s", second.CAFile())
	}
}

// A restart over the same state file takes the same ports, another one where that is taken, and one that is given.
func TestPortsInStateFile(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{StateFile: filepath.Join(t.TempDir(), "state.db")}
	port := func(address string) int {
		found, err := strconv.Atoi(address[strings.LastIndex(address, ":")+1:])
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	stopped := func() *sandbox.Server {
		server := start(t, o)
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
		return server
	}
	first := stopped()
	second := stopped()
	for name, addresses := range map[string][2]string{
		"billing": {first.BillingURL(), second.BillingURL()}, "finance": {first.FinanceURL(), second.FinanceURL()},
		"collections": {first.CollectionsURL(), second.CollectionsURL()}, "control": {first.ControlURL(), second.ControlURL()},
	} {
		// Another test may have taken it.
		if moved := slices.Contains(second.MovedPorts(), name); moved == (addresses[0] == addresses[1]) {
			t.Errorf("%s is at %v, moved: %t", name, addresses, moved)
		}
	}
	var config net.ListenConfig
	other, err := config.Listen(t.Context(), "tcp", strings.TrimPrefix(second.BillingURL(), "https://"))
	if err != nil {
		t.Skip(err) // taken since
	}
	third := stopped()
	if !slices.Contains(third.MovedPorts(), "billing") || third.BillingURL() == second.BillingURL() {
		t.Errorf("a taken port: %s, moved %v", third.BillingURL(), third.MovedPorts())
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	o.BillingPort = port(second.BillingURL())
	if fourth := stopped(); port(fourth.BillingURL()) != o.BillingPort {
		t.Errorf("with a given port at %s", fourth.BillingURL())
	}
}

// A restart over the same state file finds the clock where it was, running or stopped, and its start for a reset; a
// given start wins.
func TestClockInStateFile(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	advance := func(s *sandbox.Server) error { s.Clock().Advance(46 * day); return nil }
	reset := func(s *sandbox.Server) error { return s.Reset(t.Context()) }
	skew := func(s *sandbox.Server) error { s.AddFault(sandbox.Fault{Clock: -day}); return nil }
	for name, test := range map[string]struct {
		first, second time.Time
		moves         []func(s *sandbox.Server) error
		ahead         time.Duration // of what the clock began with
	}{
		"running":             {moves: []func(*sandbox.Server) error{advance, advance, skew}, ahead: 92 * day},
		"running, reset":      {moves: []func(*sandbox.Server) error{advance, reset}},
		"stopped":             {first: morning, ahead: 0},
		"stopped and moved":   {first: morning, moves: []func(*sandbox.Server) error{advance}, ahead: 46 * day},
		"stopped, reset":      {first: morning, moves: []func(*sandbox.Server) error{advance, reset}},
		"stopped by the next": {second: morning, moves: []func(*sandbox.Server) error{advance}},
		"stopped elsewhere":   {first: janLast, second: morning, moves: []func(*sandbox.Server) error{advance}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := sandbox.Options{StateFile: filepath.Join(t.TempDir(), "state.db"), Start: test.first}
			server := start(t, o)
			for _, move := range test.moves {
				if err := move(server); err != nil {
					t.Fatal(err)
				}
			}
			want := func(server *sandbox.Server, ahead time.Duration) {
				t.Helper()
				began := time.Now()
				fixed := !test.first.IsZero() || !test.second.IsZero()
				if fixed {
					began = morning
				}
				got := server.Clock().Now()
				if server.Clock().Fixed() != fixed || got.Sub(began.Add(ahead)).Abs() > time.Hour {
					t.Errorf("the clock is at %s, fixed %v", got, server.Clock().Fixed())
				}
			}
			if err := server.Close(); err != nil {
				t.Fatal(err)
			}
			o.Start = test.second
			server = start(t, o)
			want(server, test.ahead)
			if err := server.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
			want(server, 0)
		})
	}
}

// Concurrent writers and readers: each external_id is assigned once, and every
// customer that a create returned exists.
func TestConcurrentRequests(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{StateFile: filepath.Join(t.TempDir(), "state.db")})
	c := call(t, server)
	var created, taken sync.Map
	var group sync.WaitGroup
	for i := range 24 {
		group.Go(func() {
			r, err := c.try("POST", "/v1/customers", `{"name":"Ana","external_id":"`+string(rune('a'+i%8))+`"}`)
			switch {
			case err != nil:
				t.Error(err)
			case r.status == 201:
				created.Store(r.text("data", "customer", "external_id"), true)
			case r.status == 422:
				taken.Store(i, true)
			}
			if _, err := c.try("GET", "/v1/customers?sort_by=name", ""); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	count := func(m *sync.Map) (n int) { m.Range(func(any, any) bool { n++; return true }); return n }
	if count(&created) != 8 || count(&taken) != 16 {
		t.Errorf("%d created and %d refused, want 8 and 16", count(&created), count(&taken))
	}
	if got := c.do("GET", "/v1/customers", "").json("meta", "total"); got != "8" {
		t.Errorf("total %s", got)
	}
}

// A reset that fails changes nothing: objects, faults, requests and the clock stay.
func TestResetThatFails(t *testing.T) {
	t.Parallel()
	receivers := names{"hooks.example.org": "8.8.8.8"}
	server := start(t, sandbox.Options{Start: morning, Resolver: receivers,
		SeedDocument: []byte(`{"webhook_endpoints":[{"url":"https://hooks.example.org/in"}]}`)})
	c := call(t, server)
	c.create(`{"name":"Ana"}`)
	server.Clock().Advance(time.Hour)
	server.AddFault(sandbox.Fault{Operation: "me.get", Status: 503})
	server.AddFault(sandbox.Fault{Clock: -24 * time.Hour})
	receivers["hooks.example.org"] = "10.0.0.1" // rejected: the name leads into an internal network
	control := c.with(server.ControlToken())
	control.base = server.ControlURL()
	refusal := control.do("POST", "/reset", "").want(500).text("error", "message")
	if want := "the seed cannot be used:\n  webhook_endpoints[0].url: "; !strings.HasPrefix(refusal, want) {
		t.Errorf("the reset said %q", refusal)
	}
	if n := len(server.Faults()); n != 2 {
		t.Errorf("%d faults are left of 2", n)
	}
	if ahead := time.Until(server.Clock().Now()); ahead > -23*time.Hour {
		t.Errorf("the fault of the clock is gone: %s", ahead)
	}
	if len(server.Requests()) != 1 || len(c.do("GET", "/v1/customers", "").want(200).names("name")) != 1 {
		t.Errorf("requests %v", server.Requests())
	}
	server.ClearFaults()
	if now := server.Clock().Now(); !now.Equal(morning.Add(time.Hour)) {
		t.Errorf("the clock is at %s", now)
	}
	receivers["hooks.example.org"] = "8.8.8.8"
	if err := server.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := server.Clock().Now(); !now.Equal(morning) {
		t.Errorf("the clock is at %s after the reset", now)
	}
}

// The hooks for what no operation does.
func TestHooks(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: janLast})
	c := call(t, server)
	path, made := c.subscribe("")
	id := made.text("data", "id")
	before := made.text("data", "updated_at")
	for _, step := range []struct {
		move func() error
		want string
	}{
		{func() error { return server.SetPastDue(id, true) }, "past_due"},
		{func() error { return server.SetPastDue(id, false) }, "active"},
		{func() error { return server.SetSubscriptionStatus(id, "on_fire") }, "on_fire"},
	} {
		if err := step.move(); err != nil {
			t.Errorf("%s: %v", step.want, err)
		}
		r := c.do("GET", path, "").want(200).holds(map[string]string{"status": `"` + step.want + `"`})
		if r.text("data", "updated_at") <= before {
			t.Errorf("%s did not move updated_at", step.want)
		}
		before = r.text("data", "updated_at")
	}
	if err := server.SetPastDue(id, true); err == nil || !strings.Contains(err.Error(), "invalid_transition") {
		t.Errorf("past due from another state: %v", err)
	}
	for _, err := range []error{server.SetPastDue(plan, true), server.SetSubscriptionStatus(plan, "draft")} {
		if err == nil || !strings.Contains(err.Error(), "not_found") {
			t.Errorf("unknown subscription: %v", err)
		}
	}
	if err := errors.Join(server.SetSubscriptionStatus(id, "active"), server.SetPastDue(id, true)); err != nil {
		t.Error(err)
	}
	c.do("POST", path+"/cancel", "").want(200).holds(map[string]string{"status": `"canceled"`})
	path, made = c.subscribe("")
	if err := server.SetSubscriptionStatus(made.text("data", "id"), "draft"); err != nil {
		t.Error(err)
	}
	c.do("DELETE", path, "").want(200)
}

// Cursors and idempotency keys are good for as long as the state is.
func TestFinanceOverARestart(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{StateFile: filepath.Join(t.TempDir(), "state.db"), NoExampleData: true}
	server := start(t, o)
	c := book(t, server)
	c.put("notes", "a", "b")
	original := c.keyed("notes", `{"name":"c"}`, creationKey).want(201)
	_, cursor := c.page("/v1/notes?limit=2", "")
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	c = book(t, start(t, o))
	if r := c.keyed("notes", `{}`, creationKey).want(201); string(r.body) != string(original.body) {
		t.Errorf("after the restart %s, before %s", r.body, original.body)
	}
	if names, _ := c.page("/v1/notes?limit=2", cursor); names != "c" {
		t.Errorf("the second page is %s", names)
	}
}
