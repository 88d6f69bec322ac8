package claims_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// personal lists texts of the objects in the sandbox.
var personal = []string{"Padaria", "Aurora", "aurora@", "Alameda", "529.982.247-25", "+55 11", "segredo", "interno",
	"4321.09", "https://hooks"}

// inhabit creates the objects that readings need.
func (p *proxy) inhabit(t *testing.T) {
	t.Helper()
	made := func(path string, body object) object {
		found, ok := p.ask(http.MethodPost, path, body).(object)
		if !ok {
			t.Fatalf("POST %s failed", path)
		}
		return found
	}
	var account any
	for _, name := range []string{"Padaria Aurora", "Oficina"} {
		word := strings.ToLower(strings.Fields(name)[0])
		customer := made("/v1/customers", object{"name": name, "external_id": word + "-1",
			"document_number": "529.982.247-25",
			"emails":          []object{{"value": "aurora@padaria.example"}}, "phones": []object{{"value": "+55 11 3091-0001"}},
			"notes": "interno", "custom_metadata": object{"segredo": "segredo"}, "legal_name": "Alameda"})
		account = at(customer, "billing_account.id")
		of := object{"id": at(customer, "customer.id")}
		made(accounts, object{"customer": of, "external_id": word + "-a"})
		closed := made(accounts, object{"customer": of})
		made(accounts+"/"+closed["id"].(string)+"/close", object{"reason": "interno"})
		plan := made(subscriptions, object{"billing_account_id": account, "plan_id": uuid.NewString(),
			"billing_cycle": "monthly", "collection_method": "manual_invoice", "external_id": word + "-s", "notes": "interno"})
		made(subscriptions+"/"+plan["id"].(string)+"/invoices", object{})
		item := object{"product_id": uuid.NewString(), "price_id": uuid.NewString()}
		made(subscriptions, object{"billing_account_id": account, "billing_cycle": "monthly", "items": []object{item}})
		made(hooks, object{"url": "https://hooks.example.com/" + word, "description": "Padaria",
			"events":         []string{"charge.paid"},
			"authentication": object{"type": "basic", "username": "segredo", "password": "segredo-x"}})
		key := made(keys, object{"name": "Padaria " + word})
		p.ask(http.MethodDelete, keys+"/"+key["id"].(string), nil)
		company := uuid.NewString()
		for _, moment := range []string{"2026-03-10T12:00:00.000Z", "2026-03-10"} {
			for _, collection := range []string{"accounts", "payables", "receivables"} {
				made(financePrefix+"/v1/"+collection, object{"name": name, "company_id": company, "occurred_at": moment,
					"amount": "4321.09"})
			}
		}
	}
	answer := http.StatusOK
	url, stop, err := p.target.Receive(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answer)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	endpoint := made(hooks, object{"url": url, "description": "Padaria", "events": []string{"charge.paid"}})
	for _, answer = range []int{http.StatusOK, http.StatusGone, http.StatusOK} {
		made(hooks+"/"+endpoint["id"].(string)+"/test", nil)
		if err := p.target.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// recorder records the methods of requests to a service.
type recorder struct {
	http.RoundTripper

	mu       sync.Mutex
	requests map[string]int
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.requests[request.Method]++
	r.mu.Unlock()
	return r.RoundTripper.RoundTrip(request)
}

// readable returns the claims with a read-only check.
func readable() (all []claims.Claim) {
	for _, claim := range allClaims() {
		if reading, ok := claim.ByReading(); ok {
			all = append(all, reading)
		}
	}
	return all
}

// TestClaimsHoldByReading runs the read-only checks against existing objects, and limits the number of GET requests.
func TestClaimsHoldByReading(t *testing.T) {
	t.Parallel()
	for _, options := range []sandbox.Options{{NoExampleData: true}, {NoExampleData: true, MaxPerPage: 2}} {
		p, target := startFaulty(t, open(t, options), fault{})
		p.inhabit(t)
		seen := &recorder{RoundTripper: target.Client.Transport, requests: map[string]int{}}
		target.Client, target.ReadOnly = &http.Client{Transport: seen}, true
		for _, result := range claims.Run(t.Context(), target, readable()) {
			if result.Err != nil && !(result.NotGiven() && options.MaxPerPage > 0) {
				t.Errorf("%s\n%v", result.Claim, result.Err)
			}
		}
		if n := seen.requests[http.MethodGet]; len(seen.requests) != 1 || n > 5*len(readable()) {
			t.Errorf("%v requests for %d claims", seen.requests, len(readable()))
		}
	}
}

// TestReadOnlyKeepsWritesBack runs claims that write with a read-only target: no write must leave the process.
func TestReadOnlyKeepsWritesBack(t *testing.T) {
	t.Parallel()
	_, target := startFaulty(t, open(t, sandbox.Options{}), fault{})
	seen := &recorder{RoundTripper: target.Client.Transport, requests: map[string]int{}}
	target.Client, target.ReadOnly = &http.Client{Transport: seen}, true
	target.Receive, target.Advance = nil, nil
	for _, result := range claims.Run(t.Context(), target, allClaims()) {
		if _, reads := result.Claim.ByReading(); !reads && result.Err == nil {
			t.Errorf("%s\nheld without a write", result.Claim)
		}
	}
	if delete(seen.requests, http.MethodGet); len(seen.requests) > 0 {
		t.Errorf("these requests left the process: %v", seen.requests)
	}
}

// TestReadingsShowNoData makes every reading fail, and searches the reports for data.
func TestReadingsShowNoData(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*inFlight){
		"other texts": func(in *inFlight) { in.got = otherTexts(in.got) },
		"no list":     func(in *inFlight) { in.got = object{"data": in.got} },
		"text":        func(in *inFlight) { in.text, in.got = "Padaria Aurora", nil },
		"status":      func(in *inFlight) { in.status = http.StatusTeapot },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, target := startFaulty(t, open(t, sandbox.Options{NoExampleData: true}), fault{spoil: spoil})
			p.inhabit(t)
			target.ReadOnly = true
			failed := 0
			for _, result := range claims.Run(t.Context(), target, readable()) {
				if result.Err == nil || result.NotGiven() {
					continue
				}
				failed++
				report := result.Err.Error()
				var failure *claims.Failure
				if errors.As(result.Err, &failure) && failure.Exchange != nil {
					raw, err := json.Marshal(failure.Exchange)
					if err != nil {
						t.Fatal(err)
					}
					report += string(raw)
				}
				for _, word := range personal {
					if strings.Contains(report, word) {
						t.Errorf("%s\nreported %q: %s", result.Claim, word, report)
					}
				}
			}
			if failed < 20 {
				t.Errorf("%d readings failed, want most", failed)
			}
		})
	}
}

// otherTexts changes every text that is not an id.
func otherTexts(value any) any {
	switch value := value.(type) {
	case string:
		if !uuidForm.MatchString(value) {
			return value + "!"
		}
	case []any:
		for i, item := range value {
			value[i] = otherTexts(item)
		}
	case object:
		for name, member := range value {
			value[name] = otherTexts(member)
		}
	}
	return value
}
