package sandbox

import (
	"net/http"
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
func (s *Server) authenticate(tx *store.Tx, service Service, header http.Header) (storedToken, error) {
	value, ok := bearer(header)
	if !ok {
		return storedToken{}, errInvalidToken.with("A bearer token is required in the Authorization header.")
	}
	token, ok := s.tokens.Get(tx, digest(value))
	switch {
	case !ok || token.Service != service:
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
func authorize(required string, granted []string) error {
	if required == "" {
		return nil
	}
	object, _, _ := strings.Cut(required, ":")
	for _, scope := range granted {
		if scope == "*" || scope == required || scope == object+":*" {
			return nil
		}
	}
	return errInsufficientScope.about(map[string]any{
		"required": []string{required},
		"granted":  granted,
	})
}
