package claims_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// personal lists texts of the objects in the sandbox.
var personal = []string{"Padaria", "Aurora", "aurora@", "Alameda", "529.982.247-25", "+55 11", "segredo", "interno",
	"4321.09", "https://hooks"}

// inhabit creates the objects that readings need.
func inhabit(t *testing.T, server *sandbox.Server, target claims.Target) {
	t.Helper()
	made := func(address string, body object) object {
		var got struct{ Data object }
		if err := json.Unmarshal(ask(t, server, target, http.MethodPost, address, body), &got); err != nil {
			t.Fatal(err)
		}
		return got.Data
	}
	billing, hooks, keys := target.BaseURL+"/v1/", target.CollectionsBaseURL+"/api/v1/webhook-endpoints",
		target.CollectionsBaseURL+"/api/v1/api-keys"
	id := func(o object, member string) object { inner, _ := o[member].(object); return object{"id": inner["id"]} }
	for _, name := range []string{"Padaria Aurora", "Oficina"} {
		word := strings.ToLower(strings.Fields(name)[0])
		customer := made(billing+"customers", object{"name": name, "external_id": word + "-1",
			"document_number": "529.982.247-25", "legal_name": "Alameda",
			"emails": []object{{"value": "aurora@padaria.example"}}, "phones": []object{{"value": "+55 11 3091-0001"}},
			"notes": "interno", "custom_metadata": object{"segredo": "segredo"}})
		account := id(customer, "billing_account")["id"]
		made(billing+"billing-accounts", object{"customer": id(customer, "customer"), "external_id": word + "-a"})
		closed := made(billing+"billing-accounts", object{"customer": id(customer, "customer")})
		made(billing+"billing-accounts/"+closed["id"].(string)+"/close", object{"reason": "interno"})
		plan := made(billing+"subscriptions", object{"billing_account_id": account, "plan_id": uuid.NewString(),
			"billing_cycle": "monthly", "collection_method": "manual_invoice", "external_id": word + "-s", "notes": "interno"})
		made(billing+"subscriptions/"+plan["id"].(string)+"/invoices", object{})
		item := object{"product_id": uuid.NewString(), "price_id": uuid.NewString()}
		made(billing+"subscriptions", object{"billing_account_id": account, "billing_cycle": "monthly",
			"items": []object{item}})
		made(hooks, object{"url": "https://hooks.example.com/" + word, "description": "Padaria",
			"events":         []string{"charge.paid"},
			"authentication": object{"type": "basic", "username": "segredo", "password": "segredo-x"}})
		key := made(keys, object{"name": "Padaria " + word})
		ask(t, server, target, http.MethodDelete, keys+"/"+key["id"].(string), nil)
		company := uuid.NewString()
		for _, moment := range []string{"2026-03-10T12:00:00.000Z", "2026-03-10"} {
			for _, collection := range []string{"accounts", "payables", "receivables"} {
				made(target.FinanceBaseURL+"/v1/"+collection, object{"name": name, "company_id": company, "occurred_at": moment,
					"amount": "4321.09"})
			}
		}
	}
	answer := http.StatusOK
	url, stop, err := target.Receive(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answer)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	endpoint := made(hooks, object{"url": url, "description": "Padaria", "events": []string{"charge.paid"}})
	for _, answer = range []int{http.StatusOK, http.StatusGone, http.StatusOK} {
		made(hooks+"/"+endpoint["id"].(string)+"/test", object{})
		if err := target.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// readable returns the claims with a read-only check.
func readable() (all []claims.Claim) {
	for _, claim := range claims.All() {
		if reading, ok := claim.ByReading(); ok {
			all = append(all, reading)
		}
	}
	return all
}

// counting counts the requests of a target by their method.
func counting(target *claims.Target) map[string]int {
	requests := map[string]int{}
	passing(func(r *http.Request, _ []byte, next http.RoundTripper) (*http.Response, error) {
		requests[r.Method]++
		return next.RoundTrip(r)
	}).into(target)
	return requests
}

// TestClaimsHoldByReading runs the read-only checks against existing objects, and limits the number of GET requests.
func TestClaimsHoldByReading(t *testing.T) {
	t.Parallel()
	for _, options := range []sandbox.Options{{NoExampleData: true}, {NoExampleData: true, MaxPerPage: 2}} {
		server, target := startSandbox(t, open(t, options))
		inhabit(t, server, target)
		requests := counting(&target)
		target.ReadOnly = true
		for _, result := range claims.Run(t.Context(), target, readable()) {
			if result.Err != nil && !(result.NotGiven() && options.MaxPerPage > 0) {
				t.Errorf("%s\n%v", result.Claim, result.Err)
			}
		}
		if n := requests[http.MethodGet]; len(requests) != 1 || n > 6*len(readable()) {
			t.Errorf("%v requests for %d claims", requests, len(readable()))
		}
	}
}

// TestReadOnlyKeepsWritesBack runs claims that write with a read-only target: no write must leave the process.
func TestReadOnlyKeepsWritesBack(t *testing.T) {
	t.Parallel()
	_, target := startSandbox(t, open(t, sandbox.Options{}))
	requests := counting(&target)
	target.ReadOnly, target.Receive, target.Advance = true, nil, nil
	for _, result := range claims.Run(t.Context(), target, claims.All()) {
		if _, reads := result.Claim.ByReading(); !reads && result.Err == nil {
			t.Errorf("%s\nheld without a write", result.Claim)
		}
	}
	if delete(requests, http.MethodGet); len(requests) > 0 {
		t.Errorf("these requests left the process: %v", requests)
	}
}

// TestReadingsShowNoData makes every reading fail, and searches the reports for data.
func TestReadingsShowNoData(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*bend.Exchange){
		"other texts": func(x *bend.Exchange) { x.Got = otherTexts(x.Got) },
		"no list":     func(x *bend.Exchange) { x.Got = object{"data": x.Got} },
		"text":        func(x *bend.Exchange) { x.Got = "Padaria Aurora" },
		"status":      func(x *bend.Exchange) { x.Status = http.StatusTeapot },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, target := startSandbox(t, open(t, sandbox.Options{NoExampleData: true}))
			inhabit(t, server, target)
			server.Bend(bend.Rule{Do: spoil})
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
		if uuid.Validate(value) != nil {
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
