package sandbox

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

var errNoToken = errors.New("no token has this value or prefix")

// NewToken makes the token known and returns its value, which is shown only
// here. It fails when the service or organization is unknown, or the state
// cannot be written.
func (s *Server) NewToken(t Token) (string, error) {
	made, err := s.newToken(t)
	return made.Value, err
}

func (s *Server) newToken(t Token) (made TokenState, err error) {
	err = s.core.DB.Update(func(tx *store.Tx) (err error) {
		made, err = s.putToken(tx, t, "")
		return err
	})
	return made, err
}

func (s *Server) storedTokens(tx *store.Tx) []server.StoredToken {
	var all []server.StoredToken
	for _, stored := range s.tokens.All(tx) {
		all = append(all, stored)
	}
	return all
}

// RevokeToken ends a token, given by its value or its public prefix. The next
// request with it returns 401.
func (s *Server) RevokeToken(token string) error {
	sum := server.Digest(token)
	return s.core.DB.Update(func(tx *store.Tx) error {
		for id, stored := range s.tokens.All(tx) {
			if stored.Prefix == token || id == sum {
				if !stored.Revoked {
					s.core.Audit(tx, server.AuditEntry{Time: s.core.Clock.Now(), Organization: stored.Organization,
						Cause: server.ByCommand, Action: collections.RevokeCommand, Type: "token", ID: stored.Prefix,
						Before: "active", After: "revoked"})
				}
				stored.Revoked = true
				s.tokens.Put(tx, id, stored)
				return nil
			}
		}
		if known, err := s.collections.RevokeToken(tx, token); known || err != nil {
			return err
		}
		return errNoToken
	})
}

// SettledToken is a token whose value is not generated.
type SettledToken struct {
	Token
	Value string
}

// TokenError says why Start cannot use a token of Options.Tokens.
type TokenError struct{ Problem string }

// Error implements error.
func (e *TokenError) Error() string { return e.Problem }

// bearer is a token as RFC 6750 allows it in a header.
var bearer = regexp.MustCompile(`^[A-Za-z0-9._~+/-]{7,}[A-Za-z0-9._~+/=-]$`)

// settled is the value of the first token of a service that may do everything; empty: it is generated.
func (s *Server) settled(service Service) string {
	for _, t := range s.options.Tokens {
		if t.Service == service && len(t.Scopes) == 0 {
			return t.Value
		}
	}
	return ""
}

// checkSettled rejects tokens of the options that cannot be used.
func (s *Server) checkSettled() error {
	values := map[string]bool{}
	if s.options.ControlToken != "" {
		values[s.options.ControlToken] = true
	}
	for _, t := range s.options.Tokens {
		if values[t.Value] {
			return &TokenError{"two tokens have the same value"}
		}
		values[t.Value] = true
		if refusal := new(server.Error); errors.As(s.checkScopes(t.Token), &refusal) {
			return &TokenError{refusal.Message}
		}
		if s.core.Copy && t.Service == Collections {
			return &TokenError{"the keys of collections are those of the copy"}
		}
	}
	for value := range values {
		if !bearer.MatchString(value) {
			return &TokenError{"a value has at least 8 characters, which are letters, digits and ._~+/=-"}
		}
	}
	return nil
}

// settleTokens makes the tokens of the options valid, including those that have been revoked or rotated.
func (s *Server) settleTokens(tx *store.Tx) error {
	for _, t := range s.options.Tokens {
		t.Scopes = withDefault(t.Scopes)
		stored, known := s.tokens.Get(tx, server.Digest(t.Value))
		if known && !stored.Revoked && slices.Equal(stored.Scopes, t.Scopes) ||
			t.Service == Collections && s.collections.KeepKey(tx, t.Value, t.Scopes) {
			continue
		}
		if _, err := s.putToken(tx, t.Token, t.Value); err != nil {
			return err
		}
	}
	return nil
}

// withDefault are the scopes of a token; none means everything.
func withDefault(scopes []string) []string {
	if len(scopes) == 0 {
		return []string{"*"}
	}
	return scopes
}

// putToken stores a token, whose value is generated if it is empty.
func (s *Server) putToken(tx *store.Tx, t Token, value string) (TokenState, error) {
	t.Service = cmp.Or(t.Service, Billing)
	t.Organization = cmp.Or(t.Organization, s.bootstrap.Organization)
	t.Scopes = withDefault(t.Scopes)
	if _, ok := s.core.Organizations.Get(tx, t.Organization); !ok {
		return TokenState{}, fmt.Errorf("no organization %q", t.Organization)
	}
	made := TokenState{Token: t}
	switch t.Service {
	case Collections:
		made.Prefix, made.Value = s.collections.PutKey(tx, t, value)
		return made, nil
	case Billing:
		made.Prefix = "rb_sandbox_" + s.core.Source.Hex(4)
		made.Value = made.Prefix + "_" + s.core.Source.Hex(20)
	case Finance:
		id := s.core.Source.Hex(4)
		jwt, err := s.mintJWT(id, t)
		if err != nil {
			return TokenState{}, err
		}
		made.Prefix, made.Value = "jwt_sandbox_"+id, jwt
	default:
		return TokenState{}, fmt.Errorf("no service %q: use billing, finance or collections", t.Service)
	}
	made.Value = cmp.Or(value, made.Value)
	s.tokens.Put(tx, server.Digest(made.Value), server.StoredToken{Token: t, Prefix: made.Prefix, Number: s.core.Next(tx)})
	return made, nil
}

// tokensOf finds the tokens of one service.
func (s *Server) tokensOf(service Service) func(tx *store.Tx, value string) (server.StoredToken, bool) {
	return func(tx *store.Tx, value string) (server.StoredToken, bool) {
		token, ok := s.tokens.Get(tx, server.Digest(value))
		return token, ok && token.Service == service
	}
}

// allTokens returns the tokens of all services, in the order of creation.
func (s *Server) allTokens() []server.StoredToken {
	all := append(store.Read(s.core.DB, s.storedTokens), s.collections.StoredTokens()...)
	slices.SortStableFunc(all, func(a, b server.StoredToken) int { return cmp.Compare(a.Number, b.Number) })
	return all
}

// clearTokens deletes the tokens that no longer work.
func (s *Server) clearTokens(tx *store.Tx) {
	for id, stored := range s.tokens.All(tx) {
		if stored.Revoked {
			s.tokens.Delete(tx, id)
		}
	}
	s.collections.ClearKeys(tx)
}

func (s *Server) controlNewToken(r *http.Request) (any, error) {
	var wanted Token
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if err := s.checkScopes(wanted); err != nil {
		return nil, err
	}
	if wanted.Organization != "" {
		var err error
		if wanted.Organization, err = s.organization(wanted.Organization); err != nil {
			return nil, err
		}
	}
	made, err := s.newToken(wanted)
	if err != nil {
		return nil, server.ErrValidation.With(err.Error())
	}
	return made, nil
}

func (s *Server) controlRevoke(r *http.Request) (any, error) {
	err := s.RevokeToken(r.PathValue("prefix"))
	if errors.Is(err, errNoToken) {
		var known []string
		for _, token := range s.allTokens() {
			known = append(known, token.Prefix)
		}
		// Not quoted: it may be a token of another sandbox.
		return nil, server.ErrNotFound.With("There is no token with this prefix" + among(r.PathValue("prefix"), known))
	}
	return struct{}{}, err
}

// checkScopes rejects a scope that covers nothing which the service checks: it is a typo. Financial
// management has collections of any name, so that only what follows the colon is known.
func (s *Server) checkScopes(t Token) error {
	service := cmp.Or(t.Service, Billing)
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
		if service == Finance && ok && collection != "" && (verb == "read" || verb == "write" || verb == "*") {
			continue
		}
		return server.ErrValidation.With("There is no scope " + quote(scope) + meant(scope, known) +
			" Scopes are " + strings.Join(known, ", ") + ", and patterns with *.")
	}
	return nil
}

// scopes returns the scopes that the operations of a service require, sorted; nil for an unknown service.
func (s *Server) scopes(service Service) []string {
	routes := map[Service][]server.Route{
		Billing: s.billing.Routes(), Finance: s.finance.Routes(), Collections: s.collections.Routes(),
	}[service]
	var known []string
	for _, r := range routes {
		of, anyCollection := strings.CutPrefix(r.Scope, "{collection}")
		switch {
		case anyCollection && service == Billing:
			for _, collection := range billing.Catalogue {
				known = append(known, collection+of)
			}
		case r.Scope != "" && !anyCollection:
			known = append(known, r.Scope)
		}
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// mintJWT makes a token of financial management: a JWT signed with HS512
// (service description, Financial management §5). The sandbox finds it by its digest, as any other token.
func (s *Server) mintJWT(id string, t Token) (string, error) {
	claims := map[string]any{
		"jti": id, "sub": t.Organization, "iat": s.core.Clock.Now().Unix(), "scope": strings.Join(t.Scopes, " "),
	}
	if !t.Expires.IsZero() {
		claims["exp"] = t.Expires.Unix()
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encode claims: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS512","typ":"JWT"}`)) + "." + encode(payload)
	mac := hmac.New(sha512.New, []byte(s.bootstrap.SigningKey))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil)), nil
}
