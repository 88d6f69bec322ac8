package collections

import (
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
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
