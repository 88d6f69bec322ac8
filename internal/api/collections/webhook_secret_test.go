package collections

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const testEndpoint = "POST " + endpointPath + "/test"

func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rotated := respond(200, data(endpointJSON(t, map[string]any{"secret": "whsec_2"})))
		readable := respond(200, data(endpointJSON(t, nil)))
		tests := map[string]struct {
			rotate, get http.HandlerFunc
			rotations   int
			reads       int
			err         []string
			ambiguous   bool
		}{
			"returned":               {rotate: rotated, rotations: 1},
			"the secret alone":       {rotate: respond(200, `{"data":{"secret":"whsec_2"}}`), rotations: 1},
			"the secret alone, bare": {rotate: respond(200, `{"secret":"whsec_2"}`), rotations: 1},
			"lost, sent again":       {rotate: turns(lost, rotated), get: readable, rotations: 2, reads: 1},
			"502, sent again":        {rotate: turns(respond(502, ""), rotated), get: readable, rotations: 2, reads: 1},
			"no secret, sent again":  {rotate: turns(readable, rotated), get: readable, rotations: 2, reads: 1},
			"refused": {rotate: refused(403, "insufficient_scope"), rotations: 1,
				err: []string{"insufficient_scope"}},
			"lost twice": {rotate: lost, get: readable, rotations: 2, reads: 1, ambiguous: true,
				err: []string{`"e1" may or may not have been carried out`, "sent again without success",
					"may be invalid already: rotate it again"}},
			"lost, then gone": {rotate: lost, get: refused(404, "not_found"), rotations: 1, reads: 2, ambiguous: true,
				err: []string{"not sent again, as reading the object failed", "not_found"}},
		}
		for name, test := range tests {
			if test.get == nil {
				test.get = respond(500, "")
			}
			w := newWire(routes{rotateEndpoint: test.rotate, "GET " + endpointPath: test.get})
			got, err := newService(t, w).RotateWebhookSecret(t.Context(), "e1")
			if test.err != nil {
				says(t, err, test.err...)
				if _, ambiguous := api.AsAmbiguous(err); ambiguous != test.ambiguous || api.IsNotFound(err) {
					t.Errorf("%s: %v", name, err)
				}
			} else if err != nil || got != "whsec_2" {
				t.Errorf("%s: got %+v, %v", name, got, err)
			}
			rotations := strings.Count(w.Writes(), rotateEndpoint)
			if rotations != test.rotations || len(w.Seen)-rotations != test.reads {
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
			"lost, refused": {test: turns(lost, refused(422, "invalid")), sent: 2, err: []string{"code invalid"}},
			"refused":       {test: refused(404, "not_found"), sent: 1, err: []string{"not_found"}},
			"a page":        {test: respond(200, "<html>welcome</html>"), sent: 2, err: []string{"may or may not"}},
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
