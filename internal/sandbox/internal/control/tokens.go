package control

import (
	"errors"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// jwtPrefix begins the name that a token of financial management has in the
// request log; the rest is its jti.
const jwtPrefix = "jwt_sandbox_"

var errNoToken = errors.New("no token has this value or prefix")

// NewToken makes the token known and returns its value, which is shown only
// here. It fails when the service or organization is unknown, or the state
// cannot be written.
func (s *Control) NewToken(t server.Token) (string, error) {
	var value string
	err := s.DB.Update(func(tx *store.Tx) error {
		var err error
		value, err = s.putToken(tx, t)
		return err
	})
	return value, err
}

// Tokens are the tokens of recurring billing and financial management.
func (s *Control) Tokens(tx *store.Tx) []server.StoredToken {
	var all []server.StoredToken
	for _, stored := range s.tokens.All(tx) {
		all = append(all, stored)
	}
	return all
}

// RevokeToken ends a token, given by its value or its public prefix. The next
// request with it returns 401.
func (s *Control) RevokeToken(token string) error {
	sum := server.Digest(token)
	return s.DB.Update(func(tx *store.Tx) error {
		for id, stored := range s.tokens.All(tx) {
			if stored.Prefix == token || id == sum {
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

func (s *Control) putToken(tx *store.Tx, t server.Token) (string, error) {
	if t.Service == "" {
		t.Service = server.Billing
	}
	if t.Organization == "" {
		t.Organization = s.Bootstrap.Organization
	}
	if len(t.Scopes) == 0 {
		t.Scopes = []string{"*"}
	}
	if _, ok := s.Organizations.Get(tx, t.Organization); !ok {
		return "", fmt.Errorf("no organization %q", t.Organization)
	}
	if t.Service == server.Collections {
		return s.collections.PutKey(tx, t), nil
	}
	if t.Service == server.Finance && t.Value != "" {
		return "", errors.New("a token of financial management is a signed JWT and cannot be chosen")
	}
	prefix, value, err := s.mint(t)
	if err != nil {
		return "", err
	}
	if t.Value != "" {
		value = t.Value
	}
	s.tokens.Put(tx, server.Digest(value), server.StoredToken{Token: t, Prefix: prefix})
	return value, nil
}

// mint makes a public prefix and a value in the shape of the token's service.
func (s *Control) mint(t server.Token) (prefix, value string, err error) {
	id := s.Source.Hex(4)
	switch t.Service {
	case server.Billing:
		prefix = "rb_sandbox_" + id
		return prefix, prefix + "_" + s.Source.Hex(20), nil
	case server.Finance:
		value, err = s.mintJWT(id, t)
		return jwtPrefix + id, value, err
	default:
		return "", "", fmt.Errorf("no service %q: use billing, finance or collections", t.Service)
	}
}

// BillingToken finds a token of recurring billing by its value.
func (s *Control) BillingToken(tx *store.Tx, value string) (server.StoredToken, bool) {
	token, ok := s.tokens.Get(tx, server.Digest(value))
	return token, ok && token.Service == server.Billing
}
