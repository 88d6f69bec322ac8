package claims

import (
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// operationOf is the operation with that method and path, and the values of the placeholders in its path. A path that
// several operations match is that of the first one in the wire contract.
func operationOf(method, path string, finance bool) (evidence.Operation, map[string]string, bool) {
	for _, operation := range evidence.Operations() {
		if operation.Method != method || strings.HasPrefix(operation.Name, "finance.") != finance {
			continue
		}
		if values, matches := evidence.Match(operation.Path, path); matches {
			return operation, values, true
		}
	}
	return evidence.Operation{}, nil, false
}

// route is the method and path that a call is sent to, once the overrides of the target are applied.
func (t Target) route(method, path string, finance bool) (string, string) {
	operation, values, found := operationOf(method, path, finance)
	override, overridden := t.Operations[operation.Name]
	newMethod, template, written := strings.Cut(override, " ")
	if !found || !overridden || !written {
		return method, path
	}
	for placeholder, value := range values {
		template = strings.ReplaceAll(template, "{"+placeholder+"}", value)
	}
	return newMethod, template
}

// sections are the headings of internal/evidence/README.md under which the operations that begin with a prefix are
// described.
var sections = []struct{ prefix, heading string }{
	{"me.", "Organization"},
	{"customers.", "Customers"},
	{"billing_accounts.", "Billing accounts"},
	{"subscriptions.", "Subscriptions and invoices"},
	{"invoices.", "Subscriptions and invoices"},
	{"records.", "Other collections"},
	{"finance.", "Financial management"},
	{"webhook_", "Webhook endpoints and deliveries"},
	{"api_keys.", "API keys"},
}

// general are the headings about what holds for every operation of a service.
var general = map[Service]string{
	Billing: "Everywhere in recurring billing", Finance: "Financial management", Collections: "Everywhere in collections",
}

// Operation is the name of the operation that the claim is about, empty when it is about all.
func (c Claim) Operation() string {
	_, rest, _ := strings.Cut(strings.ToLower(c.Source), "wire contract: ")
	for _, operation := range evidence.Operations() {
		if name, _, _ := strings.Cut(rest, " "); strings.TrimRight(name, ".,;") == operation.Name {
			return operation.Name
		}
	}
	return ""
}

// Section is the heading of internal/evidence/README.md under which the assumption is listed.
func (c Claim) Section() string {
	_, rest, _ := strings.Cut(strings.ToLower(c.Source), "wire contract: ")
	for _, section := range sections {
		if strings.HasPrefix(rest, section.prefix) {
			return section.heading
		}
	}
	return general[c.Service]
}
