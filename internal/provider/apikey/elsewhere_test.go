package apikey_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// rotateElsewhere rotates the key as another system would, and returns the id of the successor.
func (l *runs) rotateElsewhere(days int) string {
	l.t.Helper()
	l.advance(time.Hour)
	return fmt.Sprint(l.service.MustCollections("POST", keys+"/"+l.id()+"/rotate", acctest.JSON{"graceDays": days})["id"])
}

// TestRotatedElsewhere: the plan creates a new key in place and leaves the old one the grace that it was given.
func TestRotatedElsewhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after acctest.JSON }{
		"no expiry":     {nil, nil},
		"an expiry":     {acctest.JSON{"expires_at": "2098-01-01"}, acctest.JSON{"expires_at": "2098-01-01"}},
		"another scope": {nil, acctest.JSON{"scopes": []any{"*"}, "description": "new"}},
		"no grace":      {nil, acctest.JSON{"grace_period_days": 0}},
		"an own grace": {acctest.JSON{"expires_after_days": 40, "grace_period_days": 30},
			acctest.JSON{"expires_after_days": 40, "grace_period_days": 30}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, nil)
			l.apply(c.before)
			first, token := l.id(), l.token()
			made := l.rotateElsewhere(2)
			l.calls()
			says(t, l.apply(c.after), "was rotated outside of Terraform", "unused keys of its name exist", made)
			same(t, "calls", l.calls(), "create")
			same(t, "previous_keys", l.previous(), first)
			l.works(true, token, l.token())
			l.settled(c.after)
			l.advance(2*day + time.Minute)
			l.works(false, token)
			l.settled(c.after)
		})
	}
}

// TestRotatedElsewhere_accepted: a configuration that names the new end keeps the key to that end.
func TestRotatedElsewhere_accepted(t *testing.T) {
	t.Parallel()
	l := begin(t, nil)
	l.apply(nil)
	id := l.id()
	l.rotateElsewhere(9)
	accepted := acctest.JSON{"expires_at": l.service.MustCollections("GET", keys+"/"+id, nil)["expiresAt"]}
	l.calls()
	l.apply(accepted)
	if text := l.settled(accepted); text != "" || l.id() != id {
		t.Errorf("%s: %s", l.id(), text)
	}
	l.advance(3 * day)
	says(t, l.settled(accepted), "is not renewed")
	l.advance(7 * day)
	l.settled(accepted)
	same(t, "calls", l.calls())
}

// TestRevokedElsewhere: the key is planned for re-creation, and what leaves the state with it is named.
func TestRevokedElsewhere(t *testing.T) {
	t.Parallel()
	l := begin(t, nil)
	l.apply(trigger("1", nil))
	first := l.id()
	l.apply(trigger("2", nil))
	second := l.id()
	l.service.MustCollections("DELETE", keys+"/"+second, nil)
	p := l.plan(trigger("2", nil))
	says(t, strings.Join(p.Warnings, " "), `API key "ci" (id `+second+`) was revoked outside of Terraform`, first)
	if p.Of("billing_api_key.k").Action != acctest.Create {
		t.Error("it is not created again")
	}
	l.core.Apply(p, false)
	l.works(true, l.token())
	l.settled(trigger("2", nil))
}

// TestImport: the run that imports a key makes no new one, whatever differs; the next plan does, and a faithful
// configuration plans nothing.
func TestImport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		has, lines acctest.JSON
		differs    bool
	}{
		"faithful":               {acctest.JSON{"description": "d"}, acctest.JSON{"description": "d"}, false},
		"overdue":                {nil, acctest.JSON{"rotate_after_days": 30}, true},
		"other scopes":           {acctest.JSON{"scopes": []any{"*"}}, nil, true},
		"no description":         {acctest.JSON{"description": "d"}, nil, true},
		"a description":          {nil, acctest.JSON{"description": "d"}, true},
		"an expiry":              {nil, acctest.JSON{"expires_at": "2098-01-01"}, true},
		"no expiry":              {acctest.JSON{"expiresAt": "2098-01-01"}, nil, true},
		"another expiry":         {acctest.JSON{"expiresAt": "2098-01-01"}, acctest.JSON{"expires_at": "2097-01-01"}, true},
		"a lifetime":             {acctest.JSON{"expiresAt": "2098-01-01"}, acctest.JSON{"expires_after_days": 90}, false},
		"a lifetime, and no end": {nil, acctest.JSON{"expires_after_days": 90}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, c.lines)
			id := fmt.Sprint(l.service.MustCollections("POST", keys,
				merged(acctest.JSON{"name": "ci", "scopes": []string{"webhook_endpoints:*"}}, c.has))["id"])
			l.advance(40 * day)
			l.calls()
			configuration := l.configuration(nil)
			configuration.Imports = map[string]any{"billing_api_key.k": "name=ci"}
			p := l.core.Plan(configuration)
			if done := l.core.Apply(p, false); len(p.Errors)+len(done.Errors) > 0 {
				t.Fatal(p.Errors, done.Errors)
			}
			same(t, "calls", l.calls())
			if warned := strings.Contains(strings.Join(p.Warnings, " "), "differs from the configuration"); warned !=
				(c.differs && name != "overdue") {
				t.Errorf("warnings: %v", p.Warnings)
			}
			if l.id() != id || l.get("token") != nil {
				t.Errorf("the import has made the key %s", l.id())
			}
			if !c.differs {
				l.settled(nil)
				return
			}
			l.apply(nil)
			same(t, "previous_keys", l.previous(), id)
			l.works(true, l.token())
			l.settled(nil)
		})
	}
}
