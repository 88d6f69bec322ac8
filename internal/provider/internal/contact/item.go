package contact

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// Item is an item of emails, phones or websites.
type Item struct {
	Kind  types.String
	Value types.String
}

// ItemType is the Terraform type of an item.
var ItemType = types.ObjectType{AttrTypes: map[string]attr.Type{"kind": types.StringType, "value": types.StringType}}

// Items reads a list whose items may hold unknown values; an unknown or null list has none.
func Items(list types.List) []Item {
	items := make([]Item, 0, len(list.Elements()))
	for _, element := range list.Elements() {
		if object, ok := element.(types.Object); ok {
			items = append(items, Item{Kind: textField(object, "kind"), Value: textField(object, "value")})
		}
	}
	return items
}

// FromWire reads the items of a response.
func FromWire(remote []billing.Contact) []Item {
	items := make([]Item, len(remote))
	for i, c := range remote {
		items[i] = Item{Kind: wire.FilledOrNull(c.Kind), Value: types.StringValue(c.Value)}
	}
	return items
}

// ToWire is the wire form of known items.
func ToWire(items []Item) []billing.Contact {
	contacts := make([]billing.Contact, len(items))
	for i, item := range items {
		contacts[i] = billing.Contact{Kind: item.Kind.ValueStringPointer(), Value: item.Value.ValueString()}
	}
	return contacts
}

// List is the Terraform list of items; none is null.
func List(items []Item) types.List {
	if len(items) == 0 {
		return types.ListNull(ItemType)
	}
	elements := make([]attr.Value, len(items))
	for i, item := range items {
		elements[i] = types.ObjectValueMust(ItemType.AttrTypes, map[string]attr.Value{"kind": item.Kind, "value": item.Value})
	}
	return types.ListValueMust(ItemType, elements)
}

// HasValue reports whether one of the items has the value.
func HasValue(items []Item, value types.String) bool {
	return slices.ContainsFunc(items, func(i Item) bool { return i.Value.Equal(value) })
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
