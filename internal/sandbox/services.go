package sandbox

import (
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// Operation is one that a service of the sandbox serves.
type Operation struct {
	Service Service `json:"service"`
	Name    string  `json:"operation"` // in the wire contract, such as "customers.create"
	Method  string  `json:"method"`
	Path    string  `json:"path"` // with placeholders, such as "/v1/customers/{id}"
}

// Operations lists what the services serve, by service, in the order of the
// wire contract.
func Operations() []Operation {
	var all []Operation
	for _, service := range []struct {
		name   Service
		routes []server.Route
	}{
		{Billing, new(billing.Service).Routes()}, {Finance, new(finance.Service).Routes()},
		{Collections, new(collections.Service).Routes()},
	} {
		for _, r := range service.routes {
			all = append(all, Operation{Service: service.name, Name: r.Name, Method: r.Method, Path: r.Pattern})
		}
	}
	return all
}

// ParseFault reads a fault as FaultSpecHelp describes it. The error names the
// key that is wrong, and what it may be.
func ParseFault(spec string) (Fault, error) {
	var names []string
	for _, o := range Operations() {
		names = append(names, o.Name)
	}
	return server.ParseFault(spec, names)
}
