package subscription

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

var itemType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"product_id": types.StringType, "price_id": types.StringType, "quantity": value.Whole,
	"unit_amount_subcents": value.Subcents,
}}

// item is one product of a subscription. If the amount is null, the price's amount applies.
type item struct {
	product, price types.String
	quantity, unit types.Int64
}

// itemsOf converts a set, possibly with unknown values in its items; an unknown or null set has no items.
func itemsOf(set types.Set) []item {
	items := make([]item, 0, len(set.Elements()))
	for _, element := range set.Elements() {
		object, ok := element.(types.Object)
		if !ok || object.IsUnknown() {
			items = append(items, item{product: types.StringUnknown()})
			continue
		}
		items = append(items, itemOf(object))
	}
	return items
}

func itemOf(object types.Object) item {
	fields := object.Attributes()
	var i item
	i.product, _ = fields["product_id"].(types.String)
	i.price, _ = fields["price_id"].(types.String)
	if i.quantity, _ = fields["quantity"].(types.Int64); i.quantity.IsNull() {
		i.quantity = types.Int64Value(1)
	}
	i.unit, _ = fields["unit_amount_subcents"].(types.Int64)
	return i
}

func (i item) value() attr.Value {
	return types.ObjectValueMust(itemType.AttrTypes, map[string]attr.Value{
		"product_id": i.product, "price_id": i.price, "quantity": i.quantity, "unit_amount_subcents": i.unit})
}

func itemSet(items []item) types.Set {
	elements := make([]attr.Value, len(items))
	for n, i := range items {
		elements[n] = i.value()
	}
	return types.SetValueMust(itemType, elements)
}

// withQuantities sets the default quantity of configured items. An unknown item stays unknown.
func withQuantities(config types.Set) types.Set {
	if config.IsNull() || config.IsUnknown() {
		return config
	}
	elements := make([]attr.Value, 0, len(config.Elements()))
	for _, element := range config.Elements() {
		if object, ok := element.(types.Object); ok && !object.IsUnknown() {
			element = itemOf(object).value()
		}
		elements = append(elements, element)
	}
	return types.SetValueMust(itemType, elements)
}

// seenItems returns the set of the service's items, with the spelling of prior for equal values: an item with the
// price's own amount equals one without an amount. A set has each element once, so equal items become one with the sum
// of their quantities.
func seenItems(prior types.Set, listed []billing.SubscriptionItem) types.Set {
	before := itemsOf(prior)
	items := make([]item, 0, len(listed))
	for _, remote := range listed {
		i := item{product: types.StringValue(remote.ProductID), price: types.StringValue(remote.PriceID),
			quantity: types.Int64Value(remote.Quantity), unit: types.Int64PointerValue(remote.UnitAmountSubcents)}
		for twin, is := removeFirst(&items, i.equals); is; twin, is = removeFirst(&items, i.equals) {
			i.quantity = types.Int64Value(i.quantity.ValueInt64() + twin.quantity.ValueInt64())
		}
		items = append(items, i)
	}
	for n := range items {
		if as, written := removeFirst(&before, items[n].fulfils); written {
			items[n] = as
		}
	}
	return itemSet(items)
}

// removeFirst removes the first item that fits from a list, and returns it.
func removeFirst(from *[]item, fits func(item) bool) (taken item, found bool) {
	at := slices.IndexFunc(*from, fits)
	if at < 0 {
		return item{}, false
	}
	taken = (*from)[at]
	*from = slices.Delete(*from, at, at+1)
	return taken, true
}

// fulfils reports whether i, the service's item, has the values of wanted.
func (i item) fulfils(wanted item) bool {
	return i.sameProduct(wanted) && i.quantity.Equal(wanted.quantity) &&
		(wanted.unit.IsNull() || wanted.unit.Equal(i.unit))
}

func (i item) sameProduct(other item) bool {
	return sameID(other.product, i.product) && sameID(other.price, i.price)
}

func (i item) equals(other item) bool {
	return i.sameProduct(other) && i.quantity.Equal(other.quantity) && i.unit.Equal(other.unit)
}

func sameItems(a, b types.Set) bool {
	rest := itemsOf(b)
	return len(a.Elements()) == len(rest) && !slices.ContainsFunc(itemsOf(a), func(i item) bool {
		_, there := removeFirst(&rest, i.equals)
		return !there
	})
}

func itemsTo(set types.Set) []billing.SubscriptionItemInput {
	inputs := make([]billing.SubscriptionItemInput, 0, len(set.Elements()))
	for _, i := range itemsOf(set) {
		inputs = append(inputs, billing.SubscriptionItemInput{ProductID: i.product.ValueString(),
			PriceID:  i.price.ValueString(),
			Quantity: i.quantity.ValueInt64Pointer(), UnitAmountSubcents: i.unit.ValueInt64Pointer()})
	}
	return inputs
}

// plannedItems returns the configured items, or the state's if they are the same or none are configured.
func (p *planning) plannedItems() types.Set {
	config, before := withQuantities(p.Config.Items), p.State.Items
	if config.IsNull() || !config.IsUnknown() && !before.IsNull() && sameItems(config, before) {
		return before
	}
	return config
}

// itemTransition returns the transition to the planned items; "" if there is none. It reads items that are not in the
// state, so that the plan can list those that it removes or changes.
func (p *planning) itemTransition() transitionKey {
	planned, before := p.Planned.Items, p.State.Items
	if p.Config.Items.IsNull() {
		return ""
	}
	if before.IsNull() && p.client != nil {
		listed, known, err := p.client.SubscriptionItems(p.ctx, p.State.ID.ValueString())
		switch {
		case err != nil:
			apidiag.Add(p.Diags, err, p.r.Operation("read the items of", p.State))
		case !known:
			p.Diags.AddAttributeWarning(path.Root(argItems), p.State.title()+" may lose items that the plan cannot show",
				"The service does not list its items. The plan sends items as a whole, so any others are removed. If the "+
					"service has listed them before, plan again. To keep them, remove the argument.")
			return changeItems
		default:
			before = seenItems(types.SetNull(itemType), listed)
		}
	}
	switch {
	case planned.IsUnknown() || !sameItems(planned, before):
		p.warnRemovedItems(before)
		return changeItems
	case p.State.Items.IsNull():
		return adoptItems
	}
	return ""
}

// warnRemovedItems reports existing items that the plan removes or changes although this configuration did not add them
// in this form.
func (p *planning) warnRemovedItems(before types.Set) {
	wanted := itemsOf(p.Planned.Items)
	var lines []string
	for _, i := range itemsOf(before) {
		if slices.ContainsFunc(wanted, i.fulfils) || p.own.addedItem(i) {
			continue
		}
		line := "  " + i.displayName()
		if at := slices.IndexFunc(wanted, i.sameProduct); at >= 0 {
			line += ", becomes " + wanted[at].amounts()
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return
	}
	slices.Sort(lines)
	unless := ""
	if !knownItems(p.Planned.Items) {
		unless = ", unless a value known only after apply contains them"
	}
	p.Diags.AddAttributeWarning(path.Root(argItems), p.State.title()+" loses items that this configuration did not add",
		fmt.Sprintf("Another system or user added or changed them. The plan sends items as a whole, so these are removed "+
			"or changed%s:\n\n%s\n\nTo keep them, add them to items, or remove the "+
			"argument.", unless, strings.Join(lines, "\n")))
}

// checkItemsUnchanged rejects an update of items if the subscription has items that the plan has not shown: the update
// would remove or change them. It returns whether the update can continue.
func (w *work) checkItemsUnchanged(ctx context.Context) bool {
	listed, _, err := w.Client.SubscriptionItems(ctx, w.id())
	if w.Failed(ctx, "read the items of", err) {
		return false
	}
	rest := slices.Concat(itemsOf(w.State.Items), itemsOf(w.Plan.Items))
	var unseen []string
	for _, i := range itemsOf(seenItems(types.SetNull(itemType), listed)) {
		if _, seen := removeFirst(&rest, i.fulfils); !seen {
			unseen = append(unseen, "  "+i.displayName())
		}
	}
	if len(unseen) > 0 && w.State.Items.IsNull() {
		// The plan has listed them, but could not store them in the state. If the subscription and its amount have not
		// changed since, these are the same.
		now, err := w.Client.GetSubscription(ctx, w.id())
		if err == nil && now.UpdatedAt == w.State.UpdatedAt.ValueString() &&
			types.Int64PointerValue(now.RecurringAmountCents).Equal(w.State.RecurringAmountCents) {
			return true
		}
	}
	if len(unseen) > 0 {
		slices.Sort(unseen)
		w.Diags.AddAttributeError(path.Root(argItems), "The items of "+w.State.displayName()+" have changed since the plan",
			fmt.Sprintf("Another system or user has added or changed items since then, or the plan was made without a "+
				"refresh. The update would remove or change these:\n\n%s\n\nNothing was sent. Plan again, with a refresh: the "+
				"plan then lists them.", strings.Join(unseen, "\n")))
	}
	return len(unseen) == 0
}

func (i item) displayName() string {
	return fmt.Sprintf("product_id %s, price_id %s, %s", i.product.ValueString(), i.price.ValueString(), i.amounts())
}

// key identifies an item with all of its values.
func (i item) key() string {
	unit := ""
	if !i.unit.IsNull() {
		unit = i.unit.String()
	}
	return strings.ToLower(fmt.Sprintf("%s %s %s %s", i.product.ValueString(), i.price.ValueString(), i.quantity, unit))
}

func (i item) amounts() string {
	amount := "the amount of the price"
	switch {
	case i.unit.IsUnknown():
		amount = "an amount that is known after apply"
	case !i.unit.IsNull():
		amount = fmt.Sprintf("unit_amount_subcents %d", i.unit.ValueInt64())
	}
	if i.quantity.IsUnknown() {
		return "a quantity that is known after apply, " + amount
	}
	return fmt.Sprintf("quantity %d, %s", i.quantity.ValueInt64(), amount)
}

func knownItems(set types.Set) bool {
	if set.IsUnknown() {
		return false
	}
	for _, i := range itemsOf(set) {
		if i.product.IsUnknown() || i.price.IsUnknown() || i.quantity.IsUnknown() || i.unit.IsUnknown() {
			return false
		}
	}
	return true
}

// itemKeys returns the keys of configured items; none if a part of them is unknown.
func itemKeys(set types.Set) (keys []string) {
	if !knownItems(set) {
		return nil
	}
	for _, i := range itemsOf(set) {
		keys = append(keys, i.key())
	}
	return keys
}

// checkItemsComplete rejects a known item without a product or a price.
func (m model) checkItemsComplete(diags *diag.Diagnostics) {
	for _, element := range m.Items.Elements() {
		object, ok := element.(types.Object)
		if !ok || object.IsNull() || object.IsUnknown() {
			continue
		}
		for _, name := range []string{"product_id", "price_id"} {
			if object.Attributes()[name].IsNull() {
				diags.AddAttributeError(path.Root(argItems), m.title()+" has an item without a product or a price",
					fmt.Sprintf("items[*].%s is null. Each item needs a product_id and a price_id; to leave an "+
						"item out, remove it from items. If you have set it, check the spelling: Terraform silently drops names "+
						"that an item does not have.", name))
			}
		}
	}
}

// itemReader reads the items of subscriptions, with one request each. Once the service has turned out not to list
// items, or the token not to permit reading them, it sends no more requests.
type itemReader struct {
	client      *billing.Service
	diags       *diag.Diagnostics
	unavailable bool
}

// read returns the items; known is false, without an error, if they cannot be read.
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
		// The response does not show whether the operation or the subscription is missing.
		_, gone := r.client.GetSubscription(ctx, s.ID)
		r.unavailable = gone == nil
	}
	return items, known, err
}

// forbidsItems reports whether the service itself rejected reading items with the token.
func forbidsItems(err error) bool {
	e, ok := api.AsError(err)
	return ok && e.Status == http.StatusForbidden && e.Structured
}

func warnForbidden(err error, what string, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("items"), "The items of subscriptions cannot be read", "The API rejected reading "+
		what+", so changes of them outside of Terraform are not shown. "+apidiag.Text(err))
}
