package apikey_test

import (
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// rotateOutside rotates the key as another system would.
func (s *subject) rotateOutside(days int) {
	s.t.Helper()
	s.service.MustCollections("POST", keys+"/"+s.ID()+"/rotate", acctest.JSON{"graceDays": days})
}

// TestDirect_rotatedOutside: another system's rotation shortens the life of the key. The plan creates a new key in
// place and leaves the old one its grace period, with a warning that says so, however often it is refreshed and
// whatever else changes.
func TestDirect_rotatedOutside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after acctest.JSON }{
		"no expiry": {nil, nil},
		"an expiry": {acctest.JSON{"expires_at": "2098-01-01"}, acctest.JSON{"expires_at": "2098-01-01"}},
		"another scope": {nil, acctest.JSON{"scopes": []any{"webhook_endpoints:*", "charges:read"},
			"description": "new"}},
		"another expiry": {nil, acctest.JSON{"expires_at": "2098-01-01"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.Configure(c.before)
			first, token, created := s.ID(), s.token(), s.Text("created_at")
			s.rotateOutside(2)
			for range 2 {
				says(
					t,
					s.Reread(),
					`AttributeName("expires_at")`,
					"An API key was rotated outside of Terraform",
					"works until then",
					"revokes nothing",
				)
			}
			s.service.Sandbox.ResetRequests()
			p := s.Replan(c.after)
			same(t, "replaces", p.Replaces)
			for _, name := range []string{"id", "key_prefix", "previous_keys", "rotated_at", "source", "token"} {
				if p.Text(t, name) != "unknown" {
					t.Errorf("%s is planned as %s", name, p.Text(t, name))
				}
			}
			if text := acctest.Errors(s.Apply(s.Again(p, s.With(c.after)))); text != "" {
				t.Fatal(text)
			}
			same(t, "calls", s.Calls(), "api_keys.create")
			same(t, "previous_keys", s.previous(), first)
			s.Is("created_at", created)
			s.works(token, s.token())
			s.Settled(c.after)
			s.service.Sandbox.Clock().Advance(2*day + time.Minute)
			s.Settled(c.after)
			s.Is("previous_keys", "[]")
			s.works(s.token())
		})
	}
}

// TestDirect_rotatedOutsideRevoking: revoke_previous_keys ends the old key, as configured.
func TestDirect_rotatedOutsideRevoking(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	lines := acctest.JSON{"revoke_previous_keys": true}
	s.Configure(lines)
	token := s.token()
	s.rotateOutside(2)
	p := s.Replan(lines)
	if planned := p.Text(t, "previous_keys"); planned != "[]" {
		t.Errorf("previous_keys is planned as %s", planned)
	}
	s.Apply(p)
	s.refused(token)
	s.works(s.token())
	s.Settled(lines)
}

// TestDirect_rotatedOutsideAndEnded: a grace period that is over, or of no days, leaves a key that does not work. The
// plan creates a new one, unless the configured date has passed too.
func TestDirect_rotatedOutsideAndEnded(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *subject){
		"no grace": func(s *subject) { s.rotateOutside(0); s.service.Sandbox.Clock().Advance(time.Second) },
		"over":     func(s *subject) { s.rotateOutside(2); s.service.Sandbox.Clock().Advance(3 * day) },
		"seen before": func(s *subject) {
			s.rotateOutside(2)
			s.Reread()
			s.service.Sandbox.Clock().Advance(3 * day)
		},
		"revoked after it": func(s *subject) {
			s.rotateOutside(2)
			s.Reread()
			s.service.Sandbox.Clock().Advance(3 * day)
			s.service.MustCollections("DELETE", keys+"/"+s.ID(), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			lines := acctest.JSON{"expires_at": s.moment(20 * day)}
			s.Configure(lines)
			first := s.ID()
			end(s)
			says(t, s.Reread(), "An API key was rotated outside of Terraform", "does not work any more")
			s.Apply(s.Replan(lines))
			if s.ID() == first {
				t.Fatal("there is no new key")
			}
			s.Is("previous_keys", "[]")
			s.works(s.token())
			s.Settled(lines)
			end(s)
			s.Reread()
			s.service.Sandbox.Clock().Advance(30 * day)
			s.Settled(lines)
		})
	}
}

// TestDirect_rotatedOutsideAccepted: a configuration that names the new end of the key keeps it to that end.
func TestDirect_rotatedOutsideAccepted(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	first := s.ID()
	s.rotateOutside(2)
	s.Reread()
	lines := acctest.JSON{"expires_at": s.remote(first)["expiresAt"]}
	s.Settled(lines)
	s.service.Sandbox.Clock().Advance(3 * day)
	s.Settled(lines)
	// A key that cannot be rotated any more is not. Its successor has another end than configured.
	s = prepare(t)
	s.Configure(trigger("1", nil))
	first = s.ID()
	s.rotateOutside(2)
	lines = trigger("2", acctest.JSON{"expires_at": s.remote(first)["expiresAt"]})
	s.service.Sandbox.ResetRequests()
	s.Reread()
	s.Apply(s.Replan(lines))
	same(t, "calls", s.Calls(), "api_keys.create")
	same(t, "previous_keys", s.previous(), first)
}

// TestDirect_rotatedOutsideImported: what another system rotates after the import gets a new key too, as that revokes
// nothing. What differs otherwise is still rejected.
func TestDirect_rotatedOutsideImported(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	first := s.service.MustCollections("POST", keys, acctest.JSON{"name": "ci",
		"scopes": []string{"webhook_endpoints:*"}})["id"].(string)
	s.Import("name=ci")
	s.Settled(nil)
	s.rotateOutside(2)
	s.Reread()
	says(
		t,
		acctest.Errors(s.Plan(s.With(acctest.JSON{"description": "new"})).Diagnostics),
		`AttributeName("description")`,
		"An import replaces nothing",
	)
	s.Apply(s.Replan(nil))
	same(t, "previous_keys", s.previous(), first)
	s.Settled(nil)
}

// TestDirect_rotatedOutsideUnknown: an expiry that is only known at apply may be the new end of the key, and need not.
func TestDirect_rotatedOutsideUnknown(t *testing.T) {
	t.Parallel()
	for _, accepts := range []bool{true, false} {
		s := prepare(t)
		s.Configure(nil)
		first := s.ID()
		s.rotateOutside(2)
		lines := acctest.JSON{"expires_at": nil}
		if accepts {
			lines["expires_at"] = s.remote(first)["expiresAt"]
		}
		p := s.Replan(acctest.JSON{"expires_at": acctest.Unknown})
		s.Apply(s.Again(p, s.With(lines)))
		if (s.ID() == first) != accepts {
			t.Errorf("accepts %v: the key went from %s to %s", accepts, first, s.ID())
		}
		s.Settled(lines)
	}
}
