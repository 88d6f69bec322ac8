package collections

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const (
	createEndpoint = "POST " + endpointsPath
	rotateEndpoint = "POST " + endpointPath + "/rotate-secret"
)

// asked is the create of the tests below; its response is lost unless a test says
// otherwise.
var asked = WebhookEndpointCreate{
	URL: hook, Description: new("billing"), Events: []string{"charge.paid", "api_key.rotated"},
	Authentication: &Authentication{Type: "basic", Username: new("u"), Password: new("hush-hush")},
}

// made is what asked makes, with some fields changed.
func made(t *testing.T, change map[string]any) string {
	t.Helper()
	return changed(t, endpointJSON(t, map[string]any{
		"description": "billing", "events": []string{"api_key.rotated", "charge.paid"},
		"authentication": map[string]any{"type": "basic", "username": "u"},
	}), change)
}

func TestLostCreateOfAnEndpoint(t *testing.T) {
	t.Parallel()
	type objects = []map[string]any
	tests := map[string]struct {
		before objects // what the list holds before the create, and after it
		found  objects // what it holds in addition when it is looked up
		resent bool    // nothing is found, and the create is sent once more
		used   bool    // the consumer of a new one has accepted a delivery
		secret string
		err    []string
		ids    string // of a conflict
	}{
		"adopted":            {found: objects{{}}, secret: "whsec_new"},
		"adopted beside old": {before: objects{{"id": "e0"}}, found: objects{{}}, secret: "whsec_new"},
		"adopted beside another url": {found: objects{{"id": "e0", "url": hook + "/2"}, {}},
			secret: "whsec_new"},
		"age unknown": {found: objects{{"createdAt": nil}}, secret: "whsec_new"},
		"none": {resent: true, err: []string{"may or may not exist", "sent again without a clear response",
			"/in"}},
		"only one from before": {before: objects{{}}, resent: true, err: []string{"did not find it"}},
		"listed late, and old": {found: objects{{"createdAt": "1999-12-31T23:59:57.999Z"}}, ids: "e1",
			err: []string{"before the request"}},
		"created later": {found: objects{{"createdAt": "2000-01-01T00:00:02.001Z"}}, ids: "e1",
			err: []string{"after the request had failed"}},
		"in use":               {found: objects{{}}, used: true, ids: "e1", err: []string{`accepted the delivery d1`}},
		"two":                  {found: objects{{}, {"id": "e2"}}, ids: "e1 e2", err: []string{"2 of them"}},
		"other description":    {found: objects{{"description": nil}}, ids: "e1"},
		"other events":         {found: objects{{"events": []string{"charge.paid"}}}, ids: "e1"},
		"all events":           {found: objects{{"events": nil}}, ids: "e1"},
		"inactive":             {found: objects{{"active": false}}, ids: "e1"},
		"other authentication": {found: objects{{"authentication": map[string]any{"type": "bearer"}}}, ids: "e1"},
		"other user": {found: objects{{"authentication": map[string]any{"type": "basic", "username": "v"}}},
			ids: "e1"},
		"no authentication": {found: objects{{"authentication": nil}}, ids: "e1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var before, accepted []string
				for _, change := range test.before {
					before = append(before, made(t, change))
				}
				items := slices.Clone(before)
				for _, change := range test.found {
					items = append(items, made(t, change))
				}
				if test.used {
					accepted = []string{`{"id":"d1","status":"success"}`}
				}
				w := newWire(routes{
					createEndpoint: lost, "GET " + endpointsPath: listings(respond(200, listOf(before...)),
						respond(200, listOf(items...))),
					deliveries:     respond(200, listOf(append(accepted, `{"id":"d0","status":"failed"}`)...)),
					rotateEndpoint: respond(200, data(made(t, map[string]any{"secret": "whsec_new"}))),
				})
				created, err := newService(t, w).CreateWebhookEndpoint(t.Context(), asked)
				if test.secret != "" {
					if err != nil || !created.Adopted || text(created.Secret) != test.secret || created.ID != "e1" ||
						created.SecretErr != nil {
						t.Errorf("got %+v, %v", created, err)
					}
					if want := createEndpoint + ", " + rotateEndpoint; w.Writes() != want {
						t.Errorf("sent %s, want %s", w.Writes(), want)
					}
					return
				}
				says(t, err, test.err...)
				if _, ambiguous := api.AsAmbiguous(err); !ambiguous || w.Writes() != createEndpoint && !(test.resent &&
					w.Writes() == createEndpoint+", "+createEndpoint) {
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

// What is left out of a create counts as its default, as nothing else distinguishes the
// endpoint from another one.
func TestLostCreateOfTheLeastEndpoint(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change  map[string]any
		adopted bool
	}{
		"the defaults":   {nil, true},
		"as nulls":       {map[string]any{"events": nil, "active": nil, "authentication": nil, "description": ""}, true},
		"a description":  {map[string]any{"description": "x"}, false},
		"events":         {map[string]any{"events": []string{"charge.paid"}}, false},
		"inactive":       {map[string]any{"active": false}, false},
		"authentication": {map[string]any{"authentication": map[string]any{"type": "bearer"}}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(routes{
					createEndpoint: lost, "GET " + endpointsPath: appearing(endpointJSON(t, test.change)),
					deliveries:     respond(200, listOf()),
					rotateEndpoint: respond(200, data(endpointJSON(t, map[string]any{"secret": "whsec_new"}))),
				})
				created, err := newService(t, w).CreateWebhookEndpoint(t.Context(), WebhookEndpointCreate{URL: hook})
				if (err == nil && created.Adopted) != test.adopted {
					t.Errorf("got %+v, %v", created, err)
				}
			})
		})
	}
}

func TestResponsesToTheCreateOfAnEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		whole := made(t, map[string]any{"secret": "whsec_1"})
		tests := map[string]struct {
			create, get http.HandlerFunc
			url         string
			writes      int
			err         string
		}{
			"enveloped": {create: respond(201, data(whole)), url: hook, writes: 1},
			"bare":      {create: respond(201, whole), url: hook, writes: 1},
			"secret alone": {create: respond(201, `{"data":{"id":"e1","secret":"whsec_1"}}`),
				get: respond(200, made(t, nil)), url: hook, writes: 1},
			"secret alone, no reads": {create: respond(201, `{"data":{"id":"e1","secret":"whsec_1"}}`),
				get: refused(403, "insufficient_scope"), writes: 1},
			"refused":   {create: refused(422, "INVALID_WEBHOOK_URL"), writes: 1, err: "INVALID_WEBHOOK_URL"},
			"throttled": {create: turns(respond(429, ""), respond(201, data(whole))), url: hook, writes: 2},
		}
		for name, test := range tests {
			if test.get == nil {
				test.get = respond(500, "")
			}
			w := newWire(routes{createEndpoint: test.create, "GET " + endpointPath: test.get,
				"GET " + endpointsPath: refused(403, "insufficient_scope")})
			created, err := newService(t, w).CreateWebhookEndpoint(t.Context(), asked)
			if test.err != "" {
				if !api.HasCode(err, test.err) {
					t.Errorf("%s: %v", name, err)
				}
			} else if err != nil || created.Adopted || created.ID != "e1" || text(created.Secret) != "whsec_1" ||
				created.URL != test.url {
				t.Errorf("%s: got %+v, %v", name, created, err)
			}
			if got := len(strings.Split(w.Writes(), ", ")); got != test.writes {
				t.Errorf("%s: sent %s", name, w.Writes())
			}
		}
	})
}

func TestAddressesAreShownWithoutCredentials(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		hook:                            hook,
		hook + "?token=hush#x":          hook,
		"https://u:hush@h.example/a":    "https://h.example/a",
		"https://h.example/\x7f?q=hush": "an address that cannot be parsed",
	} {
		if got := api.ShownURL(raw); got != want {
			t.Errorf("%q is shown as %q", raw, got)
		}
	}
}
