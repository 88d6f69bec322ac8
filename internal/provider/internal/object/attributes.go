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

// Filter is an optional string that restricts a list. An empty one is an error, because it would select everything.
func Filter(description string, further ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description,
		Validators: append([]validator.String{check.NotBlank()}, further...)}
}

// FilterByID is a filter by an id.
func FilterByID(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{check.UUID()},
		MarkdownDescription: description}
}

// KeyIsUUID returns the attributes with a key id, and more keys, that accept only a UUID, for services whose ids are
// all UUIDs.
func (a Attributes) KeyIsUUID(more ...string) Attributes {
	for _, name := range append(more, keyID) {
		key := a.text(name)
		key.Validators = []validator.String{check.UUID()}
		a[name] = key
	}
	return a
}

// text is a string attribute. It keeps its type when it becomes a key.
func (a Attributes) text(name string) schema.StringAttribute {
	text, _ := a[name].(schema.StringAttribute)
	return text
}

// Keys turns the named computed strings into arguments that find the object. A key must not be blank, unless it has a
// stricter validator.
func (a Attributes) Keys(names ...string) {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + name + "`"
	}
	how := " Set exactly one of " + enumerated(quoted) + "."
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

// CustomMetadata adds the whole custom_metadata object as a string.
func (a Attributes) CustomMetadata() {
	a["custom_metadata"] = schema.StringAttribute{Computed: true,
		MarkdownDescription: "The whole `custom_metadata` object as a JSON string."}
}

// UpdatedSince is the filter updated_at_gte of a list; noun is the plural of its objects.
func UpdatedSince(noun string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{check.DateOrDateTime()},
		MarkdownDescription: "Only " + noun + " changed at or after this time."}
}

// Limit is the argument limit of a list; noun is the plural of its objects.
func Limit(noun string) schema.Int64Attribute {
	return schema.Int64Attribute{Optional: true, CustomType: value.Whole,
		Validators:          []validator.Int64{check.AtLeast(1)},
		MarkdownDescription: "Maximum number of " + noun + ". If unset, all are read."}
}

// Ordering holds the arguments that every collection of recurring billing accepts (service description, Recurring
// billing §4 Collections). Ordered adds them to a schema.
type Ordering struct {
	SortBy    types.String `tfsdk:"sort_by"`
	SortOrder types.String `tfsdk:"sort_order"`
	Limit     types.Int64  `tfsdk:"limit"`
}

// ListOptions converts them for the client, without the limit, which Many enforces.
func (o Ordering) ListOptions() billing.ListOptions {
	return billing.ListOptions{SortBy: o.SortBy.ValueString(), SortOrder: o.SortOrder.ValueString()}
}

// Ordered adds the arguments of Ordering to those of a list; noun is the plural of its objects, and field an example of
// a field to sort by.
func Ordered(noun, field string, attributes Attributes) Attributes {
	attributes["sort_by"] = Filter("Field to sort by, named as in the service's responses, such as `" + field +
		"`. Defaults to `created_at`.")
	attributes["sort_order"] = schema.StringAttribute{Optional: true,
		Validators:          []validator.String{check.OneOf("asc", "desc")},
		MarkdownDescription: "`asc` or `desc`. Defaults to `asc`. `desc` with `limit = 1` returns the newest."}
	attributes["limit"] = Limit(noun)
	return attributes
}

// Collection is the required argument collection; example is the name of one.
func Collection(description, example string) schema.StringAttribute {
	return schema.StringAttribute{Required: true, Validators: []validator.String{check.Collection(example)},
		MarkdownDescription: description}
}

// RecordModel is a free-form record as a data source shows it.
type RecordModel struct {
	ID   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
	JSON types.String `tfsdk:"json"`
}

// RecordFromAPI shows a record.
func RecordFromAPI(r *api.Record) (RecordModel, error) {
	return RecordModel{ID: value.TextOrNull(r.ID), Name: value.TextOrNull(r.Name), JSON: value.JSONText(r.Raw)}, nil
}

// Items is the attribute items of a list; noun is the plural of its objects.
func Items(noun string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Computed: true,
		MarkdownDescription: "The " + noun + ".",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id; null if none."},
			"name": schema.StringAttribute{Computed: true, MarkdownDescription: "Name; null if none."},
			"json": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole object as a JSON string. Numbers " +
				"are exact."},
		}}}
}

// Filters is the map of filters of a list, named as in the service.
func Filters(description string, reserved Reserved) schema.MapAttribute {
	return schema.MapAttribute{Optional: true, ElementType: types.StringType,
		Validators: []validator.Map{filters{aboutFilters, reserved}}, MarkdownDescription: description}
}

// FilterValues returns the filters that are not null.
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

// Reserved returns what to write instead of a filter with that name, or "" if the name is allowed.
type Reserved func(name string) (instead string)

var filterName = regexp.MustCompile(`^[A-Za-z0-9_.~-]+(\[[A-Za-z0-9_.~-]*\])*$`)

// localDate is a date in a local format. The service would compare it as a string, and return a wrong list.
var localDate = regexp.MustCompile(`^\d{1,2}[/.-]\d{1,2}[/.-]\d{4}$|^\d{4}[/.]\d{1,2}[/.]\d{1,2}$`)

const aboutFilters = "filters of the service, except its paging parameters, with non-blank values"

type filters struct {
	check.Described
	reserved Reserved
}

// ValidateMap rejects names that no filter can have, and empty values, which would select everything.
func (v filters) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for name, filter := range req.ConfigValue.Elements() {
		at := req.Path.AtMapKey(name)
		if text, ok := filter.(types.String); ok {
			var checked validator.StringResponse
			check.NotBlank().ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: text}, &checked)
			resp.Diagnostics.Append(checked.Diagnostics...)
		}
		if name == "" {
			check.Invalid(req.Path, nil, "A filter has no name. Write it as the service does, such as company_id.",
				&resp.Diagnostics)
			continue
		}
		if !filterName.MatchString(name) {
			check.Invalid(req.Path, nil, "A key is not the name of a filter. Write the name of a field, and a comparison in "+
				"closed brackets where there is one, such as company_id or \"occurred_at[gte]\".", &resp.Diagnostics)
			continue
		}
		if text, ok := filter.(types.String); ok && strings.HasSuffix(name, "]") &&
			localDate.MatchString(text.ValueString()) {
			check.Invalid(at, nil, "The service compares ISO 8601 dates: year, month and day, "+
				"such as 2026-01-31.", &resp.Diagnostics)
		}
		if instead := v.reserved(name); instead != "" {
			check.Invalid(req.Path, nil, fmt.Sprintf("%s is not a filter. %s", name, instead),
				&resp.Diagnostics)
		}
	}
}
