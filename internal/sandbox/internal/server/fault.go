package server

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

func (f Fault) matches(operation, method, path string) bool {
	readsOne := strings.HasSuffix(operation, ".get") && operation != "me.get" // of several objects
	if f.Clock != 0 || f.Lag > 0 && method != http.MethodGet || f.Other && !readsOne {
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

// faults are the faults in force, with Times and Skip counted down.
type faults struct {
	clock *Clock

	mu    sync.Mutex
	last  int
	force []Fault
	away  Fault     // the most recent outage
	until time.Time // end of the outage, by this machine's clock
}

// Add activates a fault and returns its id.
func (fs *faults) Add(f Fault) string {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.last++
	f.ID = "fault-" + strconv.Itoa(fs.last)
	fs.force = append(fs.force, f)
	fs.setClock()
	return f.ID
}

// Clear removes every fault.
func (fs *faults) Clear() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.force, fs.until = nil, time.Time{}
	fs.setClock()
}

// Remove removes a fault, and ends its outage. It reports whether the fault existed.
func (fs *faults) Remove(id string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	isIt := func(f Fault) bool { return f.ID == id }
	found := slices.ContainsFunc(fs.list(), isIt)
	fs.force = slices.DeleteFunc(fs.force, isIt)
	if fs.away.ID == id {
		fs.until = time.Time{}
	}
	fs.setClock()
	return found
}

// setClock applies the offset of the clock fault that was added last.
func (fs *faults) setClock() {
	var offset time.Duration
	for _, f := range fs.force {
		offset = cmp.Or(f.Clock, offset)
	}
	fs.clock.differ(offset)
}

// outage returns the fault of the current outage.
func (fs *faults) outage() (Fault, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.away, time.Now().Before(fs.until)
}

// List returns the faults in force. An outage that has begun comes first, with its remaining time.
func (fs *faults) List() []Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.list()
}

func (fs *faults) list() []Fault {
	left := time.Until(fs.until)
	if left <= 0 {
		return slices.Clone(fs.force)
	}
	running := fs.away
	running.Outage = max(left.Round(time.Millisecond), time.Millisecond)
	others := slices.DeleteFunc(slices.Clone(fs.force), func(f Fault) bool { return f.ID == running.ID })
	return append([]Fault{running}, others...)
}

// take returns the fault that applies to a request, and counts it.
func (fs *faults) take(operation, method, path string) (Fault, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if time.Now().Before(fs.until) {
		return fs.away, true
	}
	for i := range fs.force {
		f := &fs.force[i]
		if !f.matches(operation, method, path) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		isLast := f.Times == 1 || f.Times == 0 && (f.Silent || f.Outage > 0)
		f.Times = max(f.Times-1, 0)
		met := *f
		if isLast {
			fs.force = slices.Delete(fs.force, i, i+1)
		}
		if met.Outage > 0 {
			fs.away, fs.until = met, time.Now().Add(met.Outage)
		}
		return met, true
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

func (s *Server) faultResponse(f Fault, operation string) response {
	a := response{status: cmp.Or(f.Status, http.StatusOK), header: http.Header{}}
	switch {
	case f.Foreign != "":
		sent := foreignBodies[f.Foreign]
		a.status, a.body = cmp.Or(f.Status, http.StatusNotFound), []byte(sent.body)
		if sent.kind != "" {
			a.header.Set("Content-Type", sent.kind)
		}
	case f.Empty:
	case f.Body != "":
		a.header.Set("Content-Type", "application/json")
		a.body = []byte(f.Body)
	default:
		a = s.bent(&bend.Exchange{Operation: operation}, s.failure(&Error{Status: f.Status,
			Code: cmp.Or(f.Code, faultCodes[f.Status], "fault"), Message: "This response is an injected fault of the sandbox."}))
	}
	if value, _ := retryAfter(f.RetryAfter, s.Clock.Now()); value != "" {
		a.header.Set("Retry-After", value)
	}
	return a
}

// foreignBodies are bodies of a 404 from a proxy, a default backend or another host, by kind.
var foreignBodies = map[string]struct{ kind, body string }{
	"html": {"text/html", "<html>\r\n<head><title>404 Not Found</title></head>\r\n" +
		"<body><center><h1>404 Not Found</h1></center></body>\r\n</html>\r\n"},
	"json":  {"application/json", `{"message":"no Route matched with those values"}`},
	"error": {"application/json", `{"error":{"code":"404","message":"The page could not be found"}}`},
	"flat":  {"application/json", `{"error":"Not Found","error_code":"not_found"}`},
	"empty": {},
}

// ForeignKinds returns the kinds of Fault.Foreign, sorted.
func ForeignKinds() []string { return slices.Sorted(maps.Keys(foreignBodies)) }

// retryAfter returns the header for a number of seconds, or for "date:30s": the HTTP date 30 seconds after now. ok is
// false for any other value, which is returned unchanged.
func retryAfter(value string, now time.Time) (header string, ok bool) {
	ahead, dated := strings.CutPrefix(value, "date:")
	if !dated {
		_, err := strconv.ParseUint(value, 10, 31)
		return value, err == nil
	}
	d, err := ParseDuration(ahead)
	if err != nil {
		return value, false
	}
	return now.Add(d).UTC().Format(http.TimeFormat), true
}

// mixUp implements Fault.Other: the request gets another object of the same type, the first in the listing.
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
