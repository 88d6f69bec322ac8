package customer

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// contact is an item of emails, phones and websites.
type contact struct {
	Kind  types.String `tfsdk:"kind"`
	Value types.String `tfsdk:"value"`
}

var contactType = types.ObjectType{AttrTypes: map[string]attr.Type{"kind": types.StringType, "value": types.StringType}}

// pair is a main value (email, phone) and the list that the service keeps it in (emails, phones).
//
// The configuration may name either, or both, or the main value again inside the list. The service has only the list, and answers
// the main value as an item of it. So pairs are compared as the list that results from both.
type pair struct {
	Main types.String
	List types.List
}

// ownedPair says which halves of a pair the configuration named when it was last applied.
type ownedPair struct {
	Main bool `json:"main,omitempty"`
	List bool `json:"list,omitempty"`
}

func (p pair) split() (types.String, types.List) { return p.Main, p.List }

// known reports whether nothing in the pair waits for apply.
func (p pair) known() bool {
	if p.Main.IsUnknown() || p.List.IsUnknown() {
		return false
	}
	for _, item := range contactItems(p.List) {
		if item.Kind.IsUnknown() || item.Value.IsUnknown() {
			return false
		}
	}
	return true
}

// all is the list that results from both halves: the main value first, unless the list has it already.
func (p pair) all() []contact {
	items := contactItems(p.List)
	if p.Main.IsNull() || hasValue(items, p.Main) {
		return items
	}
	return append([]contact{{Kind: types.StringNull(), Value: p.Main}}, items...)
}

// planned is what the pair becomes when p is configured, given the state and what this configuration owned before. What it does
// not name and never named stays as it is.
func (p pair) planned(state pair, owned ownedPair) pair {
	if !p.known() {
		return p.unknownWhereOpen()
	}
	if !p.List.IsNull() {
		return p.plannedList(state)
	}
	left := state.all()
	switch {
	case owned.List:
		left = nil
	case owned.Main && !state.Main.Equal(p.Main):
		left = slices.DeleteFunc(left, func(c contact) bool { return c.Value.Equal(state.Main) })
	}
	out := pair{Main: p.Main, List: types.ListNull(contactType)}
	left = pair{Main: p.Main, List: contactList(left)}.all()
	if out.Main.IsNull() {
		out.Main = firstValue(left, state.Main)
	}
	out.List = contactList(left)
	if sameContacts(left, contactItems(state.List)) {
		out.List = state.List
	}
	return out
}

func (p pair) plannedList(state pair) pair {
	out := p
	if out.Main.IsNull() {
		out.Main = firstValue(contactItems(p.List), state.Main)
	}
	// The state's list may only stay when it says the same beside the new main value, which may have moved in or out of it.
	if kept := (pair{Main: out.Main, List: state.List}); !state.List.IsNull() && sameContacts(p.all(), kept.all()) {
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
		p.List = types.ListUnknown(contactType)
	}
	return p
}

// seen is the pair as the service has it, written as p writes it where that means the same.
func (p pair) seen(remote []billing.Contact) pair {
	items := contactsOf(remote)
	out := pair{Main: firstValue(items, p.Main)}
	before := contactItems(p.List)
	settled := !p.List.IsNull() && !p.List.IsUnknown()
	if settled && !p.Main.IsNull() && !hasValue(before, p.Main) {
		if i := slices.Index(items, contact{Kind: types.StringNull(), Value: p.Main}); i >= 0 {
			items = slices.Delete(slices.Clone(items), i, i+1)
		}
	}
	out.List = contactList(items)
	if settled && sameContacts(items, before) {
		out.List = p.List
	}
	return out
}

// imported is the pair of a customer that no configuration has named yet.
func imported(remote []billing.Contact) pair {
	return pair{Main: types.StringNull(), List: types.ListNull(contactType)}.seen(remote)
}

// firstValue prefers the value that stood there before, as long as the list still has it.
func firstValue(items []contact, before types.String) types.String {
	if !before.IsNull() && hasValue(items, before) {
		return before
	}
	if len(items) == 0 {
		return types.StringNull()
	}
	return items[0].Value
}

func hasValue(items []contact, value types.String) bool {
	return slices.ContainsFunc(items, func(c contact) bool { return c.Value.Equal(value) })
}

func contactsOf(remote []billing.Contact) []contact {
	items := make([]contact, len(remote))
	for i, c := range remote {
		items[i] = contact{Kind: types.StringPointerValue(c.Kind), Value: types.StringValue(c.Value)}
	}
	return items
}

// contactItems reads a list whose items may hold unknown values; an unknown or null list has none.
func contactItems(list types.List) []contact {
	items := make([]contact, 0, len(list.Elements()))
	for _, element := range list.Elements() {
		if object, ok := element.(types.Object); ok {
			items = append(items, contact{Kind: textField(object, "kind"), Value: textField(object, "value")})
		}
	}
	return items
}

// contactList is the Terraform list of items; none is null.
func contactList(items []contact) types.List {
	if len(items) == 0 {
		return types.ListNull(contactType)
	}
	elements := make([]attr.Value, len(items))
	for i, item := range items {
		elements[i] = types.ObjectValueMust(contactType.AttrTypes, map[string]attr.Value{"kind": item.Kind, "value": item.Value})
	}
	return types.ListValueMust(contactType, elements)
}

func textField(object types.Object, name string) types.String {
	if object.IsUnknown() {
		return types.StringUnknown()
	}
	text, ok := object.Attributes()[name].(types.String)
	if !ok {
		return types.StringNull()
	}
	return text
}

func sameContacts(a, b []contact) bool {
	return sameItems(a, b, func(x, y contact) bool { return x == y })
}
