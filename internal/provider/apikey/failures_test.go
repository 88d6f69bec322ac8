package apikey_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var described = acctest.JSON{"description": "new"}

// TestFailures: wherever a change of the description fails, the old key works, the state names what exists, and the
// next apply continues with the step that has failed.
func TestFailures(t *testing.T) {
	t.Parallel()
	fault := func(f sandbox.Fault) func(*runs) {
		return func(l *runs) { f.Times = 1; l.fault(f) }
	}
	for name, c := range map[string]struct {
		fault       func(*runs)
		says        []string
		comes       bool // the new key is in the state
		first, next []string
		left        int // keys that nobody has the token of, and that are named
	}{
		"create rejected": {fault(sandbox.Fault{Operation: "api_keys.create", Status: 422, Code: "validation_error"}),
			[]string{`Could not create API key "ci"`}, false, []string{"create"}, []string{"create", "rotate", "revoke"}, 0},
		"create fails": {fault(sandbox.Fault{Operation: "api_keys.create", Status: 500}),
			[]string{`creation of API key "ci" was lost`, "probably none", "The old key is as it was"}, false,
			[]string{"create"}, []string{"create", "rotate", "revoke"}, 0},
		"create lost": {fault(sandbox.Fault{Operation: "api_keys.create", DropAfter: true}),
			[]string{`creation of API key "ci" was lost; it may be`, "import {", "The next apply creates another key"}, false,
			[]string{"create"}, []string{"create", "rotate", "revoke"}, 1},
		"rotate fails": {fault(sandbox.Fault{Operation: "api_keys.rotate", Status: 500}),
			[]string{"which the next apply tries again"}, true, []string{"create", "rotate"}, []string{"rotate", "revoke"}, 0},
		"rotate rejected": {fault(sandbox.Fault{Operation: "api_keys.rotate", Status: 403, Code: "insufficient_scope"}),
			[]string{"Could not give the old key", "insufficient_scope"}, true, []string{"create", "rotate"},
			[]string{"rotate", "revoke"}, 0},
		"rotate not processed": {fault(sandbox.Fault{Operation: "api_keys.rotate", DropBefore: true}),
			[]string{"which the next apply tries again"}, true, []string{"create", "rotate"}, []string{"rotate", "revoke"}, 0},
		"revoke fails": {fault(sandbox.Fault{Operation: "api_keys.revoke", Status: 403, Code: "insufficient_scope"}),
			[]string{"Could not revoke the key", "which nobody uses"}, true, []string{"create", "rotate", "revoke"},
			[]string{"revoke"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, nil)
			l.apply(nil)
			first, token := l.id(), l.token()
			l.advance(time.Hour)
			c.fault(l)
			l.calls()
			before := len(l.living("ci"))
			said := l.fails(described)
			says(t, said, append(c.says, `"ci"`)...)
			same(t, "calls", l.calls(), c.first...)
			if (l.id() != first) != c.comes {
				t.Errorf("the state has the key %s", l.id())
			}
			l.works(true, token, l.token())
			var left []string
			if c.left > 0 {
				left = l.living("ci")[before:]
				says(t, said, left...)
			}
			warned := l.apply(described)
			same(t, "calls", l.calls(), c.next...)
			if c.left > 0 {
				says(t, warned, append(left, "unused keys of its name exist")...)
			}
			same(t, "previous_keys", l.previous(), first)
			l.works(true, token, l.token())
			if n := len(l.living("ci")); n != 2+c.left {
				t.Errorf("%d keys live: %v", n, l.living("ci"))
			}
			l.settled(described)
			l.advance(7*day + time.Minute)
			l.works(false, token)
			l.settled(described)
		})
	}
}

// TestFailures_rotateLost: the old key has got its end although the response was lost. Its successor is named, once.
func TestFailures_rotateLost(t *testing.T) {
	t.Parallel()
	l := begin(t, nil)
	l.apply(nil)
	first := l.id()
	l.advance(time.Hour)
	l.fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, DropAfter: true})
	warned := l.apply(described)
	living := l.living("ci")
	left := slices.DeleteFunc(living, func(id string) bool { return id == first || id == l.id() })
	if len(left) != 1 {
		t.Fatalf("left: %v", left)
	}
	says(t, warned, "an unused key is left, "+left[0], "import {")
	same(t, "previous_keys", l.previous(), first)
	if text := l.settled(described); text != "" {
		t.Error(text)
	}
}

// TestFailures_known: a key that the state knows is never named as one that a lost response has left, however young.
func TestFailures_known(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		operation string
		lines     acctest.JSON
	}{
		"rotation for the end":  {"api_keys.rotate", described},
		"creation in place":     {"api_keys.create", described},
		"the service's, lost":   {"api_keys.rotate", trigger("3", nil)},
		"a rotation, then none": {"", described},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, nil)
			l.apply(trigger("1", nil))
			l.apply(trigger("2", nil))
			known := append(l.previous(), l.id())
			if c.operation != "" {
				l.fault(sandbox.Fault{Operation: c.operation, Times: 1, DropAfter: true})
			} else {
				l.fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, Status: 403, Code: "insufficient_scope"})
				l.fails(merged(trigger("2", nil), c.lines))
				l.service.MustCollections("POST", keys+"/"+known[1]+"/rotate", acctest.JSON{"graceDays": 2})
			}
			p := l.plan(merged(trigger("2", nil), c.lines))
			done := l.core.Apply(p, false)
			said := strings.Join(slices.Concat(done.Errors, done.Warnings), "\n")
			says(t, said, "import {")
			for _, id := range known {
				if strings.Contains(said, `id = "`+id) || strings.Contains(said, "  "+id) {
					t.Errorf("%s is named as left over: %s", id, said)
				}
			}
		})
	}
}

// TestFailures_ownExpiry: that the old key expires by itself within some weeks is no proof that it was rotated.
func TestFailures_ownExpiry(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sandbox.Fault{"fails": {Status: 503}, "not processed": {DropBefore: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, acctest.JSON{"expires_after_days": 20, "grace_period_days": 2})
			l.apply(nil)
			first, token := l.id(), l.token()
			l.advance(time.Hour)
			fault.Operation, fault.Times = "api_keys.rotate", 1
			l.fault(fault)
			says(t, l.fails(described), "Could not give the old key "+first+" an end, which the next apply tries again")
			same(t, "previous_keys", l.previous(), first+" open")
			l.apply(described)
			same(t, "previous_keys", l.previous(), first)
			l.settled(described)
			l.advance(2*day + time.Minute)
			l.works(false, token)
		})
	}
}

// TestFailures_rotatedMeanwhile: another system has rotated, revoked or deleted the old key before it gets its end.
func TestFailures_rotatedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		happens func(l *runs, id string)
		stays   bool
	}{
		"rotated": {func(l *runs, id string) {
			l.service.MustCollections("POST", keys+"/"+id+"/rotate", acctest.JSON{"graceDays": 2})
		}, true},
		"revoked": {func(l *runs, id string) { l.service.MustCollections("DELETE", keys+"/"+id, nil) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, nil)
			l.apply(nil)
			first := l.id()
			l.fault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, Status: 500})
			l.fails(described)
			same(t, "previous_keys", l.previous(), first+" open")
			p := l.plan(described)
			if p.Of("billing_api_key.k").After["previous_keys"] != acctest.Unknown {
				t.Error("the plan does not continue")
			}
			c.happens(l, first)
			l.core.Apply(p, false)
			if c.stays {
				same(t, "previous_keys", l.previous(), first)
			} else {
				same(t, "previous_keys", l.previous())
			}
			l.settled(described)
		})
	}
}

// TestFailures_thenOtherwise: what the next apply asks for does not change what is left to do: another new key, no
// grace, revocation, destroying.
func TestFailures_thenOtherwise(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		operation string
		next      acctest.JSON
		old       bool // the old key works on
		living    int
	}{
		"another key":          {"api_keys.rotate", acctest.JSON{"description": "newer"}, true, 3},
		"no grace":             {"api_keys.rotate", merged(described, acctest.JSON{"grace_period_days": 0}), true, 2},
		"revoked":              {"api_keys.rotate", merged(described, acctest.JSON{"revoke_previous_keys": true}), false, 1},
		"revoked, a successor": {"api_keys.revoke", merged(described, acctest.JSON{"revoke_previous_keys": true}), false, 1},
		"destroyed":            {"api_keys.revoke", nil, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, nil)
			l.apply(nil)
			token := l.token()
			l.fault(sandbox.Fault{Operation: c.operation, Times: 1, Status: 403, Code: "insufficient_scope"})
			l.fails(described)
			if c.next == nil {
				l.core.Apply(l.core.Plan(acctest.Configuration{}), false)
			} else {
				l.apply(c.next)
				l.settled(c.next)
			}
			l.works(c.old, token)
			if n := len(l.living("ci")); n != c.living {
				t.Errorf("%d keys live", n)
			}
		})
	}
}

// TestFailures_noGrace: the old key of a change without a grace period is revoked by the next apply.
func TestFailures_noGrace(t *testing.T) {
	t.Parallel()
	l := begin(t, acctest.JSON{"grace_period_days": 0})
	l.apply(nil)
	first, token := l.id(), l.token()
	l.fault(sandbox.Fault{Operation: "api_keys.revoke", Times: 1, Status: 403, Code: "insufficient_scope"})
	says(t, l.fails(described), "Could not revoke the key "+first)
	same(t, "previous_keys", l.previous(), first+" open")
	l.works(true, token, l.token())
	l.apply(described)
	l.works(false, token)
	l.settled(described)
}

// TestKilled: a run is killed after any step. The next plan names each key that nobody has the token of, and the old
// key keeps its grace period.
func TestKilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines acctest.JSON
		fault *sandbox.Fault // what has kept the run from getting further
		lost  int
	}{
		"after the creation":        {described, &sandbox.Fault{Operation: "api_keys.rotate", Status: 403, Code: "x"}, 1},
		"after the rotation":        {described, &sandbox.Fault{Operation: "api_keys.revoke", Status: 403, Code: "x"}, 2},
		"at the end":                {described, nil, 1},
		"after a rotation in place": {trigger("2", nil), nil, 1},
		"after a change of name": {acctest.JSON{"name": "other"},
			&sandbox.Fault{Operation: "api_keys.revoke", Status: 403, Code: "x"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, nil)
			l.apply(trigger("1", nil))
			first, token := l.id(), l.token()
			l.advance(time.Hour)
			if c.fault != nil {
				c.fault.Times = 1
				l.fault(*c.fault)
			}
			lines := merged(trigger("1", nil), c.lines)
			l.killed(lines)
			if l.id() != first {
				t.Fatal("the state was written")
			}
			lost := slices.DeleteFunc(l.living("ci", "other"), func(id string) bool { return id == first })
			if len(lost) != c.lost {
				t.Fatalf("lost: %v", lost)
			}
			says(t, l.apply(lines), lost...)
			l.works(true, token, l.token())
			same(t, "previous_keys", l.previous(), first)
			l.settled(lines)
			l.advance(7*day + time.Minute)
			l.works(false, token)
		})
	}
}

// TestRotationLost: the old key has got its end and the token of its successor is lost, or nothing has happened. The
// next apply gets a new key in both cases.
func TestRotationLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault sandbox.Fault
		lines acctest.JSON
		says  string
		calls []string
		left  int
	}{
		"processed":     {sandbox.Fault{DropAfter: true}, nil, "the token of its successor is lost", []string{"create"}, 1},
		"not processed": {sandbox.Fault{DropBefore: true}, nil, "does not show that it was rotated", []string{"rotate"}, 0},
		"processed, and it ends before its grace": {sandbox.Fault{DropAfter: true}, acctest.JSON{"expires_at": "@5"},
			"does not show that it was rotated", []string{"rotate", "create"}, 1},
		"rejected": {sandbox.Fault{Status: 403, Code: "insufficient_scope"}, nil, "Could not rotate", []string{"rotate"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, nil)
			if c.lines != nil {
				l.base["expires_at"] = l.moment(5 * day)
			}
			l.apply(trigger("1", nil))
			first, token := l.id(), l.token()
			l.advance(time.Hour)
			c.fault.Operation, c.fault.Times = "api_keys.rotate", 1
			l.fault(c.fault)
			l.calls()
			said := l.fails(trigger("2", nil))
			same(t, "calls", l.calls(), "rotate")
			left := slices.DeleteFunc(l.living("ci"), func(id string) bool { return id == first })
			says(t, said, append(left, c.says)...)
			if len(left) != c.left {
				t.Errorf("left: %v", left)
			}
			l.works(true, token)
			warned := l.apply(trigger("2", nil))
			if c.lines == nil {
				says(t, warned, left...)
			}
			same(t, "calls", l.calls(), c.calls...)
			same(t, "previous_keys", l.previous(), first)
			l.works(true, token, l.token())
			l.settled(trigger("2", nil))
		})
	}
}

// TestCreationLost: nothing is repeated or taken over, and the error names the key.
func TestCreationLost(t *testing.T) {
	t.Parallel()
	l := begin(t, nil)
	l.service.MustCollections("POST", keys, acctest.JSON{"name": "ci"})
	l.advance(time.Minute)
	l.fault(sandbox.Fault{Operation: "api_keys.create", Times: 1, DropAfter: true})
	said := l.fails(nil)
	living := l.living("ci")
	says(t, said, "was lost; it may be "+living[1], "A second apply creates another key", `id = "`+living[1]+`"`)
	if strings.Contains(said, living[0]) {
		t.Error("a key that existed before is named")
	}
	if l.core.State("billing_api_key.k") != nil {
		t.Error("it was taken over")
	}
	same(t, "calls", l.calls(), "create", "create")
	says(t, l.apply(nil), living[1])
}
