package webhookendpoint_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

func trigger(value string) acctest.JSON {
	return acctest.JSON{"rotate_secret_when_changed": acctest.JSON{"version": value}}
}

// signedWith reports whether a delivery was signed with a secret (service description, Collections §5).
func signedWith(d acctest.Received, secret string) bool {
	moment, v1, _ := strings.Cut(d.Header.Get("X-Webhook-Signature"), ",")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.TrimPrefix(moment, "t=") + "." + d.Body))
	return v1 == "v1="+hex.EncodeToString(mac.Sum(nil))
}

// signs holds the service to signing with a secret.
func (s *subject) signs(secret string) {
	s.t.Helper()
	s.fire()
	if !signedWith(s.last(), secret) {
		s.t.Error("the delivery is not signed with the secret")
	}
}

// TestSecret_lost: where the response to a rotation is lost, the secret in the state is the one that signs.
func TestSecret_lost(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1"))
	first := s.secret()
	s.signs(first)
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Times: 1, DropAfter: true})
	s.Configure(trigger("2"))
	s.signs(s.secret())
	if signedWith(s.last(), first) {
		t.Error("the old secret verifies")
	}
}

// TestLostRegistration: the registration is sent once and nothing comes before it. The error names what may have
// come of it, and what another apply does; nothing is adopted, repeated or rotated, and an endpoint from before is not
// named.
func TestLostRegistration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  sandbox.Fault
		before time.Duration // by how much another system's endpoint is older; 0: there is none
		clock  time.Duration // by how much the service's clock, which decides, is ahead of this machine's
		says   []string
		ids    int
	}{
		"processed": {fault: sandbox.Fault{DropAfter: true}, says: []string{"It may be"},
			ids: 1},
		"not processed": {fault: sandbox.Fault{Status: 503}, before: time.Minute, says: []string{"Look for it"}},
		"processed beside an old one": {fault: sandbox.Fault{DropAfter: true}, before: time.Minute,
			says: []string{"It may be"}, ids: 1},
		"a clock behind": {fault: sandbox.Fault{DropAfter: true}, before: time.Minute, clock: -25 * time.Hour,
			says: []string{"It may be"}, ids: 1},
		"a clock ahead": {fault: sandbox.Fault{DropAfter: true}, before: time.Minute, clock: 25 * time.Hour,
			says: []string{"It may be"}, ids: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			old := "none"
			s.service.Sandbox.Clock().Advance(c.clock)
			if c.before > 0 {
				old = s.another()["id"].(string)
				s.service.Sandbox.Clock().Advance(c.before)
			}
			c.fault.Operation, c.fault.Times = "webhook_endpoints.create", 1
			s.Fault(c.fault)
			p := s.Plan(s.With(nil))
			s.service.Sandbox.ResetRequests()
			text := acctest.Errors(s.Apply(p))
			says(t, text, append(c.says, "Could not register webhook endpoint "+s.receiver.URL+": the outcome is unknown",
				"Applying again registers an endpoint", "gets every event twice")...)
			if blocks := strings.Count(text, "to = billing_webhook_endpoint.this"); blocks != c.ids ||
				strings.Contains(text, old) {
				t.Errorf("%d import blocks: %s", blocks, text)
			}
			same(t, "calls", s.Calls(), "webhook_endpoints.create")
			if operations := s.service.Operations(); operations[0] != "webhook_endpoints.create" || s.Exists() {
				t.Errorf("sent %v; in the state: %v", operations, s.Exists())
			}
			s.Configure(nil) // and the next apply works
		})
	}
}

// TestResponse_existingInstead: a registration whose response shows an endpoint from before, without a secret, takes
// nothing of it over.
func TestResponse_existingInstead(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	other := s.another()
	s.Subject = s.service.Rewriting(func(path string, object acctest.JSON) {
		if strings.HasSuffix(path, "/webhook-endpoints") && object["secret"] != nil {
			delete(object, "secret")
			object["id"], object["createdAt"] = other["id"], "2001-01-01T00:00:00.000Z"
		}
	}).Subject("billing_webhook_endpoint", s.Base)
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(nil)))), "the outcome is unknown", other["id"].(string),
		"was registered before the request")
	if s.Exists() {
		t.Error("the endpoint of another system is in the state")
	}
}

// TestResponse_secretAlone: a response that shows the secret and the id alone is completed by a read, and the secret is
// in the state also when that fails.
func TestResponse_secretAlone(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]bool{"read": false, "read fails": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.Subject = s.service.Rewriting(func(path string, object acctest.JSON) {
				if strings.HasSuffix(path, "/webhook-endpoints") && object["secret"] != nil {
					for name := range object {
						if name != "id" && name != "secret" {
							delete(object, name)
						}
					}
				}
			}).Subject("billing_webhook_endpoint", s.Base)
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

// TestResponse_otherResponse: what the service stores differently is kept as planned, told, and shown by the next plan.
func TestResponse_otherResponse(t *testing.T) {
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
	s.Subject = s.service.Rewriting(lower).Subject("billing_webhook_endpoint", s.Base)
	warned := s.Configure(acctest.JSON{"description": "Ours"})
	says(t, warned, `AttributeName("description")`, "The service stored another description for webhook endpoint",
		`"ours"`,
		`AttributeName("secret")`, "The secret of webhook endpoint "+s.receiver.URL, "is not known")
	s.Is("description", `"Ours"`)
	s.Reread()
	same(t, "changes", s.Plan(s.With(acctest.JSON{"description": "Ours"})).Changes(t), "description", "updated_at")
	s.Settled(acctest.JSON{"description": "ours"})
}
