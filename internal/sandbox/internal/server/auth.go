package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// authenticate finds who is calling
// (service description, Recurring billing §5 and §7).
//
// Both documented shapes of a 401 occur: a missing, malformed, revoked or
// expired token gets the structured one with the code invalid_token; the site decides the
// response to a well-formed token that was never issued, or that belongs to another
// service.
func (s *Server) authenticate(tx *store.Tx, site Site, header http.Header) (StoredToken, error) {
	value, ok := credential(site, header)
	if !ok {
		return StoredToken{}, ErrInvalidToken.With("The access token is missing or malformed.")
	}
	token, ok := site.Find(tx, value)
	switch {
	case !ok:
		return StoredToken{}, site.Unknown
	case token.Revoked:
		return token, ErrInvalidToken.With("The access token has been revoked.")
	case !token.Expires.IsZero() && !s.Clock.Now().Before(token.Expires):
		return token, ErrInvalidToken.With("The access token has expired.")
	case token.Blocked:
		return token, errAccessBlocked
	}
	return token, nil
}

// credential extracts the token from the header that carries it.
func credential(site Site, header http.Header) (string, bool) {
	if site.Header == "" || http.CanonicalHeaderKey(site.Header) == "Authorization" {
		return Bearer(header)
	}
	values := header.Values(site.Header)
	return header.Get(site.Header), len(values) == 1 && values[0] != ""
}

// Bearer extracts the token from exactly one well-formed Authorization header.
func Bearer(header http.Header) (string, bool) {
	values := header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " \t,") {
		return "", false
	}
	return token, true
}

// authorize checks that one of the granted scopes covers the required one.
//
// The scopes of the sandbox's recurring billing are "<objects>:read" and
// "<objects>:write" for customers, billing_accounts and subscriptions, and
// "invoices:read"; an invoice is made with "subscriptions:write". write does not
// imply read. "<objects>:*" covers both, "*" all. me.get needs none.
//
// Those of financial management are next to its routes. Those of collections
// are the same for webhook_endpoints and webhook_deliveries, and administration
// for the keys. A key without scopes may do everything but administration.
func authorize(required string, granted []string) error {
	if required == "" || len(granted) == 0 && required != Administration {
		return nil
	}
	if slices.ContainsFunc(granted, func(scope string) bool { return Covers(scope, required) }) {
		return nil
	}
	return errInsufficientScope.About(map[string]any{
		"required": []string{required},
		"granted":  granted,
	})
}
