package endure_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The phases that a schedule may disturb.
const (
	create  = "create"
	update  = "update"
	rotate  = "rotate"
	renew   = "renew"
	destroy = "destroy"
)

// writes is the approximate number of writes in a phase.
var writes = map[string]int{create: 16, update: 13, rotate: 5, renew: 9, destroy: 14}

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

// schedule describes the disturbances of one run: those that the virtual time of internal/life cannot have.
type schedule struct {
	seed    uint64
	phase   string
	kills   []kill // of the disturbed run, and of the first run after it
	restart int    // the service is stopped after this number of requests; 0: never
	stopped time.Duration
	traced  bool // Terraform logs at the level TRACE
}

func (s schedule) String() string {
	parts := []string{"phase " + s.phase}
	for i, k := range s.kills {
		parts = append(parts, []string{"", "then "}[min(i, 1)]+k.String())
	}
	if s.restart > 0 {
		parts = append(parts, fmt.Sprintf("restart of the service after request %d, down for %s", s.restart, s.stopped))
	}
	if s.traced {
		parts = append(parts, "TF_LOG=TRACE")
	}
	return strings.Join(parts, "; ")
}

// longestStop is how long a stopped service is down at most.
const longestStop = 2 * time.Second

// drawn returns the schedule of a seed.
func drawn(seed uint64) schedule {
	r := rand.New(rand.NewPCG(seed, 10))
	phases := []string{create, create, rotate, update, create, renew, destroy, renew}
	s := schedule{seed: seed, phase: phases[seed%uint64(len(phases))], traced: seed%4 == 0}
	chance := func(percent int) bool { return r.IntN(100) < percent }
	if chance(80) {
		s.kills = append(s.kills, drawnKill(r, s.phase))
		if chance(20) {
			s.kills = append(s.kills, drawnKill(r, s.phase))
		}
	}
	if len(s.kills) == 0 || chance(20) {
		s.restart, s.stopped = 1+r.IntN(40), time.Duration(1+r.IntN(10))*longestStop/10
	}
	return s
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
