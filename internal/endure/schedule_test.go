package endure_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// The phases that a schedule may disturb.
const (
	create  = "create"
	update  = "update"
	rotate  = "rotate"
	renew   = "renew"
	destroy = "destroy"
)

// kill is a signal to a process after a request.
type kill struct {
	signal string // KILL or INT
	target string // provider, terraform or both
	writes bool   // counts only writes
	after  int
	delay  time.Duration
}

func (k kill) String() string {
	what := "request"
	if k.writes {
		what = "write"
	}
	return fmt.Sprintf("SIG%s of %s after %s %d + %s", k.signal, k.target, what, k.after, k.delay)
}

// schedule describes the disturbances of one run.
type schedule struct {
	seed    uint64
	phase   string
	clock   time.Duration // offset of the service's clock from this machine's
	faults  []sandbox.Fault
	kills   []kill // of the disturbed run, and of the first run after it
	restart int    // the service is stopped after this number of requests; 0: never
	stopped time.Duration
	traced  bool // Terraform logs at the level TRACE
	// stranger adds a plan with the token of another organization after the disturbed run.
	stranger bool
}

func (s schedule) String() string {
	parts := []string{"phase " + s.phase}
	if s.clock != 0 {
		parts = append(parts, "clock "+s.clock.String())
	}
	for _, f := range s.faults {
		parts = append(parts, "fault "+f.String())
	}
	for i, k := range s.kills {
		parts = append(parts, []string{"", "then "}[min(i, 1)]+k.String())
	}
	if s.restart > 0 {
		parts = append(parts, fmt.Sprintf("restart of the service after request %d, down for %s", s.restart, s.stopped))
	}
	if s.traced {
		parts = append(parts, "TF_LOG=TRACE")
	}
	if s.stranger {
		parts = append(parts, "a plan with the token of another organization")
	}
	return strings.Join(parts, "; ")
}

// operations lists the operations of each phase, reads last.
var operations = map[string][]string{
	create: {"customers.create", "billing_accounts.create", "billing_accounts.suspend", "subscriptions.create",
		"subscriptions.items.sync", "subscriptions.pause", "webhook_endpoints.create", "api_keys.create",
		"finance.records.create"},
	update: {"customers.update", "billing_accounts.update", "subscriptions.update", "subscriptions.items.sync",
		"webhook_endpoints.update", "finance.records.update"},
	rotate: {"api_keys.rotate", "webhook_endpoints.rotate_secret", "webhook_endpoints.update"},
	renew:  {"api_keys.create", "api_keys.rotate", "api_keys.revoke"},
	destroy: {"customers.delete", "billing_accounts.close", "subscriptions.cancel", "webhook_endpoints.delete",
		"api_keys.revoke", "finance.records.delete"},
}

// writes is the approximate number of writes in a phase.
var writes = map[string]int{create: 16, update: 13, rotate: 5, renew: 9, destroy: 14}

// limits limits delays: the schedules of `make test` must be fast.
type limits struct {
	lag    time.Duration
	outage time.Duration
}

var (
	short = limits{lag: 1500 * time.Millisecond, outage: time.Second}
	whole = limits{lag: 10 * time.Second, outage: 5 * time.Second}
)

// drawn returns the schedule of a seed.
func drawn(seed uint64, l limits) schedule {
	r := rand.New(rand.NewPCG(seed, 10))
	phases := []string{create, create, rotate, update, create, renew, destroy, renew}
	s := schedule{seed: seed, phase: phases[seed%uint64(len(phases))], traced: seed%4 == 0}
	chance := func(percent int) bool { return r.IntN(100) < percent }
	if chance(20) {
		s.clock = []time.Duration{-24 * time.Hour, 24 * time.Hour}[r.IntN(2)]
	}
	for range r.IntN(4) {
		s.faults = append(s.faults, drawnFault(r, s.phase, l))
	}
	if chance(20) {
		s.faults = append(s.faults, sandbox.Fault{Skip: r.IntN(40), Outage: drawnDuration(r, l.outage), Status: 429,
			RetryAfter: []string{"", "0", "1"}[r.IntN(3)]})
	}
	if chance(30) { // last, because the first matching fault applies
		s.faults = append(s.faults, sandbox.Fault{Lag: drawnDuration(r, l.lag)})
	}
	if chance(70) {
		s.kills = append(s.kills, drawnKill(r, s.phase))
		if chance(20) {
			s.kills = append(s.kills, drawnKill(r, s.phase))
		}
	}
	if chance(20) {
		s.restart, s.stopped = 1+r.IntN(40), drawnDuration(r, l.outage)
	}
	s.stranger = s.phase != create && chance(30)
	return s
}

// drawnDuration returns at most this duration, in tenths.
func drawnDuration(r *rand.Rand, longest time.Duration) time.Duration {
	return time.Duration(1+r.IntN(10)) * longest / 10
}

func drawnKill(r *rand.Rand, phase string) kill {
	k := kill{signal: "KILL", target: []string{"provider", "terraform", "both"}[r.IntN(3)], writes: true,
		after: 1 + r.IntN(writes[phase]), delay: time.Duration(r.IntN(200)) * time.Millisecond}
	if r.IntN(4) == 0 {
		k.signal, k.target = "INT", []string{"terraform", "both"}[r.IntN(2)] // a provider ignores it
	}
	if r.IntN(4) == 0 {
		k.writes, k.after = false, 1+r.IntN(60)
	}
	return k
}

func drawnFault(r *rand.Rand, phase string, l limits) sandbox.Fault {
	write := operations[phase][r.IntN(len(operations[phase]))]
	return acctest.Misfortune(r.IntN, write, acctest.Reads[r.IntN(len(acctest.Reads))], l.outage)
}
