package webhookendpoint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const endpoints = "/api/v1/webhook-endpoints"

// subject is one webhook endpoint, driven without Terraform, and the consumer that it sends to.
type subject struct {
	*acctest.Subject
	t        *testing.T
	service  *acctest.Service
	receiver *acctest.Receiver
}

// prepare starts a sandbox that runs at the present time, as a lost response is only settled with what is new by the
// clock of this machine.
func prepare(t *testing.T, options ...acctest.Option) *subject {
	t.Helper()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, append([]acctest.Option{acctest.RunningClock, acctest.Receiving(receiver)}, options...)...)
	return &subject{Subject: service.Subject("billing_webhook_endpoint", acctest.JSON{"url": receiver.URL}), t: t,
		service: service, receiver: receiver}
}

var same, says = acctest.Same, acctest.Says

func (s *subject) secret() string { return s.Value("secret") }

// remote is the endpoint at the service.
func (s *subject) remote() acctest.JSON {
	s.t.Helper()
	return s.service.MustCollections("GET", endpoints+"/"+s.ID(), nil)
}

// outside changes the endpoint as another system would.
func (s *subject) outside(body acctest.JSON) {
	s.t.Helper()
	s.service.MustCollections("PATCH", endpoints+"/"+s.ID(), body)
}

// TestDirect_minimal: a url is enough; the secret is in the state immediately, and only an endpoint without
// authentication is registered.
func TestDirect_minimal(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	p := s.Plan(s.With(nil))
	same(t, "unknown in the plan", p.Unknown(t), "created_at", "id", "secret", "updated_at")
	s.Apply(p)
	if !strings.HasPrefix(s.secret(), "whsec_") {
		t.Errorf("the secret is %s", s.Text("secret"))
	}
	for name, want := range map[string]string{"active": "true", "events": "[]", "description": "null",
		"authentication": "null", "rotate_secret_when_changed": "{}"} {
		s.Is(name, want)
	}
	if kind := s.remote()["authentication"].(acctest.JSON)["type"]; kind != "none" {
		t.Errorf("authentication at the service: %v", kind)
	}
	s.Settled(nil)
	s.Settled(acctest.JSON{"events": []any{}})
	s.Set(nil)
	if status, _ := s.service.CallCollections("GET", endpoints, nil); status != 200 || s.Exists() {
		t.Errorf("after destroy: listing returns %d, in the state: %v", status, s.Exists())
	}
	if all := s.service.Count("webhook_endpoints.delete"); all != 1 {
		t.Errorf("%d deletions", all)
	}
}

// TestDirect_updateAndClear changes each argument in place and clears it, in one request each that names nothing else.
func TestDirect_updateAndClear(t *testing.T) {
	t.Parallel()
	basic := acctest.JSON{"type": "basic", "username": "ana", "password_wo": "p"}
	for name, c := range map[string]struct {
		before, after any
		sent          string // what the update says
		cleared       string // the same for the argument removed; empty: it cannot be
	}{
		"url":         {nil, "https://other.example.com/hook?x=1", `{"url":"https://other.example.com/hook?x=1"}`, ""},
		"description": {"first", "second", `{"description":"second"}`, `{"description":null}`},
		"events": {[]any{"charge.paid"}, []any{"api_key.revoked", "webhook.test"},
			`{"events":["api_key.revoked","webhook.test"]}`, `{"events":[]}`},
		"active": {true, false, `{"active":false}`, `{"active":true}`},
		"authentication": {basic, acctest.JSON{"type": "bearer", "token_wo": "t"},
			`{"authentication":{"token":"[REDACTED]","type":"bearer"}}`, `{"authentication":{"type":"none"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			before := acctest.JSON{}
			if c.before != nil {
				before[name] = c.before
			}
			s.Configure(before)
			change := func(lines acctest.JSON, want string) {
				s.service.Sandbox.ResetRequests()
				s.Reread()
				p := s.Plan(s.With(lines))
				same(t, "changes", p.Changes(t), sorted(name, "updated_at")...)
				same(t, "unknown", p.Unknown(t), "updated_at")
				if text := acctest.Errors(s.Apply(p)); text != "" {
					t.Fatal(text)
				}
				same(t, "calls", s.Calls(), "webhook_endpoints.update")
				if have := s.sent(); have != want {
					t.Errorf("sent %s, want %s", have, want)
				}
				s.Settled(lines)
			}
			change(acctest.JSON{name: c.after}, c.sent)
			if c.cleared != "" {
				change(nil, c.cleared)
			}
		})
	}
}

func sorted(names ...string) []string { return slices.Sorted(slices.Values(names)) }

// sent is the body of the newest request that had one, as the sandbox noted it.
func (s *subject) sent() string {
	body := ""
	for _, r := range s.service.Sandbox.Requests() {
		if len(r.Body) > 0 && r.Method != "GET" {
			body = string(r.Body)
		}
	}
	return body
}

// TestDirect_drift: what another system changed is shown and corrected.
func TestDirect_drift(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	lines := acctest.JSON{"description": "ours", "events": []any{"charge.paid", "webhook.test"},
		"authentication": acctest.JSON{"type": "basic", "username": "ana", "password_wo": "p"}}
	s.Configure(lines)
	for _, c := range []struct {
		name     string
		body     acctest.JSON
		restored string
	}{
		{"url", acctest.JSON{"url": "https://other.example.com/"}, `"` + s.receiver.URL + `"`},
		{"description", acctest.JSON{"description": nil}, `"ours"`},
		{"events", acctest.JSON{"events": []string{}}, `["charge.paid","webhook.test"]`},
		{"active", acctest.JSON{"active": false}, "true"},
		{"authentication", acctest.JSON{"authentication": acctest.JSON{"type": "none"}}, ""},
		{"authentication", acctest.JSON{"authentication": acctest.JSON{"type": "basic", "username": "eva", "password": "x"}},
			""},
		{"authentication", acctest.JSON{"authentication": acctest.JSON{"type": "header", "name": "X-A", "value": "x"}}, ""},
	} {
		s.outside(c.body)
		s.Reread()
		p := s.Plan(s.With(lines))
		same(t, "changes after drift", p.Changes(t), sorted(c.name, "updated_at")...)
		s.Apply(p)
		if c.restored != "" {
			s.Is(c.name, c.restored)
		}
		s.Settled(lines)
	}
	if name := s.remote()["authentication"].(acctest.JSON)["username"]; name != "ana" {
		t.Errorf("user name at the service: %v", name)
	}
	// The order of events, and what only the service changes, mean nothing.
	s.outside(acctest.JSON{"events": []string{"webhook.test", "charge.paid"}})
	s.Settled(acctest.JSON{"description": "ours", "events": []any{"webhook.test", "charge.paid"},
		"authentication": lines["authentication"]})
}

// TestDirect_deletedOutside: the endpoint is planned for re-creation, with a warning.
func TestDirect_deletedOutside(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	s.service.MustCollections("DELETE", endpoints+"/"+s.ID(), nil)
	says(t, s.Reread(), "deleted outside of Terraform", s.receiver.URL, "new secret")
	if s.Exists() {
		t.Error("it is still in the state")
	}
	s.Configure(nil)
	s.Settled(nil)
	// One that is gone when it is to be destroyed is destroyed.
	s.service.MustCollections("DELETE", endpoints+"/"+s.ID(), nil)
	s.Set(nil)
}

// TestDirect_wrongAddress: a 404 that is not the service's own never drops an endpoint.
func TestDirect_wrongAddress(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.get", Status: 404, Foreign: "html"})
	says(t, acctest.Errors(s.Refresh()), "Nothing was removed", "collections_base_url")
	if !s.Exists() {
		t.Error("the endpoint was dropped")
	}
}
