package collections

import (
	"bytes"
	"encoding/json"
	"iter"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/contract"
)

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
var calls = map[string]func(*testing.T, *Service, ids, contract.Request) (any, error){
	"webhook_endpoints.create": func(t *testing.T, s *Service, _ ids, r contract.Request) (any, error) {
		created, err := s.CreateWebhookEndpoint(t.Context(), bodyOf[WebhookEndpointCreate](t, r))
		if err != nil {
			return nil, err
		}
		return created.WebhookEndpoint, nil
	},
	"webhook_endpoints.get": func(t *testing.T, s *Service, id ids, _ contract.Request) (any, error) {
		return s.GetWebhookEndpoint(t.Context(), id.object)
	},
	"webhook_endpoints.update": func(t *testing.T, s *Service, id ids, r contract.Request) (any, error) {
		return s.UpdateWebhookEndpoint(t.Context(), id.object, updateOf(t, r.Body))
	},
	"webhook_endpoints.delete": func(t *testing.T, s *Service, id ids, _ contract.Request) (any, error) {
		return nil, s.DeleteWebhookEndpoint(t.Context(), id.object)
	},
	"webhook_endpoints.rotate_secret": func(t *testing.T, s *Service, id ids, _ contract.Request) (any, error) {
		return s.RotateWebhookSecret(t.Context(), id.object)
	},
	"webhook_endpoints.test": func(t *testing.T, s *Service, id ids, _ contract.Request) (any, error) {
		return s.TestWebhookEndpoint(t.Context(), id.object)
	},
	"webhook_deliveries.retry": func(t *testing.T, s *Service, id ids, _ contract.Request) (any, error) {
		return s.RetryDelivery(t.Context(), id.object, id.delivery)
	},
	"api_keys.create": func(t *testing.T, s *Service, _ ids, r contract.Request) (any, error) {
		created, err := s.CreateAPIKey(t.Context(), bodyOf[APIKeyCreate](t, r))
		if err != nil {
			return nil, err
		}
		return created.APIKey, nil
	},
	"api_keys.get": func(t *testing.T, s *Service, id ids, _ contract.Request) (any, error) {
		return s.GetAPIKey(t.Context(), id.object)
	},
	"api_keys.rotate": func(t *testing.T, s *Service, id ids, r contract.Request) (any, error) {
		return s.RotateAPIKey(t.Context(), id.object, bodyOf[rotateBody](t, r).GraceDays)
	},
	"api_keys.revoke": func(t *testing.T, s *Service, id ids, _ contract.Request) (any, error) {
		return nil, s.RevokeAPIKey(t.Context(), id.object)
	},
	"webhook_endpoints.list": func(t *testing.T, s *Service, _ ids, _ contract.Request) (any, error) {
		return all(s.ListWebhookEndpoints(t.Context()))
	},
	"webhook_deliveries.list": func(t *testing.T, s *Service, id ids, r contract.Request) (any, error) {
		return all(s.ListDeliveries(t.Context(), DeliveryQuery{
			EndpointID: id.object, Status: r.Query["status"], Event: r.Query["event"],
		}))
	},
	"api_keys.list": func(t *testing.T, s *Service, _ ids, _ contract.Request) (any, error) {
		return all(s.ListAPIKeys(t.Context()))
	},
}

// all reads a list to its end or its error.
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

// bodyOf reads a body into the type that a caller fills, which must know all of
// it.
func bodyOf[T any](t *testing.T, r contract.Request) (body T) {
	t.Helper()
	if r.Body == nil {
		return body
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	return body
}

// updateOf fills an update from a body, key by key, as a caller would.
func updateOf(t *testing.T, body json.RawMessage) (u WebhookEndpointUpdate) {
	t.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		t.Fatal(err)
	}
	for key, raw := range keys {
		switch key {
		case "url":
			u.URL = fieldOf[string](t, raw)
		case "description":
			u.Description = fieldOf[string](t, raw)
		case "events":
			u.Events = fieldOf[[]string](t, raw)
		case "active":
			u.Active = fieldOf[bool](t, raw)
		case "authentication":
			u.Authentication = fieldOf[Authentication](t, raw)
		default:
			t.Errorf("the update has no field for %q", key)
		}
	}
	return u
}

func fieldOf[T any](t *testing.T, raw json.RawMessage) api.Field[T] {
	t.Helper()
	if string(raw) == "null" {
		return api.Null[T]()
	}
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	return api.Set(value)
}

// exchanges are the written-down ones of this service that have a status in a
// range.
func exchanges(from, to int) (found []contract.Exchange) {
	for _, exchange := range contract.All("collections/") {
		if status := exchange.Response.Status; calls[exchange.Operation] != nil && status >= from && status <= to {
			found = append(found, exchange)
		}
	}
	return found
}

// TestExchanges plays every written-down success to its call: what is sent is
// what was written down, and what is answered comes out with nothing lost or
// changed. A rotation alone differs: it always says how long the grace is.
func TestExchanges(t *testing.T) {
	t.Parallel()
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
			if want := exchange.Request.Method + " " + exchange.Request.Path; w.seen[0] != want {
				t.Errorf("sent %s, want %s", w.seen[0], want)
			}
			if isList := strings.HasSuffix(exchange.Operation, ".list"); !isList && len(w.seen) != 1 {
				t.Errorf("sent %v", w.seen)
			}
			if string(exchange.Request.Body) == "{}" && exchange.Operation == "api_keys.rotate" {
				exchange.Request.Body = json.RawMessage(`{"graceDays":0}`)
			}
			sameBody(t, w.bodies[0], exchange.Request.Body)
			sameData(t, got, exchange.Response.Body)
		})
	}
	for operation := range calls {
		if !played[operation] {
			t.Errorf("no exchange of %s was played", operation)
		}
	}
}

// once answers with an exchange; a list has nothing beyond that one page.
func once(exchange contract.Exchange) http.HandlerFunc {
	first := answer(exchange.Response.Status, string(exchange.Response.Bytes()))
	if strings.HasSuffix(exchange.Operation, ".list") {
		return turns(first, answer(200, listOf()))
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

// sameData compares a result with the data of an answer.
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

// TestExchangesOfRefusals plays every written-down refusal: its status, its code
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
		w := newWire(routes{"/": answer(exchange.Response.Status, string(exchange.Response.Body))})
		_, err := calls[exchange.Operation](t, newService(t, w), idsIn(exchange.Request.Path), contract.Request{Body: json.RawMessage(`{}`)})
		e, ok := api.AsError(err)
		if _, ambiguous := api.AsAmbiguous(err); !ok || ambiguous || len(w.seen) != 1 {
			t.Errorf("%s: %v after %v", exchange.Name, err, w.seen)
			continue
		}
		if e.Status != exchange.Response.Status || e.Code != object.Code || len(object.Details.Fields) > 0 && !reflect.DeepEqual(e.Fields, object.Details.Fields) {
			t.Errorf("%s: got %+v", exchange.Name, e)
		}
	}
	for _, code := range []string{"INVALID_WEBHOOK_URL", "ENDPOINT_INACTIVE", "key_not_active"} {
		if !codes[code] {
			t.Errorf("no refusal with the code %s was played", code)
		}
	}
}
