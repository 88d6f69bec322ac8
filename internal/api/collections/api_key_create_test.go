package collections

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// second is the key of the second sending.
func second(t *testing.T) string {
	return data(keyJSON(t, map[string]any{"id": "k2", "token": "key_second"}))
}

func TestLostCreateOfAKey(t *testing.T) {
	t.Parallel()
	type objects = []map[string]any
	tests := map[string]struct {
		before objects // what the list holds before the create, and after it
		found  objects // what it holds in addition when it is looked up
		resent bool    // nothing is found, and the create is sent once more
		again  bool    // the key is revoked and the create sent once more
		err    []string
		ids    string // of a conflict
	}{
		"found": {found: objects{{}}, again: true},
		"found, scopes sorted": {found: objects{{"description": "", "scopes": []string{"charges:read", "charges:read"}}},
			again: true},
		"found beside others": {before: objects{{"id": "k0"}, {"id": "k5"}}, found: objects{
			{"id": "k3", "name": "CI"}, {"id": "k4", "revokedAt": "2000-01-01T00:00:00.000Z"},
			{"id": "k6", "predecessorId": "k0"}, {},
		}, again: true},
		"none":                 {resent: true},
		"only one from before": {before: objects{{}}, resent: true},
		"age unknown":          {found: objects{{"createdAt": "yesterday"}}, again: true},
		"listed late, and old": {found: objects{{"createdAt": "1999-12-31T23:59:57.999Z"}}, ids: "k1",
			err: []string{"before the request"}},
		"created later": {found: objects{{"createdAt": "2000-01-01T00:00:02.001Z"}}, ids: "k1",
			err: []string{"after the request had failed"}},
		"used": {found: objects{{"lastUsedAt": "2000-01-01T00:00:00.000Z"}}, ids: "k1",
			err: []string{"it was used at"}},
		"one of two is used": {found: objects{{}, {"id": "k3", "lastUsedAt": "2000-01-01T00:00:00.000Z"}}, ids: "k1 k3",
			err: []string{"2 of them"}},
		"only a successor":   {found: objects{{"predecessorId": "k0"}}, resent: true},
		"only a revoked one": {found: objects{{"revokedAt": "2000-01-01T00:00:00.000Z"}}, resent: true},
		"two":                {found: objects{{}, {"id": "k3"}}, ids: "k1 k3", err: []string{"2 of them"}},
		"other scopes":       {found: objects{{"scopes": nil}}, ids: "k1"},
		"other expiry":       {found: objects{{"expiresAt": "2030-01-01T00:00:00.000Z"}}, ids: "k1"},
		"other description":  {found: objects{{"description": "x"}}, ids: "k1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var before []string
				for _, change := range test.before {
					before = append(before, keyJSON(t, change))
				}
				items := slices.Clone(before)
				for _, change := range test.found {
					items = append(items, keyJSON(t, change))
				}
				w := newWire(routes{
					createKey: turns(lost, respond(201, second(t))), revokeKey: respond(204, ""),
					"GET " + keysPath: listings(respond(200, listOf(before...)), respond(200, listOf(items...))),
				})
				created, err := newService(t, w).CreateAPIKey(t.Context(), askedKey)
				if test.resent {
					if err != nil || created.ID != "k2" || created.DiscardedID != "" || w.Writes() != createKey+", "+createKey {
						t.Errorf("got %+v, %v after %s", created, err, w.Writes())
					}
					return
				}
				if test.again {
					if err != nil || created.ID != "k2" || text(created.Token) != "key_second" || created.DiscardedID != "k1" {
						t.Errorf("got %+v, %v", created, err)
					}
					if want := createKey + ", " + revokeKey + ", " + createKey; w.Writes() != want {
						t.Errorf("sent %s, want %s", w.Writes(), want)
					}
					return
				}
				says(t, err, test.err...)
				if _, ambiguous := api.AsAmbiguous(err); !ambiguous || w.Writes() != createKey {
					t.Errorf("%v after %s", err, w.Writes())
				}
				var conflict *api.ConflictError
				if errors.As(err, &conflict) != (test.ids != "") || conflict != nil && strings.Join(conflict.IDs, " ") != test.ids {
					t.Errorf("conflict %+v, want %q", conflict, test.ids)
				}
			})
		})
	}
}

// The expiry that was asked for may come back in another spelling.
func TestLostCreateOfAKeyThatExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		found := keyJSON(t, map[string]any{"expiresAt": "2030-01-01T03:00:00.000Z"})
		w := newWire(routes{createKey: turns(lost, respond(201, second(t))), "GET " + keysPath: appearing(found),
			revokeKey: respond(204, "")})
		create := askedKey
		create.ExpiresAt = new("2030-01-01T00:00:00-03:00")
		if created, err := newService(t, w).CreateAPIKey(t.Context(), create); err != nil || created.DiscardedID != "k1" {
			t.Errorf("got %+v, %v", created, err)
		}
	})
}

func TestSecondCreateOfAKey(t *testing.T) {
	t.Parallel()
	// The list shows the first key once it was created, and the second one when the
	// second response is lost too.
	tests := map[string]struct {
		again, revoke http.HandlerFunc
		err           []string
		writes        string
	}{
		"lost too": {again: lost, err: []string{`created twice, as "k1" and as "k2"`, "Both were revoked",
			"nothing is left behind"},
			writes: createKey + ", " + revokeKey + ", " + createKey + ", DELETE " + keysPath + "/k2"},
		"refused": {again: refused(403, "insufficient_scope"), err: []string{`"k1" was created before`, "revoked",
			"insufficient_scope"},
			writes: createKey + ", " + revokeKey + ", " + createKey},
		"not revoked": {revoke: refused(403, "insufficient_scope"), err: []string{`"k1" was created and its token was lost`,
			"revoke it", "insufficient_scope"},
			writes: createKey + ", " + revokeKey},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, both := keyJSON(t, nil), []string{keyJSON(t, nil), keyJSON(t, map[string]any{
					"id": "k2", "createdAt": stamp(time.Now().Add(11 * time.Second))})} // after the lookups for the first one
				if test.revoke == nil {
					test.revoke = respond(204, "")
				}
				w := newWire(routes{
					createKey: turns(lost, test.again),
					"GET " + keysPath: listings(respond(200, listOf()), respond(200, listOf(first)), respond(200, listOf(first)),
						respond(200, listOf(first)), respond(200, listOf(first)), respond(200, listOf(first)),
						respond(200, listOf(both...))),
					"DELETE " + keysPath + "/{id}": test.revoke,
				})
				created, err := newService(t, w).CreateAPIKey(t.Context(), askedKey)
				says(t, err, test.err...)
				if created != nil || w.Writes() != test.writes {
					t.Errorf("got %+v after %s, want %s", created, w.Writes(), test.writes)
				}
			})
		})
	}
}

// The second create is lost and was not made: what is known of the first one is
// still said.
func TestSecondCreateOfAKeyThatIsUndecided(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWire(routes{createKey: lost, "GET " + keysPath: appearing(keyJSON(t, nil)), revokeKey: respond(204, "")})
		_, err := newService(t, w).CreateAPIKey(t.Context(), askedKey)
		says(t, err, "did not find it", `second attempt: the API key "k1" was created before`)
		ambiguous, ok := api.AsAmbiguous(err)
		if !ok || !strings.Contains(ambiguous.Error(), `"k1"`) {
			t.Errorf("the ambiguous error alone does not name the first key: %v", ambiguous)
		}
	})
}

func TestInterruptedCreateOfAKeyLeavesNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := newWire(routes{
			createKey:         func(http.ResponseWriter, *http.Request) { cancel(); lost(nil, nil) },
			"GET " + keysPath: appearing(keyJSON(t, nil)), revokeKey: respond(204, ""),
		})
		_, err := newService(t, w).CreateAPIKey(ctx, askedKey)
		says(t, err, `"k1"`, "revoked", "before the request is sent")
		if want := createKey + ", " + revokeKey; !errors.Is(err, context.Canceled) || w.Writes() != want {
			t.Errorf("%v after %s", err, w.Writes())
		}
	})
}
