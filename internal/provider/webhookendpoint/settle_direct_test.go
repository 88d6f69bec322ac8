package webhookendpoint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestDirect_notAdopted: another system registers the same endpoint at the same time. Which one is whose nobody
// knows, so none is taken over, and none is registered again; the error offers to import them.
func TestDirect_notAdopted(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.create", Times: 1, DropAfter: true})
	go func() {
		for s.service.Count("webhook_endpoints.create") == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		s.another()
	}()
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(nil)))), "Could not register webhook endpoint "+s.receiver.URL,
		"found 2 of them", "import {", "to = billing_webhook_endpoint.this")
	same(t, "calls", s.Calls(), "webhook_endpoints.create", "webhook_endpoints.create")
	if s.Exists() {
		t.Error("an endpoint that is not known is in the state")
	}
}

// TestDirect_innocentEndpoint: a registration that was not processed finds the endpoint that another system has
// registered just before. It is not taken over, and its secret stays; the registration is sent again.
func TestDirect_innocentEndpoint(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	other := s.another()["id"].(string)
	s.service.Sandbox.ResetRequests()
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.create", Times: 1, Status: 503})
	if text := acctest.Errors(s.Apply(s.Plan(s.With(acctest.JSON{"allow_duplicate": true})))); text != "" {
		t.Error(text)
	}
	same(t, "calls", s.Calls(), "webhook_endpoints.create", "webhook_endpoints.create")
	if s.Text("id") == other {
		t.Error("the endpoint of another system is in the state")
	}
}

// TestDirect_adoptedAtAnotherTime: the clock of the service decides what is new, also where this machine's is a day
// ahead or behind.
func TestDirect_adoptedAtAnotherTime(t *testing.T) {
	t.Parallel()
	for name, distance := range map[string]time.Duration{"behind": -25 * time.Hour, "ahead": 25 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.service.Sandbox.Clock().Advance(distance)
			s.Fault(sandbox.Fault{Operation: "webhook_endpoints.create", Times: 1, DropAfter: true})
			says(t, s.Configure(nil), "Found the endpoint instead of registering it twice")
			s.Settled(nil)
		})
	}
}

// TestDirect_adoptedInUse: an endpoint whose consumer accepts deliveries may be in use, so its secret is not rotated.
func TestDirect_adoptedInUse(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.create", Times: 1, DropAfter: true})
	go func() {
		var listed []any
		for len(listed) == 0 {
			time.Sleep(10 * time.Millisecond)
			_, response := s.service.CallCollections("GET", endpoints, nil)
			listed, _ = response["data"].([]any)
		}
		s.service.MustCollections("POST", endpoints+"/"+listed[0].(acctest.JSON)["id"].(string)+"/test", acctest.JSON{})
	}()
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(nil)))),
		"may be another system's: its consumer has accepted the delivery", "import {")
	if s.service.Count("webhook_endpoints.rotate_secret") > 0 || s.Exists() {
		t.Error("the endpoint was taken over")
	}
}

// another registers an endpoint of the same url as another system would.
func (s *subject) another() acctest.JSON {
	return s.service.MustCollections("POST", endpoints, acctest.JSON{"url": s.receiver.URL})
}

// TestDirect_adopted: one endpoint is new and as it was asked for, so it is taken over; its secret, lost with the
// response, is rotated.
func TestDirect_adopted(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	lines := acctest.JSON{"description": "d", "events": []any{"webhook.test", "charge.paid"},
		"authentication": kinds["header"].configured}
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.create", Times: 1, DropAfter: true})
	says(t, s.Configure(lines), "Found the endpoint instead of registering it twice", s.ID(), "so the secret was rotated")
	same(t, "calls", s.Calls(), "webhook_endpoints.create", "webhook_endpoints.rotate_secret")
	s.fire()
	if !signedWith(s.last(), s.secret()) {
		t.Error("the secret in the state is not the valid one")
	}
	s.Settled(lines)
}

// TestDirect_adoptedWithoutSecret: when the rotation fails too, the endpoint is in the state all the same, not marked
// for replacement, with a warning how to get a secret.
func TestDirect_adoptedWithoutSecret(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.create", Times: 1, DropAfter: true})
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Times: 1, Status: 403, Code: "insufficient_scope"})
	says(t, s.Configure(nil), `AttributeName("secret")`, "its secret is not known", "insufficient_scope",
		"rotate_secret_when_changed")
	s.Is("secret", "null")
	s.Settled(nil)
	s.Configure(trigger("1"))
	s.Is("secret", "null")
	s.Configure(trigger("2"))
	s.fire()
	if !signedWith(s.last(), s.secret()) {
		t.Error("the secret in the state is not the valid one")
	}
}

// TestDirect_updateWithoutResponse: an update is sent again, a deletion too.
func TestDirect_updateWithoutResponse(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.update", Times: 1, DropAfter: true})
	s.Configure(acctest.JSON{"description": "x"})
	s.Settled(acctest.JSON{"description": "x"})
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.delete", Times: 1, DropAfter: true})
	s.Set(nil)
}

// TestDirect_otherResponse: what the service stores differently is kept as planned, told, and shown by the next plan.
func TestDirect_otherResponse(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	lower := func(path string, object acctest.JSON) {
		if text, ok := object["description"].(string); ok {
			object["description"] = strings.ToLower(text)
		}
		if strings.HasSuffix(path, "/webhook-endpoints") {
			delete(object, "secret")
		}
	}
	s.Direct = s.service.Rewriting(lower).Direct("billing_webhook_endpoint")
	warned := s.Configure(acctest.JSON{"description": "Ours"})
	says(t, warned, `AttributeName("description")`, "The service stored something else", `"ours"`,
		`AttributeName("secret")`, "The secret is not known")
	s.Is("description", `"Ours"`)
	s.Reread()
	same(t, "changes", s.Plan(s.With(acctest.JSON{"description": "Ours"})).Changes(t), "description", "updated_at")
	s.Settled(acctest.JSON{"description": "ours"})
}

// TestDirect_import: by id and by url; the secret is null, with a warning how to get a new one, and the plan is empty.
func TestDirect_import(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	lines := acctest.JSON{"description": "d", "events": []any{"charge.paid"}, "active": false}
	s.Configure(lines)
	for _, id := range []string{s.ID(), "id=" + s.ID(), "url=" + s.receiver.URL} {
		other := s.service.Direct("billing_webhook_endpoint")
		said := other.Import(id)
		if text := acctest.Errors(said); text != "" {
			t.Fatalf("%s: %s", id, text)
		}
		says(t, acctest.Warnings(said), `AttributeName("secret")`, "The secret of an imported endpoint is not known",
			"rotate_secret_when_changed", s.receiver.URL)
		for _, name := range []string{"id", "url", "description", "events", "active", "authentication",
			"created_at", "updated_at"} {
			if other.Text(name) != s.Text(name) {
				t.Errorf("%s: imported %s as %s, want %s", id, name, other.Text(name), s.Text(name))
			}
		}
		if secret := other.Text("secret"); secret != "null" {
			t.Errorf("imported with the secret %s", secret)
		}
		same(t, "changes", other.Plan(s.With(lines)).Changes(t))
	}
}

// TestDirect_importRotates: the way to a secret that the warning names leads there: the first value rotates nothing,
// the second does.
func TestDirect_importRotates(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	s.service.Sandbox.ResetRequests()
	s.Direct = s.service.Direct("billing_webhook_endpoint")
	s.Import("url=" + s.receiver.URL)
	s.Configure(trigger("1"))
	s.Is("secret", "null")
	same(t, "calls", s.Calls())
	s.Configure(trigger("2"))
	s.fire()
	if !signedWith(s.last(), s.secret()) {
		t.Error("the secret in the state is not the valid one")
	}
}

// TestDirect_importRefused: more than one match is an error that lists them, and so is none.
func TestDirect_importRefused(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	var ids []string
	for _, description := range []string{"one", "two", "three"} {
		made := s.service.MustCollections("POST", endpoints, acctest.JSON{"url": s.receiver.URL, "description": description})
		ids = append(ids, made["id"].(string))
	}
	says(t, acctest.Errors(s.Import("url="+s.receiver.URL)), append(ids, "More than one webhook endpoint",
		"3 webhook endpoints have", "Use the id of the one you mean")...)
	says(t, acctest.Errors(s.Import("url="+s.receiver.URL+"/")), "No such webhook endpoint", s.receiver.URL+"/")
	says(t, acctest.Errors(s.Import("6f2d1c30-5c4e-4f2a-9a41-5d0b6c7d8e9f")), "No such webhook endpoint", "6f2d1c30")
	says(t, acctest.Errors(s.Import("url=")), "Invalid import id")
}
