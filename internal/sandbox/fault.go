package sandbox

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault is something that goes wrong with matching requests. Faults are tried
// in the order they were added; a request meets at most one.
//
// Latency alone delays and then serves as usual. Status, HTML, Body and Empty
// answer instead of processing (with After: instead of the answer, the
// request being processed and stored). TruncateBody cuts whatever answer there
// is, the usual one when none is given.
type Fault struct {
	ID         string // given by AddFault
	Operation  string // name in the wire contract such as "customers.create"; empty: any
	Method     string // empty: any
	PathPrefix string // empty: any
	Times      int    // how many requests it hits; 0: until cleared
	Skip       int    // how many matching requests pass first

	Latency      time.Duration // waited first; a client that goes away ends the wait
	Status       int           // 0: 200 where a Body, HTML or Empty is answered
	RetryAfter   string        // header value as it is; "date:30s" an HTTP date so far ahead of the real clock; empty: no header
	DropBefore   bool          // the connection is closed, nothing is processed
	DropAfter    bool          // the request is processed and stored, then the connection is closed
	After        bool          // Status and bodies come after processing
	TruncateBody bool          // the answer ends before its Content-Length
	HTML         bool          // the body is an HTML page, as from a proxy
	Empty        bool          // no body at all
	Body         string        // sent as it is
	Code         string        // error code; empty: the one usual for Status
}

func (f Fault) matches(operation, method, path string) bool {
	return (f.Operation == "" || f.Operation == operation) &&
		(f.Method == "" || strings.EqualFold(f.Method, method)) &&
		strings.HasPrefix(path, f.PathPrefix)
}

// answers tells whether the fault brings an answer of its own.
func (f Fault) answers() bool {
	return f.Status != 0 || f.HTML || f.Empty || f.Body != ""
}

// faults is the list of those in force.
type faults struct {
	mu    sync.Mutex
	last  int
	force []*pending
}

type pending struct {
	fault      Fault
	skip, left int
}

func (fs *faults) add(f Fault) string {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.last++
	f.ID = "fault-" + strconv.Itoa(fs.last)
	fs.force = append(fs.force, &pending{fault: f, skip: f.Skip, left: f.Times})
	return f.ID
}

func (fs *faults) clear() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.force = nil
}

// list answers those still in force, Times and Skip counted down.
func (fs *faults) list() []Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	out := make([]Fault, 0, len(fs.force))
	for _, p := range fs.force {
		f := p.fault
		f.Times, f.Skip = p.left, p.skip
		out = append(out, f)
	}
	return out
}

// take answers the fault a request meets, and counts it.
func (fs *faults) take(operation, method, path string) (Fault, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for i, p := range fs.force {
		if !p.fault.matches(operation, method, path) {
			continue
		}
		if p.skip > 0 {
			p.skip--
			continue
		}
		if p.left > 0 {
			p.left--
			if p.left == 0 {
				fs.force = slices.Delete(fs.force, i, i+1)
			}
		}
		return p.fault, true
	}
	return Fault{}, false
}

// wait sleeps for d or until ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
