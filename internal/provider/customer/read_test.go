package customer

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// members is JSON of the service.
type members = map[string]any

// serving is a service of this test that returns data for paths; any other path returns its own not-found.
func serving(t *testing.T, responses map[string]any) *billing.Service {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := any(members{"data": responses[r.URL.Path]})
		if responses[r.URL.Path] == nil {
			w.WriteHeader(http.StatusNotFound)
			body = members{"error": members{"code": "not_found", "message": "no such object"}}
		}
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client, err := api.New(api.Config{Service: "billing", BaseURL: server.URL, Token: "token", RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	return billing.New(client)
}

// account is a billing account of customer "c".
func account(id, created, status string) members {
	return members{"id": id, "status": status, "created_at": created, "customer": members{"id": "c"}}
}

// lean is an account as a list returns it that leaves the customer out.
func lean(id, created string) members {
	return members{"id": id, "status": "active", "created_at": created}
}

// TestAccountFound: an import takes the customer's first open account. Accounts that cannot be listed are a warning.
func TestAccountFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		listed any
		want   string
		warns  string
	}{
		"none": {[]any{}, "", ""},
		"several": {[]any{account("a", "2026-01-01T00:00:00Z", "suspended"), account("b", "2026-02-01T00:00:00Z", "active")},
			"a", ""},
		"closed do not count": {[]any{account("a", "2026-01-01T00:00:00Z", "closed"),
			account("b", "2026-02-01T00:00:00Z", "active")}, "b", ""},
		"all closed": {[]any{account("a", "2026-01-01T00:00:00Z", "closed")}, "", ""},
		"those of others": {[]any{members{"id": "x", "status": "active", "created_at": "2025-01-01T00:00:00Z",
			"customer": members{"id": "d"}}}, "", ""},
		"without their customers": {[]any{lean("x", "2025-01-01T00:00:00Z"), lean("a", "2026-01-01T00:00:00Z"),
			lean("gone", "2024-01-01T00:00:00Z")}, "a", ""},
		"not listed": {nil, "", "could not be listed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serving(t, map[string]any{"/v1/billing-accounts": c.listed,
				"/v1/billing-accounts/a": account("a", "2026-01-01T00:00:00Z", "active"),
				"/v1/billing-accounts/x": members{"id": "x", "status": "active", "created_at": "2025-01-01T00:00:00Z",
					"customer": members{"id": "d"}}})
			var diags diag.Diagnostics
			found := &billing.Customer{ID: "c", Name: "A"}
			state := withAccountFound(t.Context(), client, imported(found, &diags), found, &diags)
			if state.BillingAccountID.ValueString() != c.want || state.ID.ValueString() != "c" {
				t.Errorf("account %s, want %q", state.BillingAccountID, c.want)
			}
			if text := fmt.Sprint(diags); diags.HasError() || (c.warns == "") != (len(diags) == 0) ||
				!strings.Contains(text, c.warns) {
				t.Errorf("it says %s", text)
			}
		})
	}
}
