package sandbox

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
// expired token gets the structured one with the code invalid_token; a
// well-formed token that nobody has issued, or that belongs to another
// service, gets the flat one with the error_code unauthorized.
//
// Collections has the structured one only, and takes its keys in another header
// when the options say so (wire contract: the header that carries the key).
func (s *Server) authenticate(tx *store.Tx, service Service, header http.Header) (storedToken, error) {
	value, ok := s.credential(service, header)
	if !ok {
		return storedToken{}, errInvalidToken.with("The access token is missing or malformed.")
	}
	token, ok := s.tokenOf(tx, service, value)
	switch {
	case !ok && service == Collections:
		return storedToken{}, errInvalidToken.with("There is no such key.")
	case !ok && service == Finance:
		return storedToken{}, errInvalidToken.with("The access token is no JWT of this service, or its signature is not right.")
	case !ok:
		return storedToken{}, errUnauthorized
	case token.Revoked:
		return token, errInvalidToken.with("The access token has been revoked.")
	case !token.Expires.IsZero() && !s.clock.Now().Before(token.Expires):
		return token, errInvalidToken.with("The access token has expired.")
	case token.Blocked:
		return token, errAccessBlocked
	}
	return token, nil
}

// credential takes the token out of the header that carries it.
func (s *Server) credential(service Service, header http.Header) (string, bool) {
	name := s.options.CollectionsAuthHeader
	if service != Collections || name == "" || http.CanonicalHeaderKey(name) == "Authorization" {
		return bearer(header)
	}
	values := header.Values(name)
	return header.Get(name), len(values) == 1 && values[0] != ""
}

// tokenOf finds a service's token by its value.
func (s *Server) tokenOf(tx *store.Tx, service Service, value string) (storedToken, bool) {
	if service == Collections {
		key, ok := s.keyByToken(tx, value)
		return key.token(), ok
	}
	if service == Finance {
		return s.readJWT(tx, value)
	}
	token, ok := s.tokens.Get(tx, digest(value))
	return token, ok && token.Service == service
}

// bearer takes the token out of exactly one well-formed Authorization header.
func bearer(header http.Header) (string, bool) {
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
// Those of financial management stand beside its routes. Those of collections
// are the same for webhook_endpoints and webhook_deliveries, and administration
// for the keys. A key without scopes may do everything but administration.
func authorize(required string, granted []string) error {
	if required == "" || len(granted) == 0 && required != administration {
		return nil
	}
	if slices.ContainsFunc(granted, func(scope string) bool { return covers(scope, required) }) {
		return nil
	}
	return errInsufficientScope.about(map[string]any{
		"required": []string{required},
		"granted":  granted,
	})
}
