package webhookendpoint_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

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

// TestDirect_rotation: the first value of the trigger rotates nothing, another one does, in place; of the plan only the
// secret becomes unknown, and it warns. From then on only the new secret verifies.
func TestDirect_rotation(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	first := s.secret()
	if warned := s.Configure(trigger("1")); warned != "" {
		t.Errorf("the first value warns: %s", warned)
	}
	if s.secret() != first {
		t.Error("the first value has rotated the secret")
	}
	s.Settled(trigger("1"))
	id := s.ID()
	s.Reread()
	p := s.Plan(s.With(trigger("2")))
	same(t, "unknown", p.Unknown(t), "secret")
	same(t, "changes", p.Changes(t), "rotate_secret_when_changed", "secret")
	says(t, acctest.Warnings(p.Diagnostics), `AttributeName("rotate_secret_when_changed")`,
		"The secret of webhook endpoint "+s.receiver.URL+" (id "+id+") is rotated, and the old one is invalid immediately")
	s.service.Sandbox.ResetRequests()
	s.Apply(p)
	same(t, "calls", s.Calls(), "webhook_endpoints.rotate_secret")
	if second := s.secret(); s.ID() != id || second == first || !strings.HasPrefix(second, "whsec_") {
		t.Errorf("id %s, secret %s after %s", s.ID(), second, first)
	}
	s.fire()
	if d := s.last(); !signedWith(d, s.secret()) || signedWith(d, first) {
		t.Error("the delivery is not signed with the new secret alone")
	}
	s.Settled(trigger("2"))
	// Without the trigger, and with another first value, nothing is rotated.
	for _, lines := range []acctest.JSON{nil, trigger("9"), {"rotate_secret_when_changed": acctest.JSON{"version": "9"},
		"description": "x"}} {
		before := s.secret()
		s.Configure(lines)
		if s.secret() != before {
			t.Errorf("%v has rotated the secret", lines)
		}
		s.Settled(lines)
	}
}

// TestDirect_rotationUnknown: a trigger that is only known at apply may rotate, and need not.
func TestDirect_rotationUnknown(t *testing.T) {
	t.Parallel()
	for value, rotates := range map[string]bool{"1": false, "2": true} {
		s := prepare(t)
		s.Configure(trigger("1"))
		before := s.secret()
		s.Reread()
		p := s.Plan(s.With(acctest.JSON{"rotate_secret_when_changed": acctest.JSON{"version": acctest.Unknown}}))
		same(t, "unknown", p.Unknown(t), "rotate_secret_when_changed", "secret")
		says(t, acctest.Warnings(p.Diagnostics), "may be rotated", "only known in the apply")
		again := s.Again(p, s.With(trigger(value)))
		if len(again.Diagnostics) > 0 {
			t.Errorf("in the apply: %s", acctest.Warnings(again.Diagnostics))
		}
		s.Apply(again)
		if after := s.secret(); (after != before) != rotates || !strings.HasPrefix(after, "whsec_") {
			t.Errorf("trigger %s: the secret went from %s to %s", value, before, after)
		}
	}
}

// TestDirect_rotationFails: what was changed before is in the state; secret and trigger stay, so that the next apply
// rotates.
func TestDirect_rotationFails(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1"))
	first := s.secret()
	both := acctest.JSON{"rotate_secret_when_changed": acctest.JSON{"version": "2"}, "description": "changed"}
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Status: 403, Code: "insufficient_scope"})
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(both)))), "Could not rotate the secret of webhook endpoint",
		"insufficient_scope")
	s.Is("description", `"changed"`)
	s.Is("rotate_secret_when_changed", `{"version":"1"}`)
	s.Is("secret", `"`+first+`"`)
	s.service.Sandbox.ClearFaults()
	s.Reread()
	p := s.Plan(s.With(both))
	same(t, "changes", p.Changes(t), "rotate_secret_when_changed", "secret")
	s.Apply(p)
	if s.secret() == first {
		t.Error("the secret was not rotated")
	}
	s.Settled(both)
}

// TestDirect_rotationLostResponse: the secret in the response is lost, so it is rotated once more, and the one in the
// state is valid.
func TestDirect_rotationLostResponse(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1"))
	s.service.Sandbox.ResetRequests()
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Times: 1, DropAfter: true})
	s.Configure(trigger("2"))
	same(t, "calls", s.Calls(), "webhook_endpoints.rotate_secret", "webhook_endpoints.rotate_secret")
	s.fire()
	if !signedWith(s.last(), s.secret()) {
		t.Error("the secret in the state is not the valid one")
	}
	s.Settled(trigger("2"))
	// When nothing comes of it, the error says that the old secret may be invalid, and the next apply rotates.
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", DropAfter: true})
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(trigger("3"))))), "may be invalid already")
	s.Is("rotate_secret_when_changed", `{"version":"2"}`)
	s.service.Sandbox.ClearFaults()
	s.Configure(trigger("3"))
	s.fire()
	if !signedWith(s.last(), s.secret()) {
		t.Error("the secret in the state is not the valid one")
	}
}
