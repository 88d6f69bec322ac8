package apikey_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestExpiryOfSuccessor: the expiry that a service gives to a successor is accepted as it is. Nothing is planned for it
// but a renewal in time, where a new key lives longer.
func TestExpiryOfSuccessor(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		asked, given time.Duration // from the creation, and from the rotation on; 0: none
		renewed      bool
		warns        string
	}{
		"the same absolute":       {60 * day, 50 * day, false, ""},
		"the same lifetime":       {60 * day, 60 * day, false, ""},
		"none":                    {60 * day, 0, false, "never expires"},
		"one, and none is asked":  {0, 40 * day, true, ""},
		"earlier than configured": {60 * day, 30 * day, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			clock := service.Sandbox.Clock()
			moment := func(d time.Duration) any {
				if d == 0 {
					return nil
				}
				return clock.Now().Add(d).UTC().Format(time.RFC3339)
			}
			successor, expiry := "", any(nil)
			s := service.Rewriting(func(path string, object acctest.JSON) {
				if strings.HasSuffix(path, "/rotate") {
					successor, _ = object["id"].(string)
				}
				if successor != "" && object["id"] == successor {
					object["expiresAt"] = expiry
				}
			}).Subject("billing_api_key", acctest.JSON{"name": "ci", "expires_at": moment(c.asked)})
			s.Configure(trigger("1", nil))
			clock.Advance(10 * day)
			expiry = moment(c.given)
			s.Reread()
			says(t, s.Configure(trigger("2", nil)), c.warns)
			if s.ID() != successor {
				t.Errorf("the key is %s, not the successor", s.ID())
			}
			s.Settled(trigger("2", nil))
			if c.given > 0 {
				clock.Advance(c.given - 7*day + time.Minute)
				changes := s.Replan(trigger("2", nil)).Unknown(t)
				if renewed := len(changes) > 0; renewed != c.renewed {
					t.Errorf("near its end a new key is planned: %v", changes)
				}
			}
		})
	}
}

// TestWithoutToken: a key whose token the service does not show is in the state, with a warning.
func TestWithoutToken(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	s := service.Rewriting(func(_ string, object acctest.JSON) { delete(object, "token") }).
		Subject("billing_api_key", acctest.JSON{"name": "ci"})
	says(t, s.Configure(nil), `The token of API key "ci" (id `+s.ID()+`) is not known`, "rotate_when_changed")
	s.Is("token", "null")
	s.Settled(nil)
}

// TestCreation_expiryNotShown: where the creation does not show when the key ends, it ends as was asked.
func TestCreation_expiryNotShown(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t).Rewriting(func(_ string, object acctest.JSON) { delete(object, "expiresAt") }).
		Subject("billing_api_key", acctest.JSON{"name": "ci", "expires_after_days": 30})
	s.Configure(nil)
	s.Is("rotation_due_at", `"2026-04-06T12:00:00Z"`)
}
