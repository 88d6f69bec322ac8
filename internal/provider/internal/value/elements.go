package value

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// NoNulls rejects null elements of a list, set or map.
type NoNulls struct{}

var (
	_ validator.List = NoNulls{}
	_ validator.Set  = NoNulls{}
	_ validator.Map  = NoNulls{}
)

// Description implements validator.Describer.
func (NoNulls) Description(context.Context) string { return "no null elements" }

// MarkdownDescription implements validator.Describer.
func (v NoNulls) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateList implements validator.List.
func (NoNulls) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	for i, element := range req.ConfigValue.Elements() {
		rejectNull(req.Path, req.Path.AtListIndex(i), element, &resp.Diagnostics)
	}
}

// ValidateSet implements validator.Set.
func (NoNulls) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	for _, element := range req.ConfigValue.Elements() {
		rejectNull(req.Path, req.Path.AtSetValue(element), element, &resp.Diagnostics)
	}
}

// ValidateMap implements validator.Map.
func (NoNulls) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for key, element := range req.ConfigValue.Elements() {
		rejectNull(req.Path, req.Path.AtMapKey(key), element, &resp.Diagnostics)
	}
}

func rejectNull(whole, at path.Path, element attr.Value, diags *diag.Diagnostics) {
	if element.IsNull() {
		diags.AddAttributeError(whole, "Null element",
			fmt.Sprintf("%s is null, and the service stores no nulls here. Remove the element, "+
				"or drop all nulls with [for e in … : e if e != null].", PathName(at)))
	}
}
