package contract_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/contract"
)

// inFlight is a request on its way to the faithful server and, once answered,
// the answer on its way back. A fault changes the one or the other.
type inFlight struct {
	method, path string
	query        url.Values
	header       http.Header
	sent         object // the request's JSON object, nil when there is none
	server       *faithful

	status int // of the answer; set before it, the server is not asked at all
	answer http.Header
	got    any    // the answer's JSON, nil when there is none
	text   string // the answer when it is no JSON
}

// fault is one way in which a server can differ from what the claims say.
type fault struct {
	name    string
	breaks  []int           // the claims that must find it
	rewrite func(*inFlight) // before the faithful server sees the request
	spoil   func(*inFlight) // after it has answered
	deliver func(*sending)  // before a delivery is sent
	stuck   bool            // the clock does not move
}

// faulty is a faithful server behind a fault.
type faulty struct {
	*faithful
	fault fault
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in, raw := receive(r)
	in.server = f.faithful
	if f.fault.rewrite != nil {
		f.fault.rewrite(in)
	}
	if in.status == 0 {
		f.pass(in, raw)
	}
	if f.fault.spoil != nil {
		f.fault.spoil(in)
	}
	maps.Copy(w.Header(), in.answer)
	w.WriteHeader(in.status)
	switch { // a client that went away is its own concern
	case in.got != nil:
		_ = json.NewEncoder(w).Encode(in.got)
	case in.text != "":
		_, _ = io.WriteString(w, in.text)
	}
}

func (f *faulty) advance(by time.Duration) {
	if !f.fault.stuck {
		f.faithful.advance(by)
	}
}

func receive(r *http.Request) (*inFlight, []byte) {
	in := &inFlight{method: r.Method, path: r.URL.Path, query: r.URL.Query(), header: r.Header.Clone(), answer: http.Header{}}
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		in.sent, _ = decode(raw).(object)
	}
	return in, raw
}

// pass asks the faithful server. A body that is no JSON object goes on as it is.
func (f *faulty) pass(in *inFlight, raw []byte) {
	if in.sent != nil {
		var err error
		if raw, err = json.Marshal(in.sent); err != nil {
			panic(err)
		}
	}
	target := (&url.URL{Path: in.path, RawQuery: in.query.Encode()}).String()
	request := httptest.NewRequest(in.method, target, bytes.NewReader(raw))
	request.Header = in.header
	recorder := httptest.NewRecorder()
	f.faithful.ServeHTTP(recorder, request)
	in.status, in.answer = recorder.Code, recorder.Header()
	if in.got = decode(recorder.Body.Bytes()); in.answer.Get("Content-Type") == "application/yaml" {
		in.text = recorder.Body.String()
	}
}

// decode keeps numbers as they are written; what is no JSON is nil.
func decode(raw []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

func TestClaimsFindFaults(t *testing.T) {
	t.Parallel()
	claims := map[int]contract.Claim{}
	for _, claim := range allClaims() {
		claims[claim.Number] = claim
	}
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			server := newFaithful()
			server.create(object{"name": "somebody else"})
			server.bookNew("payables", object{"name": "somebody else", "company_id": newUUID()})
			server.tamper = fault.deliver
			target := start(t, &faulty{faithful: server, fault: fault})
			for _, number := range fault.breaks {
				result := contract.Run(t.Context(), target, []contract.Claim{claims[number]})[0]
				if result.Err == nil || result.NotGiven() {
					t.Errorf("%s\ngives %v, want it to find the fault", result.Claim, result.Err)
				} else if strings.HasPrefix(result.Err.Error(), "clean-up") {
					t.Errorf("%s\nfinds nothing but %v", result.Claim, result.Err)
				}
			}
		})
	}
}

// TestFaultyServerWithoutAFault shows that it is the faults that claims find.
func TestFaultyServerWithoutAFault(t *testing.T) {
	t.Parallel()
	target := start(t, &faulty{faithful: newFaithful()})
	for _, result := range contract.Run(t.Context(), target, allClaims()) {
		if result.Err != nil {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
}

func TestClaimsFindPlainHTTP(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newFaithful())
	defer server.Close()
	target := contract.Target{BaseURL: server.URL, Token: goodToken, FinanceBaseURL: server.URL + financePrefix, FinanceToken: financeToken}
	for _, claim := range allClaims() {
		if slices.Contains(tlsClaims, claim.Number) && claim.Check(t.Context(), target) == nil {
			t.Errorf("%s\nholds over plain HTTP", claim)
		}
	}
}

// tlsClaims are the ones whose fault lies below HTTP.
var tlsClaims = []int{3, 703}

// TestEveryClaimHasAFault keeps out claims that could not fail.
func TestEveryClaimHasAFault(t *testing.T) {
	t.Parallel()
	found := slices.Clone(tlsClaims)
	for _, fault := range faults {
		found = append(found, fault.breaks...)
	}
	for _, claim := range allClaims() {
		if !slices.Contains(found, claim.Number) {
			t.Errorf("no fault fails %s", claim)
		}
	}
}
