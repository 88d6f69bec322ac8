package webhookendpoint_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var to = acctest.To

// shownOnce prepares an endpoint for a test that encrypts its secret. The endpoint is the subject's.
func (s *subject) shownOnce() *acctest.Secret {
	return &acctest.Secret{Subject: s.Subject, Name: "secret", Trigger: "rotate_secret_when_changed",
		Update:  acctest.JSON{"description": "d"},
		Created: []string{"created_at", "id", "updated_at"},
		Works:   func(secret string) { s.t.Helper(); s.signs(secret) },
		Create: func() string {
			s.service.MustCollections("POST", endpoints, s.Base)
			return "url=" + s.receiver.URL
		},
		Delete: func() { s.service.MustCollections("DELETE", endpoints+"/"+s.ID(), nil) }}
}

func (s *subject) sealed(identities ...*acctest.Identity) string {
	s.t.Helper()
	return s.shownOnce().Sealed(identities...)
}

// TestDirect_encrypted: with age_recipients the state has the encrypted secret only.
func TestDirect_encrypted(t *testing.T) {
	t.Parallel()
	acctest.TestEncryption(t, func(t *testing.T) *acctest.Secret { return prepare(t).shownOnce() })
}

// signs holds the service to signing with a secret.
func (s *subject) signs(secret string) {
	s.t.Helper()
	s.fire()
	if !signedWith(s.last(), secret) {
		s.t.Error("the delivery is not signed with the secret")
	}
}

// TestDirect_recipientsAdded: clear text that the state has is encrypted together with an update too, and when the
// rotation that follows the update fails.
func TestDirect_recipientsAdded(t *testing.T) {
	t.Parallel()
	ana := acctest.NewIdentity(t)
	for name, rotates := range map[string]bool{"an update": false, "a rotation that fails": true} {
		s := prepare(t)
		s.Configure(trigger("1"))
		secret, lines := s.secret(), trigger("1")
		if rotates {
			lines = trigger("2")
			s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Times: 1, Status: 403,
				Code: "insufficient_scope"})
		}
		lines["description"] = "d"
		failed := acctest.Errors(s.Apply(s.Plan(s.With(to(lines, ana)))))
		if (failed != "") != rotates || s.sealed(ana) != secret {
			t.Errorf("%s: %s", name, failed)
		}
		s.Configure(to(lines, ana))
		s.sealed(ana)
		s.Settled(to(lines, ana))
	}
}

// TestDirect_encryptedLostResponses: a rotation whose response is lost leaves no clear text either.
func TestDirect_encryptedLostResponses(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.Configure(to(trigger("1"), ana))
	s.sealed(ana)
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Times: 1, DropAfter: true})
	s.Configure(to(trigger("2"), ana))
	s.sealed(ana)
	s.Settled(to(trigger("2"), ana))
	before := s.State().String()
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", DropAfter: true})
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(to(trigger("3"), ana))))), "may be invalid already")
	if s.State().String() != before {
		t.Errorf("the state has changed from %s to %s", before, s.State())
	}
}
