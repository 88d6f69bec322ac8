package webhookendpoint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestDirect_lostRegistration: the registration is sent once and nothing comes before it. The error names what may have
// come of it, and what another apply does; nothing is adopted, repeated or rotated, whether others register at the same
// time or not, and an endpoint from before is not named.
func TestDirect_lostRegistration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  sandbox.Fault
		before time.Duration // by how much another system's endpoint is older; 0: there is none
		beside bool          // another system registers one at the same time
		says   []string
		ids    int
	}{
		"processed": {fault: sandbox.Fault{DropAfter: true}, says: []string{"It may be"},
			ids: 1},
		"not processed": {fault: sandbox.Fault{Status: 503}, before: time.Minute, says: []string{"Look for it"}},
		"processed beside an old one": {fault: sandbox.Fault{DropAfter: true}, before: time.Minute,
			says: []string{"It may be"}, ids: 1},
		"two at once": {fault: sandbox.Fault{DropAfter: true}, beside: true, says: []string{"It may be one of"}, ids: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			old := "none"
			if c.before > 0 {
				old = s.another()["id"].(string)
				s.service.Sandbox.Clock().Advance(c.before)
			}
			c.fault.Operation, c.fault.Times = "webhook_endpoints.create", 1
			s.Fault(c.fault)
			p := s.Plan(s.With(nil))
			s.service.Sandbox.ResetRequests()
			calls := []string{"webhook_endpoints.create"}
			if c.beside {
				calls = append(calls, calls[0])
				go func() {
					for s.service.Count("webhook_endpoints.create") == 0 {
						time.Sleep(10 * time.Millisecond)
					}
					s.another()
				}()
			}
			text := acctest.Errors(s.Apply(p))
			says(t, text, append(c.says, "Could not register webhook endpoint "+s.receiver.URL+": the outcome is unknown",
				"Applying again registers an endpoint", "gets every event twice")...)
			if blocks := strings.Count(text, "to = billing_webhook_endpoint.this"); blocks != c.ids ||
				strings.Contains(text, old) {
				t.Errorf("%d import blocks: %s", blocks, text)
			}
			same(t, "calls", s.Calls(), calls...)
			if operations := s.service.Operations(); operations[0] != "webhook_endpoints.create" || s.Exists() {
				t.Errorf("sent %v; in the state: %v", operations, s.Exists())
			}
			s.Configure(nil) // and the next apply works
		})
	}
}

// TestDirect_clockOfTheService: the service's clock decides what is new, also where this machine's is a day off.
func TestDirect_clockOfTheService(t *testing.T) {
	t.Parallel()
	for name, distance := range map[string]time.Duration{"behind": -25 * time.Hour, "ahead": 25 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.service.Sandbox.Clock().Advance(distance)
			old := s.another()["id"].(string)
			s.service.Sandbox.Clock().Advance(time.Minute)
			s.Fault(sandbox.Fault{Operation: "webhook_endpoints.create", Times: 1, DropAfter: true})
			text := acctest.Errors(s.Apply(s.Plan(s.With(nil))))
			if says(t, text, "to = billing_webhook_endpoint.this"); strings.Contains(text, old) {
				t.Errorf("an endpoint from before is named: %s", text)
			}
		})
	}
}

// TestDirect_existingInstead: a registration whose response shows an endpoint from before, without a secret, takes
// nothing of it over.
func TestDirect_existingInstead(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	other := s.another()
	s.Direct = s.service.Rewriting(func(path string, object acctest.JSON) {
		if strings.HasSuffix(path, "/webhook-endpoints") && object["secret"] != nil {
			delete(object, "secret")
			object["id"], object["createdAt"] = other["id"], "2001-01-01T00:00:00.000Z"
		}
	}).Direct("billing_webhook_endpoint")
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(nil)))), "the outcome is unknown", other["id"].(string),
		"was registered before the request")
	if s.Exists() {
		t.Error("the endpoint of another system is in the state")
	}
}

// TestDirect_secretAlone: a response that shows the secret and the id alone is completed by a read, and the secret is
// in the state also when that fails.
func TestDirect_secretAlone(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]bool{"read": false, "read fails": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.Direct = s.service.Rewriting(func(path string, object acctest.JSON) {
				if strings.HasSuffix(path, "/webhook-endpoints") && object["secret"] != nil {
					for name := range object {
						if name != "id" && name != "secret" {
							delete(object, name)
						}
					}
				}
			}).Direct("billing_webhook_endpoint")
			if fails {
				s.Fault(sandbox.Fault{Operation: "webhook_endpoints.get", Times: 1, Status: 403, Code: "insufficient_scope"})
			}
			lines := acctest.JSON{"description": "d", "events": []any{"charge.paid"}, "active": false}
			if warned := s.Configure(lines); warned != "" {
				t.Errorf("warned: %s", warned)
			}
			if created := s.Text("created_at"); !strings.HasPrefix(s.secret(), "whsec_") || (created == "null") != fails {
				t.Errorf("secret %s, created_at %s", s.Text("secret"), created)
			}
			s.Settled(lines)
		})
	}
}

// another registers an endpoint of the same url as another system would.
func (s *subject) another() acctest.JSON {
	return s.service.MustCollections("POST", endpoints, acctest.JSON{"url": s.receiver.URL})
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
	says(t, warned, `AttributeName("description")`, "The service stored another description for webhook endpoint",
		`"ours"`,
		`AttributeName("secret")`, "The secret of webhook endpoint "+s.receiver.URL, "is not known")
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
		says(t, acctest.Warnings(said), `AttributeName("secret")`, "The secret of webhook endpoint "+
			s.receiver.URL+" (id "+s.ID()+") is not known", "It was imported", "rotate_secret_when_changed")
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
	s.service.Sandbox.ResetRequests()
	says(t, acctest.Errors(s.Import(s.receiver.URL)), "Invalid import id", "To import by url, write url="+s.receiver.URL)
	if asked := s.service.Operations(); len(asked) > 0 {
		t.Errorf("asked the service %v", asked)
	}
}
