package collections

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// TestShapesOfAnEndpoint reads what servers may make of an endpoint.
func TestShapesOfAnEndpoint(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change map[string]any
		want   func(*WebhookEndpoint)
	}{
		"as described":    {},
		"inactive":        {map[string]any{"active": false}, func(e *WebhookEndpoint) { e.Active = false }},
		"active left out": {map[string]any{"active": nil}, nil},
		"active is null":  {map[string]any{"active": json.RawMessage("null")}, nil},
		"events are null": {map[string]any{"events": json.RawMessage("null")}, func(e *WebhookEndpoint) { e.Events = nil }},
		"events left out": {map[string]any{"events": nil}, func(e *WebhookEndpoint) { e.Events = nil }},
		"unknown events": {map[string]any{"events": []string{"moon.full"}}, func(e *WebhookEndpoint) {
			e.Events = []string{"moon.full"}
		}},
		"no authentication": {map[string]any{"authentication": nil}, func(e *WebhookEndpoint) { e.Authentication = nil }},
		"authentication is null": {map[string]any{"authentication": json.RawMessage("null")},
			func(e *WebhookEndpoint) { e.Authentication = nil }},
		"unknown authentication": {map[string]any{"authentication": map[string]any{"type": "mtls", "certificate": "c"}},
			func(e *WebhookEndpoint) { e.Authentication.Type = "mtls" }},
		"more than described": {map[string]any{"organizationId": "o1", "stats": map[string]int{"failed": 1}}, nil},
	}
	for name, test := range tests {
		object := endpointJSON(t, test.change)
		want := WebhookEndpoint{ID: "e1", URL: hook, Events: []string{}, Active: true,
			Authentication: &Authentication{Type: "none"}}
		if test.want != nil {
			test.want(&want)
		}
		for _, body := range []string{object, data(object)} {
			w := newWire(routes{"GET " + endpointPath: respond(200, body)})
			got, err := newService(t, w).GetWebhookEndpoint(t.Context(), "e1")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got.CreatedAt, got.UpdatedAt = "", ""
			if !reflect.DeepEqual(*got, want) {
				t.Errorf("%s: got %+v, want %+v", name, *got, want)
			}
		}
	}
	for field, value := range map[string]any{"active": "yes", "events": "all", "url": true, "id": nil} {
		w := newWire(routes{"GET " + endpointPath: respond(200, endpointJSON(t, map[string]any{field: value}))})
		_, err := newService(t, w).GetWebhookEndpoint(t.Context(), "e1")
		says(t, err, field)
	}
}

func TestBodiesOfAnEndpoint(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body any
		want string
	}{
		"least":      {WebhookEndpointBody{URL: api.Set(hook)}, `{"url":"` + hook + `"}`},
		"empty text": {WebhookEndpointBody{Description: api.Set("")}, `{"description":""}`},
		"header": {WebhookEndpointBody{Authentication: api.Set(Authentication{Type: "header", Name: new("X-Key"),
			Value: new("v")})}, `{"authentication":{"type":"header","name":"X-Key","value":"v"}}`},
		"nothing": {WebhookEndpointBody{}, `{}`},
		"cleared": {WebhookEndpointBody{Description: api.Null[string](), Events: api.Set([]string{}),
			Active: api.Set(false)},
			`{"description":null,"events":[],"active":false}`},
		"authentication": {WebhookEndpointBody{Authentication: api.Set(Authentication{Type: "none"})},
			`{"authentication":{"type":"none"}}`},
	}
	for name, test := range tests {
		encoded, err := json.Marshal(test.body)
		if err != nil || string(encoded) != test.want {
			t.Errorf("%s: %s, %v, want %s", name, encoded, err, test.want)
		}
	}
	if !(WebhookEndpointBody{}).IsEmpty() || (WebhookEndpointBody{Description: api.Null[string]()}).IsEmpty() {
		t.Error("a null is a change, and nothing is none")
	}
}

func TestUpdateThatShowsNothingIsRead(t *testing.T) {
	t.Parallel()
	read := endpointJSON(t, map[string]any{"description": "new"})
	tests := map[string]struct {
		response http.HandlerFunc
		seen     int
	}{
		"shown":      {respond(200, data(read)), 1},
		"no content": {respond(204, ""), 2},
		"only an id": {respond(200, `{"data":{"id":"e1"}}`), 2},
	}
	for name, test := range tests {
		w := newWire(routes{"PATCH " + endpointPath: test.response, "GET " + endpointPath: respond(200, read)})
		got, err := newService(t, w).UpdateWebhookEndpoint(t.Context(), "e1",
			WebhookEndpointBody{Description: api.Set("new")})
		if err != nil || api.OrEmpty(got.Description) != "new" || got.URL != hook || len(w.Seen) != test.seen {
			t.Errorf("%s: got %+v, %v after %v", name, got, err, w.Seen)
		}
	}
	w := newWire(routes{"PATCH " + endpointPath: respond(204, ""),
		"GET " + endpointPath: rejected(403, "insufficient_scope")})
	_, err := newService(t, w).UpdateWebhookEndpoint(t.Context(), "e1", WebhookEndpointBody{Active: api.Set(true)})
	says(t, err, "insufficient_scope")
}

func TestDeleteWebhookEndpoint(t *testing.T) {
	t.Parallel()
	type row struct {
		response http.HandlerFunc
		err      string
	}
	apitest.Each(t, map[string]row{
		"no content":      {respond(204, ""), ""},
		"deleted":         {respond(200, `{"data":{"deleted":true}}`), ""},
		"not there":       {rejected(404, "not_found"), ""},
		"lost, then gone": {turns(lost, respond(404, "")), ""},
		"conflict, gone":  {respond(409, ""), ""},
		"not deleted":     {respond(200, `{"data":{"deleted":false}}`), "deleted: false"},
		"wrong address":   {respond(404, "<html>"), "404"},
		"forbidden":       {rejected(403, "insufficient_scope"), "insufficient_scope"},
	}, func(t *testing.T, test row) {
		w := newWire(routes{
			"DELETE " + endpointPath: test.response, "GET " + endpointPath: rejected(404, "not_found"),
			"GET " + endpointsPath: respond(200, listOf()),
		})
		err := newService(t, w).DeleteWebhookEndpoint(t.Context(), "e1")
		apitest.Says(t, err, test.err)
	})
}

func TestFindWebhookEndpoints(t *testing.T) {
	t.Parallel()
	one := func(id, url string) string { return endpointJSON(t, map[string]any{"id": id, "url": url}) }
	w := newWire(routes{"GET " + endpointsPath: turns(
		respond(200, listOf(one("e1", hook+"/other"), one("e2", hook))),
		respond(200, listOf(one("e2", hook), one("e3", hook))), respond(200, listOf()),
	)})
	found, err := newService(t, w).FindWebhookEndpoints(t.Context(), hook)
	if err != nil || len(found) != 2 || found[0].ID != "e2" || found[1].ID != "e3" {
		t.Errorf("found %+v, %v", found, err)
	}
	if want := "page=1&per_page=100"; w.Queries[0] != want {
		t.Errorf("asked for %s, want %s: these lists have no order to choose", w.Queries[0], want)
	}
	spelled := strings.Replace(hook, "https://", "HTTPS://", 1)
	for want, url := range map[string]string{"e2": hook, "e1": spelled} {
		w = newWire(routes{"GET " + endpointsPath: turns(respond(200, listOf(one("e1", spelled), one("e2", hook))),
			respond(200, listOf()))})
		if found, err = newService(t, w).FindWebhookEndpoints(t.Context(), url); len(found) != 1 || found[0].ID != want {
			t.Errorf("%s: found %+v, %v", url, found, err)
		}
	}
	w = newWire(routes{"GET " + endpointsPath: turns(respond(200, listOf(one("e2", spelled))), respond(200, listOf()))})
	if found, err = newService(t, w).FindWebhookEndpoints(t.Context(), hook); len(found) != 1 {
		t.Errorf("in another spelling: found %+v, %v", found, err)
	}
	w = newWire(routes{"GET " + endpointsPath: turns(respond(200, listOf(one("e1", hook))),
		rejected(403, "insufficient_scope"))})
	found, err = newService(t, w).FindWebhookEndpoints(t.Context(), hook)
	says(t, err, "insufficient_scope")
	if found != nil {
		t.Errorf("half a list came with the error: %+v", found)
	}
}

func TestIDsThatWouldReadAList(t *testing.T) {
	t.Parallel()
	w := newWire(nil)
	s := newService(t, w)
	for _, id := range []string{"", ".", ".."} {
		_, getErr := s.GetWebhookEndpoint(t.Context(), id)
		_, keyErr := s.GetAPIKey(t.Context(), id)
		_, listErr := apitest.All(s.ListDeliveries(t.Context(), DeliveryQuery{EndpointID: id}))
		if getErr == nil || keyErr == nil || listErr == nil || len(w.Seen) > 0 {
			t.Errorf("%q: %v, %v, %v after %v", id, getErr, keyErr, listErr, w.Seen)
		}
	}
}

const testEndpoint = "POST " + endpointPath + "/test"

func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rotated := respond(200, data(endpointJSON(t, map[string]any{"secret": "whsec_2"})))
		unknown := []string{`The secret of the webhook endpoint "e1" may or may not have been rotated`}
		tests := map[string]struct {
			rotate    http.HandlerFunc
			err       []string
			ambiguous bool
		}{
			"returned":               {rotate: rotated},
			"the secret alone":       {rotate: respond(200, `{"data":{"secret":"whsec_2"}}`)},
			"the secret alone, bare": {rotate: respond(200, `{"secret":"whsec_2"}`)},
			"rejected": {rotate: rejected(403, "insufficient_scope"),
				err: []string{"insufficient_scope"}},
			"lost":      {rotate: lost, err: unknown, ambiguous: true},
			"502":       {rotate: respond(502, ""), err: unknown, ambiguous: true},
			"no secret": {rotate: respond(200, data(endpointJSON(t, nil))), err: unknown, ambiguous: true},
		}
		for name, test := range tests {
			w := newWire(routes{rotateEndpoint: test.rotate})
			got, err := newService(t, w).RotateWebhookSecret(t.Context(), "e1")
			if test.err != nil {
				says(t, err, test.err...)
				if _, ambiguous := api.AsAmbiguous(err); ambiguous != test.ambiguous || api.IsNotFound(err) {
					t.Errorf("%s: %v", name, err)
				}
			} else if err != nil || got != "whsec_2" {
				t.Errorf("%s: got %+v, %v", name, got, err)
			}
			if len(w.Seen) != 1 {
				t.Errorf("%s: sent %v", name, w.Seen)
			}
		}
	})
}

func TestTestWebhookEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fired := respond(202, `{"data":{"eventId":"v1","deliveryId":"d1"}}`)
		tests := map[string]struct {
			test http.HandlerFunc
			want TestEvent
			sent int
			err  []string
		}{
			"returned":   {test: fired, want: TestEvent{"v1", "d1"}, sent: 1},
			"bare":       {test: respond(202, `{"eventId":"v1","deliveryId":"d1"}`), want: TestEvent{"v1", "d1"}, sent: 1},
			"no content": {test: respond(204, ""), sent: 1},
			"one id": {test: respond(202, `{"data":{"eventId":"v1","deliveryId":null}}`),
				want: TestEvent{EventID: "v1"}, sent: 1},
			"lost, sent again": {test: turns(lost, fired), want: TestEvent{"v1", "d1"}, sent: 2},
			"lost twice": {test: lost, sent: 2, err: []string{`test of the webhook endpoint "e1" may or may not`,
				"does no harm"}},
			"lost, rejected": {test: turns(lost, rejected(422, "invalid")), sent: 2, err: []string{"code invalid"}},
			"rejected":       {test: rejected(404, "not_found"), sent: 1, err: []string{"not_found"}},
			"a page":         {test: respond(200, "<html>welcome</html>"), sent: 2, err: []string{"may or may not"}},
		}
		for name, test := range tests {
			w := newWire(routes{testEndpoint: test.test})
			got, err := newService(t, w).TestWebhookEndpoint(t.Context(), "e1")
			if test.err != nil {
				says(t, err, test.err...)
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got != test.want || len(w.Seen) != test.sent {
				t.Errorf("%s: got %+v after %v", name, got, w.Seen)
			}
		}
	})
}
