package customer

import (
	"context"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// memory is a private state.
type memory map[string][]byte

func (m memory) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return m[key], nil }

func (m memory) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	m[key] = value
	return nil
}

// TestOwnership: what an apply establishes is written in the form that states hold already, and read again as it was.
func TestOwnership(t *testing.T) {
	t.Parallel()
	email := blank()
	owning := func(config model, desired metadata.Object) ownership {
		own := ownership{Email: entry{Value: config.Email.ValueString()}}
		own.Metadata.Object = metadata.Merge(nil, desired)
		return own
	}
	email.Email = types.StringValue("a")
	for name, c := range map[string]struct {
		own  ownership
		want string
	}{
		"nothing applied": {ownership{}, `{}`},
		"nothing named":   {owning(blank(), nil), `{"custom_metadata":{}}`},
		"metadata":        {owning(blank(), metadata.Object{"a": nil}), `{"custom_metadata":{"a":null}}`},
		"e-mail":          {owning(email, nil), `{"custom_metadata":{},"email":{"value":"a"}}`},
	} {
		store := memory{}
		var diags diag.Diagnostics
		private.SetOwned(t.Context(), store, c.own, &diags)
		if have := string(store["owned"]); have != c.want {
			t.Errorf("%s: written as %s, want %s", name, have, c.want)
		}
		if have := private.Owned[ownership](t.Context(), store, &diags); !reflect.DeepEqual(have, c.own) || diags.HasError() {
			t.Errorf("%s: read as %+v, %v", name, have, diags)
		}
	}
}

// TestDescribe: a listed customer shows its name, and writes no address twice into generated configuration.
func TestDescribe(t *testing.T) {
	t.Parallel()
	externalID := "p-1"
	item, managed := describe(t.Context(), nil, &billing.Customer{ID: "1", Name: "Ana", ExternalID: &externalID,
		Emails: remoteOf("a"), Phones: remoteOf("1")})
	m, ok := item.Resource.(model)
	if !managed || item.Err != nil || scheme.ID(&billing.Customer{ID: "1"}) != "1" || item.Name != "Ana (p-1)" || !ok {
		t.Fatalf("listed as %+v", item)
	}
	if !m.Email.IsNull() || !m.Phone.IsNull() || !m.Emails.Equal(listOf("a")) || !m.Phones.Equal(listOf("1")) {
		t.Errorf("e-mail %s beside %s, phone %s beside %s", m.Email, m.Emails, m.Phone, m.Phones)
	}
	if item, _ := describe(t.Context(), nil, &billing.Customer{ID: "2", Name: "Elisa",
		CustomMetadata: []byte(`[1]`)}); item.Name !=
		"Elisa" || item.Err == nil {
		t.Errorf("an unreadable customer is listed as %+v", item)
	}
}
