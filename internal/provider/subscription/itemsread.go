package subscription

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
)

// itemReader reads the items of one subscription after the other, one request each. Once it has turned out that the
// service lists no items, or that the token may not read them, it sends nothing more.
type itemReader struct {
	client      *billing.Service
	diags       *diag.Diagnostics
	unavailable bool
}

// read returns the items; known is false where they cannot be read, which is not an error.
func (r *itemReader) read(ctx context.Context,
	s *billing.Subscription) (items []billing.SubscriptionItem, known bool, err error) {
	if r.unavailable {
		return nil, false, nil
	}
	items, known, err = r.client.SubscriptionItems(ctx, s.ID)
	switch {
	case forbidsItems(err):
		r.unavailable = true
		warnForbidden(err, "the items of subscriptions", r.diags)
		return nil, false, nil
	case err == nil && !known:
		// The same response whether the operation is missing or the subscription.
		_, gone := r.client.GetSubscription(ctx, s.ID)
		r.unavailable = gone == nil
	}
	return items, known, err
}

// forbidsItems reports whether the service itself has said that the token may not read items.
func forbidsItems(err error) bool {
	e, ok := api.AsError(err)
	return ok && e.Status == http.StatusForbidden && e.Structured
}

func warnForbidden(err error, what string, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("items"), apidiag.Capitalize(what)+" cannot be read",
		"The API rejected reading them, so changes of them outside of Terraform are not shown. "+apidiag.Text(err))
}

// dataItemType is an item that is only read: that of the resource, with its id.
var dataItemType = func() types.ObjectType {
	fields := map[string]attr.Type{"id": types.StringType}
	for name, kind := range itemType.AttrTypes {
		fields[name] = kind
	}
	return types.ObjectType{AttrTypes: fields}
}()

// dataItems are all items as the service lists them; null where it does not.
func dataItems(listed []billing.SubscriptionItem, known bool) types.Set {
	if !known {
		return types.SetNull(dataItemType)
	}
	elements := make([]attr.Value, len(listed))
	for n, i := range listed {
		elements[n] = types.ObjectValueMust(dataItemType.AttrTypes, map[string]attr.Value{
			"id": types.StringValue(i.ID), "product_id": types.StringValue(i.ProductID),
			"price_id": types.StringValue(i.PriceID), "quantity": types.Int64Value(i.Quantity),
			"unit_amount_subcents": types.Int64PointerValue(i.UnitAmountSubcents)})
	}
	return types.SetValueMust(dataItemType, elements)
}

// dataItemsAttribute describes dataItems; when says when they are read.
func dataItemsAttribute(when string) schema.SetNestedAttribute {
	return schema.SetNestedAttribute{Computed: true,
		MarkdownDescription: "Products that are billed, in addition to the plan or instead of one, in any order. " + when +
			" Null where the service does not list items, or the token may not read them.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":         schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the item."},
			"product_id": schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the product."},
			"price_id":   schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the price of the product."},
			"quantity": schema.Int64Attribute{Computed: true, CustomType: fwtype.Whole,
				MarkdownDescription: "How many, 1 or more."},
			"unit_amount_subcents": schema.Int64Attribute{Computed: true, CustomType: fwtype.Subcents,
				MarkdownDescription: "Amount of one in subcents, ten-thousandths of the currency unit: `105012` is 10.5012 (see " +
					"the " +
					"function `format_subcents`); null where the service does not say, and the price's own applies."},
		}}}
}
