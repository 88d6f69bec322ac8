package finance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// TestFromAPI: the whole record is in body and response, to the last digit; what only the provider knows is null.
func TestFromAPI(t *testing.T) {
	t.Parallel()
	const response = `{"amount":"1500.00","count":9007199254740993,"id":"1","lines":[{"paid":null}],"name":"Rent"}`
	var record finance.Record
	modeltest.Wire(t, []byte(response), &record)
	m, err := fromAPI(types.StringValue("payables"), &record)
	if err != nil {
		t.Fatal(err)
	}
	if m.ID.ValueString() != "1" || m.Collection.ValueString() != "payables" || m.Response.ValueString() != response {
		t.Errorf("converted to %+v", m)
	}
	if !m.IdempotencyKey.IsNull() || !m.IgnoreRemoteChanges.IsNull() {
		t.Errorf("made up %s, %s", m.IdempotencyKey, m.IgnoreRemoteChanges)
	}
	want := parsed(t, response)
	delete(want, "id")
	if body, err := m.Body.Object(); err != nil || !same.JSON(body, want) {
		t.Errorf("the body is %v, %v", body, err)
	}
}
