package apikey_test

import (
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// moment is a time at a distance from now by the service's clock.
func (s *subject) moment(distance time.Duration) string {
	return s.service.Sandbox.Clock().Now().Add(distance).Format(time.RFC3339)
}

// TestDirect_pastExpiry: a key that would be created with an expiry that has passed is rejected in the plan, by the
// service's clock and not by the machine's.
func TestDirect_pastExpiry(t *testing.T) {
	t.Parallel()
	for name, distance := range map[string]time.Duration{"now": 0, "years ahead": 10 * 365 * day,
		"years behind": -10 * 365 * day} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.service.Sandbox.Clock().Advance(distance)
			past, later := acctest.JSON{
				"expires_at": s.moment(-time.Hour),
			}, acctest.JSON{
				"expires_at": s.moment(time.Hour),
			}
			says(
				t,
				acctest.Errors(s.Plan(s.With(past)).Diagnostics),
				`AttributeName("expires_at")`,
				"has passed",
				past["expires_at"].(string),
				"The clock of the service shows "+s.moment(0)[:10],
			)
			s.Configure(later)
			s.Settled(later)
			// A replacement would revoke the key before it fails.
			s.Reread()
			says(
				t,
				acctest.Errors(s.Plan(s.With(past)).Diagnostics),
				`AttributeName("expires_at")`,
				"has passed",
			)
			s.works(s.token())
			if text := acctest.Errors(
				s.Plan(s.With(acctest.JSON{"expires_at": acctest.Unknown})).Diagnostics,
			); text != "" {
				t.Errorf("an expiry that is not known yet is refused: %s", text)
			}
		})
	}
}

// TestDirect_revokedBeforeItsDate: a key that another system revoked before its date is planned for re-creation, with
// an error where that date has passed in the configuration.
func TestDirect_revokedBeforeItsDate(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	lines := acctest.JSON{"expires_at": s.moment(2 * day)}
	s.Configure(lines)
	s.service.MustCollections("DELETE", keys+"/"+s.ID(), nil)
	says(t, s.Reread(), "was revoked outside of Terraform")
	if s.Exists() {
		t.Fatal("the key is still in the state")
	}
	s.service.Sandbox.Clock().Advance(3 * day)
	s.Direct = s.service.Direct("billing_api_key")
	says(
		t,
		acctest.Errors(s.Plan(s.With(lines)).Diagnostics),
		`AttributeName("expires_at")`,
		"has passed",
	)
}

// TestDirect_dueByTheRefresh: a rotation by age is decided when the plan is made. The plan inside the apply decides
// alike, however late it comes, and so does a plan without a refresh.
func TestDirect_dueByTheRefresh(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	aged := func(grace int) acctest.JSON { return acctest.JSON{"rotate_after_days": 1, "grace_period_days": grace} }
	s.Configure(aged(3))
	first := s.ID()
	p := s.Replan(aged(5))
	same(t, "changes", p.Changes(t), "grace_period_days")
	s.service.Sandbox.Clock().Advance(2 * day)
	same(t, "changes without a refresh", s.Plan(s.With(aged(5))).Changes(t), "grace_period_days")
	s.Apply(s.Again(p, s.With(aged(5))))
	if s.ID() != first {
		t.Error("the apply has rotated the key, and the plan did not show it")
	}
	due := s.Replan(aged(5))
	same(t, "unknown", due.Unknown(t), rotated...)
	s.Apply(s.Again(due, s.With(aged(5))))
	same(t, "previous_keys", s.previous(), first)
	s.Settled(aged(5))
}

// TestDirect_ageUnknown: an age that is only known at apply may rotate a key that is old enough, and need not.
func TestDirect_ageUnknown(t *testing.T) {
	t.Parallel()
	for age, rotates := range map[int]bool{2: true, 9: false} {
		s := prepare(t)
		s.Configure(nil)
		first := s.ID()
		same(
			t,
			"unknown",
			s.Replan(acctest.JSON{"rotate_after_days": acctest.Unknown}).Unknown(t),
			"rotate_after_days",
			"rotation_due_at",
		)
		s.service.Sandbox.Clock().Advance(3 * day)
		p := s.Replan(acctest.JSON{"rotate_after_days": acctest.Unknown})
		lines := acctest.JSON{"rotate_after_days": age}
		s.Apply(s.Again(p, s.With(lines)))
		if (s.ID() != first) != rotates {
			t.Errorf("%d days: the key went from %s to %s", age, first, s.ID())
		}
		s.Settled(lines)
	}
}

// TestDirect_endedByTheService: the service's clock decides everywhere whether a key works: in an import by id or
// by name, and for the end of an ephemeral key.
func TestDirect_endedByTheService(t *testing.T) {
	t.Parallel()
	for name, distance := range map[string]time.Duration{"years ahead": 10 * 365 * day,
		"years behind": -10 * 365 * day} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.service.Sandbox.Clock().Advance(distance)
			create := func(end time.Duration) string {
				return s.service.MustCollections("POST", keys, acctest.JSON{"name": "ci",
					"expiresAt": s.moment(end)})["id"].(string)
			}
			short, long := create(time.Hour), create(3*time.Hour)
			s.service.Sandbox.Clock().Advance(2 * time.Hour)
			says(t, acctest.Errors(s.Import(short)), "does not work any more", "has expired at")
			if text := acctest.Errors(s.Import("name=ci")); text != "" || s.ID() != long {
				t.Errorf("imported %s, want %s: %s", s.Text("id"), long, text)
			}
			o := s.service.Open("billing_api_key", acctest.JSON{"name": "run"})
			if text := acctest.Errors(o.Diagnostics); text != "" {
				t.Fatal(text)
			}
			expiry, err := time.Parse(time.RFC3339, unquoted(o.Text("expires_at")))
			if life := expiry.Sub(
				s.service.Sandbox.Clock().Now(),
			); err != nil || life < time.Hour-time.Minute ||
				life > time.Hour+time.Minute {
				t.Errorf("the ephemeral key lives for %s (%v)", life, err)
			}
			o.Close()
		})
	}
}

// TestDirect_revokedAndPassed: what another system has revoked before its date, and what is only noticed after it,
// has ended as configured.
func TestDirect_revokedAndPassed(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	lines := acctest.JSON{"expires_at": s.moment(2 * day)}
	s.Configure(lines)
	s.service.MustCollections("DELETE", keys+"/"+s.ID(), nil)
	s.service.Sandbox.Clock().Advance(3 * day)
	if text := s.Settled(lines); text != "" {
		t.Error(text)
	}
	s.Configure(acctest.JSON{"expires_at": s.moment(day)})
	s.works(s.token())
	s.Is("previous_keys", "[]")
}
