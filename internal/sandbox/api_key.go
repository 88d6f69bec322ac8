package sandbox

import (
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Origins of a key. A successor has its predecessor's.
const (
	sourceAPI     = "api"
	sourceSandbox = "sandbox" // made from outside the service: the first key, and those of Server.NewToken
)

// useResolution is how exactly lastUsedAt is kept: on the real clock, a write
// for every request would be one too many.
const useResolution = time.Second

// apiKey is the public shape of a key
// (service description, Collections §2 API key).
type apiKey struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	KeyPrefix   string   `json:"keyPrefix"`
	Source      string   `json:"source"`
	Scopes      []string `json:"scopes"`
	LastUsedAt  *instant `json:"lastUsedAt"`
	ExpiresAt   *instant `json:"expiresAt"`
	RevokedAt   *instant `json:"revokedAt"`
	CreatedAt   instant  `json:"createdAt"`
}

// keyRow is a key as the tables keep it: of the token, only the digest.
type keyRow struct {
	Organization string `json:"organization"`
	Number       int64  `json:"number"`
	Digest       string `json:"digest"`
	Key          apiKey `json:"key"`
	SuccessorID  string `json:"successor_id,omitempty"` // not empty: rotated
	Blocked      bool   `json:"blocked,omitempty"`
}

func (r keyRow) expired(now time.Time) bool {
	return r.Key.ExpiresAt != nil && !now.Before(r.Key.ExpiresAt.Time)
}

// active tells whether the key may still be rotated.
func (r keyRow) active(now time.Time) bool {
	return r.status(now) == "active"
}

// token is the key as the credential it is.
func (r keyRow) token() storedToken {
	t := Token{
		Service: Collections, Organization: r.Organization, Scopes: r.Key.Scopes,
		Revoked: r.Key.RevokedAt != nil, Blocked: r.Blocked,
	}
	if r.Key.ExpiresAt != nil {
		t.Expires = r.Key.ExpiresAt.Time
	}
	stored := storedToken{Token: t, Prefix: r.Key.KeyPrefix, key: r.Key.ID}
	if r.Key.LastUsedAt != nil {
		stored.lastUsed = r.Key.LastUsedAt.Time
	}
	return stored
}

// addKey gives the row a number, an id and a token, which it answers, and makes
// it stand. value is the token, made up when empty.
func (s *Server) addKey(tx *store.Tx, row *keyRow, value string) string {
	prefix, minted := s.mintKey()
	if value == "" {
		value = minted
	}
	row.Number, row.Digest = s.next(tx), digest(value)
	row.Key.ID, row.Key.KeyPrefix = s.source.uuid(), prefix
	s.collections.keys.Put(tx, row.Key.ID, *row)
	s.lag.hide(row.Key.ID)
	return value
}

// putKey makes a key of a Token of collections.
func (s *Server) putKey(tx *store.Tx, t Token) string {
	now := s.clock.Now()
	row := keyRow{Organization: t.Organization, Blocked: t.Blocked, Key: apiKey{
		Name: "Sandbox", Source: sourceSandbox, Scopes: distinct(t.Scopes), CreatedAt: instant{now},
	}}
	if !t.Expires.IsZero() {
		row.Key.ExpiresAt = &instant{t.Expires}
	}
	if t.Revoked {
		row.Key.RevokedAt = &instant{now}
	}
	return s.addKey(tx, &row, t.Value)
}

// keyByToken finds the key of a token.
func (s *Server) keyByToken(tx *store.Tx, value string) (keyRow, bool) {
	for _, row := range s.collections.keysByDigest.All(tx, digest(value)) {
		return row, true
	}
	return keyRow{}, false
}

// noteUse records that a key has been used
// (service description, Collections §2 API key, lastUsedAt).
func (s *Server) noteUse(token storedToken, now time.Time) error {
	if token.key == "" || now.Sub(token.lastUsed).Abs() < useResolution {
		return nil
	}
	return s.db.Update(func(tx *store.Tx) error {
		if row, ok := s.collections.keys.Get(tx, token.key); ok {
			row.Key.LastUsedAt = &instant{now}
			s.collections.keys.Put(tx, row.Key.ID, row)
		}
		return nil
	})
}

// findKey finds the key that the path names.
func (c *call) findKey(tx *store.Tx) (keyRow, error) {
	row, ok := c.server.collections.keys.Get(tx, c.path["id"])
	if !ok || row.Organization != c.organization {
		return keyRow{}, errNotFound
	}
	return row, nil
}
