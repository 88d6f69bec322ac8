package claims_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var (
	everyFault = flag.Bool("every", false, "plant each of the generated faults, instead of some of them")
	faultSeed  = flag.Uint64("seed", 1, "the seed that selects the generated faults")
)

// fewFaults is the number of selected faults: the claims take up to a second for each.
const fewFaults = 60

// planted is a fault in one operation of a service that the claims use: a member of a response or of a request, a
// query parameter, or a status.
type planted struct {
	operation, where, member, how string
	status                        int
}

func (f planted) String() string {
	return fmt.Sprintf("%s %d %s %s: %s", f.operation, f.status, f.where, f.member, f.how)
}

// observer notes what the claims send and get.
type observer struct {
	mu     sync.Mutex
	faults map[planted]bool
	cleans bool // the request belongs to no statement
}

const cleans = "X-Cleans"

// marking marks the requests that belong to no statement.
type marking struct{ http.RoundTripper }

func (m marking) RoundTrip(r *http.Request) (*http.Response, error) {
	if claims.IsCleaning(r.Context()) {
		r = r.Clone(r.Context())
		r.Header.Set(cleans, "1")
	}
	return m.RoundTripper.RoundTrip(r)
}

// ways change a value; a change that leaves it as it was is none.
var ways = map[string]func(any) any{
	"drop": nil,
	"retype": func(v any) any {
		switch v := v.(type) {
		case string:
			return json.Number("7")
		case json.Number, bool:
			return fmt.Sprint(v)
		case []any:
			return bend.Object{}
		case bend.Object:
			return "text"
		}
		return v
	},
	"blank": func(v any) any {
		switch v := v.(type) {
		case string:
			return ""
		case json.Number:
			return json.Number("0")
		case bool:
			return !v
		case []any:
			return []any{}
		case bend.Object:
			return bend.Object{}
		}
		return v
	},
}

// paths visits the members of a value; those of list elements have * in their path.
func paths(v any, path string, visit func(path string, v any)) {
	switch v := v.(type) {
	case bend.Object:
		for name, member := range v {
			at := strings.TrimPrefix(path+"."+name, ".")
			visit(at, member)
			if !free(at) {
				paths(member, at, visit)
			}
		}
	case []any:
		for _, one := range v {
			paths(one, path+".*", visit)
		}
	}
}

// freeForm are the members whose own members no description names.
var freeForm = []string{"custom_metadata", "metadata", "commitment", "renewal_settings", "details", "responseHeaders",
	"requestHeaders"}

func free(path string) bool {
	return slices.Contains(freeForm, path[strings.LastIndex(path, ".")+1:])
}

// unseen reports whether no response shows what a member of a request says: a reason, but for that of a suspension or a
// cancellation.
func unseen(operation, where, member string) bool {
	return where == "request" && member == "reason" && !strings.HasSuffix(operation, ".suspend") &&
		!strings.HasSuffix(operation, ".cancel")
}

// undocumented reports whether no description says what a member is: of an invoice only the id, of a listed record also
// the name, and not the details of an error.
func undocumented(operation, member string) bool {
	listed := strings.HasPrefix(operation, "finance.") && strings.HasSuffix(operation, ".list")
	invoice := strings.HasPrefix(operation, "invoices.") || operation == "subscriptions.invoice"
	return member == "error.details" || (invoice || listed) && strings.HasPrefix(member, "data.") &&
		!strings.HasSuffix(member, ".id") && (invoice || !strings.HasSuffix(member, ".name"))
}

func (r *observer) note(x *bend.Exchange, part bend.Part) {
	r.mu.Lock()
	defer r.mu.Unlock()
	add := func(where, member string, v any) {
		for how, change := range ways {
			if undocumented(x.Operation, member) || unseen(x.Operation, where, member) {
				continue
			}
			if change == nil || fmt.Sprintf("%T%v", change(v), change(v)) != fmt.Sprintf("%T%v", v, v) {
				if how == "drop" && v == nil {
					continue
				}
				status := 0
				if where == "response" {
					status = x.Status
				}
				r.faults[planted{x.Operation, where, member, how, status}] = true
			}
		}
	}
	if x.Operation == "" || part == bend.Request && x.Header.Get(cleans) != "" {
		r.cleans = true
		return
	}
	if part == bend.Request {
		r.cleans = false
	}
	if r.cleans || part == bend.Request {
		return
	}
	if x.Status != http.StatusUnauthorized && x.Status != http.StatusNotFound { // which nothing in the request changes
		paths(x.Sent, "", func(path string, v any) { add("request", path, v) })
		for name := range x.Query {
			r.faults[planted{x.Operation, "query", name, "drop", 0}] = true
		}
	}
	if strings.HasSuffix(x.Operation, ".delete") && x.Status < 300 {
		return // what a deletion returns is tolerated
	}
	paths(x.Got, "", func(path string, v any) { add("response", path, v) })
	for _, status := range []int{200, 201, 202, 204, 400, 401, 403, 404, 409, 422, 500} {
		if status != x.Status && (status < 300) == (x.Status < 300) {
			r.faults[planted{x.Operation, "status", "", fmt.Sprint(status), x.Status}] = true
		}
	}
}

// rule carries out a fault.
func (f planted) rule() bend.Rule {
	apply := func(v any) any { return changed(v, strings.Split(f.member, "."), ways[f.how]) }
	switch f.where {
	case "query":
		return bend.Rule{Operations: f.operation, Part: bend.Request, Do: func(x *bend.Exchange) { x.Query.Del(f.member) }}
	case "request":
		return bend.Rule{Operations: f.operation, Part: bend.Request, Do: func(x *bend.Exchange) { x.Sent = apply(x.Sent) }}
	case "status":
		return bend.Rule{Operations: f.operation, Do: func(x *bend.Exchange) {
			if x.Status == f.status {
				_, _ = fmt.Sscan(f.how, &x.Status)
				if x.Status == http.StatusNoContent {
					x.Got = nil
				}
			}
		}}
	}
	return bend.Rule{Operations: f.operation, Do: func(x *bend.Exchange) {
		if x.Status == f.status {
			x.Got = apply(x.Got)
		}
	}}
}

// changed is a value with a change at a path; nil drops what is there.
func changed(v any, path []string, change func(any) any) any {
	if len(path) == 0 {
		return change(v)
	}
	switch v := v.(type) {
	case bend.Object:
		member, has := v[path[0]]
		switch {
		case !has:
		case len(path) == 1 && change == nil:
			delete(v, path[0])
		default:
			v[path[0]] = changed(member, path[1:], change)
		}
	case []any:
		if path[0] == "*" {
			for i := range v {
				v[i] = changed(v[i], path[1:], change)
			}
		}
	}
	return v
}

var (
	generateOnce sync.Once
	generated    []planted
)

// generatedFaults are those of what the claims send and get.
func generatedFaults(t *testing.T) []planted {
	t.Helper()
	generateOnce.Do(func() { generated = recordedFaults(t) })
	return slices.Clone(generated)
}

func recordedFaults(t *testing.T) []planted {
	t.Helper()
	r := &observer{faults: map[planted]bool{}}
	note := func(part bend.Part) bend.Rule {
		return bend.Rule{Part: part, Do: func(x *bend.Exchange) { r.note(x, part) }}
	}
	_, target := startSandbox(t, open(t, sandbox.Options{NoExampleData: true,
		Bend: []bend.Rule{note(bend.Request), note(bend.Response)}}))
	target.Client.Transport = marking{target.Client.Transport}
	claims.Run(t.Context(), target, claims.InSafeOrder(claims.All()))
	all := slices.Collect(maps.Keys(r.faults))
	slices.SortFunc(all, func(a, b planted) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// eachFault runs a test for each selected fault, some at a time: Go keeps what a subtest has started until its group
// ends, and all sandboxes together need more memory than most machines have.
func eachFault(t *testing.T, few int, of func(planted) bool, run func(t *testing.T, f planted, target claims.Target)) {
	t.Helper()
	all := slices.DeleteFunc(generatedFaults(t), func(f planted) bool { return !of(f) })
	t.Logf("%d faults", len(all))
	rand.New(rand.NewPCG(*faultSeed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if testing.Short() {
		few /= 4
	}
	if !*everyFault {
		all = all[:few]
	}
	for some := range slices.Chunk(all, 20) {
		t.Run("faults", func(t *testing.T) {
			for _, f := range some {
				t.Run(f.String(), func(t *testing.T) {
					t.Parallel()
					// Without connections it takes half as long.
					server, target := startSandbox(t, open(t, sandbox.Options{NoExampleData: true, NoListeners: true}))
					target.Client = &http.Client{Transport: server}
					inhabit(t, server, target)
					server.Bend(f.rule())
					run(t, f, target)
				})
			}
		})
	}
}

// shares are how many faults were found, and how.
type shares struct {
	mu                     sync.Mutex
	found, named, accepted int
	missed, unnamed        []string
	failed                 map[int]bool // claims
}

// note notes the outcome for a fault: the first failed claim must name its operation, and its member if it has one.
func (s *shares) note(f planted, results []claims.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, accepted := "", false
	for _, r := range results {
		switch {
		case r.Err == nil || r.NotGiven():
		case r.Tolerated != nil:
			accepted = true
		default:
			if first == "" {
				first = strings.ToLower(r.Claim.String() + r.Err.Error())
				if failure := new(claims.Failure); errors.As(r.Err, &failure) && failure.Exchange != nil {
					first += failure.Exchange.Operation // the report has the request
				}
			}
		}
	}
	names := strings.FieldsFunc(strings.ToLower(f.member), func(c rune) bool { return c == '.' || c == '*' })
	isNamed := func(name string) bool { return strings.Contains(first, name) }
	switch {
	case first == "" && accepted:
		s.accepted++
	case first == "":
		s.missed = append(s.missed, f.String())
	default:
		s.found++
		if isNamed(f.operation) && (len(names) == 0 || slices.ContainsFunc(names, isNamed)) {
			s.named++
		} else {
			s.unnamed = append(s.unnamed, f.String())
		}
	}
}

func (s *shares) want(t *testing.T, found, named int) {
	t.Helper()
	t.Logf("%d found, %d of them named, %d accepted, missed: %q, not named: %q", s.found, s.named, s.accepted,
		s.missed, s.unnamed)
	if s.found*100 < (s.found+len(s.missed))*found || s.named*100 < s.found*named {
		t.Errorf("want %d %% found, and of these %d %% named", found, named)
	}
}

// TestClaimsFindGeneratedFaults plants faults in what the claims send and get.
func TestClaimsFindGeneratedFaults(t *testing.T) {
	t.Parallel()
	s := &shares{failed: map[int]bool{}}
	eachFault(t, fewFaults, func(planted) bool { return true }, func(_ *testing.T, f planted, target claims.Target) {
		var results []claims.Result
		for _, c := range claims.InSafeOrder(claims.All()) {
			r := claims.Run(t.Context(), target, []claims.Claim{c})[0]
			if results = append(results, r); r.Err != nil && !r.NotGiven() && r.Tolerated == nil {
				break
			}
		}
		s.note(f, results)
		if target.Shapes = nil; *everyFault {
			s.teeth(claims.Run(t.Context(), target, s.toothless()))
		}
	})
	s.want(t, 98, 95)
	for _, fault := range handmade {
		s.failed[fault.claim] = true
	}
	for _, claim := range claims.All() {
		if *everyFault && !s.failed[claim.Number] {
			t.Errorf("no fault makes this claim fail by its own statement: %s", claim)
		}
	}
}

// toothless are the claims that no fault has made fail yet.
func (s *shares) toothless() []claims.Claim {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(claims.All(), func(c claims.Claim) bool { return s.failed[c.Number] })
}

// teeth notes which claims have failed.
func (s *shares) teeth(results []claims.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range results {
		if r.Err != nil && !r.NotGiven() {
			s.failed[r.Claim.Number] = true
		}
	}
}

// TestReadingsFindGeneratedFaults plants faults in what is read, and checks by reading only.
func TestReadingsFindGeneratedFaults(t *testing.T) {
	t.Parallel()
	s := &shares{failed: map[int]bool{}}
	reads := func(f planted) bool {
		return f.where == "response" && f.status == http.StatusOK &&
			(strings.HasSuffix(f.operation, ".get") || strings.HasSuffix(f.operation, ".list"))
	}
	eachFault(t, fewFaults/2, reads, func(_ *testing.T, f planted, target claims.Target) {
		target.ReadOnly = true
		s.note(f, claims.Run(t.Context(), target, claims.InSafeOrder(readable())))
	})
	s.want(t, 50, 90) // an organization does not have everything
}
