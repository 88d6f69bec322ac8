package server

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// authenticate identifies the caller (service description, Recurring billing §5 and §7).
//
// Both documented shapes of a 401 occur. A missing, malformed, revoked or expired token gets the structured shape with
// the code invalid_token. For a well-formed token that was never issued, or that belongs to another service, the site
// determines the response.
func (s *Server) authenticate(site Site, header http.Header) (token StoredToken, err error) {
	value, ok := credential(site, header)
	if !ok {
		return StoredToken{}, ErrInvalidToken.With("The access token is missing or malformed.")
	}
	if err := s.DB.View(func(tx *store.Tx) error {
		token, ok = site.Find(tx, value)
		return nil
	}); err != nil {
		return StoredToken{}, err
	}
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
// The sandbox's scopes for recurring billing are "<objects>:read" and "<objects>:write" for customers, billing_accounts
// and subscriptions, and "invoices:read". Creating an invoice requires "subscriptions:write". Write does not imply
// read. "<objects>:*" covers both, "*" covers everything. me.get requires no scope.
//
// The scopes of financial management are defined next to its routes. Collections has the same kind of scopes for
// webhook_endpoints and webhook_deliveries, and requires administration for the keys. A key without scopes covers
// everything except administration.
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

// Service identifies one of the three services.
type Service string

// The three services, each with a listener and its own tokens.
const (
	Billing     Service = "billing"
	Finance     Service = "finance"
	Collections Service = "collections"
)

// Token is a credential of one service. The server keeps only its digest (service description, Recurring billing §5;
// Financial management §5; Collections §5).
type Token struct {
	Service      Service   `json:"service"`      // empty: Billing
	Organization string    `json:"organization"` // id; empty: the server's own
	Scopes       []string  `json:"scopes"`       // such as "customers:read", "customers:*"; none: "*"
	Expires      time.Time `json:"expires,omitzero"`
	Revoked      bool      `json:"revoked"`
	Blocked      bool      `json:"blocked"` // the holder's API access is blocked: 403
}

// StoredToken is a token as stored, keyed by the digest of its value.
type StoredToken struct {
	Token
	Prefix string `json:"prefix"` // the public part, unique
	Number int64  `json:"number"` // in the order of creation

	// Only for an API key, which has its own table:
	KeyID    string    `json:"-"` // id
	LastUsed time.Time `json:"-"`
}

// PublicPrefix returns the part of an API key before the last underscore, which is not secret.
func PublicPrefix(token string) string { return token[:max(strings.LastIndexByte(token, '_'), 0)] }

// Digest returns the digest that is stored instead of a token.
func Digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

// Administration is the scope required to manage API keys; empty scopes do not include it (wire contract: a key with
// empty scopes).
const Administration = "api_keys:*"

// Covers reports whether a scope grants a permission. A scope is a pattern in which every * matches any text (service
// description, Collections §5).
func Covers(scope, permission string) bool {
	parts := strings.Split(scope, "*")
	if len(parts) == 1 {
		return scope == permission
	}
	rest, ok := strings.CutPrefix(permission, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}
