package record

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/modeltest"
)

// TestItemFromAPI: a record is its whole text, to the last digit, whatever it has.
func TestItemFromAPI(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]types.String{
		`{"id":"1", "total":9007199254740993, "rate":0.10, "lines":[null]}`: types.StringValue(
			`{"id":"1","lines":[null],"rate":0.10,"total":9007199254740993}`),
		`{}`: types.StringValue(`{}`),
	} {
		var record billing.Record
		modeltest.Wire(t, []byte(response), &record)
		if have, err := itemFromAPI(&record); err != nil || !have.Equal(want) {
			t.Errorf("%s is shown as %s, %v", response, have, err)
		}
	}
}

// TestReserved: what every collection takes has an argument of its own.
func TestReserved(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]bool{"page": true, "per_page": true, "search": true, "sort_by": true,
		"sort_order": true, "status": false, "limit": false} {
		if instead := reserved(name); (instead != "") != is {
			t.Errorf("%s: %q", name, instead)
		}
	}
}
