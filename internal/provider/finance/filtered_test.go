package finance

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
)

// TestFiltered: a filter on a field that no object has is a warning that names similar fields, also where the service
// returns nothing for it. An empty list takes one more request, and its failure is no error.
func TestFiltered(t *testing.T) {
	t.Parallel()
	const object = `{"id":"1","company_id":"2","occurred_at":"2026-01-31"}`
	for name, c := range map[string]struct {
		filter         string
		with, without  []string // the objects with the filter and without; nil: the request fails
		requests       int
		says, saysMore string
	}{
		"known": {"company_id", []string{object}, nil, 1, "", ""},
		"bound": {"occurred_at[gte]", []string{object}, nil, 1, "", ""},
		"misspelt and ignored": {"compny_id", []string{object}, nil, 1, "none of the items has",
			"Similar fields: company_id,"},
		"misspelt and applied": {"compny_id", []string{}, []string{object}, 2, "the list is empty",
			"Similar fields: company_id,"},
		"known, nothing matches":  {"company_id", []string{}, []string{object}, 2, "", ""},
		"nothing there":           {"compny_id", []string{}, []string{}, 2, "", ""},
		"nothing there, and down": {"compny_id", []string{}, nil, 2, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			list := func(query finance.Query) iter.Seq2[finance.Record, error] {
				requests++
				objects := c.without
				if len(query.Filters) > 0 {
					objects = c.with
				}
				return func(yield func(finance.Record, error) bool) {
					if objects == nil {
						yield(finance.Record{}, errors.New("down"))
					}
					for _, text := range objects {
						if !yield(finance.Record{ID: "1", Raw: []byte(text)}, nil) {
							return
						}
					}
				}
			}
			var diags diag.Diagnostics
			items := filtered(list, finance.Query{Filters: map[string]string{c.filter: "x"}}, types.Int64Null(), "things",
				&diags)
			if len(items) != len(c.with) || requests != c.requests || diags.HasError() {
				t.Errorf("%d items after %d requests, %v", len(items), requests, diags)
			}
			if len(diags) != min(1, len(c.says)) {
				t.Fatalf("%d diagnostics: %v", len(diags), diags)
			}
			if len(diags) == 1 && !(strings.Contains(diags[0].Detail(), c.says) &&
				strings.Contains(diags[0].Detail(), c.saysMore)) {
				t.Errorf("the warning is %s", diags[0].Detail())
			}
		})
	}
}
