package object

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Attributes are the attributes of a data source.
type Attributes map[string]schema.Attribute

// Filter is an optional text that narrows a listing. An empty one is an error: sent, or left out of a request, it
// would mean everything.
func Filter(description string, further ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description,
		Validators: append([]validator.String{check.NotBlank()}, further...)}
}

// FilterByID is a filter by an id of the services.
func FilterByID(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{check.UUID()},
		MarkdownDescription: description}
}

// KeyIsUUID returns the attributes with a key id that accepts only a UUID, for a service that
// has no other ids.
func (a Attributes) KeyIsUUID() Attributes {
	key := a.text(keyID)
	key.Validators = []validator.String{check.UUID()}
	a[keyID] = key
	return a
}

// text is the attribute that is a text, which keeps its type when it becomes a key.
func (a Attributes) text(name string) schema.StringAttribute {
	text, _ := a[name].(schema.StringAttribute)
	return text
}

// Keys makes the named texts, which are only shown so far, ways to find the one object that noun names. A key is not
// blank, unless it has a stricter validator.
func (a Attributes) Keys(noun string, names ...string) {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + name + "`"
	}
	how := " Set exactly one of " + enumerated(quoted) + " to find the " + noun + "."
	for _, name := range names {
		key := a.text(name)
		key.Optional = true
		if key.Validators == nil {
			key.Validators = []validator.String{check.NotBlank()}
		}
		key.MarkdownDescription += how
		a[name] = key
	}
}

// CustomMetadata adds the whole custom_metadata object, as text.
func (a Attributes) CustomMetadata() {
	a["custom_metadata"] = schema.StringAttribute{Computed: true,
		MarkdownDescription: "The whole `custom_metadata` object as a JSON string."}
}

// UpdatedSince is the filter updated_at_gte of a listing of what noun names, in the plural.
func UpdatedSince(noun string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{check.DateOrDateTime()},
		MarkdownDescription: "Only " + noun + " changed at or after this time."}
}

// Limit is the argument limit of a listing of what noun names, in the plural.
func Limit(noun string) schema.Int64Attribute {
	return schema.Int64Attribute{Optional: true, CustomType: value.Whole,
		Validators:          []validator.Int64{check.AtLeast(1)},
		MarkdownDescription: "Largest number of " + noun + " to read. If unset, all are read."}
}

// Ordering are the arguments that every collection of recurring billing takes (service description, Recurring billing
// §4 Collections). The schema has them from Ordered.
type Ordering struct {
	Search    types.String `tfsdk:"search"`
	SortBy    types.String `tfsdk:"sort_by"`
	SortOrder types.String `tfsdk:"sort_order"`
	Limit     types.Int64  `tfsdk:"limit"`
}

// Listing is the same for the client, but for the limit, which Many holds the list to.
func (o Ordering) Listing() billing.Listing {
	return billing.Listing{Search: o.Search.ValueString(), SortBy: o.SortBy.ValueString(),
		SortOrder: o.SortOrder.ValueString()}
}

// Ordered adds the arguments of Ordering to those of a listing of what noun names, in the plural. field is one that it
// may be sorted by.
func Ordered(noun, field string, attributes Attributes) Attributes {
	attributes["search"] = Filter(AboutSearch(noun))
	attributes["sort_by"] = Filter("Field to sort by, as the service names it in its responses, such as `" + field +
		"`. Defaults to `created_at`.")
	attributes["sort_order"] = schema.StringAttribute{Optional: true,
		Validators:          []validator.String{check.OneOf("asc", "desc")},
		MarkdownDescription: "`asc` or `desc`. Defaults to `asc`. `desc` and `limit = 1` return the newest."}
	attributes["limit"] = Limit(noun)
	return attributes
}

// AboutSearch describes the free-text search of a listing of what noun names, in the plural.
func AboutSearch(noun string) string {
	return "Only " + noun + " in which the service finds this text, in fields of its choice."
}

// Collection is the required argument collection of a listing of any collection, of which example is one.
func Collection(description, example string) schema.StringAttribute {
	return schema.StringAttribute{Required: true, Validators: []validator.String{check.Collection(example)},
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
	return Shown{ID: value.TextOrNull(r.ID), Name: value.TextOrNull(r.Name), JSON: value.JSONText(r.Raw)}, nil
}

// Items is the attribute items of a listing of what noun names, in the plural.
func Items(noun string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Computed: true,
		MarkdownDescription: "The " + noun + ", in the order of the service.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id; null if there is none."},
			"name": schema.StringAttribute{Computed: true, MarkdownDescription: "Name; null if there is none."},
			"json": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole object as a JSON string. Numbers " +
				"are exact."},
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

// localDate is a date as people write it. The service would compare it as a text, and return a wrong list.
var localDate = regexp.MustCompile(`^\d{1,2}[/.-]\d{1,2}[/.-]\d{4}$|^\d{4}[/.]\d{1,2}[/.]\d{1,2}$`)

type filters struct{ refuse Reserved }

func (filters) Description(context.Context) string {
	return "filters of the service other than the parameters of its paging, with values that are not blank"
}

func (v filters) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateMap rejects names that no filter has, and values that narrow nothing: an empty filter would mean everything.
func (v filters) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for name, filter := range req.ConfigValue.Elements() {
		at := req.Path.AtMapKey(name)
		if text, ok := filter.(types.String); ok {
			var checked validator.StringResponse
			check.NotBlank().ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: text}, &checked)
			resp.Diagnostics.Append(checked.Diagnostics...)
		}
		if name == "" {
			check.Invalid(req.Path, `""`, "A filter has no name. Write it as the service does, such as company_id.",
				&resp.Diagnostics)
			continue
		}
		if !filterName.MatchString(name) {
			check.Invalid(req.Path, check.Quoted(name), fmt.Sprintf("%q is not the name of a filter. Write the name of a "+
				"field, and a comparison in closed brackets where there is one, such as company_id or \"occurred_at[gte]\".",
				name), &resp.Diagnostics)
			continue
		}
		if text, ok := filter.(types.String); ok && strings.HasSuffix(name, "]") &&
			localDate.MatchString(text.ValueString()) {
			check.Invalid(at, check.Quoted(text.ValueString()), "The service compares dates as ISO 8601 writes them: year, "+
				"month and day, such as 2026-01-31.", &resp.Diagnostics)
		}
		if instead := v.refuse(name); instead != "" {
			check.Invalid(req.Path, check.Quoted(name), fmt.Sprintf("%s is not a filter. %s", name, instead),
				&resp.Diagnostics)
		}
	}
}
