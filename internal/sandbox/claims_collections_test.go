package sandbox_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// receive serves on loopback. All test servers of net/http/httptest share one
// certificate, so whoever trusts one trusts this.
func receive(_ context.Context, handler http.Handler) (string, func(), error) {
	server := httptest.NewTLSServer(handler)
	return server.URL, server.Close, nil
}

// TestCollectionsExchanges sends the recorded creates, and compares status, error
// code, blamed fields and the members of what gets the recorded ones.
func TestCollectionsExchanges(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, exchange := range evidence.All("collections/") {
		status := exchange.Response.Status
		if exchange.Operation != "webhook_endpoints.create" && exchange.Operation != "api_keys.create" ||
			status != 201 && status != 422 {
			continue
		}
		compared++
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			c := collect(t, start(t, sandbox.Options{Start: time.Date(2025, 5, 6, 14, 0, 0, 0, time.UTC)}))
			got := c.do("POST", exchange.Request.Path, string(exchange.Request.Body)).want(status)
			recorded := result{t: t, body: exchange.Response.Body}
			if status == 422 {
				if got.text("error", "code") != recorded.text("error", "code") {
					t.Errorf("responded with %s", got.body)
				}
				if recorded.at("error").(map[string]any)["details"] != nil {
					sameMembers(t, recorded.at("error", "details", "fields"), got.at("error", "details", "fields"))
				}
				return
			}
			sameMembers(t, recorded.at("data"), got.at("data"))
			for _, member := range []string{"url", "description", "events", "active", "authentication", "name", "scopes",
				"expiresAt", "revokedAt", "lastUsedAt"} {
				if want := recorded.json("data", member); got.json("data", member) != want {
					t.Errorf("%s: %s, want %s", member, got.json("data", member), want)
				}
			}
		})
	}
	if compared == 0 {
		t.Fatal("no exchange of a create")
	}
}

func sameMembers(t *testing.T, want, have any) {
	t.Helper()
	names := func(value any) []string {
		object, _ := value.(map[string]any)
		return slices.Sorted(maps.Keys(object))
	}
	if !slices.Equal(names(want), names(have)) {
		t.Errorf("members %v, want %v", names(have), names(want))
	}
}
