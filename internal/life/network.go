package life

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// network carries the requests of a life in virtual time to its sandbox, without connections, and decides the order of
// everything that happens at the same time: a request, or the start of an object in Terraform, waits until nothing else
// can go on. Then the seed picks one that waits, or time passes.
type network struct {
	sandbox *sandbox.Server
	seed    uint64
	arrived chan struct{} // capacity 1
	over    chan struct{}

	mu      sync.Mutex
	random  *rand.Rand
	waiting []*parked
	still   bool // no time passes before requests
	tied    bool // two equal requests have waited at the same time, or a rate limit has: the seed does not decide any more

	encounters
	// of the current run
	outage    sandbox.Fault // what requests meet until its end
	back      time.Time
	killed    chan struct{}
	interrupt chan struct{}
	stopped   time.Time // when the run was interrupted
	then      func(words []string)
}

// parked is what waits for its turn. name is the same in each run of a seed.
type parked struct {
	name    string
	journey time.Duration // before its turn
	turn    chan struct{}
}

// process is the network of one provider process.
type process struct {
	*network
	dead bool
}

var errDead = errors.New("the process was killed")

// longestPause is the longest time that passes before a request. A plan of many objects has as many.
const longestPause = 200 * time.Millisecond

// journey is how long a request takes to the service. Times of objects have milliseconds, so one that is created in the
// moment in which its request is sent would be older than the request.
const journey = time.Millisecond

// begin starts the scheduler; end ends it.
func (n *network) begin() (end func()) {
	n.arrived, n.over = make(chan struct{}, 1), make(chan struct{})
	var scheduler sync.WaitGroup
	scheduler.Go(func() {
		for {
			synctest.Wait()
			if n.next() {
				continue
			}
			select {
			case <-n.arrived:
			case <-n.over:
				return
			}
		}
	})
	return func() {
		close(n.over)
		scheduler.Wait()
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, p := range n.waiting {
			close(p.turn)
		}
	}
}

// closed reports whether the scheduler has ended. What providers still do in the background fails then.
func (n *network) closed() bool {
	select {
	case <-n.over:
		return true
	default:
		return false
	}
}

// next lets one of those that wait go on, or time pass. It reports whether any waits.
func (n *network) next() bool {
	n.mu.Lock()
	if len(n.waiting) == 0 {
		n.mu.Unlock()
		return false
	}
	if n.random.IntN(8) == 0 && !n.still {
		passes := time.Duration(n.random.Int64N(int64(longestPause)))
		n.mu.Unlock()
		time.Sleep(passes)
		return true
	}
	slices.SortStableFunc(n.waiting, func(a, b *parked) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	for i, p := range n.waiting[1:] {
		n.tied = n.tied || p.name == n.waiting[i].name
	}
	i := n.random.IntN(len(n.waiting))
	next := n.waiting[i]
	n.waiting = slices.Delete(n.waiting, i, i+1)
	n.mu.Unlock()
	time.Sleep(next.journey)
	synctest.Wait() // what else happens at that time is over
	close(next.turn)
	return true
}

// park waits for its turn.
func (n *network) park(ctx context.Context, name string, journey time.Duration) error {
	if n.closed() {
		return errDead
	}
	p := &parked{name, journey, make(chan struct{})}
	n.mu.Lock()
	n.waiting = append(n.waiting, p)
	n.mu.Unlock()
	select {
	case n.arrived <- struct{}{}:
	default:
	}
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
		n.mu.Lock()
		defer n.mu.Unlock()
		n.waiting = slices.DeleteFunc(n.waiting, func(other *parked) bool { return other == p })
		return ctx.Err()
	}
}

// turn is core.Workspace.Turn.
func (n *network) turn(address string) { _ = n.park(context.Background(), address, 0) }

// number is a random number in [0, 1) for the provider. It follows from the time, because calls that happen at the same
// time have no order.
func (n *network) number() float64 {
	return rand.New(rand.NewPCG(n.seed, uint64(time.Now().UnixNano()))).Float64()
}

// dial starts the network of another provider process.
func (n *network) dial() http.RoundTripper {
	return &process{network: n}
}

// pass lets time pass. What else happens at its end is over then.
func (n *network) pass(d time.Duration) {
	defer n.hold()()
	_ = n.park(context.Background(), "", d)
}

// hold makes no time pass before requests until release is called.
func (n *network) hold() (release func()) {
	if n == nil {
		return func() {}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.still = true
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.still = false
	}
}

// expect sets what the next run meets.
func (n *network) expect(meets []misfortune) {
	n.encounters.expect(meets)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.back, n.killed, n.interrupt, n.stopped = time.Time{}, make(chan struct{}), make(chan struct{}), time.Time{}
}

// fault returns the fault that a request meets. An outage begins with the request.
func (n *network) fault(m misfortune) (sandbox.Fault, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Now().Before(n.back) {
		return n.outage, true
	}
	if m.fault == "" {
		return sandbox.Fault{}, false
	}
	fault, err := sandbox.ParseFault(m.fault)
	if err != nil {
		panic(err)
	}
	fault.ID = m.fault
	if fault.Outage > 0 {
		n.back, n.outage = time.Now().Add(fault.Outage), sandbox.Fault{ID: m.fault, Status: fault.Status,
			DropBefore: fault.Status == 0}
		return n.outage, true
	}
	return fault, true
}

// RoundTrip implements http.RoundTripper.
func (p *process) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body) // from memory
		_ = r.Body.Close()
	}
	if err := p.park(r.Context(), r.Method+r.URL.Path+r.URL.RawQuery+string(body), journey); err != nil {
		return nil, err
	}
	if p.dead || p.closed() {
		return nil, errDead
	}
	var m misfortune
	ctx := sandbox.WithFault(r.Context(), func(operation string) (sandbox.Fault, bool) {
		m = p.meet(operation, r.Method, body)
		m.twice = m.twice && r.Method != http.MethodGet && r.Method != http.MethodPost
		if m.interrupt {
			p.stop()
		}
		return p.fault(m)
	})
	send := func(ctx context.Context) (*http.Response, error) {
		again := r.Clone(ctx)
		again.Body = io.NopCloser(bytes.NewReader(body))
		return p.sandbox.RoundTrip(again)
	}
	response, err := send(ctx)
	if m.twice && response != nil {
		response, err = send(r.Context())
	}
	if response != nil && response.StatusCode == http.StatusTooManyRequests {
		p.tie()
	}
	if m.date != "" && response != nil {
		misdate(response.Header, m.date)
	}
	if m.then != nil {
		p.then(m.then)
	}
	if m.kill {
		p.dead = true
		stop(p.killed)
		return nil, errDead
	}
	return response, err
}

// stop interrupts the run.
func (n *network) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopped.IsZero() {
		n.stopped = time.Now()
	}
	stop(n.interrupt)
}

// delayed returns how long the run has gone on after it was interrupted.
func (n *network) delayed() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopped.IsZero() {
		return 0
	}
	return time.Since(n.stopped)
}

// tie notes that requests will wait for the same instant, the end of a rate limit.
func (n *network) tie() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tied = true
}

// misdate changes the Date of a response, or removes it.
func misdate(header http.Header, by string) {
	at, err := http.ParseTime(header.Get("Date"))
	if header.Del("Date"); by != "none" && err == nil {
		header.Set("Date", at.Add(duration(by)).Format(http.TimeFormat))
	}
}

// stop closes a channel once.
func stop(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}
