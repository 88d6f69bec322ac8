package customer

import (
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
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

// TestFind: a customer is found by each of its fields, document numbers under any mask; several are distinguished by
// their names.
func TestFind(t *testing.T) {
	t.Parallel()
	one := members{"id": "id-1", "name": "First", "external_id": "x", "document_number": "529.982.247-25",
		"created_at": "2026-01-01T00:00:00Z"}
	two := members{"id": "id-2", "name": "Second", "external_id": "x", "document_number": "52998224725",
		"created_at": "2026-02-01T00:00:00Z"}
	other := members{"id": "id-3", "name": "Third", "external_id": "y", "document_number": "11144477735",
		"created_at": "2026-03-01T00:00:00Z"}
	client := serving(t, map[string]any{"/v1/customers": []any{one, two, other}, "/v1/customers/id-1": one})
	id := func(value string) object.Selector { return object.Selector{ID: value} }
	externalID := func(value string) object.Selector { return object.Selector{Field: "external_id", Value: value} }
	document := func(value string) object.Selector { return object.Selector{Field: "document_number", Value: value} }
	for name, c := range map[string]struct {
		by    object.Selector
		id    string
		parts []string
	}{
		"id":          {id("id-1"), "id-1", nil},
		"no such id":  {id("id-9"), "", []string{"No such customer", "id id-9"}},
		"external_id": {externalID("y"), "id-3", nil},
		"another case": {externalID("Y"), "", []string{"No such customer", `external_id "Y"`,
			"upper and lower case"}},
		"external_id twice": {externalID("x"), "", []string{"More than one customer", "2 customers",
			"id-1  First (created 2026-01-01", "id-2  Second (created 2026-02-01"}},
		"document, another mask": {document("111.444.777-35"), "id-3", nil},
		"document twice": {document("529 982 247 25"), "", []string{"More than one customer", "id-1",
			"id-2", "Use the id"}},
		"no such document": {document("1"), "", []string{"No such customer", `document_number "1"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			found := scheme.One(t.Context(), client, c.by, &diags)
			if (found != nil) != (c.id != "") || found != nil && found.ID != c.id || diags.HasError() != (c.id == "") {
				t.Fatalf("found %v, %v", found, diags)
			}
			for _, part := range c.parts {
				if text := diags[0].Summary() + "\n" + diags[0].Detail(); !strings.Contains(text, part) {
					t.Errorf("the error does not say %q: %s", part, text)
				}
			}
		})
	}
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

// TestImportedState_withoutAccounts: accounts that cannot be listed are a warning; the customer is imported all the
// same.
func TestImportedState_withoutAccounts(t *testing.T) {
	t.Parallel()
	client := serving(t, nil)
	var diags diag.Diagnostics
	state := importedState(t.Context(), client, &billing.Customer{ID: "c", Name: "A"}, &diags)
	if state.ID.ValueString() != "c" || !state.BillingAccountID.IsNull() || diags.HasError() ||
		diags.WarningsCount() != 1 {
		t.Errorf("state %+v, %v", state, diags)
	}
}
