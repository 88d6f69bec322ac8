package object

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// Attributes are the attributes of a data source.
type Attributes map[string]schema.Attribute

// Paged ends the description of a listing.
const Paged = " Every plan reads all pages, 100 objects per request, up to `limit`. The result is stored in state."

// Filtered says of a listing how its filters work together.
const Filtered = " The list contains the objects that match all filters. An empty string is an error; null does " +
	"not filter."

// Texts adds texts that are only shown, with their descriptions in about.
func (a Attributes) Texts(about map[string]string, names ...string) {
	for _, name := range names {
		a[name] = schema.StringAttribute{Computed: true, MarkdownDescription: about[name]}
	}
}

// Filter is an optional text that narrows a listing. An empty one is an error: sent, or left out of a request, it
// would mean everything.
func Filter(description string, further ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description,
		Validators: append([]validator.String{validate.NotBlank()}, further...)}
}

// FilterByID is a filter by an id of the services.
func FilterByID(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{validate.UUID()},
		MarkdownDescription: description}
}

// KeyIsUUID returns the attributes with a key id that accepts only a UUID, for a service that
// has no other ids.
func (a Attributes) KeyIsUUID() Attributes {
	key := a.text(keyID)
	key.Validators = []validator.String{validate.UUID()}
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
	last := len(quoted) - 1
	how := " Set exactly one of " + strings.Join(quoted[:last], ", ") + " and " + quoted[last] +
		" to find the " + noun + "."
	for _, name := range names {
		key := a.text(name)
		key.Optional = true
		if key.Validators == nil {
			key.Validators = []validator.String{validate.NotBlank()}
		}
		key.MarkdownDescription += how
		a[name] = key
	}
}

// CustomMetadata adds the client-defined object, under both names that the resources have for it.
func (a Attributes) CustomMetadata() {
	a["custom_metadata"] = schema.StringAttribute{Computed: true,
		MarkdownDescription: "The whole `custom_metadata` object, including the keys of other systems, as a JSON " +
			"string; decode it with `jsondecode`."}
}

// UpdatedSince is the filter updated_at_gte of a listing of what noun names, in the plural.
func UpdatedSince(noun string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{validate.DateOrDateTime()},
		MarkdownDescription: aboutUpdatedSince(noun)}
}

// aboutUpdatedSince describes the filter for data sources and list resources.
func aboutUpdatedSince(noun string) string {
	return "Only " + noun + " changed at or after this time: an ISO 8601 date (its midnight in UTC), or date and " +
		"time with zone."
}

// Limit is the argument limit of a listing of what noun names, in the plural.
func Limit(noun string) schema.Int64Attribute {
	return schema.Int64Attribute{Optional: true, CustomType: fwtype.Whole,
		Validators: []validator.Int64{validate.AtLeast(1)},
		MarkdownDescription: "Largest number of " + noun + " to read, 1 or more. If unset, all are read. A " +
			"request returns up to 100."}
}
