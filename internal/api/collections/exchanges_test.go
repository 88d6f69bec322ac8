package collections

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest/played"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

func recorded() played.Player[*Service] {
	return played.Player[*Service]{Folder: "collections/", Calls: calls,
		Connect: func(t *testing.T, transport http.RoundTripper) *Service { return newService(t, transport) },
		Skip: func(e evidence.Exchange) bool { // this client always sends how long the grace period is
			return e.Operation == "api_keys.rotate" && e.Response.Status < 300 && string(e.Request.Body) == "{}"
		}}
}

func TestExchanges(t *testing.T) { recorded().Successes(t) }

func TestExchangesOfRefusals(t *testing.T) {
	codes := recorded().Rejections(t)
	if codes["INVALID_WEBHOOK_URL"] == 0 || codes["ENDPOINT_INACTIVE"] == 0 || codes["key_not_active"] == 0 {
		t.Errorf("only %v were played", codes)
	}
}

// calls carries out each operation out of a written-down request.
var calls = map[string]func(*testing.T, *Service, []string, evidence.Request) (any, error){
	"webhook_endpoints.create": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return s.CreateWebhookEndpoint(t.Context(), endpointBody(t, r.Body))
	},
	"webhook_endpoints.get": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return s.GetWebhookEndpoint(t.Context(), at[4])
	},
	"webhook_endpoints.update": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.UpdateWebhookEndpoint(t.Context(), at[4], endpointBody(t, r.Body))
	},
	"webhook_endpoints.delete": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return nil, s.DeleteWebhookEndpoint(t.Context(), at[4])
	},
	"webhook_endpoints.rotate_secret": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		_, err := s.RotateWebhookSecret(t.Context(), at[4]) // the secret alone
		return nil, err
	},
	"webhook_endpoints.test": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return s.TestWebhookEndpoint(t.Context(), at[4])
	},
	"webhook_deliveries.retry": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return s.RetryDelivery(t.Context(), at[4], at[6])
	},
	"api_keys.create": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return s.CreateAPIKey(t.Context(), apitest.BodyOf[APIKeyCreate](t, r.Body))
	},
	"api_keys.get": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return s.GetAPIKey(t.Context(), at[4])
	},
	"api_keys.rotate": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.RotateAPIKey(t.Context(), at[4], apitest.BodyOf[rotateBody](t, r.Body).GraceDays)
	},
	"api_keys.revoke": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return nil, s.RevokeAPIKey(t.Context(), at[4])
	},
	"webhook_endpoints.list": func(t *testing.T, s *Service, _ []string, _ evidence.Request) (any, error) {
		return apitest.All(s.ListWebhookEndpoints(t.Context()))
	},
	"webhook_deliveries.list": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return apitest.All(s.ListDeliveries(t.Context(), DeliveryQuery{
			EndpointID: at[4], Status: r.Query["status"], Event: r.Query["event"],
		}))
	},
	"api_keys.list": func(t *testing.T, s *Service, _ []string, _ evidence.Request) (any, error) {
		return apitest.All(s.ListAPIKeys(t.Context()))
	},
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
			t.Errorf("the body has no field for %q", key)
		}
	}
	return u
}

// fieldOf is a field of an update with this value.
func fieldOf[T any](t *testing.T, raw json.RawMessage) api.Field[T] {
	t.Helper()
	if string(raw) == "null" {
		return api.Null[T]()
	}
	return api.Set(apitest.BodyOf[T](t, raw))
}
