package subscription

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

// planItems plans items, and reports whether they have to be sent. It warns of what the plan removes and this
// configuration did not add.
func (p *planning) planItems(diags *diag.Diagnostics) bool {
	m, config, state := &p.planned, p.config.Items, p.state.Items
	m.Items = withQuantities(config)
	if config.IsNull() {
		m.Items = state
		if len(state.Elements()) == 0 || !p.own.had(argItems) {
			return false
		}
		m.Items = types.SetNull(itemType)
		p.warnRemovedItems(state, diags)
		return true
	}
	if !p.own.had(argItems) && !state.IsNull() && len(state.Elements()) == 0 && config.Equal(state) {
		// An import without items, or ignore_changes after it: nothing that others add later belongs to this configuration.
		m.Items = state
		return false
	}
	before, asListed := state, p.own.itemsAsListed()
	first := p.own.firstItems(state)
	if first {
		if listed, ok := p.listItems(diags); ok {
			before, asListed = listed, true
		}
	}
	if !config.IsUnknown() && meansItems(m.Items, before, asListed) {
		if !state.IsNull() && (!first || len(m.Items.Elements()) == 0) {
			m.Items = state
		}
		p.adoptsItems = first && !m.Items.Equal(state)
		return false
	}
	p.warnRemovedItems(before, diags)
	return true
}

// listItems reads the items of a subscription whose state does not have them. It returns false where the service does
// not list them.
func (p *planning) listItems(diags *diag.Diagnostics) (types.Set, bool) {
	if p.client == nil {
		return types.Set{}, false
	}
	items, listed, err := p.client.SubscriptionItems(p.ctx, p.state.ID.ValueString())
	if err != nil {
		apidiag.Add(diags, err, doing("read the items of", p.state))
	}
	return seenItems(types.SetNull(itemType), items), err == nil && listed
}

// warnRemovedItems tells which of the items that the subscription has are removed or changed, although this
// configuration has not added them as they are.
func (p *planning) warnRemovedItems(before types.Set, diags *diag.Diagnostics) {
	wanted := itemsOf(p.planned.Items)
	var lines []string
	for _, i := range itemsOf(before) {
		stays := func(w item) bool { return i.fulfils(w) }
		if slices.ContainsFunc(wanted, stays) || p.own.addedItem(i) {
			continue
		}
		line := "  " + i.words()
		if at := slices.IndexFunc(wanted, func(w item) bool { return i.sameProduct(w) }); at >= 0 {
			line += ", becomes " + wanted[at].amounts()
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return
	}
	slices.Sort(lines)
	unless := ""
	if !knownItems(p.planned.Items) {
		unless = ", unless a value that is only known after apply names them"
	}
	diags.AddAttributeWarning(path.Root("items"), "Items that this configuration has not added are removed",
		fmt.Sprintf("%s has items that another system or another user has added or changed. The plan sends items as "+
			"a whole, so these are removed or changed%s:\n\n%s\n\n"+
			"To keep them, add them to items, or remove the argument where it has never been "+
			"applied.", apidiag.Capitalize(p.state.displayName()), unless, strings.Join(lines, "\n")))
}

// refuseUnseen rejects an update that sends items where the subscription has others than the plan has shown: they would be removed or
// changed unseen. It returns whether the update can go on.
func (w *work) refuseUnseen(ctx context.Context, plan, state model) bool {
	id := state.ID.ValueString()
	listed, ok, err := w.client.SubscriptionItems(ctx, id)
	if err != nil {
		apidiag.Add(w.diags, err, doing("read the items of", state))
		return false
	}
	unseen := unseenItems(listed, state.Items, plan.Items)
	if !ok || len(unseen) == 0 {
		return true
	}
	if w.before.firstItems(state.Items) {
		// The plan has listed them, and the state has no room for what it saw. As long as the subscription is as it was, it saw these.
		if now, err := w.client.GetSubscription(ctx, id); err == nil && now.UpdatedAt == state.UpdatedAt.ValueString() {
			return true
		}
	}
	var lines []string
	for _, i := range unseen {
		lines = append(lines, "  "+i.words())
	}
	slices.Sort(lines)
	w.diags.AddAttributeError(path.Root(argItems), "The items have changed since the plan",
		fmt.Sprintf("%s has items that this plan did not show, because another system or another user has added or changed them since, "+
			"or because the plan was made without a refresh. The update would remove or change these:\n\n%s\n\n"+
			"Nothing was sent. Plan again, with a refresh: the plan then names them.", apidiag.Capitalize(state.displayName()), strings.Join(lines, "\n")))
	return false
}

// words describes an item for a message.
func (i item) words() string {
	return fmt.Sprintf("product_id %s, price_id %s, %s", i.product.ValueString(), i.price.ValueString(), i.amounts())
}

// key names an item with all it has. A missing quantity is one.
func (i item) key() string {
	unit := ""
	if !i.unit.IsNull() {
		unit = strconv.FormatInt(i.unit.ValueInt64(), 10)
	}
	return strings.ToLower(fmt.Sprintf("%s %s %d %s",
		i.product.ValueString(), i.price.ValueString(), max(1, i.quantity.ValueInt64()), unit))
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
	return fmt.Sprintf("quantity %d, %s", max(1, i.quantity.ValueInt64()), amount)
}

// knownItems reports whether all of a set is known.
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
