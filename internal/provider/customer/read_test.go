package customer

import (
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/http/httptest"
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

// TestOldestAccount: an import takes the account that most likely came with the customer.
func TestOldestAccount(t *testing.T) {
	t.Parallel()
	loaded := []billing.BillingAccount{{ID: "loaded", Status: "active", CreatedAt: "2026-01-01T00:00:00Z"}}
	for name, c := range map[string]struct {
		loaded []billing.BillingAccount
		listed []any
		want   string
	}{
		"none": {nil, []any{}, ""},
		"oldest": {nil, []any{account("b", "2026-02-01T00:00:00Z", "active"),
			account("a", "2026-01-01T00:00:00Z", "suspended")}, "a"},
		"closed do not count": {nil, []any{account("a", "2026-01-01T00:00:00Z", "closed"),
			account("b", "2026-02-01T00:00:00Z", "active")}, "b"},
		"all closed": {nil, []any{account("a", "2026-01-01T00:00:00Z", "closed")}, ""},
		"those of others": {nil, []any{members{"id": "x", "status": "active", "created_at": "2025-01-01T00:00:00Z",
			"customer": members{"id": "d"}}}, ""},
		"without their customers": {nil, []any{lean("x", "2025-01-01T00:00:00Z"), lean("a", "2026-01-01T00:00:00Z"),
			lean("gone", "2024-01-01T00:00:00Z")}, "a"},
		"loaded with the customer": {loaded, []any{account("a", "2025-01-01T00:00:00Z", "active")}, "loaded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serving(t, map[string]any{"/v1/billing-accounts": c.listed,
				"/v1/billing-accounts/a": account("a", "2026-01-01T00:00:00Z", "active"),
				"/v1/billing-accounts/x": members{"id": "x", "status": "active", "created_at": "2025-01-01T00:00:00Z",
					"customer": members{"id": "d"}}})
			have, err := oldestAccount(t.Context(), client, &billing.Customer{ID: "c", BillingAccounts: c.loaded})
			if err != nil || (have != nil) != (c.want != "") || have != nil && have.ID != c.want {
				t.Errorf("account %v, %v, want %q", have, err, c.want)
			}
		})
	}
}

// TestWithOldestAccount_unlisted: accounts that cannot be listed are a warning; the customer is imported all the
// same.
func TestWithOldestAccount_unlisted(t *testing.T) {
	t.Parallel()
	client := serving(t, nil)
	var diags diag.Diagnostics
	c := &billing.Customer{ID: "c", Name: "A"}
	state := withOldestAccount(t.Context(), client, model{}.read(c, ownership{}, true, &diags), c, &diags)
	if state.ID.ValueString() != "c" || !state.BillingAccountID.IsNull() || diags.HasError() ||
		diags.WarningsCount() != 1 {
		t.Errorf("state %+v, %v", state, diags)
	}
}
