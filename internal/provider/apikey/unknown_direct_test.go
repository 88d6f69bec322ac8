package apikey_test

import (
	"maps"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestDirect_unknownReplacesNothing: what only a new key can have and is not known yet plans no replacement. What
// turns out equal does nothing; what turns out different fails before anything is sent, and the next plan replaces.
func TestDirect_unknownReplacesNothing(t *testing.T) {
	t.Parallel()
	base := acctest.JSON{"description": "d", "expires_at": "2098-01-01", "rotate_when_changed": acctest.JSON{"v": "1"}}
	for name, c := range map[string]struct{ unknown, equal, other any }{
		"name":           {acctest.Unknown, "ci", "other"},
		"description":    {acctest.Unknown, "d", "other"},
		"no description": {acctest.Unknown, "d", nil},
		"scopes":         {acctest.Unknown, []any{"webhook_endpoints:*"}, []any{"*"}},
		"one scope": {[]any{"webhook_endpoints:*", acctest.Unknown}, []any{"webhook_endpoints:*"},
			[]any{"webhook_endpoints:*", "*"}},
		"expires_at": {acctest.Unknown, "2098-01-01T00:00:00Z", "2097-01-01"},
		"no expiry":  {acctest.Unknown, "2098-01-01", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			argument := map[string]string{"no description": "description", "one scope": "scopes",
				"no expiry": "expires_at"}[name]
			if argument == "" {
				argument = name
			}
			over := func(value any) acctest.JSON {
				lines := maps.Clone(base)
				lines[argument] = value
				return lines
			}
			s := prepare(t)
			s.Configure(base)
			id := s.ID()
			s.service.Sandbox.ResetRequests()
			p := s.Replan(over(c.unknown))
			same(t, "replaces", p.Replaces)
			same(t, "unknown", p.Unknown(t), argument)
			equal := s.Again(p, s.With(over(c.equal)))
			same(t, "changes that turn out equal", equal.Changes(t))
			different := s.Again(p, s.With(over(c.other)))
			says(
				t,
				acctest.Errors(s.Apply(different)),
				`AttributeName("`+argument+`")`,
				"The plan has not shown this replacement",
				argument+" was not known",
				"Plan again",
			)
			same(t, "calls", s.Calls())
			if s.ID() != id {
				t.Error("the state has another key")
			}
			same(t, "replaces", s.Replan(over(c.other)).Replaces, argument)
			s.Settled(base)
		})
	}
}

// TestDirect_unknownAndRotated: a rotation continues next to what is not known yet, and not when that has turned out
// different.
func TestDirect_unknownAndRotated(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1", nil))
	first := s.ID()
	p := s.Replan(trigger("2", acctest.JSON{"description": acctest.Unknown}))
	says(
		t,
		acctest.Errors(s.Apply(s.Again(p, s.With(trigger("2", acctest.JSON{"description": "new"}))))),
		`AttributeName("description")`,
		"Plan again",
	)
	if s.ID() != first {
		t.Error("the key was rotated")
	}
	s.Apply(s.Again(p, s.With(trigger("2", nil))))
	same(t, "previous_keys", s.previous(), first)
}

// TestDirect_appliesThePlan: the apply takes nothing from the configuration, which Terraform passes there without
// ignore_changes.
func TestDirect_appliesThePlan(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1", nil))
	first := s.ID()
	s.service.Sandbox.ResetRequests()
	p := s.Replan(trigger("1", acctest.JSON{"grace_period_days": 3}))
	p.Config = s.Plan(s.With(trigger("2", acctest.JSON{
		"grace_period_days":    3,
		"description":          "new",
		"scopes":               nil,
		"expires_at":           "2098-01-01",
		"revoke_previous_keys": true,
	}))).Config
	if text := acctest.Errors(s.Apply(p)); text != "" {
		t.Fatal(text)
	}
	same(t, "calls", s.Calls())
	if s.ID() != first {
		t.Error("the state has another key")
	}
	s.Is("rotate_when_changed", `{"version":"1"}`)
	s.Settled(trigger("1", acctest.JSON{"grace_period_days": 3}))
}
