package apikey_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var to = acctest.To

// shownOnce prepares a key for a test that encrypts its token. The key is the subject's.
func (s *subject) shownOnce() *acctest.Secret {
	return &acctest.Secret{Subject: s.Subject, Name: "token", Trigger: "rotate_when_changed",
		Update:  acctest.JSON{"grace_period_days": 3},
		Created: []string{"created_at", "id", "key_prefix", "rotation_due_at", "source"},
		Rotated: []string{"id", "key_prefix", "previous_keys", "rotated_at", "rotation_due_at", "source"},
		Works:   func(token string) { s.t.Helper(); s.works(token) },
		Create: func() string {
			s.service.MustCollections("POST", keys, s.Base)
			return "name=ci"
		},
		Delete: func() { s.service.MustCollections("DELETE", keys+"/"+s.ID(), nil) }}
}

func (s *subject) sealed(identities ...*acctest.Identity) string {
	s.t.Helper()
	return s.shownOnce().Sealed(identities...)
}

// TestDirect_encrypted: with age_recipients the state has the encrypted token only.
func TestDirect_encrypted(t *testing.T) {
	t.Parallel()
	acctest.TestEncryption(t, func(t *testing.T) *acctest.Secret { return prepare(t).shownOnce() })
}

// TestDirect_invalidRecipients: a recipient that is none is an error of the plan, and of the apply before anything is
// sent when it was not known. A private key is never repeated.
func TestDirect_invalidRecipients(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
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
		s.service.Sandbox.ResetRequests()
		p = turned(t, s.Plan(s.With(trigger(version, lines(acctest.Unknown)))), "age1oops")
		says(t, acctest.Errors(s.Apply(p)), "Invalid age recipient", "age_recipients[1]")
		same(t, "calls", s.Calls())
		s.Configure(trigger("1", lines(ana.Recipient())))
	}
	s.sealed(ana)
}

// turned is a plan in which a recipient that was not known has turned out to be this one, without another validation.
func turned(t *testing.T, p acctest.Planned, recipient string) acctest.Planned {
	t.Helper()
	value, err := tftypes.Transform(p.Value, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if strings.Contains(at.String(), "age_recipients") && !v.IsKnown() {
			return tftypes.NewValue(tftypes.String, recipient), nil
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Value = value
	return p
}

// TestDirect_encryptedLostResponse: a rotation whose response is lost leaves no clear text either.
func TestDirect_encryptedLostResponse(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.Configure(to(trigger("1", nil), ana))
	s.sealed(ana)
	s.Fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, DropAfter: true})
	says(t, acctest.Errors(s.Apply(s.Replan(to(trigger("2", nil), ana)))), "the token of its successor is lost")
	s.Apply(s.Replan(to(trigger("2", nil), ana)))
	s.sealed(ana)
	s.Settled(to(trigger("2", nil), ana))
	// A rotation that the API rejects leaves everything as it was.
	before := s.State().String()
	s.Fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, Status: 403, Code: "insufficient_scope"})
	says(t, acctest.Errors(s.Apply(s.Replan(to(trigger("3", nil), ana)))), "insufficient_scope")
	if s.State().String() != before {
		t.Errorf("the state has changed from %s to %s", before, s.State().String())
	}
}

// TestDirect_encryptedInPlace: a key that is created in place is encrypted too.
func TestDirect_encryptedInPlace(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.Configure(to(nil, ana))
	first := s.sealed(ana)
	s.Configure(to(acctest.JSON{"description": "new"}, ana))
	if s.sealed(ana) == first {
		t.Error("there is no new key")
	}
}

// TestDirect_recipientsOfThePlan: the apply takes no recipients from the configuration, which Terraform passes there
// without ignore_changes.
func TestDirect_recipientsOfThePlan(t *testing.T) {
	t.Parallel()
	s, ana, bia := prepare(t), acctest.NewIdentity(t), acctest.NewIdentity(t)
	s.Configure(to(trigger("1", nil), ana))
	p := s.Replan(to(trigger("2", nil), ana))
	p.Config = s.Plan(s.With(to(trigger("2", nil), bia))).Config
	s.Apply(p)
	s.sealed(ana)
}
