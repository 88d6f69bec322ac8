package object

import (
	"context"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// Collection is the required argument collection of a listing of any collection, of which example is one.
func Collection(description, example string) schema.StringAttribute {
	return schema.StringAttribute{Required: true, Validators: []validator.String{validate.Collection(example)},
		MarkdownDescription: description}
}

// Shown is a record of open shape as a data source shows it.
type Shown struct {
	ID   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
	JSON types.String `tfsdk:"json"`
}

// ShowRecord shows a record.
func ShowRecord(r *api.Record) (Shown, error) {
	return Shown{ID: wire.TextOrNull(r.ID), Name: wire.TextOrNull(r.Name), JSON: wire.JSONText(r.Raw)}, nil
}

// Items is the attribute items of a listing of what noun names, in the plural.
func Items(noun string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Computed: true,
		MarkdownDescription: "The " + noun + ", in the order of the service.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id; null if there is none."},
			"name": schema.StringAttribute{Computed: true, MarkdownDescription: "Name; null if there is none."},
			"json": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole object as a JSON string; decode " +
				"it with `jsondecode`. Numbers are exact."},
		}}}
}

// Filters is the map of filters of a listing, in the words of the service.
func Filters(description string, refuse Reserved) schema.MapAttribute {
	return schema.MapAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.Map{filters{refuse}},
		MarkdownDescription: description}
}

// FilterValues are the filters that are set: one whose value is null is none.
func FilterValues(ctx context.Context, filters types.Map, diags *diag.Diagnostics) map[string]string {
	values := map[string]types.String{}
	diags.Append(filters.ElementsAs(ctx, &values, false)...)
	set := map[string]string{}
	for name, value := range values {
		if !value.IsNull() {
			set[name] = value.ValueString()
		}
	}
	return set
}

// Reserved returns what to write instead of a filter of that name, "" where it may be one.
type Reserved func(name string) (instead string)

var filterName = regexp.MustCompile(`^[A-Za-z0-9_.~-]+(\[[A-Za-z0-9_.~-]*\])*$`)

type filters struct{ refuse Reserved }

func (filters) Description(context.Context) string {
	return "filters of the service other than the parameters of its paging, with values that are not blank"
}

func (v filters) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateMap rejects names that no filter has, and values that narrow nothing: an empty filter would mean everything.
func (v filters) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for name, value := range req.ConfigValue.Elements() {
		at := req.Path.AtMapKey(name)
		if text, ok := value.(types.String); ok {
			var checked validator.StringResponse
			validate.NotBlank().ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: text}, &checked)
			resp.Diagnostics.Append(checked.Diagnostics...)
		}
		if name == "" {
			resp.Diagnostics.AddAttributeError(at, "Invalid filter",
				"A filter has no name. Write it as the service does, such as company_id.")
			continue
		}
		if !filterName.MatchString(name) {
			resp.Diagnostics.AddAttributeError(at, "Invalid filter",
				fmt.Sprintf("%q is not the name of a filter. Write the name of a "+
					"field, and a comparison in closed brackets where there is one, such as company_id or \"occurred_at[gte]\".",
					name))
			continue
		}
		if instead := v.refuse(name); instead != "" {
			resp.Diagnostics.AddAttributeError(at, "Invalid filter", fmt.Sprintf("%s is not a filter. %s", name, instead))
		}
	}
}
