package server

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Service names one of the three services.
type Service string

// The three services, each with a listener and its own tokens.
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

// StoredToken is a token as the tables keep it, under the digest of its value.
type StoredToken struct {
	Token
	Prefix string `json:"prefix"` // the public part, unique

	// Of an API key, which has its own table:
	KeyID    string    `json:"-"` // id
	LastUsed time.Time `json:"-"`
}

// Digest is what is kept of a token.
func Digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}
