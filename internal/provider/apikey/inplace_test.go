package apikey_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestInPlace: whatever only a new key can have, it is created in place, and the old key keeps working until the
// service ends it after the grace period.
func TestInPlace(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]acctest.JSON{
		"name":               {"name": "other"},
		"description":        {"description": "new"},
		"scopes":             {"scopes": []any{"webhook_endpoints:*", "charges:read"}},
		"expires_at":         {"expires_at": "2098-01-01"},
		"expires_after_days": {"expires_after_days": 90},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, nil)
			l.apply(nil)
			first, token, created := l.id(), l.token(), l.get("created_at")
			l.advance(time.Hour)
			l.calls()
			if warned := l.apply(change); warned != "" {
				t.Errorf("a change with a grace period warns: %s", warned)
			}
			same(t, "calls", l.calls(), "create", "rotate", "revoke")
			same(t, "previous_keys", l.previous(), first)
			same(t, "living keys", l.living("ci", "other"), first, l.id())
			if l.get("created_at") != created || l.get("rotated_at") == nil {
				t.Errorf("created_at %v, rotated_at %v", l.get("created_at"), l.get("rotated_at"))
			}
			l.works(true, token, l.token())
			l.settled(change)
			l.advance(7*day - time.Minute)
			l.works(true, token)
			l.advance(2 * time.Minute)
			l.works(false, token)
			l.settled(change)
			same(t, "previous_keys", l.previous(), first)
			l.apply(merged(change, acctest.JSON{"allow_own_key": true}))
			same(t, "previous_keys", l.previous())
			l.works(true, l.token())
		})
	}
}

// TestInPlace_keepsEarlierGraces: editing the description ends no grace period that runs, of one key or of several.
func TestInPlace_keepsEarlierGraces(t *testing.T) {
	t.Parallel()
	l := begin(t, nil)
	l.apply(trigger("1", nil))
	var ids, tokens []string
	note := func() { ids, tokens = append([]string{l.id()}, ids...), append(tokens, l.token()) }
	note()
	for _, lines := range []acctest.JSON{trigger("2", nil), trigger("2", acctest.JSON{"description": "one"}),
		trigger("2", acctest.JSON{"description": "two"})} {
		l.advance(day)
		l.apply(lines)
		note()
	}
	same(t, "previous_keys", l.previous(), ids[1:]...)
	l.works(true, tokens...)
	l.advance(5*day + time.Minute)
	l.works(false, tokens[0])
	l.works(true, tokens[1:]...)
}

// TestInPlace_inherits: a trigger and the age use the service's rotation, one request, where no lifetime is new.
func TestInPlace_inherits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines acctest.JSON
		want  []string
	}{
		"nothing":    {nil, []string{"rotate"}},
		"a fixed":    {acctest.JSON{"expires_at": "2098-01-01"}, []string{"rotate"}},
		"a lifetime": {acctest.JSON{"expires_after_days": 90}, []string{"create", "rotate", "revoke"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, c.lines)
			l.apply(trigger("1", nil))
			first, token := l.id(), l.token()
			l.advance(time.Hour)
			l.calls()
			l.apply(trigger("2", nil))
			same(t, "calls", l.calls(), c.want...)
			same(t, "previous_keys", l.previous(), first)
			l.works(true, token, l.token())
			l.settled(trigger("2", nil))
		})
	}
}

// TestImmediateEnds: only a grace period of no days, revoke_previous_keys and destroying end a key at once, and the
// plan names the keys.
func TestImmediateEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after acctest.JSON
		calls         []string
		oldest        bool // the key before the old one works on
	}{
		"no grace, a change": {nil, acctest.JSON{"grace_period_days": 0, "description": "new"},
			[]string{"create", "revoke"}, true},
		"no grace, a rotation": {nil, trigger("3", acctest.JSON{"grace_period_days": 0}), []string{"rotate"}, true},
		"revoked, a change": {nil, acctest.JSON{"revoke_previous_keys": true, "description": "new"},
			[]string{"create", "revoke", "revoke"}, false},
		"revoked, a rotation": {nil, trigger("3", acctest.JSON{"revoke_previous_keys": true}),
			[]string{"rotate", "revoke", "revoke"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, trigger("1", nil))
			l.apply(nil)
			oldest := l.token()
			l.apply(trigger("2", nil))
			old, token := l.id(), l.token()
			l.base["rotate_when_changed"] = acctest.JSON{"version": "2"}
			l.calls()
			says(t, l.apply(c.after), `Changing API key "ci" (id `+old+`) ends`, "without a grace period", old+" (ck_")
			same(t, "calls", l.calls(), c.calls...)
			l.works(false, token)
			l.works(c.oldest, oldest)
			l.works(true, l.token())
			l.settled(c.after)
		})
	}
	t.Run("destroying", func(t *testing.T) {
		t.Parallel()
		l := begin(t, nil)
		l.apply(trigger("1", nil))
		first := l.id()
		l.apply(trigger("2", nil))
		p := l.core.Plan(acctest.Configuration{})
		says(t, strings.Join(p.Warnings, " "), `Destroying API key "ci" (id `+l.id()+`) ends 2 keys without a grace period`,
			first, l.id())
		l.core.Apply(p, false)
		same(t, "living keys", l.living("ci"))
	})
}

// TestDeletionPolicy: abandon sends nothing and warns of no end.
func TestDeletionPolicy(t *testing.T) {
	t.Parallel()
	l := begin(t, acctest.JSON{"deletion_policy": "abandon"})
	l.apply(nil)
	token := l.token()
	p := l.core.Plan(acctest.Configuration{})
	text := strings.Join(p.Warnings, " ")
	if !strings.Contains(text, "stays at the service") || strings.Contains(text, "ends") {
		t.Error(text)
	}
	l.core.Apply(p, false)
	l.works(true, token)
}

// TestUnknown_grace: a grace period that is not known is not none.
func TestUnknown_grace(t *testing.T) {
	t.Parallel()
	l := begin(t, acctest.JSON{"grace_period_days": 1})
	l.apply(nil)
	unknown := merged(described, acctest.JSON{"grace_period_days": acctest.Unknown})
	if p := l.plan(unknown); len(p.Warnings) > 0 || len(p.Errors) > 0 {
		t.Errorf("the plan says %v %v", p.Errors, p.Warnings)
	}
}

// TestUnknown: an argument that is not known may need a new key, so the plan shows one. What turns out equal makes
// none.
func TestUnknown(t *testing.T) {
	t.Parallel()
	base := trigger("1", acctest.JSON{"description": "d", "expires_at": "2098-01-01"})
	for name, c := range map[string]struct{ equal, other any }{
		"name":        {"ci", "other"},
		"description": {"d", "other"},
		"scopes":      {[]any{"webhook_endpoints:*"}, []any{"*"}},
		"expires_at":  {"2098-01-01T00:00:00Z", "2097-01-01"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, base)
			l.apply(nil)
			id := l.id()
			run := func(value any) {
				t.Helper()
				configuration, planning := l.configuration(nil), true
				configuration.Blocks[0].Evaluate = func(map[string]acctest.JSON) (acctest.JSON, error) {
					if planning {
						return merged(l.base, acctest.JSON{name: acctest.Unknown}), nil
					}
					return merged(l.base, acctest.JSON{name: value}), nil
				}
				p := l.core.Plan(configuration)
				if p.Of("billing_api_key.k").After["id"] != acctest.Unknown {
					t.Error("the plan does not show that a new key may come")
				}
				planning = false
				if done := l.core.Apply(p, false); len(done.Errors) > 0 {
					t.Fatal(done.Errors)
				}
			}
			l.calls()
			run(c.equal)
			same(t, "calls", l.calls())
			if l.id() != id {
				t.Error("the key has changed")
			}
			run(c.other)
			same(t, "calls", l.calls(), "create", "rotate", "revoke")
			same(t, "previous_keys", l.previous(), id)
			l.settled(acctest.JSON{name: c.other})
		})
	}
}

// TestLifetimeArguments: what cannot work is an error of the plan.
func TestLifetimeArguments(t *testing.T) {
	t.Parallel()
	l := begin(t, nil)
	for text, lines := range map[string]acctest.JSON{
		"two expiries":                            {"expires_at": "2098-01-01", "expires_after_days": 90},
		"its default is 7":                        {"expires_after_days": 7},
		"not longer than its":                     {"expires_after_days": 20, "grace_period_days": 20},
		"expires_after_days":                      {"expires_after_days": 0},
		"expires_at of API key \"ci\" has passed": {"expires_at": l.moment(-time.Hour)},
	} {
		if said := strings.Join(l.plan(lines).Errors, " "); !strings.Contains(said, text) {
			t.Errorf("%v: %q", lines, said)
		}
	}
	l.apply(acctest.JSON{"expires_after_days": 1, "grace_period_days": 0})
}

// TestScopes: scopes of an unusual form warn when they come, and in no later plan.
func TestScopes(t *testing.T) {
	t.Parallel()
	l := begin(t, nil)
	odd := acctest.JSON{"scopes": []any{"charges.read", "charges:read", "*"}}
	says(t, l.apply(odd), `API key "ci" has unusual scopes: "charges.read"`)
	if text := l.settled(odd); text != "" {
		t.Error(text)
	}
	odd["scopes"] = []any{"charges"}
	says(t, l.apply(odd), `has unusual scopes: "charges"`)
}

// TestSeveral: each key has its own warning, also where Terraform folds those with equal summaries.
func TestSeveral(t *testing.T) {
	t.Parallel()
	l := begin(t, nil)
	configuration := acctest.Configuration{}
	for _, name := range []string{"a", "b", "c"} {
		l.service.MustCollections("POST", keys, acctest.JSON{"name": name})
		configuration.Blocks = append(configuration.Blocks, acctest.Block{Address: "billing_api_key." + name,
			Values: acctest.JSON{"name": name, "scopes": []any{"charges"}, "grace_period_days": 0}})
	}
	summaries := func(p *acctest.CorePlan) int {
		all := map[string]bool{}
		for _, w := range p.Warnings {
			_, text, _ := strings.Cut(w, ": ")
			all[strings.SplitN(text, "\n", 2)[0]] = true
		}
		return len(slices.Collect(maps.Keys(all)))
	}
	p := l.core.Plan(configuration)
	if n := summaries(p); n != 6 {
		t.Errorf("%d different warnings: %v", n, p.Warnings)
	}
	l.core.Apply(p, false)
	for i := range configuration.Blocks {
		configuration.Blocks[i].Values["description"] = "new"
	}
	if p = l.core.Plan(configuration); summaries(p) < 3 {
		t.Errorf("warnings: %v", p.Warnings)
	}
}
