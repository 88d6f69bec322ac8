package apikey_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestDirect_lostCreation: a key whose token was lost with the response is of no use to anybody, so it is revoked and
// another one created.
func TestDirect_lostCreation(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Fault(sandbox.Fault{Operation: "api_keys.create", Times: 1, DropAfter: true})
	warned := s.Configure(acctest.JSON{"description": "d"})
	same(t, "calls", s.Calls(), "api_keys.create", "api_keys.revoke", "api_keys.create")
	var lost string
	for _, r := range s.service.Sandbox.Requests() {
		if r.Operation == "api_keys.revoke" {
			lost = r.Path[strings.LastIndex(r.Path, "/")+1:]
		}
	}
	says(t, warned, "created twice, and the first one revoked", lost)
	if s.remote(lost)["revokedAt"] == nil || lost == s.ID() {
		t.Errorf("key %s is not the revoked one", lost)
	}
	s.works(s.token())
	s.Settled(acctest.JSON{"description": "d"})
}

// TestDirect_lostCreationAtAnotherTime: the clock of the service decides what is new, also where this machine's is a
// day ahead or behind.
func TestDirect_lostCreationAtAnotherTime(t *testing.T) {
	t.Parallel()
	for name, distance := range map[string]time.Duration{"behind": -25 * time.Hour, "ahead": 25 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.service.Sandbox.Clock().Advance(distance)
			s.Fault(sandbox.Fault{Operation: "api_keys.create", Times: 1, DropAfter: true})
			says(t, s.Configure(nil), "created twice, and the first one revoked")
			s.works(s.token())
		})
	}
}

// TestDirect_innocentKey: a creation that was not processed finds the key that another system has created just before.
// It is neither revoked nor replaced, whatever the clocks show; the creation is sent again.
func TestDirect_innocentKey(t *testing.T) {
	t.Parallel()
	for name, age := range map[string]time.Duration{"just created": 0, "the service is a day behind": -day} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.service.Sandbox.Clock().Advance(age)
			other := s.another()
			s.service.Sandbox.ResetRequests()
			s.Fault(sandbox.Fault{Operation: "api_keys.create", Times: 1, Status: 503})
			if text := acctest.Errors(s.Apply(s.Plan(s.With(nil)))); text != "" {
				t.Error(text)
			}
			same(t, "calls", s.Calls(), "api_keys.create", "api_keys.create")
			s.works(other, s.token())
		})
	}
}

// TestDirect_notDiscarded: another system creates the same key at the same time. Which one is whose nobody knows, so
// none is revoked and none created again; the error offers to import them.
func TestDirect_notDiscarded(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Fault(sandbox.Fault{Operation: "api_keys.create", Times: 1, DropAfter: true})
	token := make(chan string)
	go func() {
		for s.service.Count("api_keys.create") == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		token <- s.another()
	}()
	said := acctest.Errors(s.Apply(s.Plan(s.With(nil))))
	says(t, said, `Could not create API key "ci"`, "found 2 of them", "import {", "to = billing_api_key.this")
	same(t, "calls", s.Calls(), "api_keys.create", "api_keys.create")
	s.works(<-token)
	if s.Exists() {
		t.Error("a key that is not known is in the state")
	}
}

// another creates a key of the same name as another system would, and returns its token.
func (s *subject) another() string {
	return s.service.MustCollections("POST", keys,
		acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}})["token"].(string)
}

// TestDirect_lostRotation: the rotation has happened and its token was lost with the response. It is not sent again;
// the successor is in the state without a token, the old key among its predecessors, and the next apply rotates the
// successor.
func TestDirect_lostRotation(t *testing.T) {
	t.Parallel()
	for name, days := range map[string]int{"with a grace": 5, "without a grace": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			lines := func(version string) acctest.JSON { return trigger(version, acctest.JSON{"grace_period_days": days}) }
			s.Configure(lines("1"))
			firstID, first := s.ID(), s.token()
			s.Fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, DropAfter: true})
			s.service.Sandbox.ResetRequests()
			said := s.Apply(s.Replan(lines("2")))
			says(t, acctest.Errors(said), "was rotated", "token was lost with the response", s.ID())
			says(t, acctest.Warnings(said), "The successor was taken over without its token", s.ID(),
				"The next apply rotates it")
			same(t, "calls", s.Calls(), "api_keys.rotate")
			lost := s.ID()
			if lost == firstID {
				t.Fatal("the state has the old key")
			}
			s.Is("token", "null")
			s.Is("rotate_when_changed", `{"version":"1"}`)
			want := []string{firstID}
			if days == 0 {
				want = nil
			}
			same(t, "previous_keys", s.previous(), want...)
			s.Apply(s.Replan(lines("2")))
			s.works(s.token())
			if days > 0 {
				s.works(first)
				same(t, "previous_keys", s.previous(), lost, firstID)
			} else if s.remote(lost)["expiresAt"] == nil {
				t.Error("the successor whose token is lost works on")
			}
			s.Settled(lines("2"))
			s.Set(nil)
			s.refused(first)
		})
	}
}

// TestDirect_lostRotationByAge: an overdue key stays overdue until there is a token.
func TestDirect_lostRotationByAge(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	aged := acctest.JSON{"rotate_after_days": 5}
	s.at(-6*day, func() { s.Configure(aged) })
	s.Fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, DropAfter: true})
	s.Apply(s.Replan(aged))
	s.Is("token", "null")
	s.Apply(s.Replan(aged))
	s.works(s.token())
	s.Settled(aged)
}

// TestDirect_unseenRotation: where no successor can be found, the state stays, and the error says how to find out.
func TestDirect_unseenRotation(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Configure(trigger("1", nil))
	first := s.ID()
	s.Fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, DropAfter: true})
	s.Fault(sandbox.Fault{Operation: "api_keys.list", Status: 403, Code: "insufficient_scope"})
	says(t, acctest.Errors(s.Apply(s.Replan(trigger("2", nil)))), "may or may not have been rotated",
		"Look at the list of keys")
	if s.ID() != first {
		t.Error("the state has another key")
	}
}

// TestDirect_withoutToken: a service that shows no token leaves a key without one, with a warning and not as a failure.
func TestDirect_withoutToken(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Direct = s.service.Rewriting(func(path string, object acctest.JSON) { delete(object, "token") }).
		Direct("billing_api_key")
	says(t, s.Configure(nil), `AttributeName("token")`, "The token is not known", "Rotate the key")
	s.Is("token", "null")
}

// TestDirect_import: by id and by name; the token is null, with a warning how to get one, and the plan is empty.
func TestDirect_import(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	lines := acctest.JSON{"description": "d", "expires_at": "2098-01-01T00:00:00.000Z"}
	s.Configure(lines)
	for _, id := range []string{s.ID(), "id=" + s.ID(), "name=ci"} {
		other := s.service.Direct("billing_api_key")
		said := other.Import(id)
		if text := acctest.Errors(said); text != "" {
			t.Fatalf("%s: %s", id, text)
		}
		says(t, acctest.Warnings(said), `AttributeName("token")`, "The token of an imported key is not known",
			"rotate_when_changed", "grace_period_days")
		for _, name := range []string{"id", "name", "description", "scopes", "expires_at", "key_prefix", "source",
			"created_at", "previous_keys", "rotated_at"} {
			if other.Text(name) != s.Text(name) {
				t.Errorf("%s: imported %s as %s, want %s", id, name, other.Text(name), s.Text(name))
			}
		}
		if token := other.Text("token"); token != "null" {
			t.Errorf("imported with the token %s", token)
		}
		same(t, "changes", other.Plan(s.With(lines)).Changes(t))
	}
}

// TestDirect_importOverdue: the plan that imports a key never rotates it, overdue or not; the next one does.
func TestDirect_importOverdue(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.at(-40*day, func() {
		s.service.MustCollections("POST", keys, acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}})
	})
	lines := trigger("1", acctest.JSON{"rotate_after_days": 30})
	s.Import("name=ci")
	imported := s.ID()
	s.Reread()
	p := s.Replan(lines)
	same(t, "unknown", p.Unknown(t))
	same(t, "changes", p.Changes(t), "rotate_after_days", "rotate_when_changed", "rotation_due_at")
	s.Apply(p)
	if s.ID() != imported {
		t.Error("the import has rotated the key")
	}
	s.Apply(s.Replan(lines))
	same(t, "previous_keys", s.previous(), imported)
	s.works(s.token())
	s.Settled(lines)
}

// TestDirect_importRotates: the way to a token that the warning names leads there.
func TestDirect_importRotates(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.service.MustCollections("POST", keys, acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}})
	s.Import("name=ci")
	s.Configure(trigger("1", nil))
	s.Is("token", "null")
	s.Reread()
	s.Configure(trigger("2", nil))
	s.works(s.token())
}

// TestDirect_importRefused: several keys that work, none, and one that has ended are errors that help. One that works
// is preferred to those of the same name that have ended.
func TestDirect_importRefused(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	create := func(name string) string {
		return s.service.MustCollections("POST", keys, acctest.JSON{"name": name})["id"].(string)
	}
	one, two, three := create("twin"), create("twin"), create("twin")
	says(t, acctest.Errors(s.Import("name=twin")), "More than one API key", one, two, three, "Use the id")
	s.service.MustCollections("DELETE", keys+"/"+one, nil)
	s.service.MustCollections("DELETE", keys+"/"+two, nil)
	if text := acctest.Errors(s.Import("name=twin")); text != "" || s.ID() != three {
		t.Errorf("imported %s: %s", s.Text("id"), text)
	}
	ended := create("ended")
	s.service.MustCollections("DELETE", keys+"/"+ended, nil)
	for _, id := range []string{"name=ended", ended} {
		says(t, acctest.Errors(s.Import(id)), "The API key does not work any more", ended, "was revoked")
	}
	says(t, acctest.Errors(s.Import("name=nobody")), "No such API key", "nobody")
	says(t, acctest.Errors(s.Import("6f2d1c30-5c4e-4f2a-9a41-5d0b6c7d8e9f")), "No such API key")
	says(t, acctest.Errors(s.Import("name=")), "Invalid import id")
}

// TestDirect_importReplacesNothing: the plan that imports a key does not revoke it for an argument that differs.
func TestDirect_importReplacesNothing(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	lines := acctest.JSON{"description": "Reads charges", "scopes": []any{"charges:read"}}
	s.Configure(lines)
	s.Import(s.ID())
	for name, config := range map[string]acctest.JSON{
		"no description": {"scopes": []any{"charges:read"}}, "other scopes": {"description": "Reads charges",
			"scopes": []any{"*"}},
		"an end": {"description": "Reads charges", "scopes": []any{"charges:read"}, "expires_at": "2999-01-01"},
	} {
		p := s.Plan(s.With(config))
		if have := acctest.Errors(p.Diagnostics); !strings.Contains(have, "An import replaces nothing") ||
			!strings.Contains(have, `description = "Reads charges"`) {
			t.Errorf("%s: %q", name, have)
		}
	}
	if p := s.Plan(s.With(lines)); acctest.Errors(p.Diagnostics) != "" || len(p.Replaces) > 0 {
		t.Errorf("replaced for %v: %s", p.Replaces, acctest.Errors(p.Diagnostics))
	}
	// Refreshes do not end that: terraform import has one of its own. The first apply does.
	for range 3 {
		s.Reread()
		says(t, acctest.Errors(s.Plan(s.With(nil)).Diagnostics), "An import replaces nothing",
			`rotate_when_changed = { imported = "done" }`)
	}
	s.Settled(lines)
	id := s.ID()
	maps.Copy(lines, trigger("1", nil))
	s.Configure(lines)
	if s.ID() != id {
		t.Error("the first trigger has rotated the key")
	}
	same(t, "replaces", s.Replan(trigger("1", acctest.JSON{"scopes": []any{"charges:read"}})).Replaces, "description")
}
