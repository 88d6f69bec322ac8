package policy

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestPolicies: only prevent rejects, and only abandon leaves the object where it is; both say so.
func TestPolicies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy             types.String
		refused, abandoned bool
	}{
		"delete":         {types.StringValue(Delete), false, false},
		"one of its own": {types.StringValue("close"), false, false},
		"none":           {types.StringNull(), false, false},
		"abandon":        {types.StringValue(Abandon), false, true},
		"prevent":        {types.StringValue(Prevent), true, false},
	} {
		var refusal, notice diag.Diagnostics
		Refuse(c.policy, `Customer "A"`, `"close" or "delete"`, &refusal)
		if refusal.HasError() != c.refused || len(refusal) > 1 {
			t.Errorf("%s: refused with %v", name, refusal)
		}
		if have := Abandoned(c.policy, `Customer "A"`, &notice); have != c.abandoned || notice.HasError() ||
			notice.WarningsCount() > 0 != c.abandoned {
			t.Errorf("%s: abandoned %v with %v", name, have, notice)
		}
		for _, d := range append(refusal, notice...) {
			if !strings.Contains(d.Detail(), `Customer "A"`) {
				t.Errorf("%s: the message does not name the object: %s", name, d.Detail())
			}
		}
		if c.refused && !strings.Contains(refusal[0].Detail(), `set deletion_policy to "close" or "delete"`) {
			t.Errorf("the refusal does not say how to let the object go: %s", refusal[0].Detail())
		}
	}
}
