package validate

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// UUID requires an id of the services: a UUID of any version, in letters of either case.
func UUID() validator.String {
	return uuid("Write the id as the service shows it, such as 8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c, or refer to the " +
		"id of a resource or data source.")
}

// UUIDIn is UUID for an object that no data source of its own has: the message says in which collection of the service
// it is found by its name.
func UUIDIn(collection string) validator.String { return uuid(FoundIn(collection)) }

// FoundIn says how the id of an object in a collection of recurring billing is found.
func FoundIn(collection string) string {
	return fmt.Sprintf("To find the id by the name, use data \"billing_records\" with collection = %q.", collection)
}

func uuid(instead string) validator.String {
	return text{"a UUID", "Invalid id", func(s string) string {
		if same.IsUUID(s) {
			return ""
		}
		return fmt.Sprintf("%q is not a UUID, and the service has no other ids. %s To leave the argument out, write null "+
			"without quotes.", s, instead)
	}}
}
