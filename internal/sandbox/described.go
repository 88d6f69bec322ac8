package sandbox

import (
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/openapi"
)

// Described returns the names that have an OpenAPI document: the services and control.
func Described() []string {
	return []string{string(Billing), string(Finance), string(Collections), controlListener}
}

// everyRequest holds for all services.
const everyRequest = "What the sandbox of the billing services implements. Every request carries Content-Type: " +
	"application/json, one without a body as well."

// OpenAPI returns the OpenAPI 3.1 document, in JSON, of one of Described that is served at an address.
func OpenAPI(name, address string) ([]byte, error) {
	switch name {
	case string(Billing):
		s := new(billing.Service)
		return openapi.Document(openapi.Service{Title: "Recurring billing", About: everyRequest, Recorded: "billing/",
			Operations: openapi.OfRoutes(s.Routes(), s.Returned())}, address)
	case string(Collections):
		s := new(collections.Service)
		return openapi.Document(openapi.Service{Title: "Collections", About: everyRequest, Recorded: "collections/",
			Operations: openapi.OfRoutes(s.Routes(), s.Returned()), Webhook: collections.Webhook}, address)
	case string(Finance):
		return finance.Described(address)
	case controlListener:
		return openapi.Document(openapi.Service{Title: "Control of the sandbox", About: aboutControl,
			Operations: controlOperations()}, address)
	}
	return nil, fmt.Errorf("no document of %q", name)
}
