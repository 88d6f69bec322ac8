package customer

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// addressFields are the fields of an address, as the service names them.
var addressFields = []string{"kind", "street", "number", "complement", "neighborhood", "city", "state", "postal_code", "country"}

var addressType = func() types.ObjectType {
	fields := map[string]attr.Type{}
	for _, name := range addressFields {
		fields[name] = types.StringType
	}
	return types.ObjectType{AttrTypes: fields}
}()

// fieldsOf points at the fields of an address in the order of addressFields.
func fieldsOf(a *billing.Address) []**string {
	return []**string{&a.Kind, &a.Street, &a.Number, &a.Complement, &a.Neighborhood, &a.City, &a.State, &a.PostalCode, &a.Country}
}

// addressList is the Terraform list of addresses; none is null.
func addressList(addresses []billing.Address) types.List {
	if len(addresses) == 0 {
		return types.ListNull(addressType)
	}
	elements := make([]attr.Value, len(addresses))
	for i := range addresses {
		fields := map[string]attr.Value{}
		for j, field := range fieldsOf(&addresses[i]) {
			fields[addressFields[j]] = types.StringPointerValue(*field)
		}
		elements[i] = types.ObjectValueMust(addressType.AttrTypes, fields)
	}
	return types.ListValueMust(addressType, elements)
}

// addressesTo is the wire form of a known list.
func addressesTo(list types.List) []billing.Address {
	addresses := make([]billing.Address, 0, len(list.Elements()))
	for _, element := range list.Elements() {
		object, ok := element.(types.Object)
		if !ok {
			continue
		}
		var a billing.Address
		for j, field := range fieldsOf(&a) {
			*field = textField(object, addressFields[j]).ValueStringPointer()
		}
		addresses = append(addresses, a)
	}
	return addresses
}

// contactsTo is the wire form of known items.
func contactsTo(items []contact) []billing.Contact {
	contacts := make([]billing.Contact, len(items))
	for i, item := range items {
		contacts[i] = billing.Contact{Kind: item.Kind.ValueStringPointer(), Value: item.Value.ValueString()}
	}
	return contacts
}

// tagSet is the Terraform set of tags; none is null.
func tagSet(tags []string) types.Set {
	if len(tags) == 0 {
		return types.SetNull(types.StringType)
	}
	tags = slices.Compact(slices.Sorted(slices.Values(tags)))
	elements := make([]attr.Value, len(tags))
	for i, tag := range tags {
		elements[i] = types.StringValue(tag)
	}
	return types.SetValueMust(types.StringType, elements)
}

// tagsTo is the wire form of a known set.
func tagsTo(set types.Set) []string {
	tags := make([]string, 0, len(set.Elements()))
	for _, element := range set.Elements() {
		if tag, ok := element.(types.String); ok {
			tags = append(tags, tag.ValueString())
		}
	}
	return tags
}

// keepOrder prefers the list as it was written before when both hold the same items, in whatever order. An empty list and none are
// the same to the service.
func keepOrder(before, now types.List) types.List {
	if before.IsUnknown() || now.IsUnknown() {
		return now
	}
	if sameItems(before.Elements(), now.Elements(), attr.Value.Equal) {
		return before
	}
	return now
}

// sameItems reports whether both hold the same items, whatever their order.
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
