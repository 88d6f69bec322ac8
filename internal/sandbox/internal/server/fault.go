package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Fault is something that goes wrong with matching requests. Faults are tried
// in the order they were added; a request meets at most one.
//
// Latency alone delays and then serves as usual. Status, Body, Foreign and Empty
// respond without processing (with After: in place of the response, after the
// request was processed and stored). TruncateBody cuts the response, the usual one
// when none is given. Lag and Other affect only GETs.
type Fault struct {
	ID         string // given by AddFault
	Operation  string // name in the wire contract such as "customers.create"; empty: any
	Method     string // empty: any
	PathPrefix string // empty: any
	Times      int    // how many requests it hits; 0: until cleared
	Skip       int    // how many matching requests pass first

	Latency time.Duration // waited first; a client that goes away ends the wait
	Status  int           // 0: 200 where a Body or Empty is returned
	// RetryAfter is the value of the header; "date:30s" is an HTTP date so far ahead
	// of the real clock, and empty is not a header.
	RetryAfter   string
	DropBefore   bool   // the connection is closed, nothing is processed
	DropAfter    bool   // the request is processed and stored, then the connection is closed
	After        bool   // Status and bodies come after processing
	TruncateBody bool   // the response ends before its Content-Length
	Empty        bool   // no body at all
	Body         string // sent as it is
	Code         string // error code; empty: the one usual for Status

	Lag     time.Duration // a GET does not see what was written so recently, at most MaxLag
	Other   bool          // a GET of one object gets another one of its type, where there is one
	Foreign string        // one of ForeignKinds: the response of something that is not the service, 404 without Status
	// Silent: the open connections of the service go silent without being closed; new
	// ones work. Times 0 is 1.
	Silent bool
	Outage time.Duration // from this request on all services are away for so long: connections are reset, or get Status
	Clock  time.Duration // while in force, the sandbox's clock is so far from this machine's; stands alone
}

// MaxLag is the longest Lag: what was replaced earlier is not kept.
const MaxLag = store.Memory

func (f Fault) matches(operation, method, path string) bool {
	if f.Clock != 0 || (f.Lag > 0 || f.Other) && method != http.MethodGet || f.Other && !readsOne(operation) {
		return false
	}
	return (f.Operation == "" || f.Operation == operation) &&
		(f.Method == "" || strings.EqualFold(f.Method, method)) &&
		strings.HasPrefix(path, f.PathPrefix)
}

// responds reports whether the fault brings its own response.
func (f Fault) responds() bool {
	return f.Status != 0 || f.Empty || f.Body != "" || f.Foreign != ""
}

// readsOne reports whether an operation is a GET of one of several objects.
func readsOne(operation string) bool {
	return strings.HasSuffix(operation, ".get") && operation != "me.get"
}

// faults is the list of those in force.
type faults struct {
	mu    sync.Mutex
	last  int
	force []*pending
	away  *pending  // the outage that has begun; nil: none
	until time.Time // when it ends, by this machine's clock
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
	if f.Times == 0 && (f.Silent || f.Outage > 0) {
		f.Times = 1
	}
	fs.force = append(fs.force, &pending{fault: f, skip: f.Skip, left: f.Times})
	return f.ID
}

func (fs *faults) clear() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.force, fs.away = nil, nil
}

// remove ends one fault, also an outage that has begun.
func (fs *faults) remove(id string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	before := len(fs.force)
	fs.force = slices.DeleteFunc(fs.force, func(p *pending) bool { return p.fault.ID == id })
	away := fs.away != nil && fs.away.fault.ID == id
	if away {
		fs.away = nil
	}
	return away || len(fs.force) < before
}

// clock is the offset of the fault that was added last of those with one.
func (fs *faults) clock() time.Duration {
	var offset time.Duration
	for _, f := range fs.List() {
		offset = cmp.Or(f.Clock, offset)
	}
	return offset
}

// outage returns the fault whose outage lasts at this time.
func (fs *faults) outage() (Fault, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.running()
}

// running is outage for a caller that holds the lock.
func (fs *faults) running() (Fault, bool) {
	if fs.away == nil || !time.Now().Before(fs.until) {
		return Fault{}, false
	}
	return fs.away.fault, true
}

// Revision is a text that is another one when List is.
func (fs *faults) Revision() string {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	text := strconv.Itoa(fs.last)
	if _, lasts := fs.running(); lasts {
		text += "." + fs.away.fault.ID
	}
	for _, p := range fs.force {
		text += fmt.Sprintf(".%s-%d-%d", p.fault.ID, p.left, p.skip)
	}
	return text
}

// List returns those still in force, Times and Skip counted down. An outage that has begun is the first, with what is
// left of it.
func (fs *faults) List() []Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	out := make([]Fault, 0, len(fs.force)+1)
	running, lasts := fs.running()
	if lasts {
		running.Outage = max(time.Until(fs.until).Round(time.Millisecond), time.Millisecond)
		running.Times = fs.away.left
		out = append(out, running)
	}
	for _, p := range fs.force {
		if lasts && p == fs.away {
			continue
		}
		f := p.fault
		f.Times, f.Skip = p.left, p.skip
		out = append(out, f)
	}
	return out
}

// take returns the fault a request meets, and counts it.
func (fs *faults) take(operation, method, path string) (Fault, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f, lasts := fs.running(); lasts {
		return f, true
	}
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
		if p.fault.Outage > 0 {
			fs.away, fs.until = p, time.Now().Add(p.fault.Outage)
		}
		return p.fault, true
	}
	return Fault{}, false
}

// Wait sleeps for d or until ctx is done.
func Wait(ctx context.Context, d time.Duration) error {
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

// faultResponse is what a request gets that meets a fault that responds.
func (s *Server) faultResponse(f Fault) response {
	a := response{status: f.Status, header: http.Header{}}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	switch {
	case f.Foreign != "":
		return foreignResponse(f)
	case f.Empty:
	case f.Body != "":
		a.header.Set("Content-Type", "application/json")
		a.body = []byte(f.Body)
	default:
		a = s.failure(faultError(f))
	}
	if value := retryAfter(f.RetryAfter); value != "" {
		a.header.Set("Retry-After", value)
	}
	return a
}

// foreignBody is what something that is not the service sends with a 404.
type foreignBody struct{ kind, body string }

var foreignBodies = map[string]foreignBody{
	"html": {"text/html", "<html>\r\n<head><title>404 Not Found</title></head>\r\n" +
		"<body><center><h1>404 Not Found</h1></center></body>\r\n</html>\r\n"},
	"json":  {"application/json", `{"message":"no Route matched with those values"}`},
	"error": {"application/json", `{"error":{"code":"404","message":"The page could not be found"}}`},
	"flat":  {"application/json", `{"error":"Not Found","error_code":"not_found"}`},
	"empty": {},
}

// ForeignKinds returns the kinds of Fault.Foreign, sorted.
func ForeignKinds() []string { return slices.Sorted(maps.Keys(foreignBodies)) }

// foreignResponse is that of a proxy, a default backend or another host.
func foreignResponse(f Fault) response {
	a := response{status: cmp.Or(f.Status, http.StatusNotFound), header: http.Header{}}
	sent := foreignBodies[f.Foreign]
	if sent.kind != "" {
		a.header.Set("Content-Type", sent.kind)
	}
	a.body = []byte(sent.body)
	return a
}

func faultError(f Fault) *Error {
	code := f.Code
	if code == "" {
		code = faultCodes[f.Status]
	}
	if code == "" {
		code = "fault"
	}
	return &Error{Status: f.Status, Code: code, Message: "This response is an injected fault of the sandbox."}
}

// retryAfter writes "date:30s" as the HTTP date 30 seconds from now, by the
// real clock, which is the one the client waits by.
func retryAfter(value string) string {
	ahead, dated := strings.CutPrefix(value, "date:")
	if !dated {
		return value
	}
	d, err := time.ParseDuration(ahead)
	if err != nil {
		return value
	}
	return time.Now().Add(d).UTC().Format(http.TimeFormat)
}

// mixUp makes a request that meets Fault.Other ask for another object of its
// type: the first one that the listing returns.
func (c *Call) mixUp(tx *store.Tx, routes []Route, get Route) error {
	if !c.fault.Other {
		return nil
	}
	listing, ok := Named(routes, strings.TrimSuffix(get.Name, ".get")+".list")
	if !ok {
		return nil
	}
	all := *c
	all.Path, all.Query = maps.Clone(c.Path), url.Values{}
	page, err := listing.Serve(&all, tx)
	if err != nil {
		return err
	}
	text, err := Encode(page.Body)
	if err != nil {
		return err
	}
	var listed struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &listed); err != nil {
		return err
	}
	for _, object := range listed.Data {
		if object.ID != c.Path["id"] {
			c.Path["id"] = object.ID
			return nil
		}
	}
	return nil
}
