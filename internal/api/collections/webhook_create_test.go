package collections

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

const (
	createEndpoint = "POST " + endpointsPath
	rotateEndpoint = "POST " + endpointPath + "/rotate-secret"
)

// asked is the create of the tests below; its response is lost unless a test says
// otherwise.
var asked = WebhookEndpointBody{
	URL: api.Set(hook), Description: api.Set("billing"), Events: api.Set([]string{"charge.paid", "api_key.rotated"}),
	Authentication: api.Set(Authentication{Type: "basic", Username: new("u"), Password: new("hush-hush")}),
}

// made is what asked makes, with some fields changed.
func made(t *testing.T, change map[string]any) string {
	t.Helper()
	return changed(t, endpointJSON(t, map[string]any{
		"description": "billing", "events": []string{"api_key.rotated", "charge.paid"},
		"authentication": map[string]any{"type": "basic", "username": "u"},
	}), change)
}

// A lost create is sent once, and no request comes before it. What was registered at the url since then is named, and
// nothing is done to it.
func TestLostCreateOfAnEndpoint(t *testing.T) {
	t.Parallel()
	type row struct {
		create http.HandlerFunc
		found  []map[string]any // what is listed afterwards, as changes of e1
		later  bool             // only the last lookup lists it
		ids    string           // of the candidates
		err    []string
	}
	tests := map[string]row{
		"none": {err: []string{"may or may not exist", "looked up 4 times", "hooks.example.test/…"}},
		"one": {found: []map[string]any{{}}, ids: "e1",
			err: []string{"It may be e1", "connection reset"}},
		"one, listed late": {found: []map[string]any{{}}, later: true, ids: "e1"},
		"two": {found: []map[string]any{{}, {"id": "e2", "description": "x"}}, ids: "e1 e2",
			err: []string{"one of e1, e2"}},
		"the same host": {found: []map[string]any{{"url": strings.Replace(hook, "hooks", "HOOKS", 1)}}, ids: "e1"},
		"time unknown":  {found: []map[string]any{{"createdAt": nil}}, ids: "e1"},
		"another url":   {found: []map[string]any{{"url": hook + "/2"}}, err: []string{"Look for it"}},
		"registered before": {found: []map[string]any{{"createdAt": "1999-12-31T23:59:55Z"}}, ids: "e1",
			err: []string{"older than the request"}},
		"registered before and since": {found: []map[string]any{{"createdAt": "1999-12-31T23:59:55Z"}, {"id": "e2"}}, ids: "e2"},
		"registered afterward":        {found: []map[string]any{{"createdAt": "2000-01-01T00:00:09Z"}}, later: true, ids: "e1"},
		"an old one instead": {create: respond(201, data(made(t, map[string]any{"createdAt": "1999-12-31T23:00:00Z"}))),
			found: []map[string]any{{"createdAt": "1999-12-31T23:00:00Z"}, {"id": "e2"}}, ids: "e2",
			err: []string{`shows the webhook endpoint "e1"`, "existed before the request"}},
		"another one": {create: respond(201, data(made(t, map[string]any{"url": hook + "/2", "secret": "whsec_2"}))),
			found: []map[string]any{{}}, ids: "e1", err: []string{"mixes up responses"}},
	}
	apitest.Each(t, tests, func(t *testing.T, test row) {
		var items []string
		for _, change := range test.found {
			items = append(items, made(t, change))
		}
		if test.create == nil {
			test.create = lost
		}
		list := listings(respond(200, listOf(items...)))
		if test.later {
			empty := respond(200, listOf())
			list = listings(empty, empty, empty, respond(200, listOf(items...)))
		}
		w := newWire(routes{createEndpoint: test.create, "GET " + endpointsPath: list})
		_, err := newService(t, w).CreateWebhookEndpoint(t.Context(), asked)
		says(t, err, append(test.err, "Applying again registers another endpoint", "receives every event twice")...)
		e, ambiguous := api.AsAmbiguous(err)
		if !ambiguous || w.Writes() != createEndpoint || w.Seen[0] != createEndpoint {
			t.Fatalf("%v after %v", err, w.Seen)
		}
		if strings.Join(e.Candidates, " ") != test.ids {
			t.Errorf("candidates %v, want %q", e.Candidates, test.ids)
		}
	})
}

// What this process has registered itself, with a response, is not named as what a lost create may have registered, and
// a response that shows it again is none.
func TestLostCreateBesideAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registered := respond(201, data(made(t, map[string]any{"secret": "whsec_1"})))
		w := newWire(routes{
			createEndpoint:         turns(registered, lost, registered),
			"GET " + endpointsPath: listings(respond(200, listOf(made(t, nil)))),
		})
		s := newService(t, w)
		if _, err := s.CreateWebhookEndpoint(t.Context(), asked); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"connection reset", `shows the webhook endpoint "e1", which existed before`} {
			_, err := s.CreateWebhookEndpoint(t.Context(), asked)
			says(t, err, part, "Look for it")
		}
	})
}

func TestResponsesToTheCreateOfAnEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		whole := made(t, map[string]any{"secret": "whsec_1"})
		tests := map[string]struct {
			create http.HandlerFunc
			url    string
			writes int
			err    string
		}{
			"enveloped":    {create: respond(201, data(whole)), url: hook, writes: 1},
			"bare":         {create: respond(201, whole), url: hook, writes: 1},
			"secret alone": {create: respond(201, `{"data":{"id":"e1","secret":"whsec_1"}}`), url: hook, writes: 2},
			"rejected":     {create: rejected(422, "INVALID_WEBHOOK_URL"), writes: 1, err: "INVALID_WEBHOOK_URL"},
			"throttled":    {create: turns(respond(429, ""), respond(201, data(whole))), url: hook, writes: 2},
		}
		for name, test := range tests {
			w := newWire(routes{createEndpoint: test.create, "GET " + endpointPath: respond(200, made(t, nil))})
			created, err := newService(t, w).CreateWebhookEndpoint(t.Context(), asked)
			if test.err != "" {
				if !api.HasCode(err, test.err) {
					t.Errorf("%s: %v", name, err)
				}
			} else if err != nil || created.ID != "e1" || api.OrEmpty(created.Secret) != "whsec_1" ||
				created.URL != test.url {
				t.Errorf("%s: got %+v, %v", name, created, err)
			}
			if len(w.Seen) != test.writes {
				t.Errorf("%s: sent %v", name, w.Seen)
			}
		}
		alone := newWire(routes{createEndpoint: tests["secret alone"].create, "GET " + endpointPath: rejected(403, "denied")})
		if created, err := newService(t, alone).CreateWebhookEndpoint(t.Context(), asked); err != nil ||
			api.OrEmpty(created.Secret) != "whsec_1" || created.URL != "" {
			t.Errorf("secret alone, and no read: got %+v, %v", created, err)
		}
	})
}

func TestAddressesAreShownWithoutCredentials(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://h.example:8443/":       "https://h.example:8443",
		"https://h.example/hush":        "https://h.example/…",
		"https://h.example?token=hush":  "https://h.example/…",
		"https://u:hush@h.example/a":    "",
		"https://h.example/\x7f?q=hush": "", "hush": "", "mailto:hush": "",
	} {
		if got := api.ShownURL(raw); got != want {
			t.Errorf("%q is shown as %q", raw, got)
		}
	}
}
