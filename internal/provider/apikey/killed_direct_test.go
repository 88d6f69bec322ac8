package apikey_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// killed rotates the key as a run that is killed before it writes its state, and returns the id of the successor.
func (s *subject) killed(id string, days int) string {
	s.t.Helper()
	return s.service.MustCollections("POST", keys+"/"+id+"/rotate", acctest.JSON{"graceDays": days})["id"].(string)
}

// TestDirect_killedRotation: a run was killed in the middle of a rotation. The next one finds the successor, whose
// token nobody has, and rotates it in turn. The old key keeps its grace period, and no key is left that the state does
// not know.
func TestDirect_killedRotation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after acctest.JSON
		days          int
		twice         bool
	}{
		"trigger": {trigger("1", nil), trigger("2", nil), 7, false},
		"with an expiry": {trigger("1", acctest.JSON{"expires_at": "2098-01-01"}),
			trigger("2", acctest.JSON{"expires_at": "2098-01-01"}), 7, false},
		"no grace": {trigger("1", acctest.JSON{"grace_period_days": 0}),
			trigger("2", acctest.JSON{"grace_period_days": 0}), 0, false},
		"killed twice": {trigger("1", nil), trigger("2", nil), 7, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.Configure(c.before)
			first, token := s.ID(), s.token()
			left := []string{s.killed(first, c.days)}
			if c.twice {
				left = append([]string{s.killed(left[0], c.days)}, left...)
			}
			s.service.Sandbox.Clock().Advance(2 * time.Second)
			says(t, s.Reread(), "An API key was rotated outside of Terraform", left[0], "never used", "import {")
			s.service.Sandbox.ResetRequests()
			p := s.Replan(c.after)
			same(t, "replaces", p.Replaces)
			s.Apply(s.Again(p, s.With(c.after)))
			same(t, "calls", s.Calls(), "api_keys.rotate")
			want := append(left, first)
			if c.days == 0 {
				want = nil
			} else {
				s.works(token)
			}
			same(t, "previous_keys", s.previous(), want...)
			s.works(s.token())
			s.Settled(c.after)
			s.Settled(c.after)
		})
	}
}

// TestDirect_killedRotationByAge: the age asks for the same rotation again.
func TestDirect_killedRotationByAge(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	aged := acctest.JSON{"rotate_after_days": 5}
	s.at(-6*day, func() { s.Configure(aged) })
	first := s.ID()
	left := s.killed(first, 7)
	s.Reread()
	s.Apply(s.Replan(aged))
	same(t, "previous_keys", s.previous(), left, first)
	s.works(s.token())
	s.Settled(aged)
}

// TestDirect_killedRevocation: a run was killed after it had rotated the key and revoked it, as revoke_previous_keys
// asks.
func TestDirect_killedRevocation(t *testing.T) {
	t.Parallel()
	for name, revoked := range map[string]bool{"before the revocation": false, "after it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			lines := func(version string) acctest.JSON { return trigger(version, acctest.JSON{"revoke_previous_keys": true}) }
			s.Configure(lines("1"))
			first, token := s.ID(), s.token()
			left := s.killed(first, 7)
			if revoked {
				s.service.MustCollections("DELETE", keys+"/"+first, nil)
			}
			for range 2 {
				says(t, s.Reread(), left)
			}
			s.Apply(s.Replan(lines("2")))
			s.refused(token)
			if s.remote(left)["revokedAt"] == nil {
				t.Error("the successor is left")
			}
			s.works(s.token())
			s.Settled(lines("2"))
		})
	}
}

// TestDirect_killedRotationLost: the token is lost once more, in the response.
func TestDirect_killedRotationLost(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1", nil))
	first := s.ID()
	left := s.killed(first, 7)
	s.Reread()
	s.Fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, DropAfter: true})
	says(t, acctest.Errors(s.Apply(s.Replan(trigger("2", nil)))), "token was lost")
	same(t, "previous_keys", s.previous(), left, first)
	s.Reread()
	s.Apply(s.Replan(trigger("2", nil)))
	s.works(s.token())
	s.Settled(trigger("2", nil))
}

// TestDirect_rotatedByAnother: a successor that is in use, or that the configuration does not ask for, is another
// system's. It is named and left alone; there is a new key.
func TestDirect_rotatedByAnother(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		used  bool
		after acctest.JSON
	}{
		"in use":        {true, trigger("2", nil)},
		"not asked for": {false, trigger("1", nil)},
		"another key":   {false, trigger("2", acctest.JSON{"description": "new"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.Configure(trigger("1", nil))
			first := s.ID()
			made := s.service.MustCollections("POST", keys+"/"+first+"/rotate", acctest.JSON{"graceDays": 7})
			if c.used {
				s.works(made["token"].(string))
			}
			warned := s.Reread()
			says(t, warned, made["id"].(string), "not managed here", "import {")
			if strings.Contains(warned, "never used") == c.used {
				t.Error(warned)
			}
			s.service.Sandbox.ResetRequests()
			lines := maps.Clone(c.after)
			s.Apply(s.Replan(lines))
			same(t, "calls", s.Calls(), "api_keys.create")
			same(t, "previous_keys", s.previous(), first)
			s.works(made["token"].(string), s.token())
		})
	}
}
