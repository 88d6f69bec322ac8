package organization

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

func TestFromAPI(t *testing.T) {
	t.Parallel()
	got := fromAPI(&billing.Organization{ID: "1", Name: "n", Email: "e", DocumentType: "cnpj",
		DocumentNumber: "11222333000181", Environment: "sandbox", CreatedAt: "2026-01-01T00:00:00.000Z"})
	want := model{ID: types.StringValue("1"), Name: types.StringValue("n"), Email: types.StringValue("e"),
		DocumentType: types.StringValue("cnpj"), DocumentNumber: types.StringValue("11222333000181"),
		Environment: types.StringValue("sandbox"), CreatedAt: types.StringValue("2026-01-01T00:00:00.000Z")}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
