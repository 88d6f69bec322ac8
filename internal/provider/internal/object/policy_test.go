package object

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestPolicies: only prevent rejects, and only abandon leaves the object where it is. Both name the object in the
// summary, because Terraform folds warnings with equal summaries.
func TestPolicies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy             types.String
		refused, abandoned bool
	}{
		"delete":         {types.StringValue(PolicyDelete), false, false},
		"one of its own": {types.StringValue("close"), false, false},
		"none":           {types.StringNull(), false, false},
		"abandon":        {types.StringValue(PolicyAbandon), false, true},
		"prevent":        {types.StringValue(PolicyPrevent), true, false},
	} {
		var refusal, notice diag.Diagnostics
		of := Policy{Value: c.policy, Object: `customer "A"`, Own: "close"}
		of.Refuse("replace", &refusal)
		of.Warn(&notice)
		if refusal.HasError() != c.refused || len(refusal) > 1 || of.Abandons() != c.abandoned || notice.HasError() ||
			notice.WarningsCount() > 0 != c.abandoned {
			t.Errorf("%s: refused with %v, abandoned with %v", name, refusal, notice)
		}
		for _, d := range append(refusal, notice...) {
			if !strings.Contains(d.Summary(), `ustomer "A"`) {
				t.Errorf("%s: the summary does not name the object: %s", name, d.Summary())
			}
		}
		if c.refused && (!strings.Contains(refusal[0].Detail(), `set deletion_policy = "close"`) ||
			!strings.Contains(refusal[0].Detail(), "terraform untaint") ||
			!strings.Contains(refusal[0].Summary(), "replaces")) {
			t.Errorf("the refusal does not say what to do: %v", refusal[0])
		}
	}
}
