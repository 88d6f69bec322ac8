package control

import (
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// checkScopes rejects a scope that covers nothing which the service checks: it is a typing error. Financial
// management has collections of any name, so that only what follows the colon is known.
func (s *Control) checkScopes(t server.Token) error {
	service := t.Service
	if service == "" {
		service = server.Billing
	}
	known := s.scopes(service)
	if known == nil {
		return server.ErrValidation.With("There is no service " + quote(string(service)) +
			"; use billing, finance or collections.")
	}
	for _, scope := range t.Scopes {
		covers := func(permission string) bool { return server.Covers(scope, permission) }
		if slices.ContainsFunc(known, covers) {
			continue
		}
		collection, verb, ok := strings.Cut(scope, ":")
		if service == server.Finance && ok && collection != "" && (verb == "read" || verb == "write" || verb == "*") {
			continue
		}
		return server.ErrValidation.With("There is no scope " + quote(scope) + meant(scope, known) +
			" Scopes are " + strings.Join(known, ", ") + ", and patterns with *.")
	}
	return nil
}

// scopes are the scopes that the operations of a service ask for, sorted; nil: there is no such service.
func (s *Control) scopes(service server.Service) []string {
	routes := map[server.Service][]server.Route{
		server.Billing: s.billing.Routes(), server.Finance: s.finance.Routes(), server.Collections: s.collections.Routes(),
	}[service]
	var known []string
	for _, r := range routes {
		if r.Scope != "" && !strings.Contains(r.Scope, "{") {
			known = append(known, r.Scope)
		}
	}
	slices.Sort(known)
	return slices.Compact(known)
}
