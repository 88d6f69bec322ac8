package apikey_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const keys = "/api/v1/api-keys"

var same, says, to = acctest.Same, acctest.Says, acctest.To

// prepare is a key whose token is encrypted. Its scope lets the token be tried.
func prepare(t *testing.T) (*acctest.Secret, *acctest.Service) {
	t.Helper()
	service := acctest.Start(t)
	s := &acctest.Secret{Name: "token", Trigger: "rotate_when_changed", Update: acctest.JSON{"grace_period_days": 3},
		Subject: service.Subject("billing_api_key",
			acctest.JSON{"name": "ci", "scopes": []any{"webhook_endpoints:*"}}),
		Created: []string{"created_at", "id", "key_prefix", "rotation_due_at", "source"},
		Rotated: []string{"id", "key_prefix", "previous_keys", "rotated_at", "rotation_due_at", "source"},
		Works:   func(token string) { t.Helper(); works(t, service, token, true) }}
	s.Create = func() string {
		service.Must("POST", keys, s.Base)
		return "name=ci"
	}
	s.Delete = func() { service.Must("DELETE", keys+"/"+s.ID(), nil) }
	return s, service
}

// works holds a token to being accepted, or to being rejected.
func works(t *testing.T, service *acctest.Service, token string, accepted bool) {
	t.Helper()
	status, _ := service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil)
	if (status == 200) != accepted || status != 200 && status != 401 {
		t.Errorf("the token gets status %d; accepted should be %v", status, accepted)
	}
}

// trigger is a value of the trigger, and other lines.
func trigger(value string, more acctest.JSON) acctest.JSON {
	lines := acctest.JSON{"rotate_when_changed": acctest.JSON{"version": value}}
	for name := range more {
		lines[name] = more[name]
	}
	return lines
}

// TestEncrypted: with age_recipients the state has the encrypted token only.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	acctest.TestEncryption(t, func(t *testing.T) *acctest.Secret { s, _ := prepare(t); return s })
}

// TestEncrypted_failures: a key that is created in place is encrypted too, and so is the one that comes after a
// rotation whose response was lost. A rejected rotation leaves everything as it was.
func TestEncrypted_failures(t *testing.T) {
	t.Parallel()
	s, _ := prepare(t)
	ana := acctest.NewIdentity(t)
	s.Configure(to(trigger("1", nil), ana))
	first := s.Sealed(ana)
	s.Configure(to(trigger("1", acctest.JSON{"description": "new"}), ana))
	if s.Sealed(ana) == first {
		t.Error("there is no new key")
	}
	s.Fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, DropAfter: true})
	lines := to(trigger("2", acctest.JSON{"description": "new"}), ana)
	says(t, acctest.Errors(s.Apply(s.Replan(lines))), "the token of its successor is lost")
	s.Apply(s.Replan(lines))
	s.Sealed(ana)
	s.Settled(lines)
	before := s.State().String()
	s.Fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, Status: 403, Code: "insufficient_scope"})
	lines = to(trigger("3", acctest.JSON{"description": "new"}), ana)
	says(t, acctest.Errors(s.Apply(s.Replan(lines))), "insufficient_scope")
	if s.State().String() != before {
		t.Errorf("the state has changed from %s to %s", before, s.State().String())
	}
}

// TestEncrypted_invalid: a recipient that is none is an error of the plan, and of the apply before anything is sent
// when it was not known. A private key is never repeated.
func TestEncrypted_invalid(t *testing.T) {
	t.Parallel()
	s, service := prepare(t)
	ana := acctest.NewIdentity(t)
	lines := func(recipient any) acctest.JSON {
		return acctest.JSON{"age_recipients": []any{ana.Recipient(), recipient}}
	}
	p := s.Plan(s.With(lines("age1oops")))
	says(t, acctest.Errors(p.Diagnostics), `AttributeName("age_recipients").ElementKeyInt(1)`, "Invalid age recipient",
		"age_recipients[1]", `"age1oops"`)
	p = s.Plan(s.With(lines(ana.PrivateKey())))
	says(t, acctest.Errors(p.Diagnostics), "Invalid age recipient", "age_recipients[1]: it is a private key")
	if text := acctest.Errors(p.Diagnostics); strings.Contains(text, ana.PrivateKey()) ||
		strings.Contains(text, "AttributeName") {
		t.Errorf("the message shows the key, or the line that has it: %s", text)
	}
	for _, version := range []string{"1", "2"} {
		service.Sandbox.ResetRequests()
		p = s.Plan(s.With(trigger(version, lines(acctest.Unknown))))
		turned, err := tftypes.Transform(p.Value, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if strings.Contains(at.String(), "age_recipients") && !v.IsKnown() {
				return tftypes.NewValue(tftypes.String, "age1oops"), nil
			}
			return v, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Value = turned
		says(t, acctest.Errors(s.Apply(p)), "Invalid age recipient", "age_recipients[1]")
		same(t, "calls", s.Calls())
		s.Configure(trigger("1", lines(ana.Recipient())))
	}
	s.Sealed(ana)
}

// TestEncrypted_ofThePlan: the apply takes no recipients from the configuration, which Terraform passes there without
// ignore_changes.
func TestEncrypted_ofThePlan(t *testing.T) {
	t.Parallel()
	s, _ := prepare(t)
	ana, bia := acctest.NewIdentity(t), acctest.NewIdentity(t)
	s.Configure(to(trigger("1", nil), ana))
	p := s.Replan(to(trigger("2", nil), ana))
	p.Config = s.Plan(s.With(to(trigger("2", nil), bia))).Config
	s.Apply(p)
	s.Sealed(ana)
}
