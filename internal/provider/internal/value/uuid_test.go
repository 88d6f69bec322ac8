package value

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const anID = "8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c"

// TestKeepSpelling: the plan keeps the state's spelling of the same value, and nothing else of the state.
func TestKeepSpelling(t *testing.T) {
	t.Parallel()
	upper, other := types.StringValue(strings.ToUpper(anID)), types.StringValue(anID[:35]+"d")
	for name, c := range map[string]struct{ planned, state, want types.String }{
		"another spelling": {upper, types.StringValue(anID), types.StringValue(anID)},
		"another id":       {other, types.StringValue(anID), other},
		"removed":          {types.StringNull(), types.StringValue(anID), types.StringNull()},
		"new":              {upper, types.StringNull(), upper},
		"unknown":          {types.StringUnknown(), types.StringValue(anID), types.StringUnknown()},
	} {
		resp := &planmodifier.StringResponse{PlanValue: c.planned}
		UUIDType{}.KeepSpelling().PlanModifyString(t.Context(), planmodifier.StringRequest{PlanValue: c.planned,
			StateValue: c.state}, resp)
		if !resp.PlanValue.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, resp.PlanValue, c.want)
		}
	}
}
