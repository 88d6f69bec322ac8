package collections

import (
	"net/http"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// FuzzObjects: no response breaks the decoding of an object, and what is returned without an error is the object that
// was asked for.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		`{"data":{"id":"x1","url":"https://a.example","events":null,"authentication":{"type":"header","value":7},"secret":"whsec_x"}}`, `{"id":"X1"}`,
		`{"data":{"iD":"x2"}}`,
		`{"data":{"id":"x1","scopes":"all","expiresAt":"","lastUsedAt":0,"revokedAt":null,"token":[]}}`,
		`{"data":[{"id":"d","requestBody":"{","attempts":"3","responseBody":{}}],"meta":{"total":1}}`, `{"data":[{},null]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := newService(t, newWire(routes{"/": respond(http.StatusOK, string(body))}),
			func(cfg *api.Config) { cfg.MaxRetries = 0 })
		ctx := t.Context()
		if v, err := s.GetWebhookEndpoint(ctx, "x1"); err == nil && !same.ID(v.ID, "x1") {
			t.Errorf("endpoint %q", v.ID)
		}
		if v, err := s.GetAPIKey(ctx, "x1"); err == nil && !same.ID(v.ID, "x1") {
			t.Errorf("key %q", v.ID)
		}
		for key, err := range s.ListAPIKeys(ctx) {
			if err != nil && key.ID != "" {
				t.Error("an error comes with a key")
			}
		}
		for endpoint, err := range s.ListWebhookEndpoints(ctx) {
			if err != nil && endpoint.ID != "" {
				t.Error("an error comes with an endpoint")
			}
		}
		for delivery, err := range s.ListDeliveries(ctx, DeliveryQuery{EndpointID: "x1"}) {
			if err != nil && delivery.ID != "" {
				t.Error("an error comes with a delivery")
			}
		}
	})
}
