package check

import (
	"context"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// UUID requires an id of the services: a UUID of any version, in letters of either case.
func UUID() validator.String {
	return isUUID("Write the id as the service shows it, such as 8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c, or refer to the " +
		"id of a resource or data source.")
}

// UUIDIn is UUID for an object without its own data source: the message names the collection of the service in which it
// can be looked up by name.
func UUIDIn(collection string) validator.String { return isUUID(FoundIn(collection)) }

// FoundIn explains how to look up the id of an object in a collection of recurring billing.
func FoundIn(collection string) string {
	return fmt.Sprintf("To find the id by the name, use data \"billing_records\" with collection = %q.", collection)
}

type uuid struct {
	Described
	instead string
}

func isUUID(instead string) validator.String { return uuid{"a UUID", instead} }

func (v uuid) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	s := req.ConfigValue.ValueString()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || same.IsUUID(s) {
		return
	}
	Invalid(req.Path, req.ConfigValue, v.wrong(s, DataSourceOf(lastName(req.Path))), &resp.Diagnostics)
}

// importID matches an id as in an import block that finds an object by another field.
var importID = regexp.MustCompile(`^(external_id|url|name|id)=(.*)$`)

// wrong describes an id that is none. typeName is the data source of the object, or "".
func (v uuid) wrong(s, typeName string) string {
	if parts := importID.FindStringSubmatch(s); parts != nil && parts[1] != "id" && typeName != "" {
		return fmt.Sprintf("%s=… works only in imports. Use data %q with the argument %[1]s, and its id.", parts[1],
			typeName)
	}
	more := ""
	if mocked.MatchString(s) {
		more = " If a mock_provider of terraform test generated this string, configure ids for it (guide: Recipes)."
	}
	return fmt.Sprintf("It is not a UUID, and all ids of the service are UUIDs. %s To omit the argument, write null "+
		"without quotes.%s", v.instead, more)
}

// dataSources are the data sources of the objects to which arguments refer.
var dataSources = map[string]string{"customer_id": "billing_customer", "billing_account_id": "billing_account",
	"subscription_id": "billing_subscription", "endpoint_id": "billing_webhook_endpoint"}

// DataSourceOf returns the data source that finds the object to which an argument refers; "" if there is none.
func DataSourceOf(argument string) string { return dataSources[argument] }

func lastName(at path.Path) string {
	last, _ := at.Steps().LastStep()
	name, _ := last.(path.PathStepAttributeName)
	return string(name)
}

// mocked matches the strings that Terraform generates for computed attributes of a mock_provider.
var mocked = regexp.MustCompile(`^[a-z0-9]{8}$`)
