package apikey_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestRenewal_year: a key that lives 90 days renews itself for a year with 7 days of overlap, with one apply a day, and
// never is there a day without a working key.
func TestRenewal_year(t *testing.T) {
	t.Parallel()
	l := begin(t, acctest.JSON{"expires_after_days": 90})
	l.apply(nil)
	tokens := []string{l.token()}
	l.calls()
	for range 365 {
		due, err := time.Parse(time.RFC3339, l.get("rotation_due_at").(string))
		if err != nil {
			t.Fatal(err)
		}
		l.advance(day)
		comes := !l.service.Sandbox.Clock().Now().Before(due)
		old := l.token()
		if warned := l.apply(nil); warned != "" {
			t.Fatal(warned)
		}
		if (l.token() != old) != comes {
			t.Fatalf("due at %s, and it is %s: new key %v", due, l.moment(0), l.token() != old)
		}
		l.works(true, l.token())
		if comes {
			tokens = append(tokens, l.token())
			l.works(true, old)
			same(t, "calls", l.calls(), "create")
			l.settled(nil)
		}
	}
	if len(tokens) != 5 {
		t.Errorf("%d keys in a year", len(tokens))
	}
	l.works(false, tokens[:len(tokens)-2]...)
}

// TestRenewal_late: nobody has applied in time. The key has expired, and the next apply creates another one.
func TestRenewal_late(t *testing.T) {
	t.Parallel()
	l := begin(t, acctest.JSON{"expires_after_days": 90})
	l.apply(nil)
	old := l.token()
	l.advance(100 * day)
	l.apply(nil)
	same(t, "previous_keys", l.previous())
	l.works(false, old)
	l.works(true, l.token())
	l.settled(nil)
}

// TestRenewal_byAge: the earlier of both moments counts.
func TestRenewal_byAge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines acctest.JSON
		due   time.Duration // 0: never
	}{
		"the age":                     {acctest.JSON{"expires_after_days": 90, "rotate_after_days": 30}, 30 * day},
		"the lifetime":                {acctest.JSON{"expires_after_days": 90, "rotate_after_days": 85}, 83 * day},
		"another grace":               {acctest.JSON{"expires_after_days": 90, "grace_period_days": 30}, 60 * day},
		"the age, fixed expiry":       {acctest.JSON{"expires_at": "@50", "rotate_after_days": 30}, 30 * day},
		"fixed expiry before the age": {acctest.JSON{"expires_at": "@20", "rotate_after_days": 30}, 0},
		"fixed expiry":                {acctest.JSON{"expires_at": "@20"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, c.lines)
			if at, ok := c.lines["expires_at"].(string); ok {
				l.base["expires_at"] = l.moment(map[string]time.Duration{"@20": 20 * day, "@50": 50 * day}[at])
			}
			made := l.service.Sandbox.Clock().Now()
			l.apply(nil)
			var want any
			if c.due > 0 {
				want = made.Add(c.due).UTC().Format(time.RFC3339)
			}
			if have := l.get("rotation_due_at"); have != want {
				t.Errorf("rotation_due_at is %v, want %v", have, want)
			}
			l.settled(nil)
			if c.due > 0 {
				l.advance(c.due - time.Minute)
				l.settled(nil)
				l.advance(2 * time.Minute)
				if p := l.plan(nil); p.Of("billing_api_key.k").After["id"] != acctest.Unknown {
					t.Error("it is not due")
				}
			}
		})
	}
}

// TestRenewal_fixed: with a fixed expiry nothing can be renewed. Plans warn while the key ends soon, and are silent
// once it has ended as configured, whatever else changes.
func TestRenewal_fixed(t *testing.T) {
	t.Parallel()
	l := begin(t, acctest.JSON{"rotate_after_days": 40})
	l.base["expires_at"] = l.moment(20 * day)
	l.apply(nil)
	id := l.id()
	l.advance(12 * day)
	if text := l.settled(nil); text != "" {
		t.Error(text)
	}
	l.advance(2 * day)
	says(t, l.settled(nil), `API key "ci" (id `+id+`) expires at`, "is not renewed", "expires_after_days")
	l.advance(10 * day)
	if text := l.settled(nil); text != "" {
		t.Error(text)
	}
	l.calls()
	for _, change := range []acctest.JSON{{"name": "other"}, {"scopes": []any{"*"}}, {"description": "new"}} {
		says(t, l.apply(merged(change, trigger("2", nil))), "has expired and does not change")
		l.settled(merged(change, trigger("2", nil)))
	}
	same(t, "calls", l.calls())
	// A later date, or none, gets a new key. One that has passed is refused.
	said := strings.Join(l.plan(acctest.JSON{"expires_at": l.moment(-day)}).Errors, " ")
	says(t, said, "has passed")
	l.apply(acctest.JSON{"expires_at": l.moment(30 * day)})
	same(t, "calls", l.calls(), "create")
	l.works(true, l.token())
}

// TestRenewal_switch: from a fixed expiry to a lifetime, and back to none.
func TestRenewal_switch(t *testing.T) {
	t.Parallel()
	l := begin(t, nil)
	l.apply(acctest.JSON{"expires_at": l.moment(20 * day)})
	for _, lines := range []acctest.JSON{{"expires_after_days": 90}, {"expires_after_days": 60}, nil} {
		old, token := l.id(), l.token()
		l.apply(lines)
		if l.id() == old || len(l.previous()) == 0 {
			t.Errorf("%v: no new key", lines)
		}
		l.works(true, token, l.token())
		l.settled(lines)
	}
}

// TestRenewal_expiryOfSuccessor: the expiry that the service gives to a successor is accepted as it is. Nothing is
// planned for it but a renewal in time, where a new key lives longer.
func TestRenewal_expiryOfSuccessor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines   acctest.JSON
		given   time.Duration // from the rotation on; 0: none
		renewed bool
		warns   string
	}{
		"the same absolute":       {acctest.JSON{"expires_at": "@60"}, 50 * day, false, ""},
		"the same lifetime":       {acctest.JSON{"expires_at": "@60"}, 60 * day, false, ""},
		"none":                    {acctest.JSON{"expires_at": "@60"}, 0, false, "never expires"},
		"one, and none is asked":  {nil, 40 * day, true, ""},
		"earlier than configured": {acctest.JSON{"expires_at": "@60"}, 30 * day, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, nil)
			if c.lines != nil {
				l.base["expires_at"] = l.moment(60 * day)
			}
			successor, expiry := "", any(nil)
			l.service = l.service.Rewriting(func(path string, object acctest.JSON) {
				if strings.HasSuffix(path, "/rotate") {
					successor, _ = object["id"].(string)
				}
				if successor != "" && object["id"] == successor {
					object["expiresAt"] = expiry
				}
			})
			l.core = l.service.Core()
			l.apply(trigger("1", nil))
			l.advance(10 * day)
			if c.given > 0 {
				expiry = l.moment(c.given)
			}
			says(t, l.apply(trigger("2", nil)), c.warns)
			id := l.id()
			l.settled(trigger("2", nil))
			same(t, "living keys", l.living("ci"), l.previous()[0], id)
			if c.given > 0 {
				l.advance(c.given - 7*day + time.Minute)
				p := l.plan(trigger("2", nil))
				if renewed := p.Of("billing_api_key.k").After["id"] == acctest.Unknown; renewed != c.renewed {
					t.Errorf("near its end a new key is planned: %v", renewed)
				}
			}
		})
	}
}
