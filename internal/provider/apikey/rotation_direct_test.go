package apikey_test

import (
	"maps"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// trigger is the trigger with a value, and further lines.
func trigger(value string, more acctest.JSON) acctest.JSON {
	lines := acctest.JSON{"rotate_when_changed": acctest.JSON{"version": value}}
	maps.Copy(lines, more)
	return lines
}

// rotated are the attributes that a rotation makes unknown.
var rotated = []string{"id", "key_prefix", "previous_keys", "rotated_at", "rotation_due_at", "source", "token"}

// TestDirect_trigger: the first value rotates nothing, another one does, in place: of the plan exactly what the
// rotation changes becomes unknown. Both keys work until the grace period is over.
func TestDirect_trigger(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(nil)
	firstID, first, created := s.ID(), s.token(), s.Text("created_at")
	s.Configure(trigger("1", nil))
	if s.ID() != firstID || s.token() != first {
		t.Error("the first value has rotated the key")
	}
	p := s.Replan(trigger("2", nil))
	same(t, "unknown", p.Unknown(t), rotated...)
	same(t, "replaces", p.Replaces)
	s.service.Sandbox.ResetRequests()
	s.Apply(p)
	same(t, "calls", s.Calls(), "api_keys.rotate")
	second := s.token()
	if s.ID() == firstID || second == first {
		t.Errorf("id %s, token %s", s.ID(), second)
	}
	same(t, "previous_keys", s.previous(), firstID)
	s.Is("rotated_at", `"`+s.remote(s.ID())["createdAt"].(string)+`"`)
	s.Is("created_at", created)
	s.works(first, second)
	s.Settled(trigger("2", nil))
	s.Is("created_at", created)
	// The grace period is seven days when nothing else is said.
	until, err := time.Parse(time.RFC3339, s.remote(firstID)["expiresAt"].(string))
	if left := time.Until(until); err != nil || left < 7*day-time.Hour || left > 7*day {
		t.Errorf("the grace ends in %s (%v)", left, err)
	}
	s.at(7*day+time.Minute, func() {
		s.refused(first)
		s.works(second)
	})
	// Without the trigger nothing is rotated, nor with another first value.
	for _, lines := range []acctest.JSON{nil, trigger("9", nil)} {
		s.Configure(lines)
		if s.token() != second {
			t.Errorf("%v has rotated the key", lines)
		}
		s.Settled(lines)
	}
}

// TestDirect_age: the key is rotated at the first apply after so many days since its creation, and then since its
// rotation.
func TestDirect_age(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	aged := acctest.JSON{"rotate_after_days": 30}
	s.at(-29*day, func() { s.Configure(aged) })
	s.Settled(aged)
	s = prepare(t)
	s.at(-31*day, func() { s.Configure(aged) })
	first := s.token()
	p := s.Replan(aged)
	same(t, "unknown", p.Unknown(t), rotated...)
	s.Apply(p)
	if s.token() == first {
		t.Error("the key was not rotated")
	}
	rotatedAt, err := time.Parse(time.RFC3339, s.remote(s.ID())["createdAt"].(string))
	if err != nil {
		t.Fatal(err)
	}
	s.Is("rotation_due_at", `"`+rotatedAt.AddDate(0, 0, 30).Format(time.RFC3339)+`"`)
	s.Settled(aged)
	// Another age moves the date; a shorter one can make the key overdue immediately, and without one it is never due.
	s.Configure(acctest.JSON{"rotate_after_days": 40})
	s.Is("rotation_due_at", `"`+rotatedAt.AddDate(0, 0, 40).Format(time.RFC3339)+`"`)
	s.Configure(nil)
	s.Is("rotation_due_at", "null")
	same(t, "rotations", rotations(s), "api_keys.rotate")
}

func rotations(s *subject) []string {
	var all []string
	for _, name := range s.Calls() {
		if name == "api_keys.rotate" {
			all = append(all, name)
		}
	}
	return all
}

// TestDirect_twoRotations: two rotations inside one grace period keep both predecessors in view, the newest first; each
// leaves when its grace period is over, or when another system revokes it.
func TestDirect_twoRotations(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	var ids, tokens []string
	note := func() { ids, tokens = append(ids, s.ID()), append(tokens, s.token()) }
	s.Configure(trigger("1", nil))
	note()
	// Ten days ago, with a grace period that is over by now.
	s.at(-10*day, func() { s.Configure(trigger("2", acctest.JSON{"grace_period_days": 9})) })
	note()
	s.Configure(trigger("3", acctest.JSON{"grace_period_days": 9}))
	note()
	s.Configure(trigger("4", acctest.JSON{"grace_period_days": 9}))
	note()
	lines := trigger("4", acctest.JSON{"grace_period_days": 9})
	s.Settled(lines)
	same(t, "previous_keys", s.previous(), ids[2], ids[1])
	s.works(tokens[1:]...)
	s.refused(tokens[0])
	s.service.MustCollections("DELETE", keys+"/"+ids[1], nil)
	s.Settled(lines)
	same(t, "previous_keys", s.previous(), ids[2])
	// Destroying revokes the key and the predecessor.
	s.Set(nil)
	s.refused(tokens...)
}

// TestDirect_revokePrevious: true ends every running grace period at that apply, also the one of a rotation in it, and
// is nothing to do after.
func TestDirect_revokePrevious(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1", nil))
	tokens := []string{s.token()}
	for _, version := range []string{"2", "3"} {
		s.Configure(trigger(version, nil))
		tokens = append(tokens, s.token())
	}
	s.works(tokens...)
	revoking := acctest.JSON{"revoke_previous_keys": true}
	p := s.Replan(trigger("3", revoking))
	same(t, "changes", p.Changes(t), "previous_keys", "revoke_previous_keys")
	same(t, "unknown", p.Unknown(t))
	s.Apply(p)
	s.Is("previous_keys", "[]")
	s.refused(tokens[:2]...)
	s.works(tokens[2])
	s.Settled(trigger("3", revoking))
	p = s.Replan(trigger("4", revoking))
	same(t, "unknown", p.Unknown(t), "id", "key_prefix", "rotated_at", "rotation_due_at", "source",
		"token")
	if planned := p.Text(t, "previous_keys"); planned != "[]" {
		t.Errorf("previous_keys is planned as %s", planned)
	}
	s.Apply(p)
	s.refused(tokens[2])
	s.works(s.token())
	s.Settled(trigger("4", revoking))
}

// TestDirect_revokePreviousUnknown: what is only known at apply may end the grace periods, and need not.
func TestDirect_revokePreviousUnknown(t *testing.T) {
	t.Parallel()
	for value, left := range map[bool]int{true: 0, false: 1} {
		s := prepare(t)
		s.Configure(trigger("1", nil))
		s.Configure(trigger("2", nil))
		p := s.Replan(trigger("2", acctest.JSON{"revoke_previous_keys": acctest.Unknown}))
		same(t, "unknown", p.Unknown(t), "previous_keys", "revoke_previous_keys")
		s.Apply(s.Again(p, s.With(trigger("2", acctest.JSON{"revoke_previous_keys": value}))))
		if n := len(s.previous()); n != left {
			t.Errorf("%v leaves %d predecessors", value, n)
		}
	}
}

// TestDirect_triggerUnknown: a trigger that is only known at apply may rotate, and need not.
func TestDirect_triggerUnknown(t *testing.T) {
	t.Parallel()
	for value, rotates := range map[string]bool{"1": false, "2": true} {
		s := prepare(t)
		s.Configure(trigger("1", nil))
		before := s.ID()
		p := s.Replan(acctest.JSON{"rotate_when_changed": acctest.JSON{"version": acctest.Unknown}})
		s.Apply(s.Again(p, s.With(trigger(value, nil))))
		if (s.ID() != before) != rotates {
			t.Errorf("trigger %s: the key went from %s to %s", value, before, s.ID())
		}
	}
}

// TestDirect_revocationFails: the rotation is in the state before anything is revoked, and so is each revocation; the
// next apply does the rest.
func TestDirect_revocationFails(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1", nil))
	first := s.ID()
	s.Configure(trigger("2", nil))
	second := s.ID()
	s.Fault(sandbox.Fault{Operation: "api_keys.revoke", Skip: 1, Status: 403, Code: "insufficient_scope"})
	revoking := trigger("3", acctest.JSON{"revoke_previous_keys": true})
	says(t, acctest.Errors(s.Apply(s.Replan(revoking))), "Could not revoke the key", "insufficient_scope")
	if s.ID() == second || s.status(s.token()) != 200 {
		t.Error("the successor's token is not in the state")
	}
	same(t, "previous_keys", s.previous(), first)
	s.service.Sandbox.ClearFaults()
	p := s.Replan(revoking)
	same(t, "changes", p.Changes(t), "previous_keys")
	s.Apply(p)
	s.Is("previous_keys", "[]")
	s.Settled(revoking)
}

// TestDirect_destroyFails: what is revoked when a destroy fails is out of the state, and the rest is done by the next
// one.
func TestDirect_destroyFails(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1", nil))
	tokens := []string{s.token()}
	for _, version := range []string{"2", "3"} {
		s.Configure(trigger(version, nil))
		tokens = append(tokens, s.token())
	}
	first := s.previous()[1]
	s.Fault(sandbox.Fault{Operation: "api_keys.revoke", Skip: 1, Times: 1, Status: 403, Code: "insufficient_scope"})
	says(t, acctest.Errors(s.Apply(s.Plan(nil))), "Could not revoke the key", "insufficient_scope")
	if !s.Exists() {
		t.Fatal("the key is out of the state")
	}
	same(t, "previous_keys", s.previous(), first)
	s.Set(nil)
	s.refused(tokens...)
}
