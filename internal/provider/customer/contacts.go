package customer

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// addressFields are the service's names of the fields of an address.
var addressFields = []string{"kind", "street", "number", "complement", "neighborhood", "city", "state",
	"postal_code", "country"}

// fieldsOf returns pointers to the fields of an address in the order of addressFields.
func fieldsOf(a *billing.Address) []**string {
	return []**string{&a.Kind, &a.Street, &a.Number, &a.Complement, &a.Neighborhood, &a.City, &a.State,
		&a.PostalCode, &a.Country}
}

var addressType = func() types.ObjectType {
	fields := map[string]attr.Type{}
	for _, name := range addressFields {
		fields[name] = types.StringType
	}
	return types.ObjectType{AttrTypes: fields}
}()

// addressList converts addresses to a Terraform list; no addresses are null.
func addressList(addresses []billing.Address) types.List {
	return listOrNull(addressType, addresses, func(a billing.Address) map[string]attr.Value {
		values := map[string]attr.Value{}
		for i, field := range fieldsOf(&a) {
			values[addressFields[i]] = value.FilledOrNull(*field)
		}
		return values
	})
}

func toAddresses(list types.List) []billing.Address {
	return eachOf(list, func(object types.Object) (a billing.Address) {
		for i, field := range fieldsOf(&a) {
			*field = textField(object, addressFields[i]).ValueStringPointer()
		}
		return a
	})
}

// item is an item of emails, phones or websites.
type item struct {
	Kind  types.String
	Value types.String
}

var itemType = types.ObjectType{AttrTypes: map[string]attr.Type{"kind": types.StringType, "value": types.StringType}}

// itemList converts items to a Terraform list; no items are null.
func itemList(items []item) types.List {
	return listOrNull(itemType, items, func(i item) map[string]attr.Value {
		return map[string]attr.Value{"kind": i.Kind, "value": i.Value}
	})
}

// itemsOf converts a list, possibly with unknown values in its items; an unknown or null list has no items.
func itemsOf(list types.List) []item {
	return eachOf(list, func(object types.Object) item {
		return item{Kind: textField(object, "kind"), Value: textField(object, "value")}
	})
}

func fromWire(remote []billing.Contact) []item {
	items := make([]item, len(remote))
	for i, c := range remote {
		items[i] = item{Kind: value.FilledOrNull(c.Kind), Value: types.StringValue(c.Value)}
	}
	return items
}

func toWire(items []item) []billing.Contact {
	contacts := make([]billing.Contact, len(items))
	for i, item := range items {
		contacts[i] = billing.Contact{Kind: item.Kind.ValueStringPointer(), Value: item.Value.ValueString()}
	}
	return contacts
}

func toContacts(list types.List) []billing.Contact { return toWire(itemsOf(list)) }

func listOrNull[T any](of types.ObjectType, all []T, fields func(T) map[string]attr.Value) types.List {
	if len(all) == 0 {
		return types.ListNull(of)
	}
	elements := make([]attr.Value, len(all))
	for i, one := range all {
		elements[i] = types.ObjectValueMust(of.AttrTypes, fields(one))
	}
	return types.ListValueMust(of, elements)
}

func eachOf[T any](list types.List, read func(types.Object) T) []T {
	all := make([]T, 0, len(list.Elements())) // never nil: only [] clears a list at the service
	for _, element := range list.Elements() {
		if object, ok := element.(types.Object); ok {
			all = append(all, read(object))
		}
	}
	return all
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

// changedList is [value.Changed] for a list in which order does not matter; null and the empty list are equal.
func changedList[T any](planned, state types.List, to func(types.List) []T) api.Field[[]T] {
	if !planned.IsUnknown() && sameItems(planned.Elements(), state.Elements(), attr.Value.Equal) {
		return api.Field[[]T]{}
	}
	return api.Set(to(planned))
}

// keepOrder returns before if both lists have the same items in any order. For the service, an empty list and null are
// equal.
func keepOrder(before, now types.List) types.List {
	if before.IsUnknown() || now.IsUnknown() {
		return now
	}
	if sameItems(before.Elements(), now.Elements(), attr.Value.Equal) {
		return before
	}
	return now
}

func sameItems[T any](a, b []T, equal func(T, T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	rest := slices.Clone(b)
	for _, item := range a {
		i := slices.IndexFunc(rest, func(other T) bool { return equal(item, other) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}
