package apikey_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

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

// encrypted is the encrypted token in the state; empty for none.
func (s *subject) encrypted() string {
	s.t.Helper()
	var text string
	if err := json.Unmarshal([]byte(s.Text("encrypted_token")), &text); err != nil {
		s.t.Fatal(err)
	}
	return text
}

// sealed holds the state to a token that works, that the identities can decrypt and that is nowhere in clear text. It
// returns it.
func (s *subject) sealed(identities ...*acctest.Identity) string {
	s.t.Helper()
	s.Is("token", "null")
	token := ""
	for _, i := range identities {
		if token = i.Decrypt(s.encrypted()); token == "" {
			s.t.Fatalf("a recipient cannot decrypt %q", s.encrypted())
		}
	}
	s.works(token)
	if strings.Contains(s.State().String(), token) {
		s.t.Error("the state has the token in clear text")
	}
	return token
}

// TestDirect_encrypted: with recipients the state has the encrypted token only, after the creation, a rotation and a
// re-creation. Nothing is encrypted again without a new token.
func TestDirect_encrypted(t *testing.T) {
	t.Parallel()
	s, ana, bia, other := prepare(t), acctest.NewIdentity(t), acctest.NewIdentity(t), acctest.NewIdentity(t)
	p := s.Plan(s.With(to(nil, ana, bia)))
	same(t, "unknown", p.Unknown(t), "created_at", "encrypted_token", "id", "key_prefix", "source")
	s.Apply(p)
	first := s.sealed(ana, bia)
	if other.Decrypt(s.encrypted()) != "" {
		t.Error("another identity decrypts the token")
	}
	text := s.encrypted()
	s.Settled(to(nil, ana, bia))
	// Order, repetition and another argument change nothing of it.
	if warned := s.Configure(to(trigger("1", nil), bia, ana, bia)); warned != "" {
		t.Error(warned)
	}
	s.Settled(to(trigger("1", nil), bia, ana, bia))
	if s.encrypted() != text {
		t.Error("the token was encrypted again")
	}
	p = s.Replan(to(trigger("2", nil), bia, ana, bia))
	same(t, "unknown", p.Unknown(t), "encrypted_token", "id", "key_prefix", "previous_keys", "rotated_at")
	s.Apply(p)
	if second := s.sealed(ana, bia); second == first {
		t.Error("the token is not that of the successor")
	}
	s.works(first)
	s.Settled(to(trigger("2", nil), bia, ana, bia))
	s.service.MustCollections("DELETE", keys+"/"+s.ID(), nil)
	p = s.Replan(to(nil, ana))
	same(t, "unknown", p.Unknown(t), "created_at", "encrypted_token", "id", "key_prefix", "source")
	s.Apply(p)
	s.sealed(ana)
	s.Settled(to(nil, ana))
}

// TestDirect_otherRecipients: other recipients cannot decrypt what is encrypted already, as a warning says. The next
// rotation uses them.
func TestDirect_otherRecipients(t *testing.T) {
	t.Parallel()
	s, ana, bia := prepare(t), acctest.NewIdentity(t), acctest.NewIdentity(t)
	s.Configure(to(trigger("1", nil), ana))
	text := s.encrypted()
	s.service.Sandbox.ResetRequests()
	p := s.Replan(to(trigger("1", nil), bia))
	same(t, "changes", p.Changes(t), "age_recipients")
	says(t, acctest.Warnings(p.Diagnostics), `AttributeName("age_recipients")`, "An encrypted secret keeps its recipients",
		"the API key", "encrypted_token stays as it is", "The next rotation uses the new ones", "rotate_when_changed")
	s.Apply(p)
	same(t, "calls", s.Calls())
	if s.encrypted() != text {
		t.Error("the encrypted token has changed")
	}
	s.Settled(to(trigger("1", nil), bia))
	if warned := s.Configure(to(trigger("2", nil), bia)); warned != "" {
		t.Error(warned)
	}
	s.sealed(bia)
	if ana.Decrypt(s.encrypted()) != "" {
		t.Error("the previous recipient decrypts the new token")
	}
	// Together with a rotation there is nothing to warn of.
	if warned := s.Configure(to(trigger("3", nil), ana)); warned != "" {
		t.Error(warned)
	}
	s.sealed(ana)
}

// TestDirect_recipientsRemoved: what is encrypted stays so, as a warning says; the next rotation stores clear text.
func TestDirect_recipientsRemoved(t *testing.T) {
	t.Parallel()
	ana := acctest.NewIdentity(t)
	for name, none := range map[string]acctest.JSON{"removed": {}, "emptied": {"age_recipients": []any{}}} {
		s := prepare(t)
		s.Configure(to(trigger("1", nil), ana))
		text := s.encrypted()
		p := s.Replan(trigger("1", none))
		same(t, name, p.Changes(t), "age_recipients")
		says(t, acctest.Warnings(p.Diagnostics), "An encrypted secret stays encrypted", "cannot be decrypted here",
			"stores the new secret in clear text in token")
		s.Apply(p)
		s.Is("token", "null")
		if s.encrypted() != text {
			t.Errorf("%s: the encrypted token has changed", name)
		}
		s.Settled(trigger("1", nil))
		s.Settled(trigger("1", to(nil)))
		p = s.Replan(trigger("2", none))
		s.Apply(p)
		s.Is("encrypted_token", "null")
		s.works(s.token())
		s.Settled(trigger("2", nil))
	}
}

// TestDirect_recipientsAdded: clear text that the state has is encrypted and removed, and nothing is sent.
func TestDirect_recipientsAdded(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.Configure(trigger("1", nil))
	token := s.token()
	s.service.Sandbox.ResetRequests()
	p := s.Replan(to(trigger("1", nil), ana))
	same(t, "changes", p.Changes(t), "age_recipients", "encrypted_token", "token")
	same(t, "unknown", p.Unknown(t), "encrypted_token")
	if planned := p.Text(t, "token"); planned != "null" || acctest.Warnings(p.Diagnostics) != "" {
		t.Errorf("token is planned as %s: %s", planned, acctest.Warnings(p.Diagnostics))
	}
	s.Apply(p)
	same(t, "calls", s.Calls())
	if s.sealed(ana) != token {
		t.Error("another token is encrypted")
	}
	s.Settled(to(trigger("1", nil), ana))
}

// TestDirect_recipientsUnknown: as long as the recipients are not known, only what they decide about is unknown.
func TestDirect_recipientsUnknown(t *testing.T) {
	t.Parallel()
	ana, bia := acctest.NewIdentity(t), acctest.NewIdentity(t)
	unknown := func(lines acctest.JSON) acctest.JSON {
		with := acctest.JSON{"age_recipients": acctest.Unknown}
		maps.Copy(with, lines)
		return with
	}
	s := prepare(t)
	p := s.Plan(s.With(unknown(nil)))
	same(t, "unknown", p.Unknown(t), "age_recipients", "created_at", "encrypted_token", "id", "key_prefix",
		"source", "token")
	s.Apply(s.Again(p, s.With(to(nil, ana))))
	first := s.sealed(ana)
	// An encrypted token cannot change, whatever the recipients turn out to be.
	p = s.Replan(unknown(nil))
	same(t, "unknown", p.Unknown(t), "age_recipients")
	again := s.Again(p, s.With(to(nil, bia)))
	says(t, acctest.Warnings(again.Diagnostics), "An encrypted secret keeps its recipients")
	s.Apply(again)
	if s.sealed(ana) != first {
		t.Error("the token has changed")
	}
	// One element that is unknown still encrypts.
	s = prepare(t)
	p = s.Plan(s.With(acctest.JSON{"age_recipients": []any{ana.Recipient(), acctest.Unknown}}))
	same(t, "unknown", p.Unknown(t), "age_recipients", "created_at", "encrypted_token", "id", "key_prefix", "source")
	s.Apply(s.Again(p, s.With(to(nil, ana, bia))))
	s.sealed(ana, bia)
	// Clear text may stay, or be encrypted.
	for name, c := range map[string]struct {
		lines     acctest.JSON
		encrypted bool
	}{"to none": {to(nil), false}, "to one": {to(nil, ana), true}} {
		s = prepare(t)
		s.Configure(nil)
		token := s.token()
		p = s.Replan(unknown(nil))
		same(t, "unknown", p.Unknown(t), "age_recipients", "encrypted_token", "token")
		s.Apply(s.Again(p, s.With(c.lines)))
		switch {
		case c.encrypted && s.sealed(ana) != token:
			t.Errorf("%s: another token is encrypted", name)
		case !c.encrypted:
			s.Is("token", `"`+token+`"`)
			s.Is("encrypted_token", "null")
		}
	}
	// A rotation that turns out not to happen leaves the encrypted token as it was.
	s = prepare(t)
	s.Configure(to(trigger("1", nil), ana))
	text := s.encrypted()
	for _, lines := range []acctest.JSON{to(nil, ana), to(nil)} {
		lines["rotate_when_changed"] = acctest.JSON{"version": acctest.Unknown}
		p = s.Replan(lines)
		known := maps.Clone(lines)
		known["rotate_when_changed"] = acctest.JSON{"version": "1"}
		s.Apply(s.Again(p, s.With(known)))
		s.Is("token", "null")
		if s.encrypted() != text {
			t.Error("the encrypted token has changed")
		}
	}
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

// TestDirect_encryptedLostResponses: a creation and a rotation whose response is lost leave no clear text either.
func TestDirect_encryptedLostResponses(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.Fault(sandbox.Fault{Operation: "api_keys.create", Times: 1, DropAfter: true})
	says(t, s.Configure(to(trigger("1", nil), ana)), "created twice, and the first one revoked")
	s.sealed(ana)
	s.Fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, DropAfter: true})
	said := s.Apply(s.Replan(to(trigger("2", nil), ana)))
	says(t, acctest.Errors(said), "token was lost with the response")
	s.Is("token", "null")
	s.Is("encrypted_token", "null")
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

// TestDirect_encryptedSuccessor: a key that is created in place of one that was rotated elsewhere is encrypted too.
func TestDirect_encryptedSuccessor(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.Configure(to(nil, ana))
	first := s.sealed(ana)
	s.rotateOutside(2)
	said := s.Apply(s.Replan(to(nil, ana)))
	if text := acctest.Errors(said) + acctest.Warnings(said); text != "" {
		t.Error(text)
	}
	if s.sealed(ana) == first {
		t.Error("there is no new key")
	}
}

// TestDirect_encryptedImport: after an import nothing is known to encrypt; the rotation brings it.
func TestDirect_encryptedImport(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	s.service.MustCollections("POST", keys, acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}})
	s.Import("name=ci")
	s.Is("token", "null")
	s.Is("encrypted_token", "null")
	p := s.Replan(to(trigger("1", nil), ana))
	same(t, "changes", p.Changes(t), "age_recipients", "rotate_when_changed")
	s.Apply(p)
	s.Settled(to(trigger("1", nil), ana))
	s.Is("encrypted_token", "null")
	s.Configure(to(trigger("2", nil), ana))
	s.sealed(ana)
}

// TestDirect_echoedToken: a service that shows the token in other responses too does not put it into the state.
func TestDirect_echoedToken(t *testing.T) {
	t.Parallel()
	s, ana := prepare(t), acctest.NewIdentity(t)
	var token string
	s.Direct = s.service.Rewriting(func(_ string, object acctest.JSON) {
		if shown, ok := object["token"].(string); ok {
			token = shown
		}
		if object["id"] != nil {
			object["token"] = token
		}
	}).Direct("billing_api_key")
	s.Configure(to(nil, ana))
	s.Reread()
	s.sealed(ana)
	s.Settled(to(nil, ana))
	s.Import(s.ID())
	s.Is("token", "null")
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
