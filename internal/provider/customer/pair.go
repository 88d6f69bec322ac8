package customer

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// pair is a main value (email, phone) and the service's list (emails, phones). The list in state is always complete. A
// configured list is authoritative; a configured main value owns the one entry with its value, and other entries are
// kept. If unset, they show the service's list and its first value.
type pair struct {
	Main types.String
	List types.List
}

// ownedPair is the part of a pair that was configured when it was last applied.
type ownedPair struct {
	// Main is the main value, or "".
	Main string `json:"main,omitempty"`
}

// owned returns the ownership after applying the configuration p.
func (p pair) owned() ownedPair { return ownedPair{Main: p.Main.ValueString()} }

// within removes the ownership of values that are not in the bare configuration: under ignore_changes, a plan gets the
// value of the state, even if the argument is unset.
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

// contradicts reports whether the configuration p has a main value that is not in its list.
func (p pair) contradicts() bool {
	return !p.Main.IsNull() && !p.Main.IsUnknown() && !p.List.IsNull() && p.listKnown() &&
		!hasValue(itemsOf(p.List), p.Main)
}

// with returns the list with an entry for the main value instead of the owned entry: an existing entry with that value,
// else the owned entry with its value changed, else the entry that is the service's wording of the value, else a new
// first entry.
func with(items []item, owned string, main types.String) []item {
	if main.IsNull() || owned == main.ValueString() && hasValue(items, main) {
		return items
	}
	items = slices.Clone(items)
	isOwned := func(item item) bool { return owned != "" && item.Value.ValueString() == owned }
	if hasValue(items, main) {
		return slices.DeleteFunc(items, isOwned)
	}
	i := slices.IndexFunc(items, isOwned)
	if i < 0 {
		i = slices.IndexFunc(items, func(i item) bool { return same.Wording(main.ValueString(), i.Value.ValueString()) })
	}
	if i >= 0 {
		items[i].Value = main
		return items
	}
	return slices.Insert(items, 0, item{Kind: types.StringNull(), Value: main})
}

// first returns the value of the first entry of a list, or null.
func (p pair) first() types.String {
	if items := itemsOf(p.List); len(items) > 0 {
		return items[0].Value
	}
	return types.StringNull()
}

// planned returns the planned pair for the configuration p, the state and the previous ownership.
func (p pair) planned(state pair, owned ownedPair) pair {
	out := p
	switch {
	case !p.List.IsNull():
		if p.listKnown() && !state.List.IsNull() { // Terraform rejects a null for a configured list
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
	if out.List.Equal(state.List) && same.Wording(out.Main.ValueString(), state.Main.ValueString()) {
		out.Main = state.Main // the service's wording, if none was configured
	}
	if !out.listKnown() || owned.Main != "" && out.Main.Equal(state.Main) {
		// Removing the main value is a change even if no request is necessary: otherwise the ownership would not be updated.
		out.Main = types.StringUnknown()
	}
	return out
}

// seen returns the service's pair, with the spelling of p for equal values.
func (p pair) seen(remote []billing.Contact, owned ownedPair) pair {
	items := fromWire(remote)
	out := pair{Main: types.StringValue(owned.Main), List: keepOrder(p.List, itemList(items))}
	if owned.Main != "" && hasValue(items, out.Main) {
		return out
	}
	worded := func(i item) bool { return same.Wording(owned.Main, i.Value.ValueString()) }
	switch i := slices.IndexFunc(items, worded); {
	case owned.Main == "" || i < 0:
		out.Main = out.first()
	case !hasValue(itemsOf(p.List), out.Main): // otherwise the list shows whether that is the service's wording
		out.Main = items[i].Value
	}
	return out
}

// change returns the list to send for the plan p.
func (p pair) change(state pair, owned ownedPair) api.Field[[]billing.Contact] {
	items := itemsOf(p.List)
	if !p.Main.IsUnknown() && !p.Main.Equal(state.Main) && !hasValue(items, p.Main) {
		items = with(items, owned.Main, p.Main) // the list contains it, unless the list is under ignore_changes
	}
	if p.listKnown() && sameItems(items, itemsOf(state.List), func(a, b item) bool { return a == b }) {
		return api.Field[[]billing.Contact]{}
	}
	return api.Set(toWire(items))
}
