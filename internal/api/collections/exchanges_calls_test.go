package collections

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
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
var calls = map[string]func(*testing.T, *Service, ids, evidence.Request) (any, error){
	"webhook_endpoints.create": func(t *testing.T, s *Service, _ ids, r evidence.Request) (any, error) {
		created, err := s.CreateWebhookEndpoint(t.Context(), bodyOf[WebhookEndpointCreate](t, r))
		if err != nil {
			return nil, err
		}
		return created.WebhookEndpoint, nil
	},
	"webhook_endpoints.get": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return s.GetWebhookEndpoint(t.Context(), id.object)
	},
	"webhook_endpoints.update": func(t *testing.T, s *Service, id ids, r evidence.Request) (any, error) {
		return s.UpdateWebhookEndpoint(t.Context(), id.object, updateOf(t, r.Body))
	},
	"webhook_endpoints.delete": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return nil, s.DeleteWebhookEndpoint(t.Context(), id.object)
	},
	"webhook_endpoints.rotate_secret": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return s.RotateWebhookSecret(t.Context(), id.object)
	},
	"webhook_endpoints.test": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return s.TestWebhookEndpoint(t.Context(), id.object)
	},
	"webhook_deliveries.retry": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return s.RetryDelivery(t.Context(), id.object, id.delivery)
	},
	"api_keys.create": func(t *testing.T, s *Service, _ ids, r evidence.Request) (any, error) {
		created, err := s.CreateAPIKey(t.Context(), bodyOf[APIKeyCreate](t, r))
		if err != nil {
			return nil, err
		}
		return created.APIKey, nil
	},
	"api_keys.get": func(t *testing.T, s *Service, id ids, _ evidence.Request) (any, error) {
		return s.GetAPIKey(t.Context(), id.object)
	},
	"api_keys.rotate": func(t *testing.T, s *Service, id ids, r evidence.Request) (any, error) {
		return s.RotateAPIKey(t.Context(), id.object, bodyOf[rotateBody](t, r).GraceDays)
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

// bodyOf reads a body into the type that a caller fills, which must know all of
// it.
func bodyOf[T any](t *testing.T, r evidence.Request) (body T) {
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
