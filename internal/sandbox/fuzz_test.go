package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// fuzzedServer is one sandbox for all executions of a target, which are many.
func fuzzedServer(f *testing.F) *Server {
	s, err := Start(f.Context(), Options{Seed: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.Error(err)
		}
	})
	return s
}

// FuzzFault: a fault that is read is written as it is read again.
func FuzzFault(f *testing.F) {
	for _, seed := range []string{
		"status=503", "operation=customers.create,drop=after,times=1", "latency=2s,skip=3", "status=429,retry-after=date:30s",
		"body=a,b=c,times=1", "foreign=html", "empty,status=404,after", "truncate", "method=get,status=200", "path=/v1/,status=599",
		"times=-1", "latency=1e9h", "body=", "status=503,,", "=", "status", "html=1", "drop=before,drop=after",
		"retry-after=date:x,status=503",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		fault, err := ParseFault(spec)
		if err != nil {
			return
		}
		again, err := ParseFault(fault.String())
		if err != nil || again.String() != fault.String() || again != fault {
			t.Errorf("%q is %q, and that is %q, %v", spec, fault, again, err)
		}
	})
}

var errKeptNothing = errors.New("nothing of it is kept")

// FuzzSeed: a seed document is used, or is an error that names what is wrong with it; it never breaks the sandbox.
func FuzzSeed(f *testing.F) {
	for _, seed := range []string{
		`{"customers":[{"name":"A","external_id":"a"}],"billing_accounts":[{"customer":{"id":"external_id=a"},"external_id":"x"}],"subscriptions":[{"billing_account_id":"external_id=x","plan_id":"p"}]}`,
		`{"webhook_endpoints":[{"url":"https://hooks.example.com/","secret":"whsec_0123456789abcdef"}],"api_keys":[{"name":"k","token":"ck_sandbox_k_0123456789abcdef","scopes":[]}]}`,
		`{"finance":{"payables":[{"name":"x","amount":"1.00"}],"":[],"a/b":[{}]}}`, `{"customers":{}}`,
		`{"customers":[null,1,"x"]}`, `{"other":[]}`, `[]`, `null`, `{`, `{} {}`, `{"finance":[]}`,
		`{"customers":[{"name":"A","birthday":"2026-02-30","custom_metadata":{"a":1e999}}]}`,
		`{"subscriptions":[{"billing_account_id":"external_id="}]}`, "\xff",
		`{"plans":[{"name":"A","amount_cents":1}],"products":[{"id":"3a6d9c1f-74e2-4c08-b1b5-0f2d8a6e5c71","name":"P"}],"prices":[{"product_id":"3A6D9C1F-74e2-4c08-b1b5-0f2d8a6e5c71","unit_amount_subcents":9223372036854775807}]}`, `{"customers":[{"name":"A","external_id":"a"},{"name":"B","external_id":"a"}]}`, `{"subscriptions":[{"trial_end":"9999-12-31T23:59:59Z","trial_period_days":1e400}]}`,
	} {
		f.Add([]byte(seed))
	}
	s := fuzzedServer(f)
	f.Fuzz(func(t *testing.T, document []byte) {
		err := s.core.DB.Update(func(tx *store.Tx) error {
			return errors.Join(s.seed(t.Context(), tx, document), errKeptNothing)
		})
		var seed *SeedError
		if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) == 2 && !errors.As(err, &seed) {
			t.Errorf("%q: %v", document, err)
		}
	})
}

// methodName is a token of RFC 9110 §5.6.2.
var methodName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

// FuzzRequest: no request breaks a service: it is served or rejected, in JSON, and never with an error of the sandbox
// itself.
func FuzzRequest(f *testing.F) {
	for _, seed := range []struct{ method, target, body string }{
		{"POST", "/v1/customers", `{"name":"A","document_number":"12.ABC.345/01DE-35","custom_metadata":{"a":null}}`},
		{"GET", "/v1/customers?page=0&per_page=1e9&sort_by=created_at&sort_order=asc", ``},
		{"POST", "/v1/billing_accounts", `{"customer":{"id":"x"}}`},
		{"POST", "/v1/subscriptions",
			`{"billing_account_id":"x","items":[{"price_id":"p","quantity":9223372036854775807,"unit_amount_subcents":9223372036854775807}]}`}, {"GET", "/v1/payables?limit=1&cursor=AAAA", ``}, {"POST", "/v1/payables", `{"name":"x"}`}, {"PATCH", "/v1/payables/x", `{"name":null}`}, {"GET", "/v1/openapi.json", ``},
		{"POST", "/v1/webhook_endpoints",
			`{"url":"https://[::1]","events":["*"],"authentication":{"type":"header","name":"Host","value":"x"}}`},
		{"POST", "/v1/api_keys", `{"name":"x","expiresAt":"2026-01-31T25:00:00Z","scopes":[""]}`},
		{"DELETE", "/v1/customers/%2e%2e", `[]`}, {"GET", "/v1/customers/%ff?%zz", "\xff"}, {"PUT", "//", `{`},
		{"POST", "/v1/customers", strings.Repeat("[", 20000)},
	} {
		f.Add(seed.method, seed.target, []byte(seed.body), "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11")
	}
	s := fuzzedServer(f)
	services := map[string]http.Handler{}
	for i, token := range []string{s.BillingToken(), s.FinanceToken(), s.CollectionsKey()} {
		services[token] = s.server.Handler(s.sites()[i])
	}
	f.Fuzz(func(t *testing.T, method, target string, body []byte, key string) {
		address, err := url.ParseRequestURI(target)
		if err != nil || !strings.HasPrefix(target, "/") || !methodName.MatchString(method) {
			return
		}
		for token, handler := range services {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", bytes.NewReader(body))
			request.Method, request.URL = method, address
			request.Header.Set("Authorization", "Bearer "+token)
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("X-Idempotency-Key", key)
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			if response.Code >= http.StatusInternalServerError {
				t.Errorf("%s %s %q: %d %s", method, target, body, response.Code, response.Body)
			}
			if text := response.Body.Bytes(); len(text) > 0 && strings.Contains(response.Header().Get("Content-Type"), "json") &&
				!json.Valid(text) {
				t.Errorf("%s %s %q gets %q", method, target, body, text)
			}
		}
	})
}

// FuzzControl: no body breaks the control listener.
func FuzzControl(f *testing.F) {
	for _, seed := range [][2]string{
		{"/clock", `{"advance":"24h"}`}, {"/clock", `{"set":"2026-01-31T12:00:00Z"}`},
		{"/clock", `{"advance":"2540400h10m10s"}`}, {"/faults", `{"spec":"status=503,operation=me.get"}`},
		{"/tokens", `{"service":"billing","scopes":["customers:read"]}`},
		{"/subscriptions/x", `{"status":"active","force":true}`}, {"/tokens", `{"organization":"new"}`},
		{"/tokens", `{"service":"finance","expires_at":"9999-12-31T23:59:59Z"}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	s := fuzzedServer(f)
	handler := s.controlHandler()
	f.Fuzz(func(t *testing.T, target string, body []byte) {
		address, err := url.ParseRequestURI(target)
		if err != nil || !strings.HasPrefix(target, "/") {
			return
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
		request.URL = address
		request.Header.Set("Authorization", "Bearer "+s.ControlToken())
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		s.ClearFaults()
		if response.Code >= http.StatusInternalServerError {
			t.Errorf("%s %q: %d %s", target, body, response.Code, response.Body)
		}
	})
}
