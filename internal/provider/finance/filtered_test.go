package finance

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// TestWarnUnknownFilters: a filter on a field that no item has is a warning that names it and similar fields.
func TestWarnUnknownFilters(t *testing.T) {
	t.Parallel()
	const item = `{"id":"1","company_id":"2","occurred_at":"2026-01-31"}`
	for name, c := range map[string]struct {
		filter, item string
		warns        bool
	}{
		"known":           {"company_id", item, false},
		"bound":           {"occurred_at[gte]", item, false},
		"misspelt":        {"compny_id", item, true},
		"an empty object": {"compny_id", "{}", false},
	} {
		var diags diag.Diagnostics
		warnUnknownFilters(map[string]string{c.filter: "x"}, []object.Shown{{JSON: types.StringValue(c.item)}}, "things",
			&diags)
		if have := said(diags); (have != "") != c.warns ||
			c.warns && !(strings.Contains(have, `the filter "compny_id" of things`) &&
				strings.Contains(have, "Similar fields: company_id,")) {
			t.Errorf("%s: %s", name, have)
		}
	}
}
