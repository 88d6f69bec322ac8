package apikey_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// refusal is what is said when the provider's own key would end.
const refusal = "The provider itself uses API key"

// takeOver imports the key with which the provider authenticates.
func takeOver(t *testing.T) *subject {
	t.Helper()
	s := prepare(t)
	if text := acctest.Errors(s.Import("name=Sandbox")); text != "" {
		t.Fatal(text)
	}
	return s
}

// own is the configuration of the provider's own key with these lines.
func own(lines acctest.JSON) acctest.JSON {
	config := acctest.JSON{"name": "Sandbox", "scopes": []any{"*"}}
	for name, value := range lines {
		config[name] = value
	}
	return config
}

// isRefused holds a plan to the rejection, with the way out.
func (s *subject) isRefused(what string, config acctest.JSON) {
	s.t.Helper()
	text := acctest.Errors(s.Plan(config).Diagnostics)
	says(s.t, text, `AttributeName("allow_own_key")`, refusal, "To "+what, "collections_api_key", "allow_own_key = true")
}

// TestDirect_ownKey: the plan does not rotate, replace or destroy the key that the provider uses, and says why;
// nothing is sent.
func TestDirect_ownKey(t *testing.T) {
	t.Parallel()
	s := takeOver(t)
	s.Set(own(trigger("1", nil)))
	s.Reread()
	s.service.Sandbox.ResetRequests()
	s.isRefused("change", own(trigger("2", nil)))
	s.isRefused("change", own(trigger("1", acctest.JSON{"description": "new"})))
	s.isRefused("destroy", nil)
	says(t, acctest.Errors(s.PlanReplace(own(trigger("1", nil))).Diagnostics), refusal, "To replace")
	// What leaves the key as it is, is planned.
	for _, lines := range []acctest.JSON{trigger("1", nil),
		trigger("1", acctest.JSON{"grace_period_days": 3, "revoke_previous_keys": true}), nil} {
		if text := acctest.Errors(s.Plan(own(lines)).Diagnostics); text != "" {
			t.Errorf("%v: %s", lines, text)
		}
	}
	same(t, "calls", s.Calls())
	s.works(s.service.CollectionsKey)
}

// TestDirect_ownKeyAge: an overdue key of the provider's own is rejected too.
func TestDirect_ownKeyAge(t *testing.T) {
	t.Parallel()
	s := takeOver(t)
	s.Set(own(acctest.JSON{"rotate_after_days": 1, "grace_period_days": 2}))
	s.service.Sandbox.Clock().Advance(-3 * day)
	made := s.service.MustCollections("POST", keys, acctest.JSON{"name": "old", "scopes": []string{"*"}})
	s.service.Sandbox.Clock().Advance(3 * day)
	other := *s.service
	other.CollectionsKey = made["token"].(string)
	s = newSubject(t, &other)
	s.Import("name=old")
	old := acctest.JSON{"name": "old", "scopes": []any{"*"}, "rotate_after_days": 1}
	s.Set(old)
	s.Reread()
	s.isRefused("change", old)
}

// TestDirect_ownKeyAllowed: with allow_own_key the key is rotated and destroyed; destroying asks for it to be applied
// before, because what is destroyed is what the state holds.
func TestDirect_ownKeyAllowed(t *testing.T) {
	t.Parallel()
	s := takeOver(t)
	allowed := acctest.JSON{"allow_own_key": true}
	s.Set(own(trigger("1", allowed)))
	s.Set(own(trigger("2", allowed)))
	// The provider's key is a predecessor now, and may not end by accident either.
	s.Reread()
	s.Set(own(trigger("2", nil)))
	s.isRefused("change", own(trigger("2", acctest.JSON{"revoke_previous_keys": true})))
	s.isRefused("destroy", nil)
	// The other key goes first, because nothing can be done after the own one.
	s.Set(own(trigger("2", allowed)))
	second := s.token()
	s.Set(nil)
	s.refused(s.service.CollectionsKey, second)
}

// TestDirect_ownKeyLast: among several predecessors the provider's own is revoked last.
func TestDirect_ownKeyLast(t *testing.T) {
	t.Parallel()
	s := takeOver(t)
	allowed := acctest.JSON{"allow_own_key": true}
	s.Set(own(trigger("1", allowed)))
	s.Set(own(trigger("2", allowed)))
	second := s.token()
	s.Set(own(trigger("3", allowed)))
	third := s.token()
	s.works(s.service.CollectionsKey, second, third)
	s.Set(own(trigger("3", acctest.JSON{"allow_own_key": true, "revoke_previous_keys": true})))
	s.Is("previous_keys", "[]")
	s.refused(s.service.CollectionsKey, second)
	s.works(third)
}

// TestDirect_ownKeyUnknown: whether it is allowed may be known only at apply; then it is decided there, before the
// call.
func TestDirect_ownKeyUnknown(t *testing.T) {
	t.Parallel()
	s := takeOver(t)
	s.Set(own(trigger("1", nil)))
	s.Reread()
	p := s.Plan(own(trigger("2", acctest.JSON{"allow_own_key": acctest.Unknown})))
	if text := acctest.Errors(p.Diagnostics); text != "" {
		t.Fatal(text)
	}
	again := s.Again(p, own(trigger("2", acctest.JSON{"allow_own_key": true})))
	s.Apply(again)
	s.works(s.service.CollectionsKey, s.token())
}
