package acctest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Secret is an object with a secret that the service shows only once, which age_recipients encrypts.
type Secret struct {
	*Subject
	// Name is the attribute with the secret in clear text. That with the encrypted one is encrypted_<Name>.
	Name string
	// Trigger is the argument whose change rotates the secret.
	Trigger string
	// Update is an argument that changes in place.
	Update JSON
	// Created and Rotated are what a creation and a rotation leave unknown, without the secret.
	Created, Rotated []string
	// Works holds the service to the secret.
	Works func(secret string)
	// Create creates the object outside of Terraform and returns its import id; Delete deletes the one in the state.
	Create func() (importID string)
	Delete func()
}

// To are these arguments with the recipients.
func To(lines JSON, identities ...*Identity) JSON {
	recipients := []any{}
	for _, i := range identities {
		recipients = append(recipients, i.Recipient())
	}
	return merged(lines, JSON{"age_recipients": recipients})
}

func merged(lines, more JSON) JSON {
	all := maps.Clone(more)
	maps.Copy(all, lines)
	return all
}

// Encrypted is the encrypted secret in the state; "" for none.
func (s *Secret) Encrypted() string {
	s.t.Helper()
	var text string
	if err := json.Unmarshal([]byte(s.Text("encrypted_"+s.Name)), &text); err != nil {
		s.t.Fatal(err)
	}
	return text
}

// Sealed holds the state to a secret that works, that the identities can decrypt, and that is nowhere in clear text. It
// returns the secret.
func (s *Secret) Sealed(identities ...*Identity) string {
	s.t.Helper()
	s.Is(s.Name, "null")
	secret := ""
	for _, i := range identities {
		if secret = i.Decrypt(s.Encrypted()); secret == "" {
			s.t.Fatalf("a recipient cannot decrypt %q", s.Encrypted())
		}
	}
	s.Works(secret)
	if strings.Contains(s.State().String(), secret) {
		s.t.Error("the state has the secret in clear text")
	}
	return secret
}

// at is a version of the trigger.
func (s *Secret) at(version any) JSON { return JSON{s.Trigger: JSON{"version": version}} }

// names are those of attributes, with that of the encrypted secret, in order.
func (s *Secret) names(more ...string) []string {
	return slices.Sorted(slices.Values(append(more, "encrypted_"+s.Name)))
}

// created are the attributes that a creation leaves unknown; more are those that depend on what is unknown.
func (s *Secret) created(more ...string) []string { return s.names(append(more, s.Created...)...) }

// keeps holds the state to an encrypted secret that has not changed.
func (s *Secret) keeps(text string) {
	s.t.Helper()
	s.Is(s.Name, "null")
	if s.Encrypted() != text {
		s.t.Error("the encrypted secret has changed")
	}
}

// TestEncryption plays what is the same for each type with a secret. start prepares an object that does not exist yet.
func TestEncryption(t *testing.T, start func(t *testing.T) *Secret) {
	t.Helper()
	ana, bia := NewIdentity(t), NewIdentity(t)
	for name, scenario := range map[string]func(s *Secret, ana, bia *Identity){
		"created":            (*Secret).playCreated,
		"other recipients":   (*Secret).playOtherRecipients,
		"recipients removed": func(s *Secret, ana, _ *Identity) { s.playNone(JSON{}, ana) },
		"recipients emptied": func(s *Secret, ana, _ *Identity) { s.playNone(To(nil), ana) },
		"recipients added":   (*Secret).playAdded,
		"recipients unknown": (*Secret).playUnknown,
		"element unknown":    (*Secret).playUnknownElement,
		"unknown, to none":   func(s *Secret, _, _ *Identity) { s.playUnknownClear() },
		"unknown, to one":    func(s *Secret, ana, _ *Identity) { s.playUnknownClear(ana) },
		"trigger unknown":    (*Secret).playUnknownTrigger,
		"import":             (*Secret).playImport,
		"echo":               (*Secret).playEcho,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario(start(t), ana, bia)
		})
	}
}

// playCreated: with recipients the state has the encrypted secret only, after the creation, an update, a rotation and a
// re-creation. Nothing is encrypted again without a new secret.
func (s *Secret) playCreated(ana, bia *Identity) {
	p := s.Plan(s.With(To(nil, ana, bia)))
	Same(s.t, "unknown", p.Unknown(s.t), s.created()...)
	s.Apply(p)
	first, text := s.Sealed(ana, bia), s.Encrypted()
	if NewIdentity(s.t).Decrypt(text) != "" {
		s.t.Error("another identity decrypts the secret")
	}
	s.Settled(To(nil, ana, bia))
	// Order, repetition and another argument change nothing of it.
	for _, lines := range []JSON{s.Update, s.at("1")} {
		if warned := s.Configure(To(lines, bia, ana, bia)); warned != "" {
			s.t.Error(warned)
		}
		s.Settled(To(lines, bia, ana, bia))
		s.keeps(text)
	}
	p = s.Replan(To(s.at("2"), bia, ana, bia))
	Same(s.t, "unknown", p.Unknown(s.t), s.names(s.Rotated...)...)
	s.Apply(p)
	if s.Sealed(ana, bia) == first {
		s.t.Error("the secret is not the new one")
	}
	s.Settled(To(s.at("2"), bia, ana, bia))
	s.Delete()
	p = s.Replan(To(nil, ana))
	Same(s.t, "unknown", p.Unknown(s.t), s.created()...)
	s.Apply(p)
	s.Sealed(ana)
	s.Settled(To(nil, ana))
}

// playOtherRecipients: other recipients cannot decrypt what is encrypted already, as a warning says. The next rotation
// uses them.
func (s *Secret) playOtherRecipients(ana, bia *Identity) {
	s.Configure(To(s.at("1"), ana))
	text := s.Encrypted()
	s.core.service.Sandbox.ResetRequests()
	p := s.Replan(To(s.at("1"), bia))
	Same(s.t, "changes", p.Changes(s.t), "age_recipients")
	Says(s.t, Warnings(p.Diagnostics), `AttributeName("age_recipients")`, "The encrypted secret of ", "keeps its recipients",
		"encrypted_"+s.Name+" stays as it is", "The next rotation uses the new ones", s.Trigger)
	s.Apply(p)
	Same(s.t, "calls", s.Calls())
	s.keeps(text)
	s.Settled(To(s.at("1"), bia))
	// Together with a rotation there is nothing to warn of.
	for _, c := range []struct {
		version         string
		to, hasPrevious *Identity
	}{{"2", bia, ana}, {"3", ana, bia}} {
		if warned := s.Configure(To(s.at(c.version), c.to)); strings.Contains(warned, "age_recipients") {
			s.t.Error(warned)
		}
		s.Sealed(c.to)
		if c.hasPrevious.Decrypt(s.Encrypted()) != "" {
			s.t.Error("the previous recipient decrypts the new secret")
		}
	}
}

// playNone: what is encrypted stays so without recipients, as a warning says. The next rotation stores clear text.
func (s *Secret) playNone(none JSON, ana *Identity) {
	s.Configure(To(s.at("1"), ana))
	text := s.Encrypted()
	p := s.Replan(merged(s.at("1"), none))
	Same(s.t, "changes", p.Changes(s.t), "age_recipients")
	Says(s.t, Warnings(p.Diagnostics), `AttributeName("age_recipients")`, "The encrypted secret of ", "stays encrypted",
		"cannot be decrypted here", "stores the new secret in clear text in "+s.Name, s.Trigger)
	s.Apply(p)
	s.keeps(text)
	s.Settled(s.at("1"))
	s.Settled(To(s.at("1")))
	s.Configure(merged(s.at("2"), none))
	s.Is("encrypted_"+s.Name, "null")
	s.Works(s.Value(s.Name))
	s.Settled(s.at("2"))
}

// playAdded: clear text that the state has is encrypted and removed, and nothing is sent.
func (s *Secret) playAdded(ana, _ *Identity) {
	s.Configure(s.at("1"))
	secret := s.Value(s.Name)
	s.core.service.Sandbox.ResetRequests()
	p := s.Replan(To(s.at("1"), ana))
	Same(s.t, "changes", p.Changes(s.t), s.names("age_recipients", s.Name)...)
	Same(s.t, "unknown", p.Unknown(s.t), s.names()...)
	if planned := p.Text(s.t, s.Name); planned != "null" || Warnings(p.Diagnostics) != "" {
		s.t.Errorf("the secret is planned as %s: %s", planned, Warnings(p.Diagnostics))
	}
	s.Apply(p)
	Same(s.t, "calls", s.Calls())
	if s.Sealed(ana) != secret {
		s.t.Error("another secret is encrypted")
	}
	s.Settled(To(s.at("1"), ana))
}

var unknownRecipients = JSON{"age_recipients": Unknown}

// playUnknown: as long as the recipients are not known, only what they decide about is unknown. An encrypted secret
// cannot change, whatever they turn out to be.
func (s *Secret) playUnknown(ana, bia *Identity) {
	p := s.Plan(s.With(unknownRecipients))
	Same(s.t, "unknown", p.Unknown(s.t), s.created("age_recipients", s.Name)...)
	s.Apply(s.Again(p, s.With(To(nil, ana))))
	first := s.Sealed(ana)
	p = s.Replan(unknownRecipients)
	Same(s.t, "unknown", p.Unknown(s.t), "age_recipients")
	Says(s.t, Warnings(p.Diagnostics), "The encrypted secret of ", "keeps its recipients", "may change age_recipients")
	s.Apply(s.Again(p, s.With(To(nil, bia))))
	if s.Sealed(ana) != first {
		s.t.Error("the secret has changed")
	}
}

// playUnknownElement: recipients of which one is unknown encrypt.
func (s *Secret) playUnknownElement(ana, bia *Identity) {
	p := s.Plan(s.With(JSON{"age_recipients": []any{ana.Recipient(), Unknown}}))
	Same(s.t, "unknown", p.Unknown(s.t), s.created("age_recipients")...)
	s.Apply(s.Again(p, s.With(To(nil, ana, bia))))
	s.Sealed(ana, bia)
}

// playUnknownClear: clear text may stay, or be encrypted.
func (s *Secret) playUnknownClear(identities ...*Identity) {
	s.Apply(s.Again(s.Plan(s.With(unknownRecipients)), s.With(To(nil))))
	s.Is("encrypted_"+s.Name, "null")
	secret := s.Value(s.Name)
	p := s.Replan(unknownRecipients)
	Same(s.t, "unknown", p.Unknown(s.t), s.names("age_recipients", s.Name)...)
	s.Apply(s.Again(p, s.With(To(nil, identities...))))
	switch {
	case len(identities) > 0 && s.Sealed(identities...) != secret:
		s.t.Error("another secret is encrypted")
	case len(identities) == 0:
		s.Is(s.Name, `"`+secret+`"`)
		s.Is("encrypted_"+s.Name, "null")
	}
}

// playUnknownTrigger: a rotation that turns out not to happen leaves the encrypted secret as it was.
func (s *Secret) playUnknownTrigger(ana, _ *Identity) {
	s.Configure(To(s.at("1"), ana))
	text := s.Encrypted()
	for _, recipients := range []JSON{To(nil, ana), To(nil)} {
		p := s.Replan(merged(s.at(Unknown), recipients))
		s.Apply(s.Again(p, s.With(merged(s.at("1"), recipients))))
		s.keeps(text)
	}
}

// playImport: after an import nothing is known to encrypt; the rotation brings it.
func (s *Secret) playImport(ana, _ *Identity) {
	s.Import(s.Create())
	s.Is(s.Name, "null")
	s.Is("encrypted_"+s.Name, "null")
	p := s.Replan(To(s.at("1"), ana))
	Same(s.t, "changes", p.Changes(s.t), "age_recipients", s.Trigger)
	s.Apply(p)
	s.Settled(To(s.at("1"), ana))
	s.Is("encrypted_"+s.Name, "null")
	s.Configure(To(s.at("2"), ana))
	s.Sealed(ana)
}

// playEcho: a service that shows the secret in other responses too does not put it into the state.
func (s *Secret) playEcho(ana, _ *Identity) {
	var secret string
	s.Direct = s.core.service.Rewriting(func(_ string, object JSON) {
		if shown, ok := object[s.Name].(string); ok {
			secret = shown
		}
		if object["id"] != nil {
			object[s.Name] = secret
		}
	}).Direct(s.block.Type())
	s.Configure(To(nil, ana))
	s.Reread()
	s.Sealed(ana)
	s.Configure(To(s.Update, ana))
	s.Sealed(ana)
	s.Settled(To(s.Update, ana))
	s.Import(s.ID())
	s.Is(s.Name, "null")
}
