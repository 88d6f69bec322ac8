package collections

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

type routes = map[string]http.HandlerFunc

var (
	newWire, respond, turns, lost = apitest.New, apitest.Respond, apitest.Turns, apitest.Lost
	data, listOf, changed, stamp  = apitest.Data, apitest.ListOf, apitest.Changed, apitest.Stamp
	rejected, says                = apitest.Rejected, apitest.Says
)

func newService(t *testing.T, transport http.RoundTripper, change ...func(*api.Config)) *Service {
	t.Helper()
	cfg := api.Config{
		Service: "collections", BaseURL: "https://api.example.test", Token: "key_1234567890", MaxRetries: 1,
		Transport: transport,
	}
	for _, f := range change {
		f(&cfg)
	}
	client, err := api.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return New(client)
}

// listings responds to one listing after the other, the last one for good. Each is
// one page.
func listings(handlers ...http.HandlerFunc) http.HandlerFunc {
	next, empty := turns(handlers...), respond(200, listOf())
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page") != "1" {
			empty(w, r)
			return
		}
		next(w, r)
	}
}

const (
	endpointsPath = "/api/v1/webhook-endpoints"
	endpointPath  = endpointsPath + "/e1"
	deliveries    = "GET " + endpointPath + "/deliveries"
	keysPath      = "/api/v1/api-keys"
	hook          = "https://hooks.example.test/in"
)

// endpointJSON is the endpoint e1, created now, with some fields changed.
func endpointJSON(t *testing.T, change map[string]any) string {
	t.Helper()
	return changed(t, fmt.Sprintf(`{"id":"e1","url":%q,"description":null,"events":[],"active":true,
		"authentication":{"type":"none"},"createdAt":%q,"updatedAt":%[2]q}`, hook, stamp(time.Now())), change)
}

// keyJSON is the key k1 named ci, created now, with some fields changed.
func keyJSON(t *testing.T, change map[string]any) string {
	t.Helper()
	return changed(t,
		fmt.Sprintf(`{"id":"k1","name":"ci","description":null,"keyPrefix":"key_ab","source":"api","scopes":["charges:read"],
		"lastUsedAt":null,"expiresAt":null,"revokedAt":null,"createdAt":%q}`, stamp(time.Now())), change)
}
