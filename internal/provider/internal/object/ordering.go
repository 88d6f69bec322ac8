package object

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

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
		Validators: []validator.String{validate.OneOf("asc", "desc")},
		MarkdownDescription: "`asc` (the smallest or oldest first) or `desc`. It decides what `limit` keeps: `limit = 1` " +
			"with " +
			"`desc` is the newest, in one request. Defaults to `asc`, unlike in the service itself: what is created meanwhile " +
			"then comes last, and pages stay stable while they are read."}
	attributes["limit"] = Limit(noun)
	return attributes
}

// AboutSearch describes the free-text search of a listing of what noun names, in the plural.
func AboutSearch(noun string) string {
	return "Only " + noun + " in which the service finds this text; which fields it searches is up to the service."
}
