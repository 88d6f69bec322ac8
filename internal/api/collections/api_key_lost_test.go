package collections

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

const (
	rotateKey = "POST " + keysPath + "/k1/rotate"
	getKey    = "GET " + keysPath + "/k1"
)

// lostKey holds an error to a lost response that names these keys.
func lostKey(t *testing.T, err error, ids ...string) *LostKeyError {
	t.Helper()
	var e *LostKeyError
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if _, ambiguous := api.AsAmbiguous(err); !ambiguous {
		t.Errorf("not ambiguous: %v", err)
	}
	var have []string
	for _, k := range e.Found {
		have = append(have, k.ID)
	}
	if strings.Join(have, " ") != strings.Join(ids, " ") {
		t.Errorf("found %v, want %v", have, ids)
	}
	return e
}

// TestLostCreationOfAKey: one POST and no request before it, whatever is found. Named is what has the name and was
// never used, created since if there is one.
func TestLostCreationOfAKey(t *testing.T) {
	t.Parallel()
	type change = map[string]any
	type row struct {
		found []change
		ids   []string
		older bool
	}
	apitest.Each(t, map[string]row{
		"the key":         {[]change{{}}, []string{"k1"}, false},
		"none":            {nil, nil, false},
		"two":             {[]change{{}, {"id": "k3"}}, []string{"k1", "k3"}, false},
		"an older one":    {[]change{{"createdAt": "1999-12-31T23:59:50.000Z"}, {"id": "k3"}}, []string{"k3"}, false},
		"only older ones": {[]change{{"createdAt": "1999-12-31T23:59:50.000Z"}}, []string{"k1"}, true},
		"a used one":      {[]change{{"lastUsedAt": "2000-01-01T00:00:00.000Z"}}, nil, false},
		"a revoked one":   {[]change{{"revokedAt": "2000-01-01T00:00:00.000Z"}}, nil, false},
		"an expired one":  {[]change{{"expiresAt": "2000-01-01T00:00:00.000Z"}}, nil, false},
		"another name":    {[]change{{"name": "other"}}, nil, false},
		"its age unknown": {[]change{{"createdAt": "yesterday"}}, []string{"k1"}, false},
	}, func(t *testing.T, test row) {
		var items []string
		for _, c := range test.found {
			items = append(items, keyJSON(t, c))
		}
		w := newWire(routes{createKey: lost, "GET " + keysPath: listings(respond(200, listOf(items...)))})
		_, err := newService(t, w).CreateAPIKey(t.Context(), askedKey)
		if e := lostKey(t, err, test.ids...); e.Err.Older != test.older {
			t.Errorf("older: %t", e.Err.Older)
		}
		if w.Seen[0] != createKey || w.Writes() != createKey {
			t.Errorf("sent %v", w.Seen)
		}
	})
}

// TestLostKeyBehindALag: the list shows the key 10 s later. What this process has got from another request is not it.
func TestLostKeyBehindALag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := newWire(routes{createKey: turns(respond(201, data(keyJSON(t, map[string]any{"id": "k0", "token": "t"}))), lost),
			"GET " + keysPath: func(w2 http.ResponseWriter, r *http.Request) {
				items := []string{keyJSON(t, map[string]any{"id": "k0"})}
				if time.Since(start) >= 10*time.Second {
					items = append(items, keyJSON(t, map[string]any{"createdAt": stamp(start)}))
				}
				respond(200, listOf(items...))(w2, r)
			}})
		s := newService(t, w)
		if _, err := s.CreateAPIKey(t.Context(), askedKey); err != nil {
			t.Fatal(err)
		}
		_, err := s.CreateAPIKey(t.Context(), askedKey)
		_ = lostKey(t, err, "k1")
	})
}

// TestLostRotation: it is never repeated. The old key is read until it has got its end.
func TestLostRotation(t *testing.T) {
	t.Parallel()
	type row struct {
		expiry any
		read   bool
	}
	apitest.Each(t, map[string]row{
		"rotated":   {"2000-01-08T00:00:00.000Z", true},
		"not":       {nil, true},
		"not found": {nil, false},
	}, func(t *testing.T, test row) {
		start := time.Now()
		w := newWire(routes{rotateKey: lost, "GET " + keysPath: listings(respond(200, listOf(
			keyJSON(t, map[string]any{"id": "k2"})))),
			getKey: respond(200, keyJSON(t, map[string]any{"expiresAt": test.expiry, "lastUsedAt": stamp(start)}))})
		if !test.read {
			w = newWire(routes{rotateKey: lost, getKey: rejected(404, "not_found"), "GET " + keysPath: respond(200, listOf())})
		}
		_, err := newService(t, w).RotateAPIKey(t.Context(), "k1", 7)
		if w.Writes() != rotateKey {
			t.Errorf("sent %s", w.Writes())
		}
		if !test.read {
			if e := lostKey(t, err); e.Rotated != nil || api.IsNotFound(err) {
				t.Errorf("got %+v", e)
			}
			return
		}
		if e := lostKey(t, err, "k2"); e.Rotated == nil ||
			(api.OrEmpty(e.Rotated.ExpiresAt) != "") != (test.expiry != nil) {
			t.Errorf("got %+v", e.Rotated)
		}
	})
}

// TestResponsesToARotation: in the shapes that the wire contract allows. Nothing is read after a token: the caller
// stores that first.
func TestResponsesToARotation(t *testing.T) {
	t.Parallel()
	successor := keyJSON(t, map[string]any{"id": "k2", "token": "key_2", "predecessorId": "k1",
		"graceUntil": "2030-01-01T00:00:00.000Z"})
	for name, test := range map[string]struct{ body, name string }{
		"enveloped":   {data(successor), "ci"},
		"bare":        {successor, "ci"},
		"token alone": {`{"data":{"id":"k2","token":"key_2","graceUntil":"2030-01-01T00:00:00.000Z"}}`, ""},
	} {
		w := newWire(routes{rotateKey: respond(200, test.body)})
		got, err := newService(t, w).RotateAPIKey(t.Context(), "k1", 0)
		if err != nil || got.ID != "k2" || api.OrEmpty(got.Token) != "key_2" || got.Name != test.name ||
			api.OrEmpty(got.GraceUntil) != "2030-01-01T00:00:00.000Z" || w.Bodies[0] != `{"graceDays":0}` {
			t.Errorf("%s: got %+v, %v after %v", name, got, err, w.Bodies)
		}
	}
	w := newWire(routes{rotateKey: rejected(409, CodeKeyNotActive)})
	if _, err := newService(t, w).RotateAPIKey(t.Context(), "k1", 7); !api.HasCode(err, CodeKeyNotActive) {
		t.Error(err)
	}
}

// TestKeyOfAnotherRequest: a response that shows a key which this run has got before is an error.
func TestKeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // it asks until reads do not lag any more
		w := newWire(routes{createKey: respond(201, data(keyJSON(t, map[string]any{"token": "t"})))})
		s := newService(t, w)
		if _, err := s.CreateAPIKey(t.Context(), askedKey); err != nil {
			t.Fatal(err)
		}
		_, err := s.CreateAPIKey(t.Context(), askedKey)
		says(t, err, "k1", "existed before the request")
	})
}
