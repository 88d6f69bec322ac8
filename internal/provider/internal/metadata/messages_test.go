package metadata

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
)

// TestMessages: what users read of this package, to the letter.
func TestMessages(t *testing.T) {
	t.Parallel()
	said := map[string]diag.Diagnostics{}
	of := func(v attr.Value) Value { return Value{DynamicValue: basetypes.NewDynamicValue(v)} }
	for name, v := range map[string]attr.Value{"text": basetypes.NewStringValue("text"),
		"JSON": basetypes.NewStringValue(`{"a":1}`), "number": basetypes.NewInt64Value(1)} {
		var resp xattr.ValidateAttributeResponse
		of(v).ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{Path: path.Root("custom_metadata")}, &resp)
		said["argument, "+name] = resp.Diagnostics
	}
	one := FromObject(Object{"a": json.Number("1")})
	owned := Owned{Object{"a": "flat", "b": Object{"ours": "1"}, "gone": "1"}}
	for name, c := range map[string]struct {
		owned     Owned
		config    Value
		effective string
	}{
		"import":           {Owned{}, one, `{"a":1,"y":8,"x":9}`},
		"text":             {Owned{Object{}}, of(basetypes.NewStringValue("text")), `{}`},
		"unreadable state": {Owned{Object{}}, one, `[]`},
		"nothing special":  {Owned{Object{}}, one, `{}`},
		"keys of others": {Owned{Object{}}, FromObject(Object{"a": "flat", "b": nil, "c": Object{"d": "flat"}}),
			`{"a":{"x":1,"y":{"z":2}},"b":{"x":1},"c":{"d":{"e":1},"f":2},"empty":{}}`},
		"keys of others, imported": {Owned{}, FromObject(Object{"a": "flat"}), `{"a":{"x":1}}`},
		"own keys": {owned, FromObject(Object{"a": "other", "b": "flat"}),
			`{"a":{"x":1},"b":{"ours":"1"},"gone":"1","theirs":"1"}`},
	} {
		var diags diag.Diagnostics
		planned := Attributes{CustomMetadataMode: basetypes.NewStringValue(ModeMerge)}
		planned.Plan(Attributes{CustomMetadata: c.config}, Attributes{CustomMetadata: one,
			EffectiveCustomMetadata: basetypes.NewStringValue(c.effective)}, c.owned, Defaults{}, `thing "A"`, &diags)
		said[fmt.Sprintf("plan, %s", name)] = diags
	}
	golden.Messages(t, said)
}
