package webhookendpoint_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// to are these lines with the recipients.
func to(lines acctest.JSON, identities ...*acctest.Identity) acctest.JSON {
	recipients := []any{}
	for _, i := range identities {
		recipients = append(recipients, i.Recipient())
	}
	with := acctest.JSON{"age_recipients": recipients}
	maps.Copy(with, lines)
	return with
}

// encrypted is the encrypted secret in the state; empty for none.
func (s *subject) encrypted() string {
	s.t.Helper()
	var text string
	if err := json.Unmarshal([]byte(s.Text("encrypted_secret")), &text); err != nil {
		s.t.Fatal(err)
	}
	return text
}

// sealed holds the state to a secret that the identities can decrypt and that is nowhere in clear text. It returns it.
func (s *subject) sealed(identities ...*acctest.Identity) string {
	s.t.Helper()
	s.Is("secret", "null")
	secret := ""
	for _, i := range identities {
		if secret = i.Decrypt(s.encrypted()); !strings.HasPrefix(secret, "whsec_") {
			s.t.Fatalf("a recipient cannot decrypt %q", s.encrypted())
		}
	}
	if strings.Contains(s.State().String(), secret) {
		s.t.Error("the state has the secret in clear text")
	}
	return secret
}

// signs holds the service to signing with a secret.
func (s *subject) signs(secret string) {
	s.t.Helper()
	s.fire()
	if !signedWith(s.last(), secret) {
		s.t.Error("the delivery is not signed with the secret")
	}
}

// TestDirect_encrypted: with recipients the state has the encrypted secret only, after the registration, an update, a
// rotation and another registration. Nothing is encrypted again without a new secret.
func TestDirect_encrypted(t *testing.T) {
	t.Parallel()
	s, ana, bia := prepare(t), acctest.NewIdentity(t), acctest.NewIdentity(t)
	p := s.Plan(s.With(to(nil, ana, bia)))
	same(t, "unknown", p.Unknown(t), "created_at", "encrypted_secret", "id", "updated_at")
	s.Apply(p)
	first, text := s.sealed(ana, bia), s.encrypted()
	s.signs(first)
	s.Settled(to(nil, ana, bia))
	if warned := s.Configure(to(acctest.JSON{"description": "d"}, bia, ana)); warned != "" {
		t.Error(warned)
	}
	s.Configure(to(trigger("1"), bia, ana))
	if s.Settled(to(trigger("1"), bia, ana)); s.encrypted() != text {
		t.Error("the secret was encrypted again")
	}
	s.Reread()
	p = s.Plan(s.With(to(trigger("2"), ana)))
	same(t, "unknown", p.Unknown(t), "encrypted_secret")
	same(t, "changes", p.Changes(t), "age_recipients", "encrypted_secret", "rotate_secret_when_changed")
	if warned := acctest.Warnings(p.Diagnostics); strings.Contains(warned, "age_recipients") {
		t.Error(warned)
	}
	s.Apply(p)
	s.signs(s.sealed(ana))
	if bia.Decrypt(s.encrypted()) != "" {
		t.Error("the previous recipient decrypts the new secret")
	}
	s.Settled(to(trigger("2"), ana))
	s.service.MustCollections("DELETE", endpoints+"/"+s.ID(), nil)
	s.Reread()
	s.Configure(to(nil, bia))
	s.sealed(bia)
	s.Settled(to(nil, bia))
}

// TestDirect_otherRecipients: other recipients, and none, leave what is encrypted as it is, as a warning says. The next
// rotation uses them.
func TestDirect_otherRecipients(t *testing.T) {
	t.Parallel()
	s, ana, bia := prepare(t), acctest.NewIdentity(t), acctest.NewIdentity(t)
	s.Configure(to(trigger("1"), ana))
	text := s.encrypted()
	s.service.Sandbox.ResetRequests()
	for _, c := range []struct {
		lines acctest.JSON
		says  []string
	}{
		{to(trigger("1"), bia), []string{"An encrypted secret keeps its recipients", s.ID(),
			"encrypted_secret stays as it is"}},
		{to(trigger("1")), []string{"An encrypted secret stays encrypted", "in clear text in secret",
			"rotate_secret_when_changed"}},
	} {
		p := s.Plan(s.With(c.lines))
		same(t, "changes", p.Changes(t), "age_recipients")
		says(t, acctest.Warnings(p.Diagnostics), append(c.says, `AttributeName("age_recipients")`)...)
		s.Apply(p)
		s.Is("secret", "null")
		if s.encrypted() != text {
			t.Error("the encrypted secret has changed")
		}
		s.Settled(c.lines)
	}
	same(t, "calls", s.Calls())
	s.Configure(trigger("2"))
	s.Is("encrypted_secret", "null")
	s.signs(s.secret())
	s.Settled(trigger("2"))
}

// TestDirect_recipientsAdded: clear text that the state has is encrypted and removed, and nothing is sent. That is so
// next to an update too, and when the rotation that follows the update fails.
func TestDirect_recipientsAdded(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.Configure(trigger("1"))
	secret := s.secret()
	s.service.Sandbox.ResetRequests()
	p := s.Plan(s.With(to(trigger("1"), ana)))
	same(t, "changes", p.Changes(t), "age_recipients", "encrypted_secret", "secret")
	same(t, "unknown", p.Unknown(t), "encrypted_secret")
	s.Apply(p)
	same(t, "calls", s.Calls())
	if s.sealed(ana) != secret {
		t.Error("another secret is encrypted")
	}
	s.Settled(to(trigger("1"), ana))
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
		s.signs(s.sealed(ana))
		s.Settled(to(lines, ana))
	}
}

// TestDirect_recipientsUnknown: as long as the recipients are not known, only what they decide about is unknown.
func TestDirect_recipientsUnknown(t *testing.T) {
	t.Parallel()
	s, ana, bia := prepare(t), acctest.NewIdentity(t), acctest.NewIdentity(t)
	unknown := acctest.JSON{"age_recipients": acctest.Unknown}
	p := s.Plan(s.With(unknown))
	same(t, "unknown", p.Unknown(t), "age_recipients", "created_at", "encrypted_secret", "id", "secret", "updated_at")
	s.Apply(s.Again(p, s.With(to(nil))))
	secret := s.secret()
	s.Is("encrypted_secret", "null")
	s.Reread()
	p = s.Plan(s.With(unknown))
	same(t, "unknown", p.Unknown(t), "age_recipients", "encrypted_secret", "secret")
	s.Apply(s.Again(p, s.With(to(nil, ana))))
	if s.sealed(ana) != secret {
		t.Error("another secret is encrypted")
	}
	s.Reread()
	p = s.Plan(s.With(unknown))
	same(t, "unknown", p.Unknown(t), "age_recipients")
	s.Apply(s.Again(p, s.With(to(nil, bia))))
	if s.sealed(ana) != secret {
		t.Error("the encrypted secret has changed")
	}
	// A rotation that turns out not to happen leaves the encrypted secret as it was.
	s.Configure(to(trigger("1"), bia))
	for _, lines := range []acctest.JSON{to(nil, bia), to(nil)} {
		text := s.encrypted()
		lines["rotate_secret_when_changed"] = acctest.JSON{"version": acctest.Unknown}
		p := s.Plan(s.With(lines))
		lines["rotate_secret_when_changed"] = acctest.JSON{"version": "1"}
		s.Apply(s.Again(p, s.With(lines)))
		if s.Is("secret", "null"); s.encrypted() != text {
			t.Error("the encrypted secret has changed")
		}
	}
}

// TestDirect_encryptedLostResponses: a registration and a rotation whose response is lost leave no clear text either.
func TestDirect_encryptedLostResponses(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.create", Times: 1, DropAfter: true})
	says(t, s.Configure(to(trigger("1"), ana)), "Found the endpoint instead of registering it twice")
	s.signs(s.sealed(ana))
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Times: 1, DropAfter: true})
	s.Configure(to(trigger("2"), ana))
	s.signs(s.sealed(ana))
	s.Settled(to(trigger("2"), ana))
	before := s.State().String()
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", DropAfter: true})
	says(t, acctest.Errors(s.Apply(s.Plan(s.With(to(trigger("3"), ana))))), "may be invalid already")
	if s.State().String() != before {
		t.Errorf("the state has changed from %s to %s", before, s.State())
	}
	s.service.Sandbox.ClearFaults()
	// Without a secret there is nothing to encrypt.
	s = prepare(t)
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.create", Times: 1, DropAfter: true})
	s.Fault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Times: 1, Status: 403, Code: "insufficient_scope"})
	says(t, s.Configure(to(nil, ana)), "its secret is not known")
	s.Is("secret", "null")
	s.Is("encrypted_secret", "null")
	s.Settled(to(nil, ana))
}

// TestDirect_encryptedImport: after an import nothing is known to encrypt; the rotation brings it.
func TestDirect_encryptedImport(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.service.MustCollections("POST", endpoints, acctest.JSON{"url": s.receiver.URL})
	s.Import("url=" + s.receiver.URL)
	s.Is("secret", "null")
	s.Is("encrypted_secret", "null")
	s.Configure(to(trigger("1"), ana))
	s.Settled(to(trigger("1"), ana))
	s.Is("encrypted_secret", "null")
	s.Configure(to(trigger("2"), ana))
	s.signs(s.sealed(ana))
}

// TestDirect_echoedSecret: a service that shows the secret in other responses too does not put it into the state.
func TestDirect_echoedSecret(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	var secret string
	s.Direct = s.service.Rewriting(func(_ string, object acctest.JSON) {
		if shown, ok := object["secret"].(string); ok {
			secret = shown
		}
		if object["url"] != nil {
			object["secret"] = secret
		}
	}).Direct("billing_webhook_endpoint")
	s.Configure(to(nil, ana))
	s.Reread()
	s.sealed(ana)
	s.Configure(to(acctest.JSON{"description": "d"}, ana))
	s.sealed(ana)
	s.Settled(to(acctest.JSON{"description": "d"}, ana))
	s.Import(s.ID())
	s.Is("secret", "null")
}
