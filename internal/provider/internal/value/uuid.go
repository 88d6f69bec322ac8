package value

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// UUIDType is the type of an id of the services. UUIDs that differ only in the case of their letters are equal.
type UUIDType = TextType[uuid]

type uuid struct{}

func (uuid) name() string { return "UUIDType" }

func (uuid) same(a, b string) bool { return same.ID(a, b) }

// KeepID prefers the spelling before when both are the same id: what the service returns is not always spelled as it
// was written.
func KeepID(before, now types.String) types.String {
	return text[uuid](now).Or(text[uuid](before)).StringValue
}

// UUID requires an id of the services: a UUID of any version, in letters of either case.
func UUID() validator.String {
	return isUUID("Write the id as the service shows it, such as 8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c, or refer to the " +
		"id of a resource or data source.")
}

// UUIDIn is UUID for an object that no data source of its own has: the message says in which collection of the service
// it is found by its name.
func UUIDIn(collection string) validator.String { return isUUID(FoundIn(collection)) }

// FoundIn says how the id of an object in a collection of recurring billing is found.
func FoundIn(collection string) string {
	return fmt.Sprintf("To find the id by the name, use data \"billing_records\" with collection = %q.", collection)
}

func isUUID(instead string) validator.String {
	return check{"a UUID", "Invalid id", func(s string) string {
		if same.IsUUID(s) {
			return ""
		}
		return fmt.Sprintf("%q is not a UUID, and the service has no other ids. %s To leave the argument out, write null "+
			"without quotes.", s, instead)
	}}
}
