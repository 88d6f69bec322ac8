package object

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// TestShowRecord: a record is its id, its name and its whole text, to the last digit, whatever it has.
func TestShowRecord(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]Shown{
		`{"id":"1", "total":9007199254740993, "rate":0.10, "lines":[null]}`: {ID: types.StringValue("1"),
			JSON: types.StringValue(`{"id":"1","lines":[null],"rate":0.10,"total":9007199254740993}`)},
		`{"name":"x"}`: {Name: types.StringValue("x"), JSON: types.StringValue(`{"name":"x"}`)},
	} {
		var record api.Record
		modeltest.Wire(t, []byte(response), &record)
		if have, err := ShowRecord(&record); err != nil || have != want {
			t.Errorf("%s is shown as %s, %v", response, have, err)
		}
	}
}
