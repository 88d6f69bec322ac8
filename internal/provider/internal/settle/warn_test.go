package settle

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestWarn: a difference in an argument is reported on it, with both values; one in a computed attribute is not.
func TestWarn(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	Warn([]Difference{
		{Attribute: "name", Planned: types.StringValue("asked"), Responded: types.StringValue("stored")},
		{Attribute: "updated_at", Planned: types.StringValue("1"), Responded: types.StringValue("2")},
	}, `Thing "A"`, []string{"name", "notes"}, &diags)
	if len(diags) != 1 || diags.WarningsCount() != 1 {
		t.Fatal(diags)
	}
	for _, part := range []string{`another name for Thing "A"`, `"asked"`, `"stored"`} {
		if !strings.Contains(diags[0].Summary()+diags[0].Detail(), part) {
			t.Errorf("the warning does not say %s: %s", part, diags[0])
		}
	}
	if on, ok := diags[0].(diag.DiagnosticWithPath); !ok || !on.Path().Equal(path.Root("name")) {
		t.Errorf("the warning is not on the argument: %v", diags[0])
	}
}

// TestPostpone: nothing that happens after a creation is an error, and all of it is reported.
func TestPostpone(t *testing.T) {
	t.Parallel()
	var failed, diags diag.Diagnostics
	failed.AddError("Could not suspend the thing", "It is busy.")
	failed.AddAttributeWarning(path.Root("name"), "Odd name", "It is odd.")
	Postpone(failed, &diags)
	if len(diags) != 2 || diags.HasError() {
		t.Fatal(diags)
	}
	for i, d := range diags {
		if !strings.Contains(d.Summary(), failed[i].Summary()) || !strings.Contains(d.Detail(), failed[i].Detail()) ||
			!strings.Contains(d.Detail(), "next apply") {
			t.Errorf("%q became %q: %s", failed[i].Summary(), d.Summary(), d.Detail())
		}
	}
}
