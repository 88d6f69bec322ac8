package evidence

import "slices"

// Kind is a type of object with its names in tools and tests.
type Kind struct {
	// Name is the name in commands and scenarios. It is empty for the records of financial management, which use the name
	// of their collection.
	Name string
	// Type is the Terraform type.
	Type string
	// Create is the operation that creates an object.
	Create string
	// Unique is the field other than the id that identifies an object; optional.
	Unique string
}

var kinds = []Kind{
	{"customer", "billing_customer", "customers.create", "external_id"},
	{"account", "billing_account", "billing_accounts.create", "external_id"},
	{"subscription", "billing_subscription", "subscriptions.create", "external_id"},
	{"endpoint", "billing_webhook_endpoint", "webhook_endpoints.create", "url"},
	{"key", "billing_api_key", "api_keys.create", ""},
	{"", "billing_finance_record", "finance.records.create", ""},
}

// Kinds returns the kinds of objects, sorted so that objects come after those they can refer to.
func Kinds() []Kind { return slices.Clone(kinds) }

// KindOf returns the kind with that name, Terraform type or create operation, and the zero Kind if there is none.
func KindOf(word string) Kind {
	for _, kind := range kinds {
		if word != "" && (kind.Name == word || kind.Type == word || kind.Create == word) {
			return kind
		}
	}
	return Kind{}
}

// Path returns the path for creation and list, with a placeholder if it depends on the object's collection.
func (k Kind) Path() string {
	return operations[slices.IndexFunc(operations, func(o Operation) bool { return o.Name == k.Create })].Path
}
