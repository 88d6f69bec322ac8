package collections

import (
	"encoding/json"
	"iter"
	"net/http"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// exchanges are the written-down ones of this service that have a status in a
// range.
func exchanges(from, to int) (found []evidence.Exchange) {
	for _, exchange := range evidence.All("collections/") {
		if status := exchange.Response.Status; calls[exchange.Operation] != nil && status >= from && status <= to {
			found = append(found, exchange)
		}
	}
	return found
}

// TestExchanges plays every written-down success to its call: what is sent is
// what was written down, and what is returned comes out with nothing lost or
// changed. A rotation alone differs: it always says how long the grace period is.
func TestExchanges(t *testing.T) {
	t.Parallel()
	for _, exchange := range evidence.All("collections/") {
		if calls[exchange.Operation] == nil && !strings.HasSuffix(exchange.Operation, ".list") {
			t.Errorf("%s: no call plays %s: add it to calls", exchange.Name, exchange.Operation)
		}
	}
	played := map[string]bool{}
	for _, exchange := range exchanges(200, 299) {
		played[exchange.Operation] = true
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			w := newWire(routes{"/": once(exchange)})
			got, err := calls[exchange.Operation](t, newService(t, w), idsIn(exchange.Request.Path), exchange.Request)
			if err != nil {
				t.Fatal(err)
			}
			if want := exchange.Request.Method + " " + exchange.Request.Path; w.Seen[0] != want {
				t.Errorf("sent %s, want %s", w.Seen[0], want)
			}
			if isList := strings.HasSuffix(exchange.Operation, ".list"); !isList && len(w.Seen) != 1 {
				t.Errorf("sent %v", w.Seen)
			}
			if string(exchange.Request.Body) == "{}" && exchange.Operation == "api_keys.rotate" {
				exchange.Request.Body = json.RawMessage(`{"graceDays":0}`)
			}
			sameBody(t, w.Bodies[0], exchange.Request.Body)
			sameData(t, got, exchange.Response.Body)
		})
	}
	for operation := range calls {
		if !played[operation] {
			t.Errorf("no exchange of %s was played", operation)
		}
	}
}

// once responds with the response of an exchange; a list has nothing beyond that one page.
func once(exchange evidence.Exchange) http.HandlerFunc {
	first := respond(exchange.Response.Status, string(exchange.Response.Bytes()))
	if strings.HasSuffix(exchange.Operation, ".list") {
		return turns(first, respond(200, listOf()))
	}
	return first
}

func sameBody(t *testing.T, sent string, want json.RawMessage) {
	t.Helper()
	if sent == "" || want == nil {
		if sent != string(want) {
			t.Errorf("sent %q, want %q", sent, want)
		}
		return
	}
	sameJSON(t, []byte(sent), want)
}

// sameData compares a result with the data of a response.
func sameData(t *testing.T, got any, body json.RawMessage) {
	t.Helper()
	if got == nil {
		return
	}
	var want struct{ Data json.RawMessage }
	if err := json.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, encoded, want.Data)
}

func sameJSON(t *testing.T, got, want []byte) {
	t.Helper()
	if !reflect.DeepEqual(decoded(t, got), decoded(t, want)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// TestExchangesOfRefusals plays every written-down rejection: its status, its code
// and the fields it names come out, after one request.
func TestExchangesOfRefusals(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for _, exchange := range exchanges(400, 499) {
		gone := exchange.Request.Method == http.MethodDelete && exchange.Response.Status == http.StatusNotFound
		if gone || exchange.Response.Status == http.StatusTooManyRequests {
			continue
		}
		var want struct {
			Error json.RawMessage
			Code  string `json:"error_code"`
		}
		var object struct {
			Code    string
			Details struct{ Fields map[string]string }
		}
		if err := json.Unmarshal(exchange.Response.Body, &want); err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(want.Error, &object) != nil {
			object.Code = want.Code
		}
		codes[object.Code] = true
		w := newWire(routes{"/": respond(exchange.Response.Status, string(exchange.Response.Body))})
		if exchange.Response.Status == http.StatusNotFound {
			w.HandleFunc("GET "+path.Dir(exchange.Request.Path), respond(200, listOf()))
		}
		_, err := calls[exchange.Operation](t, newService(t, w), idsIn(exchange.Request.Path),
			evidence.Request{Body: json.RawMessage(`{}`)})
		e, ok := api.AsError(err)
		if _, ambiguous := api.AsAmbiguous(err); !ok || ambiguous || strings.Contains(err.Error(), "does not prove") {
			t.Errorf("%s: %v after %v", exchange.Name, err, w.Seen)
			continue
		}
		if e.Status != exchange.Response.Status || e.Code != object.Code || len(object.Details.Fields) > 0 &&
			!reflect.DeepEqual(e.Fields, object.Details.Fields) {
			t.Errorf("%s: got %+v", exchange.Name, e)
		}
	}
	for _, code := range []string{"INVALID_WEBHOOK_URL", "ENDPOINT_INACTIVE", "key_not_active"} {
		if !codes[code] {
			t.Errorf("no refusal with the code %s was played", code)
		}
	}
}

// ids are the objects in a path such as
// /api/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry.
type ids struct{ object, delivery string }

func idsIn(path string) (found ids) {
	parts := strings.Split(path, "/")
	if len(parts) > 4 {
		found.object = parts[4]
	}
	if len(parts) > 6 {
		found.delivery = parts[6]
	}
	return found
}

// calls carries out each operation out of a written-down request.
var calls = map[string]func(*testing.T, *Service, ids, evidence.Request) (any, error){
	"webhook_endpoints.create": func(t *testing.T, s *Service, _ ids, r evidence.Request) (any, error) {
		return s.CreateWebhookEndpoint(t.Context(), endpointBody(t, r.Body))
	},
	"webhook_endpoints.get": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return s.GetWebhookEndpoint(t.Context(), id.object)
	},
	"webhook_endpoints.update": func(t *testing.T, s *Service, id ids, r evidence.Request) (any, error) {
		return s.UpdateWebhookEndpoint(t.Context(), id.object, endpointBody(t, r.Body))
	},
	"webhook_endpoints.delete": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return nil, s.DeleteWebhookEndpoint(t.Context(), id.object)
	},
	"webhook_endpoints.rotate_secret": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		_, err := s.RotateWebhookSecret(t.Context(), id.object) // the secret alone
		return nil, err
	},
	"webhook_endpoints.test": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return s.TestWebhookEndpoint(t.Context(), id.object)
	},
	"webhook_deliveries.retry": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return s.RetryDelivery(t.Context(), id.object, id.delivery)
	},
	"api_keys.create": func(t *testing.T, s *Service, _ ids, r evidence.Request) (any, error) {
		return s.CreateAPIKey(t.Context(), apitest.BodyOf[APIKeyCreate](t, r.Body))
	},
	"api_keys.get": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return s.GetAPIKey(t.Context(), id.object)
	},
	"api_keys.rotate": func(t *testing.T, s *Service, id ids, r evidence.Request) (any, error) {
		return s.RotateAPIKey(t.Context(), id.object, apitest.BodyOf[rotateBody](t, r.Body).GraceDays)
	},
	"api_keys.revoke": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return nil, s.RevokeAPIKey(t.Context(), id.object)
	},
	"webhook_endpoints.list": func(t *testing.T, s *Service, _ ids, _ evidence.Request) (any, error) {
		return all(s.ListWebhookEndpoints(t.Context()))
	},
	"webhook_deliveries.list": func(t *testing.T, s *Service, id ids, r evidence.Request) (any, error) {
		return all(s.ListDeliveries(t.Context(), DeliveryQuery{
			EndpointID: id.object, Status: r.Query["status"], Event: r.Query["event"],
		}))
	},
	"api_keys.list": func(t *testing.T, s *Service, _ ids, _ evidence.Request) (any, error) {
		return all(s.ListAPIKeys(t.Context()))
	},
}

// all reads a list completely or its error.
func all[T any](list iter.Seq2[T, error]) ([]T, error) {
	items := []T{}
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// endpointBody fills the body of a creation or an update from a body, key by key, as a caller would.
func endpointBody(t *testing.T, body json.RawMessage) (u WebhookEndpointBody) {
	t.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		t.Fatal(err)
	}
	for key, raw := range keys {
		switch key {
		case "url":
			u.URL = apitest.FieldOf[string](t, raw)
		case "description":
			u.Description = apitest.FieldOf[string](t, raw)
		case "events":
			u.Events = apitest.FieldOf[[]string](t, raw)
		case "active":
			u.Active = apitest.FieldOf[bool](t, raw)
		case "authentication":
			u.Authentication = apitest.FieldOf[Authentication](t, raw)
		default:
			t.Errorf("the body has no field for %q", key)
		}
	}
	return u
}
