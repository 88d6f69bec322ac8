package fwtype

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const anID = "8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c"

func TestIsUUID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		anID: true, strings.ToUpper(anID): true, "8F14e45f-CEEA-1e7a-9c5d-3f2b1a0d9e8c": true, "00000000-0000-0000-0000-000000000000": true,
		"": false, "x": false, "null": false, "not-a-uuid": false, "{" + anID + "}": false, "urn:uuid:" + anID: false,
		strings.ReplaceAll(anID, "-", ""): false, anID + "\n": false, " " + anID: false, anID + "0": false, anID[:35] + "g": false,
	} {
		if have := IsUUID(id); have != want {
			t.Errorf("IsUUID(%q) = %v", id, have)
		}
	}
}

// TestSameUUID: only ids compare without case; an external code is compared as it is.
func TestSameUUID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{anID, strings.ToUpper(anID), true}, {anID, anID, true}, {anID, anID[:35] + "d", false},
		{"crm-1", "crm-1", true}, {"crm-1", "CRM-1", false}, {"", "", true}, {anID, "", false},
	} {
		if have := SameUUID(c.a, c.b); have != c.want {
			t.Errorf("SameUUID(%q, %q) = %v", c.a, c.b, have)
		}
	}
}

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
		UUIDType{}.KeepSpelling().PlanModifyString(t.Context(), planmodifier.StringRequest{PlanValue: c.planned, StateValue: c.state}, resp)
		if !resp.PlanValue.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, resp.PlanValue, c.want)
		}
	}
}
