package collections

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const (
	rotateKey = "POST " + keysPath + "/k1/rotate"
	getKey    = "GET " + keysPath + "/k1"
)

func TestResponsesToARotation(t *testing.T) {
	t.Parallel()
	successor := keyJSON(t, map[string]any{"id": "k2", "token": "key_2", "predecessorId": "k1",
		"graceUntil": "2030-01-01T00:00:00.000Z"})
	tests := map[string]struct {
		rotate http.HandlerFunc
		name   string
	}{
		"enveloped": {respond(200, data(successor)), "ci"},
		"bare":      {respond(201, successor), "ci"},
		"token alone": {respond(200,
			`{"data":{"id":"k2","token":"key_2","predecessorId":"k1","graceUntil":"2030-01-01T00:00:00.000Z"}}`), "read"},
	}
	for name, test := range tests {
		w := newWire(routes{"GET " + keysPath: respond(200, listOf()), rotateKey: test.rotate, "GET " + keysPath +
			"/k2": respond(200, keyJSON(t, map[string]any{"id": "k2", "name": "read"}))})
		got, err := newService(t, w).RotateAPIKey(t.Context(), "k1", 0)
		if err != nil || got.ID != "k2" || text(got.Token) != "key_2" || text(got.PredecessorID) != "k1" ||
			got.Name != test.name ||
			text(got.GraceUntil) != "2030-01-01T00:00:00.000Z" || w.Bodies[1] != `{"graceDays":0}` {
			t.Errorf("%s: got %+v, %v after %v", name, got, err, w.Bodies)
		}
	}
	for code, status := range map[string]int{"key_not_active": 409, "not_found": 404, "validation_error": 422} {
		w := newWire(routes{"GET " + keysPath: respond(200, listOf()), rotateKey: refused(status, code)})
		_, err := newService(t, w).RotateAPIKey(t.Context(), "k1", 7)
		if _, ambiguous := api.AsAmbiguous(err); ambiguous || !api.HasCode(err, code) || len(w.Seen) != 2 {
			t.Errorf("%s: %v after %v", code, err, w.Seen)
		}
	}
}

func TestLostRotation(t *testing.T) {
	t.Parallel()
	type objects = []map[string]any
	const inSevenDays = "2000-01-08T00:00:00.000Z"
	tests := map[string]struct {
		key    map[string]any // how the rotated key reads
		before objects        // other keys that the list holds before the rotation
		found  objects        // those that it holds in addition after it
		ids    string         // of the successors
		grace  string
		err    []string
	}{
		"the successor says whose it is": {key: map[string]any{"expiresAt": inSevenDays},
			found: objects{{"id": "k2", "name": "renamed", "predecessorId": "k1"}}, ids: "k2", grace: inSevenDays,
			err: []string{`"k1" was rotated, and its successor is "k2"`, "until " + inSevenDays, `do not rotate "k1" again`}},
		"the successor has its name": {key: map[string]any{"expiresAt": inSevenDays}, found: objects{{"id": "k2"}}, ids: "k2",
			grace: inSevenDays},
		"the expiry was earlier": {key: map[string]any{"expiresAt": "2000-01-02T00:00:00.000Z"}, found: objects{{"id": "k2"}},
			err: []string{"may or may not have been rotated", `"k2"`, "does not show that it was rotated",
				"Nothing was done with it"}},
		"another system's of the name": {found: objects{{"id": "k2"}}, err: []string{"does not show that it was rotated"}},
		"used": {key: map[string]any{"expiresAt": inSevenDays},
			found: objects{{"id": "k2", "lastUsedAt": "2000-01-01T00:00:00.000Z"}},
			err:   []string{"may be another system's: it was used"}},
		"two without a sign": {found: objects{{"id": "k2"}, {"id": "k3"}},
			err: []string{`["k2" "k3"]`, "does not show that it was rotated"}},
		"among others": {key: map[string]any{"expiresAt": inSevenDays}, before: objects{{"id": "k3"}},
			grace: inSevenDays, found: objects{
				{"id": "k4", "name": "other"}, {"id": "k5", "predecessorId": "k0"},
				{"id": "k6", "revokedAt": "2000-01-01T00:00:00.000Z"}, {"id": "k2"},
			}, ids: "k2", err: []string{`its successor is "k2"`}},
		"two that may be": {key: map[string]any{"expiresAt": inSevenDays}, grace: inSevenDays,
			found: objects{{"id": "k2"}, {"id": "k3"}}, ids: "k2 k3", err: []string{`one of ["k2" "k3"]`}},
		"not listed": {key: map[string]any{"expiresAt": inSevenDays},
			err: []string{`"k1" was rotated, but the list of keys shows no successor`, "until " + inSevenDays}},
		"no sign":               {err: []string{`no sign that the API key "k1" was rotated`}},
		"no sign, later expiry": {key: map[string]any{"expiresAt": "2000-02-01T00:00:00.000Z"}, err: []string{"no sign"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				key := changed(t, keyJSON(t, nil), test.key)
				before := []string{keyJSON(t, nil)}
				for _, change := range test.before {
					before = append(before, keyJSON(t, change))
				}
				items := append(slices.Clone(before), key)
				for _, change := range test.found {
					items = append(items, keyJSON(t, change))
				}
				w := newWire(routes{rotateKey: lost, getKey: respond(200, key),
					"GET " + keysPath: listings(respond(200, listOf(before...)), respond(200, listOf(items[1:]...)))})
				got, err := newService(t, w).RotateAPIKey(t.Context(), "k1", 7)
				says(t, err, append(test.err, "reset by peer")...)
				if _, ambiguous := api.AsAmbiguous(err); got != nil || !ambiguous || w.Writes() != rotateKey {
					t.Errorf("got %+v, %v after %s", got, err, w.Writes())
				}
				var lostToken *LostTokenError
				if errors.As(err, &lostToken) != (test.ids != "") {
					t.Fatalf("got %#v", err)
				}
				if lostToken != nil && (lostToken.KeyID != "k1" || strings.Join(lostToken.SuccessorIDs, " ") != test.ids ||
					lostToken.GraceUntil != test.grace) {
					t.Errorf("got %+v, want %s until %q", lostToken, test.ids, test.grace)
				}
			})
		})
	}
}

// A look that fails must not read as if the rotation had been told so.
func TestLostRotationThatCannotBeLookedAt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tests := map[string]routes{
			"key gone": {rotateKey: lost, "GET " + keysPath: respond(200, listOf()), getKey: refused(404, "not_found")},
			"no list": {rotateKey: respond(502, ""), getKey: respond(200, keyJSON(t, nil)),
				"GET " + keysPath: refused(404, "not_found")},
		}
		for name, handlers := range tests {
			w := newWire(handlers)
			_, err := newService(t, w).RotateAPIKey(t.Context(), "k1", 7)
			says(t, err, `"k1" may or may not have been rotated`, "not_found")
			if _, ambiguous := api.AsAmbiguous(err); !ambiguous || api.IsNotFound(err) || w.Writes() != rotateKey {
				t.Errorf("%s: %v after %s", name, err, w.Writes())
			}
		}
	})
}

// What another rotation or create of this process has got is not the successor.
func TestSuccessorOfAnotherIsNotTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		other := keyJSON(t, map[string]any{"id": "k9", "token": "key_9"})
		w := newWire(routes{
			createKey: respond(201, data(other)), rotateKey: lost,
			getKey: respond(200, keyJSON(t, nil)), "GET " + keysPath: listings(respond(200, listOf(keyJSON(t, nil))),
				respond(200, listOf(keyJSON(t, nil))),
				respond(200, listOf(keyJSON(t, nil), keyJSON(t, map[string]any{"id": "k9"})))),
		})
		s := newService(t, w)
		if _, err := s.CreateAPIKey(t.Context(), askedKey); err != nil {
			t.Fatal(err)
		}
		_, err := s.RotateAPIKey(t.Context(), "k1", 7)
		says(t, err, "no sign")
	})
}

// The grace period of a rotation is distinguished from an expiry that the key had before, to the
// minute by which the clocks may differ.
func TestGraceIsRecognised(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sent := time.Now()
		time.Sleep(10 * time.Second)
		const grace = 7 * 24 * time.Hour
		for offset, want := range map[time.Duration]bool{
			0: true, -time.Minute: true, -time.Minute - time.Millisecond: false, 70 * time.Second: true, 71 * time.Second: false,
		} {
			expiry := stamp(sent.Add(grace + offset))
			r := rotation{graceDays: 7, before: &image[APIKey]{at: sent}, lostAt: time.Now(), key: &APIKey{ExpiresAt: &expiry}}
			if got := r.graceUntil(); (got == expiry) != want || got != "" && !want {
				t.Errorf("%s after the end of the grace: %q", offset, got)
			}
		}
	})
}
