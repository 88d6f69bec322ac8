package customer

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
)

// pair is a main value (email, phone) and the list that the service keeps it in (emails, phones).
//
// The configuration may name either, or both, or the main value again inside the list. The service has only the list,
// and returns the main value as an item of it. So pairs are compared as the list that results from both.
type pair struct {
	Main types.String
	List types.List
}

// ownedPair says which halves of a pair the configuration named when it was last applied.
type ownedPair struct {
	Main bool `json:"main,omitempty"`
	List bool `json:"list,omitempty"`
	// Repeats says that the main value only repeats the state next to a configured list, see plannedOwn.
	Repeats bool `json:"repeats,omitempty"`
}

func (p ownedPair) and(o ownedPair) ownedPair {
	return ownedPair{Main: p.Main && o.Main, List: p.List && o.List, Repeats: p.Repeats}
}

func (p pair) split() (types.String, types.List) { return p.Main, p.List }

// known reports whether the plan knows the whole pair.
func (p pair) known() bool { return !p.Main.IsUnknown() && p.listKnown() }

// listKnown reports whether the plan knows the list with all its items.
func (p pair) listKnown() bool {
	return !p.List.IsUnknown() && !slices.ContainsFunc(contact.Items(p.List), func(item contact.Item) bool {
		return item.Kind.IsUnknown() || item.Value.IsUnknown()
	})
}

// undecided reports whether a main value that is only known in the apply decides how the state shows the list: where it
// is the one item that the state has in addition to the configured list, as after an import, both mean the same.
// Terraform holds the apply to the list of the plan, so the plan would have to guess.
func (p pair) undecided(state pair) bool {
	if !p.Main.IsUnknown() || p.List.IsNull() || !p.listKnown() || state.List.IsNull() {
		return false
	}
	stored := contact.Items(state.List)
	return slices.ContainsFunc(stored, func(item contact.Item) bool {
		main := pair{Main: item.Value, List: p.List}
		return !contact.HasValue(contact.Items(p.List), item.Value) && contact.SameItems(main.all(), stored)
	})
}

// all is the list that results from both halves: the main value first, unless the list has it already.
func (p pair) all() []contact.Item {
	items := contact.Items(p.List)
	if p.Main.IsNull() || contact.HasValue(items, p.Main) {
		return items
	}
	return append([]contact.Item{{Kind: types.StringNull(), Value: p.Main}}, items...)
}

// planned is what the pair becomes when p is configured, given the state and what this configuration owned before. What
// it does not name and never named stays as it is.
func (p pair) planned(state pair, owned ownedPair) pair {
	if !p.known() {
		open := p.unknownWhereOpen()
		// Whatever the main value becomes, both lists then mean the same, and the plan of the apply keeps the state's.
		if p.listKnown() && !state.List.IsNull() && contact.SameItems(contact.Items(p.List),
			contact.Items(state.List)) {
			open.List = state.List
		}
		return open
	}
	if !p.List.IsNull() {
		return p.plannedList(state)
	}
	left := state.all()
	switch {
	case owned.List:
		left = nil
	case owned.Main && !state.Main.Equal(p.Main):
		left = slices.DeleteFunc(left, func(c contact.Item) bool { return c.Value.Equal(state.Main) })
	}
	out := pair{Main: p.Main, List: types.ListNull(contact.ItemType)}
	left = pair{Main: p.Main, List: contact.List(left)}.all()
	if out.Main.IsNull() {
		out.Main = firstValue(left, state.Main)
	}
	out.List = contact.List(left)
	if contact.SameItems(left, contact.Items(state.List)) {
		out.List = state.List
	}
	return out
}

// plannedOwn is planned where the main value may only repeat the state, as ignore_changes gives it: next to a
// configured list, a main value that was never configured keeps its value in the plan and adds nothing to the list.
// next is what the configuration will own.
func (p pair) plannedOwn(state pair, owned ownedPair, next *ownedPair) pair {
	repeats := owned.List && !owned.Main && !p.List.IsNull() && !p.Main.IsNull() && !p.Main.IsUnknown() &&
		p.Main.Equal(state.Main)
	if !repeats {
		return p.planned(state, owned)
	}
	next.Main, next.Repeats = false, true
	return pair{Main: state.Main, List: pair{types.StringNull(), p.List}.planned(state, owned).List}
}

func (p pair) plannedList(state pair) pair {
	out := p
	if out.Main.IsNull() {
		out.Main = firstValue(contact.Items(p.List), state.Main)
	}
	// The state's list may only stay when it means the same next to the new main value, which may have moved in or out
	// of it.
	if kept := (pair{Main: out.Main, List: state.List}); !state.List.IsNull() && contact.SameItems(p.all(),
		kept.all()) {
		out.List = state.List
	}
	return out
}

// unknownWhereOpen leaves to apply what depends on values that are not known yet.
func (p pair) unknownWhereOpen() pair {
	if p.Main.IsNull() {
		p.Main = types.StringUnknown()
	}
	if p.List.IsNull() {
		p.List = types.ListUnknown(contact.ItemType)
	}
	return p
}

// seen is the pair as the service has it, written as p writes it where that means the same.
func (p pair) seen(remote []billing.Contact) pair {
	items := contact.FromWire(remote)
	out := pair{Main: firstValue(items, p.Main)}
	before := contact.Items(p.List)
	settled := !p.List.IsNull() && !p.List.IsUnknown()
	if settled && !p.Main.IsNull() && !contact.HasValue(before, p.Main) {
		if i := slices.Index(items, contact.Item{Kind: types.StringNull(), Value: p.Main}); i >= 0 {
			items = slices.Delete(slices.Clone(items), i, i+1)
		}
	}
	out.List = contact.List(items)
	if settled && contact.SameItems(items, before) {
		out.List = p.List
	}
	return out
}

// change is the list that takes the service from state to p. The list carries the main value too, which alone could not
// be replaced.
func (p pair) change(state pair) api.Field[[]billing.Contact] {
	if p.known() && contact.SameItems(p.all(), state.all()) {
		return api.Field[[]billing.Contact]{}
	}
	return api.Set(contact.ToWire(p.all()))
}

// imported is the pair of a customer that no configuration has named yet.
func imported(remote []billing.Contact) pair {
	return pair{Main: types.StringNull(), List: types.ListNull(contact.ItemType)}.seen(remote)
}

// firstValue prefers the value that was there before, as long as the list still has it.
func firstValue(items []contact.Item, before types.String) types.String {
	if !before.IsNull() && contact.HasValue(items, before) {
		return before
	}
	if len(items) == 0 {
		return types.StringNull()
	}
	return items[0].Value
}
