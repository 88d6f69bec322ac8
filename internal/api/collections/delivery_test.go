package collections

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

const (
	deliveriesPath = endpointPath + "/deliveries"
	retryDelivery  = "POST " + deliveriesPath + "/d1/retry"
)

// deliveryJSON is the failed delivery d1, with some fields changed.
func deliveryJSON(t *testing.T, change map[string]any) string {
	t.Helper()
	return changed(t, `{"id":"d1","event":"charge.paid","eventId":"v1","status":"failed","httpCode":503,"attempts":2,
		"createdAt":"2025-06-05T10:00:00.000Z","lastError":"it responded with 503","requestBody":"{\"event\":\"charge.paid\"}",
		"responseBody":"<html>","deliveredAt":null,"nextRetryAt":"2025-06-05T10:12:00.000Z"}`, change)
}

func TestShapesOfADelivery(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change        map[string]any
		request, back string
		status        string
		code          int64
	}{
		"texts": {nil, `{"event":"charge.paid"}`, "<html>", "failed", 503},
		"objects": {map[string]any{"requestBody": json.RawMessage(`{"n": 9007199254740993, "a": [1, 2]}`)},
			`{"n":9007199254740993,"a":[1,2]}`, "<html>", "failed", 503},
		"other JSON": {map[string]any{"requestBody": json.RawMessage("[ 1 ]"), "responseBody": json.RawMessage("false")},
			"[1]", "false", "failed", 503},
		"nulls": {map[string]any{"requestBody": json.RawMessage("null"), "responseBody": json.RawMessage("null"),
			"httpCode": json.RawMessage("null")}, "", "", "failed", 0},
		"left out": {map[string]any{"requestBody": nil, "responseBody": nil, "httpCode": nil, "lastError": nil,
			"nextRetryAt": nil}, "", "", "failed", 0},
		"unknown status": {map[string]any{"status": "sending", "httpCode": nil}, `{"event":"charge.paid"}`,
			"<html>", "sending", 0},
	}
	for name, test := range tests {
		// Through a map a number would lose its digits.
		object := deliveryJSON(t, nil)
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(object), &fields); err != nil {
			t.Fatal(err)
		}
		for key, value := range test.change {
			raw, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if fields[key] = raw; value == nil {
				delete(fields, key)
			}
		}
		encoded, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		w := newWire(routes{"GET " + deliveriesPath: respond(200, listOf(string(encoded)))})
		got, err := apitest.All(newService(t, w).ListDeliveries(t.Context(), DeliveryQuery{EndpointID: "e1"}))
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		d := got[0]
		code := int64(0)
		if d.HTTPCode != nil {
			code = *d.HTTPCode
		}
		if api.OrEmpty(d.RequestBody) != test.request || api.OrEmpty(d.ResponseBody) != test.back ||
			d.Status != test.status ||
			code != test.code || d.Attempts != 2 {
			t.Errorf("%s: got %+v, bodies %q and %q", name, d, api.OrEmpty(d.RequestBody), api.OrEmpty(d.ResponseBody))
		}
		if (d.RequestBody == nil) != (test.request == "") || (d.HTTPCode == nil) != (test.code == 0) {
			t.Errorf("%s: a null is not null: %+v", name, d)
		}
	}
}

func TestListDeliveriesComparesEveryItem(t *testing.T) {
	t.Parallel()
	everything := listOf(deliveryJSON(t, nil), deliveryJSON(t, map[string]any{"id": "d2", "status": "success"}),
		deliveryJSON(t, map[string]any{"id": "d3", "event": "webhook.test"}))
	tests := map[string]struct {
		query DeliveryQuery
		sent  string
		want  string
	}{
		"no filter": {DeliveryQuery{}, "page=1&per_page=100", "d1 d2 d3"},
		"status":    {DeliveryQuery{Status: "failed"}, "page=1&per_page=100&status=failed", "d1 d3"},
		"event":     {DeliveryQuery{Event: "charge.paid"}, "event=charge.paid&page=1&per_page=100", "d1 d2"},
		"both": {DeliveryQuery{Status: "failed", Event: "charge.paid"},
			"event=charge.paid&page=1&per_page=100&status=failed", "d1"},
		"none": {DeliveryQuery{Status: "exhausted"}, "page=1&per_page=100&status=exhausted", ""},
	}
	for name, test := range tests {
		w := newWire(routes{"GET " + deliveriesPath: turns(respond(200, everything), respond(200, listOf()))})
		test.query.EndpointID = "e1"
		got, err := apitest.All(newService(t, w).ListDeliveries(t.Context(), test.query))
		ids := apitest.Join(got, func(d Delivery) string { return d.ID })
		if err != nil || ids != test.want || w.Queries[0] != test.sent {
			t.Errorf("%s: got %v, %v after %v", name, ids, err, w.Queries)
		}
	}
}

func TestRetryDelivery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		with := func(status string) string { return deliveryJSON(t, map[string]any{"status": status, "attempts": 0}) }
		list := func(status string) http.HandlerFunc { return respond(200, listOf(with(status))) }
		begun := respond(202, data(with("pending")))
		tests := map[string]struct {
			retry, list http.HandlerFunc
			status      string
			sent        int
			err         []string
			code        string
		}{
			"returned": {retry: begun, status: "pending", sent: 1},
			"inactive": {retry: rejected(409, "ENDPOINT_INACTIVE"), sent: 1, err: []string{"409"},
				code: "ENDPOINT_INACTIVE"},
			"no content, begun":          {retry: respond(204, ""), list: list("pending"), status: "pending", sent: 1},
			"lost, begun":                {retry: lost, list: list("pending"), status: "pending", sent: 1},
			"lost, through already":      {retry: lost, list: list("success"), status: "success", sent: 1},
			"lost, in an unknown status": {retry: lost, list: list("sending"), status: "sending", sent: 1},
			"lost, still failed":         {retry: lost, list: list("failed"), sent: 1, err: []string{`redelivery of "d1" may or may not`}},
			"not in a list":              {retry: lost, list: respond(200, listOf()), sent: 1, err: []string{`"e1" has no delivery "d1"`}},
			"no list": {retry: lost, list: rejected(403, "insufficient_scope"), sent: 1,
				err: []string{"insufficient_scope"}},
		}
		for name, test := range tests {
			if test.list == nil {
				test.list = respond(500, "")
			}
			w := newWire(routes{retryDelivery: test.retry, "GET " + deliveriesPath: test.list})
			got, err := newService(t, w).RetryDelivery(t.Context(), "e1", "d1")
			if test.err != nil {
				says(t, err, test.err...)
				_, ambiguous := api.AsAmbiguous(err)
				if got != nil || ambiguous != (test.code == "") || test.code != "" && !api.HasCode(err, test.code) {
					t.Errorf("%s: got %+v, %v", name, got, err)
				}
			} else if err != nil || got.ID != "d1" || got.Status != test.status {
				t.Errorf("%s: got %+v, %v", name, got, err)
			}
			if strings.Count(w.Writes(), retryDelivery) != test.sent {
				t.Errorf("%s: sent %s", name, w.Writes())
			}
		}
	})
}
