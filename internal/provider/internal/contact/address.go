// Package contact converts addresses, and the items of phones, emails and websites, between Terraform and the wire.
package contact

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// AddressFields are the fields of an address, as the service names them.
var AddressFields = []string{"kind", "street", "number", "complement", "neighborhood", "city", "state",
	"postal_code", "country"}

// AddressType is the Terraform type of an address.
var AddressType = func() types.ObjectType {
	fields := map[string]attr.Type{}
	for _, name := range AddressFields {
		fields[name] = types.StringType
	}
	return types.ObjectType{AttrTypes: fields}
}()

// fieldsOf points at the fields of an address in the order of AddressFields.
func fieldsOf(a *billing.Address) []**string {
	return []**string{&a.Kind, &a.Street, &a.Number, &a.Complement, &a.Neighborhood, &a.City, &a.State,
		&a.PostalCode, &a.Country}
}

// Address is the Terraform object of an address.
func Address(a billing.Address) types.Object {
	fields := map[string]attr.Value{}
	for i, field := range fieldsOf(&a) {
		fields[AddressFields[i]] = wire.FilledOrNull(*field)
	}
	return types.ObjectValueMust(AddressType.AttrTypes, fields)
}

// ToAddress is the wire form of a known address.
func ToAddress(object types.Object) billing.Address {
	var a billing.Address
	for i, field := range fieldsOf(&a) {
		*field = textField(object, AddressFields[i]).ValueStringPointer()
	}
	return a
}

// Addresses is the Terraform list of addresses; none is null.
func Addresses(addresses []billing.Address) types.List {
	if len(addresses) == 0 {
		return types.ListNull(AddressType)
	}
	elements := make([]attr.Value, len(addresses))
	for i, a := range addresses {
		elements[i] = Address(a)
	}
	return types.ListValueMust(AddressType, elements)
}

// ToAddresses is the wire form of a known list.
func ToAddresses(list types.List) []billing.Address {
	addresses := make([]billing.Address, 0, len(list.Elements()))
	for _, element := range list.Elements() {
		if object, ok := element.(types.Object); ok {
			addresses = append(addresses, ToAddress(object))
		}
	}
	return addresses
}
