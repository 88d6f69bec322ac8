package evidence

import "slices"

// Kind is a type of object, by the words that tools and tests have for it.
type Kind struct {
	// Name is what commands and scenarios say. It is empty for the records of financial management, which they name by
	// their collection.
	Name string
	// Type is the Terraform type.
	Type string
	// Create is the operation that creates one.
	Create string
	// Unique is the field other than the id that identifies one; empty: there is none.
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

// Kinds returns the kinds of objects. An object comes after those that it can refer to.
func Kinds() []Kind { return slices.Clone(kinds) }

// KindOf returns the kind with that name, Terraform type or creating operation, and the zero Kind if there is none.
func KindOf(word string) Kind {
	for _, kind := range kinds {
		if word != "" && (kind.Name == word || kind.Type == word || kind.Create == word) {
			return kind
		}
	}
	return Kind{}
}

// Path is the path of the creation and of the list, with a placeholder if it depends on the object's collection.
func (k Kind) Path() string {
	return operations[slices.IndexFunc(operations, func(o Operation) bool { return o.Name == k.Create })].Path
}
