package customer

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// pair is a main value (email, phone) and the list that the service has (emails, phones). The list in state is always
// the whole one. A configured list is authoritative; a configured main value owns the one entry that has its value, and
// the others stay. What is not configured shows what there is: the list, and its first value.
type pair struct {
	Main types.String
	List types.List
}

// ownedPair is what the configuration named of a pair when it was last applied.
type ownedPair struct {
	// Main is the main value; "" for none.
	Main string `json:"main,omitempty"`
}

// owned is the ownership that applying the configuration p establishes.
func (p pair) owned() ownedPair { return ownedPair{Main: p.Main.ValueString()} }

// within leaves what the bare configuration names too: under ignore_changes a plan sees the value of the state, also
// where nothing is configured.
func (o ownedPair) within(bare ownedPair) ownedPair {
	if bare.Main == "" {
		o.Main = ""
	}
	return o
}

func (p pair) split() (types.String, types.List) { return p.Main, p.List }

// listKnown reports whether the plan knows the list with all its items.
func (p pair) listKnown() bool {
	return !p.List.IsUnknown() && !slices.ContainsFunc(itemsOf(p.List), func(item item) bool {
		return item.Kind.IsUnknown() || item.Value.IsUnknown()
	})
}

// contradicts reports whether the configuration p names a main value outside of its list.
func (p pair) contradicts() bool {
	return !p.Main.IsNull() && !p.Main.IsUnknown() && !p.List.IsNull() && p.listKnown() &&
		!hasValue(itemsOf(p.List), p.Main)
}

// with is the list with an entry for the main value in place of the owned one: the entry that has it already, else the
// owned one with its value changed, else a new first one.
func with(items []item, owned string, main types.String) []item {
	if main.IsNull() || owned == main.ValueString() && hasValue(items, main) {
		return items
	}
	items = slices.Clone(items)
	isOwned := func(item item) bool { return owned != "" && item.Value.ValueString() == owned }
	if hasValue(items, main) {
		return slices.DeleteFunc(items, isOwned)
	}
	if i := slices.IndexFunc(items, isOwned); i >= 0 {
		items[i].Value = main
		return items
	}
	return slices.Insert(items, 0, item{Kind: types.StringNull(), Value: main})
}

// first is the value of the first entry of a list, null without one.
func (p pair) first() types.String {
	if items := itemsOf(p.List); len(items) > 0 {
		return items[0].Value
	}
	return types.StringNull()
}

// planned is what the pair becomes when p is configured, given the state and what the configuration owned before.
func (p pair) planned(state pair, owned ownedPair) pair {
	out := p
	switch {
	case !p.List.IsNull():
		if p.listKnown() && !state.List.IsNull() { // Terraform takes no null for a configured list
			out.List = keepOrder(state.List, p.List)
		}
	case p.Main.IsUnknown():
		out.List = types.ListUnknown(itemType)
	default:
		out.List = keepOrder(state.List, itemList(with(itemsOf(state.List), owned.Main, p.Main)))
	}
	if !p.Main.IsNull() {
		return out
	}
	out.Main = out.first()
	if !out.listKnown() || owned.Main != "" && out.Main.Equal(state.Main) {
		// A value that is given up is a change, even where the service has nothing to do: else nothing would record it.
		out.Main = types.StringUnknown()
	}
	return out
}

// seen is the pair as the service has it, written as p writes it where that means the same.
func (p pair) seen(remote []billing.Contact, owned ownedPair) pair {
	items := fromWire(remote)
	out := pair{Main: types.StringValue(owned.Main), List: keepOrder(p.List, itemList(items))}
	if owned.Main == "" || !hasValue(items, out.Main) {
		out.Main = out.first()
	}
	return out
}

// change is the list that takes the service from state to the plan p.
func (p pair) change(state pair, owned ownedPair) api.Field[[]billing.Contact] {
	items := itemsOf(p.List)
	if !p.Main.IsUnknown() && !p.Main.Equal(state.Main) && !hasValue(items, p.Main) {
		items = with(items, owned.Main, p.Main) // the list has it already, unless the list is under ignore_changes
	}
	if p.listKnown() && sameItems(items, itemsOf(state.List), func(a, b item) bool { return a == b }) {
		return api.Field[[]billing.Contact]{}
	}
	return api.Set(toWire(items))
}
