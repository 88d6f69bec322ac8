package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Service names one of the three services.
type Service string

// The three services, each with a listener and tokens of its own.
const (
	Billing     Service = "billing"
	Finance     Service = "finance"
	Collections Service = "collections"
)

// Token is a credential of one service
// (service description, Recurring billing §5; Financial management §5;
// Collections §5).
type Token struct {
	Service      Service   `json:"service"`      // empty: Billing
	Organization string    `json:"organization"` // id; empty: the server's own
	Scopes       []string  `json:"scopes"`       // such as "customers:read", "customers:*"; none: "*"
	Expires      time.Time `json:"expires,omitzero"`
	Revoked      bool      `json:"revoked"`
	Blocked      bool      `json:"blocked"` // the holder's API access is blocked: 403
	// Value is the secret; empty: made up. The server keeps only its digest. That
	// of financial management is a JWT, which is always made here.
	Value string `json:"-"`
}

// storedToken is a token as the tables keep it, under the digest of its value.
type storedToken struct {
	Token
	Prefix string `json:"prefix"` // the public part, unique

	// Of an API key, which has a table of its own:
	key      string // id
	lastUsed time.Time
}

// jwtPrefix begins the name that a token of financial management has in the
// request log; the rest is its jti.
const jwtPrefix = "jwt_sandbox_"

var errNoToken = errors.New("no token has this value or prefix")

func digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

// NewToken makes the token known and answers its value, which is shown only
// here. It fails when the service or organization is unknown, or the state
// cannot be written.
func (s *Server) NewToken(t Token) (string, error) {
	var value string
	err := s.db.Update(func(tx *store.Tx) error {
		var err error
		value, err = s.putToken(tx, t)
		return err
	})
	return value, err
}

// RevokeToken ends a token, given by its value or its public prefix. The next
// request with it answers 401.
func (s *Server) RevokeToken(token string) error {
	sum := digest(token)
	return s.db.Update(func(tx *store.Tx) error {
		for id, stored := range s.tokens.All(tx) {
			if stored.Prefix == token || id == sum {
				stored.Revoked = true
				s.tokens.Put(tx, id, stored)
				return nil
			}
		}
		for _, key := range s.collections.keys.All(tx) {
			if key.Key.KeyPrefix == token || key.Digest == sum {
				return s.revoke(tx, key, s.clock.Now())
			}
		}
		return errNoToken
	})
}

func (s *Server) putToken(tx *store.Tx, t Token) (string, error) {
	if t.Service == "" {
		t.Service = Billing
	}
	if t.Organization == "" {
		t.Organization = s.bootstrap.Organization
	}
	if len(t.Scopes) == 0 {
		t.Scopes = []string{"*"}
	}
	if _, ok := s.organizations.Get(tx, t.Organization); !ok {
		return "", fmt.Errorf("no organization %q", t.Organization)
	}
	if t.Service == Collections {
		return s.putKey(tx, t), nil
	}
	if t.Service == Finance && t.Value != "" {
		return "", errors.New("a token of financial management is a signed JWT and cannot be chosen")
	}
	prefix, value, err := s.mint(t)
	if err != nil {
		return "", err
	}
	if t.Value != "" {
		value = t.Value
	}
	s.tokens.Put(tx, digest(value), storedToken{Token: t, Prefix: prefix})
	return value, nil
}

// mint makes a public prefix and a value in the shape of the token's service.
func (s *Server) mint(t Token) (prefix, value string, err error) {
	id := s.source.hex(4)
	switch t.Service {
	case Billing:
		prefix = "rb_sandbox_" + id
		return prefix, prefix + "_" + s.source.hex(20), nil
	case Finance:
		value, err = s.mintJWT(id, t)
		return jwtPrefix + id, value, err
	default:
		return "", "", fmt.Errorf("no service %q: use billing, finance or collections", t.Service)
	}
}

// mintKey makes a public prefix and the token of an API key of collections.
func (s *Server) mintKey() (prefix, value string) {
	prefix = "ck_sandbox_" + s.source.hex(4)
	return prefix, prefix + "_" + s.source.hex(20)
}
