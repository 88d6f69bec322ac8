package claims_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// object is a JSON object.
type object = map[string]any

// financePrefix is the proxy's path for financial management, because its paths overlap with those of recurring
// billing.
const financePrefix = "/finance"

// inFlight is a request to the sandbox, and later its response. A fault changes either of them.
type inFlight struct {
	method, path string
	query        url.Values
	header       http.Header
	sent         object // the request's JSON object, or nil
	proxy        *proxy
	mark         string // passed from a rewrite to its spoil function

	status   int // of the response; if set by a rewrite, the sandbox gets no request
	response http.Header
	got      any    // the response's JSON, or nil
	text     string // the response if it is not JSON
}

// fault is a deviation of a service from the claims.
type fault struct {
	name     string
	only     int                               // the only claim that detects it
	breaks   []int                             // otherwise, the claims about it; others fail only if they rest on them
	rewrite  func(*inFlight)                   // changes the request
	spoil    func(*inFlight)                   // changes the response
	deliver  func(*sending)                    // changes a delivery
	advance  func(time.Duration) time.Duration // changes how far the clock is advanced
	together bool                              // creations are processed in parallel
	rewords  string                            // a kind of the sandbox's rewording
	anew     func() fault                      // if the fault remembers requests: returns one that remembers none
}

// proxy applies a fault in front of a sandbox. It stores values that the sandbox returns only once.
type proxy struct {
	target  claims.Target // the sandbox
	sandbox *sandbox.Server
	fault   fault
	// patience is how long the first of several equal creations waits for the second one.
	patience time.Duration

	creations sync.Mutex

	mu       sync.Mutex
	secrets  map[any]string    // of endpoints, by their id
	owners   map[string]any    // the endpoint of each secret
	withheld map[any]object    // authentication of endpoints in requests
	tokens   map[string]string // the key's id by token
	rotated  map[string]string // successors of keys
	grace    map[string]any    // graceUntil of predecessors
	replies  map[string]object // to creations of records, by collection and idempotency key
	booked   map[string]bool   // collections with records
	cursors  map[string]place  // the positions of cursors
	sent     map[string]bool   // the deliveries that were sent
}

// remembering returns a fault that remembers earlier requests: each sandbox gets one of its own, since tests run in
// parallel.
func remembering(planted func() fault) fault {
	one := planted()
	one.anew = planted
	return one
}

// place is the position of a cursor: the list that it continues, and the records of the previous page.
type place struct {
	collection string
	filters    url.Values
	page       []object
}

// startFaulty runs a sandbox behind a fault and returns it as a target.
func startFaulty(t *testing.T, options sandbox.Options, fault fault) (*proxy, claims.Target) {
	t.Helper()
	if fault.anew != nil {
		fault = fault.anew()
	}
	options.Bend = bend.Must(fault.rewords)
	server, behind := startSandbox(t, options)
	upstream := behind.Client.Transport.(*http.Transport)
	upstream.DisableCompression = true
	behind.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p := &proxy{
		target: behind, sandbox: server, fault: fault,
		secrets: map[any]string{}, owners: map[string]any{}, withheld: map[any]object{},
		tokens: map[string]string{}, rotated: map[string]string{}, grace: map[string]any{}, replies: map[string]object{},
		booked: map[string]bool{}, cursors: map[string]place{}, sent: map[string]bool{},
	}
	front := httptest.NewTLSServer(p)
	t.Cleanup(front.Close)
	target := behind
	target.Client = front.Client()
	target.BaseURL, target.FinanceBaseURL, target.CollectionsBaseURL = front.URL, front.URL+financePrefix, front.URL
	target.Receive = p.receive
	if fault.advance != nil {
		target.Advance = func(ctx context.Context, by time.Duration) error { return behind.Advance(ctx, fault.advance(by)) }
	}
	return p, target
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in := &inFlight{
		method: r.Method, path: r.URL.Path, query: r.URL.Query(), header: r.Header.Clone(), response: http.Header{}, proxy: p,
	}
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		in.sent, _ = decode(raw).(object)
	}
	if !p.fault.together && in.method == http.MethodPost {
		p.creations.Lock() // a fault reads earlier creations
		defer p.creations.Unlock()
	}
	if p.fault.rewrite != nil {
		p.fault.rewrite(in)
	}
	if in.status == 0 {
		p.pass(in, raw)
		p.remember(in)
	}
	if p.fault.spoil != nil {
		p.fault.spoil(in)
	}
	maps.Copy(w.Header(), in.response)
	w.WriteHeader(in.status)
	switch { // a client may disconnect
	case in.got != nil:
		_ = json.NewEncoder(w).Encode(in.got)
	case in.text != "":
		_, _ = io.WriteString(w, in.text)
	}
}

// pass forwards a request to the sandbox. A body that is not a JSON object is unchanged.
func (p *proxy) pass(in *inFlight, raw []byte) {
	if in.sent != nil {
		var err error
		if raw, err = json.Marshal(in.sent); err != nil {
			panic(err)
		}
	}
	if in.method == http.MethodGet {
		raw = nil
	} else {
		p.sandbox.Clock().Advance(time.Millisecond) // no two objects are created at the same time
	}
	var body []byte
	in.status, in.response, body = p.send(in.method, in.path, in.query, in.header, raw)
	in.response.Del("Content-Length")
	if in.got = decode(body); in.response.Get("Content-Type") == "application/yaml" {
		in.got, in.text = nil, string(body)
	}
}

// send sends one request to the service of the path.
func (p *proxy) send(method, path string, query url.Values, header http.Header, raw []byte) (int, http.Header, []byte) {
	base := p.target.BaseURL
	if strings.HasPrefix(path, "/api/v1/") {
		base = p.target.CollectionsBaseURL
	}
	if rest, is := strings.CutPrefix(path, financePrefix); is {
		base, path = p.target.FinanceBaseURL, rest
	}
	address := base + (&url.URL{Path: path, RawQuery: query.Encode()}).String()
	request, err := http.NewRequest(method, address, bytes.NewReader(raw))
	if err != nil {
		panic(err)
	}
	request.Header = header.Clone()
	response, err := p.target.Client.Do(request)
	if err != nil {
		return http.StatusBadGateway, http.Header{}, nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	return response.StatusCode, response.Header, body
}

// ask sends its own request to the sandbox, with all permissions, and returns the data of the response, or nil after an
// error.
func (p *proxy) ask(method, path string, sent object, query ...string) any {
	token := p.target.Token
	if strings.HasPrefix(path, "/api/v1/") {
		token = p.target.CollectionsAPIKey
	}
	if strings.HasPrefix(path, financePrefix) {
		token = p.target.FinanceToken
	}
	values := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}
	var raw []byte
	if sent != nil {
		var err error
		if raw, err = json.Marshal(sent); err != nil {
			panic(err)
		}
	}
	header := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + token}}
	status, _, body := p.send(method, path, values, header, raw)
	if status >= 300 {
		return nil
	}
	return at(decode(body), "data")
}

// one returns the object at a path, or nil; all returns the items of a list.
func (p *proxy) one(path string) object {
	found, _ := p.ask(http.MethodGet, path, nil).(object)
	return found
}

func (p *proxy) all(path string, query ...string) []object {
	return items(p.ask(http.MethodGet, path, nil, append(query, "per_page", "100")...))
}

// remember stores values that are returned only once, and those that later requests refer to.
func (p *proxy) remember(in *inFlight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, _ := at(in.got, "data").(object)
	id, _ := data["id"].(string)
	if secret, ok := data["secret"].(string); ok {
		p.secrets[id], p.owners[secret] = secret, id
	}
	if sent, ok := in.sent["authentication"].(object); ok && in.status < 300 && strings.HasPrefix(in.path, hooks) {
		p.withheld[id] = sent
	}
	if token, ok := data["token"].(string); ok && strings.HasPrefix(in.path, keys) {
		p.tokens[token] = id
	}
	if old, ok := data["predecessorId"].(string); ok && strings.HasSuffix(in.path, "/rotate") {
		p.rotated[old], p.grace[old] = id, data["graceUntil"]
	}
	if !strings.HasPrefix(in.path, financePrefix) {
		return
	}
	if in.method == http.MethodPost && in.status == http.StatusCreated {
		p.booked[in.collection()] = true
		if key := in.header.Get(keyHeader); key != "" {
			p.replies[in.collection()+" "+key] = in.got.(object)
		}
	}
	if next, ok := at(in.got, "meta.next_cursor").(string); ok {
		filters := url.Values{}
		maps.Copy(filters, in.query)
		filters.Del("limit")
		filters.Del("cursor")
		p.cursors[next] = place{in.collection(), filters, items(at(in.got, "data"))}
	}
}

// sending is one attempt of a delivery, before it reaches the claim's receiver.
type sending struct {
	proxy     *proxy
	delivery  string // the delivery's id
	event     string
	attempt   int
	method    string
	header    http.Header
	body      []byte
	at        time.Time // the t of the signature
	repeated  bool      // the delivery was sent before
	secret    string
	lost      bool // the delivery is lost
	redirects bool // redirects are followed
}

// receive is a receiver that gets deliveries through the fault.
func (p *proxy) receive(ctx context.Context, handler http.Handler) (string, func(), error) {
	return p.target.Receive(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		out := p.tampered(r, body)
		if out.lost {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		r.Method, r.Header, r.Body = out.method, out.header, io.NopCloser(bytes.NewReader(out.body))
		if !out.redirects {
			handler.ServeHTTP(w, r)
			return
		}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		if location, err := url.Parse(recorder.Header().Get("Location")); err == nil && location.Path != "" {
			r.URL.Path, r.Body = location.Path, io.NopCloser(bytes.NewReader(out.body))
			recorder = httptest.NewRecorder()
			handler.ServeHTTP(recorder, r)
		}
		w.WriteHeader(recorder.Code)
	}))
}

// tampered returns the delivery as the fault changes it, signed again unless the fault has signed it.
func (p *proxy) tampered(r *http.Request, body []byte) *sending {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := &sending{
		proxy: p, delivery: r.Header.Get("X-Webhook-Delivery-Id"), event: r.Header.Get("X-Webhook-Event"), method: r.Method,
		header: r.Header.Clone(), body: slices.Clone(body),
	}
	out.attempt = atoi(r.Header.Get("X-Webhook-Attempt"))
	signature := r.Header.Get("X-Webhook-Signature")
	t, _, _ := strings.Cut(strings.TrimPrefix(signature, "t="), ",")
	out.at = time.Unix(int64(atoi(t)), 0)
	for secret := range p.owners {
		if signed(secret, out.at.Unix(), string(body)) == signature {
			out.secret = secret
		}
	}
	out.repeated = p.sent[out.delivery]
	p.sent[out.delivery] = true
	if p.fault.deliver == nil {
		return out
	}
	out.header.Del("X-Webhook-Signature")
	p.fault.deliver(out)
	if out.header.Get("X-Webhook-Signature") == "" {
		out.header.Set("X-Webhook-Signature", signed(out.secret, out.at.Unix(), string(out.body)))
	}
	return out
}

// decode decodes JSON with exact numbers, or returns nil.
func decode(raw []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// harmless lists the faults that the provider tolerates.
var harmless = []string{"delete returns 204", "null after the last page", "an empty list is null",
	"the last page has no next_cursor", "a subscription without proposal_id", "listed subscriptions are incomplete",
	"a deletion returns a body", "a created record has no envelope", "an amount that was not sent is 0",
	"a misspelled member", "merge ignores null", "an endpoint's deletion returns a body", "a deletion returns additional fields",
	"texts in a list get a line feed", "an address without a country is Brazilian"}

func TestClaimsFindFaults(t *testing.T) {
	t.Parallel()
	byNumber := map[int]claims.Claim{}
	for _, claim := range allClaims() {
		byNumber[claim.Number] = claim
	}
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			p, target := startFaulty(t, open(t, sandbox.Options{NoExampleData: true}), fault)
			p.addStrangers()
			p.patience = 10 * time.Second // only the claims about this fault run, and they send what it waits for
			tolerated := true
			for _, number := range fault.found() {
				result := claims.Run(t.Context(), target, []claims.Claim{byNumber[number]})[0]
				tolerated = tolerated && result.Tolerated != nil
				if result.Err == nil || result.NotGiven() {
					t.Errorf("%s\nreturned %v, want a failure", result.Claim, result.Err)
				}
			}
			if want := slices.Contains(harmless, fault.name) || fault.rewords != ""; tolerated != want {
				t.Errorf("tolerated is %t, want %t", tolerated, want)
			}
		})
	}
}

// addStrangers creates objects that do not belong to a claim.
func (p *proxy) addStrangers() {
	p.ask(http.MethodPost, customers, object{"name": "somebody else"})
	p.ask(http.MethodPost, payables, object{"name": "somebody else", "company_id": uuid.NewString()})
}

// found returns the claims that must detect a fault.
func (f fault) found() []int {
	if f.only != 0 {
		return []int{f.only}
	}
	return f.breaks
}

// id returns the last element of the path, and endpoint the element after the endpoints.
func (in *inFlight) id() string { return path.Base(in.path) }

func (in *inFlight) parent() string { return path.Base(path.Dir(in.path)) }

// parentPath returns the path of the object that a step applies to.
func (in *inFlight) parentPath() string { return path.Dir(in.path) }
