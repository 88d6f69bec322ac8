package claims

import (
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// operationOf returns the operation with that method and path, and the values of the placeholders in its path. If
// several operations match, it returns the first one in the wire contract.
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

// route returns the method and path of a call, with the overrides of the target applied.
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

// sections maps the prefixes of operations to the headings of internal/evidence/README.md that describe them.
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

// general holds the headings that apply to every operation of a service.
var general = map[Service]string{
	Billing: "Everywhere in recurring billing", Finance: "Financial management", Collections: "Everywhere in collections",
}

// Operation returns the name of the claim's operation; empty if the claim applies to all operations.
func (c Claim) Operation() string {
	_, rest, _ := strings.Cut(strings.ToLower(c.Source), "wire contract: ")
	for _, operation := range evidence.Operations() {
		if name, _, _ := strings.Cut(rest, " "); strings.TrimRight(name, ".,;") == operation.Name {
			return operation.Name
		}
	}
	return ""
}

// Section returns the heading of internal/evidence/README.md that lists the assumption.
func (c Claim) Section() string {
	_, rest, _ := strings.Cut(strings.ToLower(c.Source), "wire contract: ")
	for _, section := range sections {
		if strings.HasPrefix(rest, section.prefix) {
			return section.heading
		}
	}
	return general[c.Service]
}
