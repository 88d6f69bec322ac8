package evidence

import (
	"slices"
	"strings"
)

// Kind is a type of object with its names in tools, copies, messages and tests. A new type is a row of kinds.
type Kind struct {
	// Name is the name in commands, scenarios and copies.
	Name string
	// Noun is the name in messages.
	Noun string
	// Type is the Terraform type.
	Type string
	// Service is billing, collections or finance.
	Service string
	// Create is the operation that creates an object. The names of its other operations begin with the same family.
	Create string
	// Unique is the field other than the id that identifies an object; optional.
	Unique string
	// Statuses are those that the service descriptions list. The last one is that of an object that has ended.
	Statuses []string
}

// Names of kinds.
const (
	Customer     = "customer"
	Account      = "account"
	Subscription = "subscription"
	Endpoint     = "endpoint"
	Key          = "key"
	Record       = "record"
)

var kinds = []Kind{
	{Customer, "customer", "billing_customer", "billing", "customers.create", "external_id", nil},
	{Account, "billing account", "billing_account", "billing", "billing_accounts.create", "external_id",
		[]string{"active", "suspended", "closed"}},
	{Subscription, "subscription", "billing_subscription", "billing", "subscriptions.create", "external_id",
		[]string{"draft", "confirmed", "trialing", "active", "past_due", "paused", "suspended", "canceled"}},
	{Endpoint, "webhook endpoint", "billing_webhook_endpoint", "collections", "webhook_endpoints.create", "url", nil},
	{Key, "API key", "billing_api_key", "collections", "api_keys.create", "", []string{"active", "revoked"}},
	{Record, "finance record", "billing_finance_record", "finance", "finance.records.create", "", nil},
}

// Kinds returns the kinds of objects, sorted so that objects come after those they can refer to.
func Kinds() []Kind { return slices.Clone(kinds) }

// KindOf returns the kind with that name, Terraform type or create operation, and the zero Kind if there is none.
func KindOf(word string) Kind {
	return kindIf(func(k Kind) bool { return k.Name == word || k.Type == word || k.Create == word })
}

// Subject returns the kind of object that an operation is about, and the verb, such as "update" or "items.sync".
func Subject(operation string) (k Kind, verb string) {
	k = kindIf(func(k Kind) bool { return strings.HasPrefix(operation, k.Operation("")) })
	return k, strings.TrimPrefix(operation, k.Operation(""))
}

func kindIf(fits func(Kind) bool) Kind {
	if i := slices.IndexFunc(kinds, fits); i >= 0 {
		return kinds[i]
	}
	return Kind{}
}

// Operation returns the name of an operation on objects of the kind.
func (k Kind) Operation(verb string) string { return strings.TrimSuffix(k.Create, "create") + verb }

// Path returns the path for creation and list, with a placeholder if it depends on the object's collection.
func (k Kind) Path() string {
	return operations[slices.IndexFunc(operations, func(o Operation) bool { return o.Name == k.Create })].Path
}

// Ended reports whether an object with that status has ended, so that it is never used again.
func (k Kind) Ended(status any) bool {
	return len(k.Statuses) > 0 && status == k.Statuses[len(k.Statuses)-1]
}

// FreeTexts are the fields, besides custom_metadata and those of records, that services may store in their own wording.
// Other texts decide something.
var FreeTexts = []string{"external_id", "name", "nickname", "legal_name", "notes", "description", "url", "value",
	"tags", "street", "number", "complement", "neighborhood", "city", "postal_code", "billing_email", "suspension_reason",
	"cancellation_reason"}
