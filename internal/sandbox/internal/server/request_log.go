package server

import (
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// logCapacity bounds the memory the request log takes; the oldest go first.
const logCapacity = 20_000

// keptResponses is how many of the newest requests keep the body of their response and the rows they have changed, and
// maxResponse the largest body that is kept, in bytes: a page of a listing may have a megabyte.
const (
	keptResponses = 200
	maxResponse   = 64 << 10
)

// Request is one line of the request log. It contains the request and the
// response, and never a whole token.
type Request struct {
	Sequence  uint64    `json:"sequence"` // counts from 1 for the life of the server
	Time      time.Time `json:"time"`     // on the sandbox's clock
	Service   Service   `json:"service"`
	Operation string    `json:"operation"` // name in the wire contract; empty: no such route
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Query     string    `json:"query,omitempty"`
	Status    int       `json:"status"` // what was or would have been returned; 0: dropped unprocessed
	RequestID string    `json:"request_id"`
	Token     string    `json:"token,omitempty"` // the public prefix of a token that is known
	Fault     string    `json:"fault,omitempty"` // id of the fault it met
	Dropped   bool      `json:"dropped,omitempty"`
	// Client is the first word of the User-Agent, such as terraform-provider-billing/1.0.0: who has sent the request.
	Client string `json:"client,omitempty"`
	// Run is the same number for all requests of one process of the client, see connections.
	Run      uint64        `json:"run"`
	Duration time.Duration `json:"duration_ns"` // by the machine's clock, faults included
	Body     []byte        `json:"body,omitempty"`
	// Response is the body of the response without credentials. Only the newest requests have it, see keptResponses.
	Response []byte `json:"response,omitempty"`
	// Object is the id in the path, and Changes what the request has changed. Rows contain credentials, so that they
	// are in no JSON. Of older requests only table and id are left.
	Object  string         `json:"-"`
	Changes []store.Change `json:"-"`
	began   time.Time
}

// RequestLog keeps the newest requests in the order of their responses.
type RequestLog struct {
	mu      sync.Mutex
	last    uint64
	entries []Request
}

func (l *RequestLog) add(r Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	r.Sequence = l.last
	if len(l.entries) >= logCapacity {
		// Half of the entries are dropped together, so that the copying is rare.
		l.entries = append([]Request(nil), l.entries[logCapacity/2:]...)
	}
	if len(r.Response) > maxResponse {
		r.Response = nil
	}
	l.entries = append(l.entries, r)
	if old := len(l.entries) - 1 - keptResponses; old >= 0 {
		l.entries[old].Response, l.entries[old].Changes = nil, store.WithoutRows(l.entries[old].Changes)
	}
}

// Since returns the requests after the given sequence number.
func (l *RequestLog) Since(sequence uint64) []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []Request{}
	for _, r := range l.entries {
		if r.Sequence > sequence {
			out = append(out, r)
		}
	}
	return out
}

// Reset empties the log.
func (l *RequestLog) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}
