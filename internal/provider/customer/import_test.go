package customer

import (
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// object is JSON of the service.
type object = map[string]any

// serving is a service of this test that answers paths with data; anything else is its own not-found.
func serving(t *testing.T, answers map[string]any) *billing.Service {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := any(object{"data": answers[r.URL.Path]})
		if answers[r.URL.Path] == nil {
			w.WriteHeader(http.StatusNotFound)
			body = object{"error": object{"code": "not_found", "message": "no such object"}}
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

// TestFind: one customer is found; none, or more than one, is an error that says what to do.
func TestFind(t *testing.T) {
	t.Parallel()
	one := object{"id": "id-1", "name": "First", "external_id": "x", "document_number": "529.982.247-25", "created_at": "2026-01-01T00:00:00Z"}
	two := object{"id": "id-2", "name": "Second", "external_id": "x", "document_number": "52998224725", "created_at": "2026-02-01T00:00:00Z"}
	other := object{"id": "id-3", "name": "Third", "external_id": "y", "document_number": "11144477735", "created_at": "2026-03-01T00:00:00Z"}
	client := serving(t, map[string]any{"/v1/customers": []any{one, two, other}, "/v1/customers/id-1": one})
	for name, c := range map[string]struct {
		wanted wanted
		id     string
		parts  []string
	}{
		"id":                     {wanted{id: "id-1"}, "id-1", nil},
		"no such id":             {wanted{id: "id-9"}, "", []string{"No such customer", "id id-9", "external_id=<value>"}},
		"external_id":            {wanted{externalID: "y"}, "id-3", nil},
		"another case":           {wanted{externalID: "Y"}, "", []string{"No such customer", `external_id "Y"`, "upper and lower case"}},
		"external_id twice":      {wanted{externalID: "x"}, "", []string{"More than one customer", "2 customers", "id-1  First (created 2026-01-01", "id-2  Second (created 2026-02-01"}},
		"document, another mask": {wanted{documentNumber: "111.444.777-35"}, "id-3", nil},
		"document twice":         {wanted{documentNumber: "529 982 247 25"}, "", []string{"More than one customer", "id-1", "id-2", "Use the id"}},
		"no such document":       {wanted{documentNumber: "1"}, "", []string{"No such customer", `document_number "1"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			found := find(t.Context(), client, c.wanted, &diags)
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

// TestSelector: an import id or an identity selects by exactly one field.
func TestSelector(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		id       string
		identity map[string]string // nil: none given
		want     wanted
		bad      bool
	}{
		"id":                   {id: "0b5f", want: wanted{id: "0b5f"}},
		"id, named":            {id: "id=0b5f", want: wanted{id: "0b5f"}},
		"external_id":          {id: "external_id=erp-1", want: wanted{externalID: "erp-1"}},
		"external_id with =":   {id: "external_id=a=b", want: wanted{externalID: "a=b"}},
		"external_id of none":  {id: "external_id=", bad: true},
		"identity id":          {identity: map[string]string{"id": "0b5f"}, want: wanted{id: "0b5f"}},
		"identity external_id": {identity: map[string]string{"external_id": "erp-1"}, want: wanted{externalID: "erp-1"}},
		"identity of both":     {identity: map[string]string{"id": "0b5f", "external_id": "erp-1"}, want: wanted{id: "0b5f", externalID: "erp-1"}, bad: true},
		"identity of neither":  {identity: map[string]string{}, bad: true},
		"empty identity id":    {identity: map[string]string{"id": ""}, bad: true},
		"nothing at all":       {bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := resource.ImportStateRequest{ID: c.id}
			if c.identity != nil {
				req.Identity = identityOf(t, c.identity)
			}
			var diags diag.Diagnostics
			have := selector(t.Context(), req, &diags)
			if have != c.want || diags.HasError() != c.bad {
				t.Errorf("selects %+v, %v", have, diags)
			}
			if c.bad && !strings.Contains(diags[0].Detail(), "external_id=<value>") {
				t.Errorf("the error does not say what to write: %s", diags[0].Detail())
			}
		})
	}
}

func identityOf(t *testing.T, given map[string]string) *tfsdk.ResourceIdentity {
	t.Helper()
	var schema resource.IdentitySchemaResponse
	(&Resource{}).IdentitySchema(t.Context(), resource.IdentitySchemaRequest{}, &schema)
	attributes, values := map[string]tftypes.Type{}, map[string]tftypes.Value{}
	for _, name := range []string{"id", "external_id"} {
		attributes[name] = tftypes.String
		values[name] = tftypes.NewValue(tftypes.String, nil)
		if text, ok := given[name]; ok {
			values[name] = tftypes.NewValue(tftypes.String, text)
		}
	}
	return &tfsdk.ResourceIdentity{Schema: schema.IdentitySchema, Raw: tftypes.NewValue(tftypes.Object{AttributeTypes: attributes}, values)}
}

// account is a billing account of customer "c".
func account(id, created, status string) object {
	return object{"id": id, "status": status, "created_at": created, "customer": object{"id": "c"}}
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
		"none":                     {nil, []any{}, ""},
		"oldest":                   {nil, []any{account("b", "2026-02-01T00:00:00Z", "active"), account("a", "2026-01-01T00:00:00Z", "suspended")}, "a"},
		"closed do not count":      {nil, []any{account("a", "2026-01-01T00:00:00Z", "closed"), account("b", "2026-02-01T00:00:00Z", "active")}, "b"},
		"all closed":               {nil, []any{account("a", "2026-01-01T00:00:00Z", "closed")}, ""},
		"those of others":          {nil, []any{object{"id": "x", "status": "active", "created_at": "2025-01-01T00:00:00Z", "customer": object{"id": "d"}}}, ""},
		"loaded with the customer": {loaded, []any{account("a", "2025-01-01T00:00:00Z", "active")}, "loaded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serving(t, map[string]any{"/v1/billing-accounts": c.listed})
			have, err := oldestAccount(t.Context(), client, &billing.Customer{ID: "c", BillingAccounts: c.loaded})
			if err != nil || (have != nil) != (c.want != "") || have != nil && have.ID != c.want {
				t.Errorf("account %v, %v, want %q", have, err, c.want)
			}
		})
	}
}

// TestImportedState_withoutAccounts: accounts that cannot be listed are a warning; the customer is imported all the same.
func TestImportedState_withoutAccounts(t *testing.T) {
	t.Parallel()
	client := serving(t, nil)
	var diags diag.Diagnostics
	state := importedState(t.Context(), client, &billing.Customer{ID: "c", Name: "A"}, &diags)
	if state.ID.ValueString() != "c" || !state.BillingAccountID.IsNull() || diags.HasError() || diags.WarningsCount() != 1 {
		t.Errorf("state %+v, %v", state, diags)
	}
}
