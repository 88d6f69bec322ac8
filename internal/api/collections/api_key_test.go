package collections

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

const (
	createKey = "POST " + keysPath
	revokeKey = "DELETE " + keysPath + "/k1"
)

var askedKey = APIKeyCreate{Name: "ci", Scopes: []string{"charges:read"}}

func TestShapesOfAKey(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change map[string]any
		want   func(*APIKey)
	}{
		"as described":   {},
		"scopes null":    {map[string]any{"scopes": json.RawMessage("null")}, func(k *APIKey) { k.Scopes = nil }},
		"unknown source": {map[string]any{"source": "moon"}, func(k *APIKey) { k.Source = "moon" }},
		"left out": {map[string]any{"description": nil, "source": nil, "scopes": nil, "lastUsedAt": nil, "expiresAt": nil,
			"revokedAt": nil},
			func(k *APIKey) { k.Source, k.Scopes = "", nil }},
		"revoked": {map[string]any{"revokedAt": "2025-05-20T10:11:12.013Z"},
			func(k *APIKey) { k.RevokedAt = new("2025-05-20T10:11:12.013Z") }},
		"more than described": {map[string]any{"hash": "h", "owner": map[string]string{"id": "u1"}}, nil},
	}
	for name, test := range tests {
		want := APIKey{ID: "k1", Name: "ci", KeyPrefix: "key_ab", Source: "api", Scopes: []string{"charges:read"}}
		if test.want != nil {
			test.want(&want)
		}
		object := keyJSON(t, test.change)
		for _, body := range []string{object, data(object)} {
			got, err := newService(t, newWire(routes{"GET " + keysPath + "/k1": respond(200, body)})).GetAPIKey(t.Context(),
				"k1")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got.CreatedAt = ""
			if !reflect.DeepEqual(*got, want) {
				t.Errorf("%s: got %+v, want %+v", name, *got, want)
			}
		}
	}
}

func TestBodiesOfAKey(t *testing.T) {
	t.Parallel()
	for want, create := range map[string]APIKeyCreate{
		`{"name":"ci"}`:             {Name: "ci"},
		`{"name":"ci","scopes":[]}`: {Name: "ci", Scopes: []string{}},
		`{"name":"ci","description":"","expiresAt":"2030-01-01"}`: {Name: "ci", Description: new(""),
			ExpiresAt: new("2030-01-01")},
	} {
		if got, err := json.Marshal(create); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

// TestNow: the time is asked for once, whoever waits for it, and only where a date has passed by this machine's clock.
func TestNow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := time.Now().Add(-time.Hour) // behind this machine
		w := newWire(routes{"GET " + keysPath: func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			w.Header().Set("Date", service.UTC().Format(http.TimeFormat))
			respond(200, listOf())(w, r)
		}})
		s := newService(t, w)
		passed := func(at time.Time) bool {
			has, err := s.HasPassed(t.Context(), at, false)
			if err != nil {
				t.Error(err)
			}
			return has
		}
		if passed(time.Now().Add(time.Minute)) || len(w.Seen) > 0 {
			t.Errorf("sent %v", w.Seen)
		}
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if passed(time.Now().Add(-time.Minute)) || !passed(service) {
					t.Error("the clock of the service does not count")
				}
			})
		}
		all.Wait()
		if len(w.Seen) != 1 {
			t.Errorf("sent %v", w.Seen)
		}
		undated := newWire(routes{"GET " + keysPath: func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Date"] = nil
			respond(200, listOf())(w, r)
		}})
		s = newService(t, undated)
		for range 2 {
			if now, err := s.Now(t.Context()); !now.IsZero() || err != nil || len(undated.Seen) != 1 {
				t.Errorf("%s, %v after %v", now, err, undated.Seen)
			}
			if _, err := s.HasPassed(t.Context(), service, true); !errors.Is(err, errNoDate) {
				t.Errorf("in an apply, it says %v", err)
			}
		}
	})
}

func TestResponsesToTheCreateOfAKey(t *testing.T) {
	t.Parallel()
	whole := keyJSON(t, map[string]any{"token": "key_1"})
	tests := map[string]struct {
		create, get http.HandlerFunc
		name        string
	}{
		"enveloped":   {respond(201, data(whole)), respond(500, ""), "ci"},
		"bare":        {respond(201, whole), respond(500, ""), "ci"},
		"token alone": {respond(201, `{"data":{"id":"k1","token":"key_1"}}`), respond(500, ""), ""},
	}
	for name, test := range tests {
		w := newWire(routes{createKey: test.create, "GET " + keysPath + "/k1": test.get})
		created, err := newService(t, w).CreateAPIKey(t.Context(), askedKey)
		if err != nil || created.ID != "k1" || api.OrEmpty(created.Token) != "key_1" || created.Name != test.name {
			t.Errorf("%s: got %+v, %v", name, created, err)
		}
	}
	_, err := newService(t, newWire(routes{createKey: rejected(422, "validation_error")})).CreateAPIKey(t.Context(),
		askedKey)
	if !api.HasCode(err, "validation_error") {
		t.Error(err)
	}
}

func TestFindAPIKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := func(id string, change map[string]any) string {
			return changed(t, keyJSON(t, map[string]any{"id": id}), change)
		}
		revoked := map[string]any{"revokedAt": "1999-12-01T00:00:00.000Z"}
		expired := map[string]any{"expiresAt": stamp(time.Now().Add(-time.Second))}
		inGrace := map[string]any{"expiresAt": stamp(time.Now().Add(time.Hour))}
		tests := map[string]struct {
			items []string
			want  string
		}{
			"the live one only":  {[]string{one("k1", revoked), one("k2", expired), one("k3", nil)}, "k3"},
			"the rotated one":    {[]string{one("k1", inGrace), one("k2", nil)}, "k1 k2"},
			"ended ones, if all": {[]string{one("k1", revoked), one("k2", expired)}, "k1 k2"},
			"the exact name": {[]string{one("k1", map[string]any{"name": "Ci"}), one("k2", map[string]any{"name": "ci2"})},
				""},
			"unknown expiry": {[]string{one("k1", map[string]any{"expiresAt": "never"}), one("k2", revoked)}, "k1"},
		}
		for name, test := range tests {
			w := newWire(routes{"GET " + keysPath: turns(respond(200, listOf(test.items...)), respond(200, listOf()))})
			found, err := newService(t, w).FindAPIKeys(t.Context(), "ci")
			if got := apitest.Join(found, func(k APIKey) string { return k.ID }); err != nil || got != test.want {
				t.Errorf("%s: %q, %v, want %q", name, got, err, test.want)
			}
		}
		_, err := newService(t, newWire(routes{"GET " + keysPath: rejected(403, "insufficient_scope")})).
			FindAPIKeys(t.Context(), "ci")
		says(t, err, "insufficient_scope")
	})
}

func TestRevokeAPIKey(t *testing.T) {
	t.Parallel()
	apitest.Each(t, map[string]http.HandlerFunc{
		"no content": respond(204, ""), "deleted": respond(200, `{"data":{"deleted":true}}`),
		"not there": rejected(404, "not_found"), "lost": turns(lost, respond(204, "")),
		"a conflict, revoked": rejected(409, "key_not_active"),
	}, func(t *testing.T, revoke http.HandlerFunc) {
		w := newWire(routes{
			revokeKey: revoke, "GET " + keysPath: respond(200, listOf()),
			"GET " + keysPath +
				"/k1": respond(200, keyJSON(t, map[string]any{"id": "k1", "revokedAt": "2026-01-01T00:00:00.000Z"})),
		})
		if err := newService(t, w).RevokeAPIKey(t.Context(), "k1"); err != nil {
			t.Error(err)
		}
	})
	err := newService(t, newWire(routes{revokeKey: rejected(403, "insufficient_scope")})).RevokeAPIKey(t.Context(), "k1")
	if !api.HasCode(err, "insufficient_scope") {
		t.Error(err)
	}
}
