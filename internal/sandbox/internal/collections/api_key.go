package collections

import (
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Origins of a key. A successor has its predecessor's.
const (
	sourceAPI     = "api"
	sourceSandbox = "sandbox" // made from outside the service: the first key, and those of PutKey
)

// useResolution is how exactly lastUsedAt is kept: on the real clock, a write
// for every request would cost too much.
const useResolution = time.Second

// apiKey is the public shape of a key
// (service description, Collections §2 API key).
type apiKey struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	KeyPrefix   string            `json:"keyPrefix"`
	Source      string            `json:"source"`
	Scopes      []string          `json:"scopes"`
	LastUsedAt  *server.Timestamp `json:"lastUsedAt"`
	ExpiresAt   *server.Timestamp `json:"expiresAt"`
	RevokedAt   *server.Timestamp `json:"revokedAt"`
	CreatedAt   server.Timestamp  `json:"createdAt"`
}

// KeyRow is a key as the tables keep it: of the token, only the digest.
type KeyRow struct {
	Organization string `json:"organization"`
	Number       int64  `json:"number"`
	Digest       string `json:"digest"`
	Key          apiKey `json:"key"`
	SuccessorID  string `json:"successor_id,omitempty"` // not empty: rotated
	Blocked      bool   `json:"blocked,omitempty"`
}

func (r KeyRow) expired(now time.Time) bool {
	return r.Key.ExpiresAt != nil && !now.Before(r.Key.ExpiresAt.Time)
}

// active reports whether the key may still be rotated.
func (r KeyRow) active(now time.Time) bool {
	return r.Status(now) == "active"
}

// token is the key as the credential it is.
func (r KeyRow) token() server.StoredToken {
	t := server.Token{
		Service: server.Collections, Organization: r.Organization, Scopes: r.Key.Scopes,
		Revoked: r.Key.RevokedAt != nil, Blocked: r.Blocked,
	}
	if r.Key.ExpiresAt != nil {
		t.Expires = r.Key.ExpiresAt.Time
	}
	stored := server.StoredToken{Token: t, Prefix: r.Key.KeyPrefix, KeyID: r.Key.ID}
	if r.Key.LastUsedAt != nil {
		stored.LastUsed = r.Key.LastUsedAt.Time
	}
	return stored
}

// addKey gives the row a number, an id and a token, which it returns, and stores
// it. value is the token, made up when empty.
func (s *Service) addKey(tx *store.Tx, row *KeyRow, value string) string {
	prefix, minted := s.mintKey()
	if value == "" {
		value = minted
	}
	row.Number, row.Digest = s.Next(tx), server.Digest(value)
	row.Key.ID, row.Key.KeyPrefix = s.Source.UUID(), prefix
	s.Keys.Put(tx, row.Key.ID, *row)
	return value
}

// PutKey creates a key of a Token of collections.
func (s *Service) PutKey(tx *store.Tx, t server.Token) string {
	now := s.Clock.Now()
	row := KeyRow{Organization: t.Organization, Blocked: t.Blocked, Key: apiKey{
		Name: "Sandbox", Source: sourceSandbox, Scopes: distinct(t.Scopes), CreatedAt: server.Timestamp{Time: now},
	}}
	if !t.Expires.IsZero() {
		row.Key.ExpiresAt = &server.Timestamp{Time: t.Expires}
	}
	if t.Revoked {
		row.Key.RevokedAt = &server.Timestamp{Time: now}
	}
	return s.addKey(tx, &row, t.Value)
}

// keyByToken finds the key of a token.
func (s *Service) keyByToken(tx *store.Tx, value string) (KeyRow, bool) {
	for _, row := range s.keysByDigest.All(tx, server.Digest(value)) {
		return row, true
	}
	return KeyRow{}, false
}

// NoteUse records that a key has been used
// (service description, Collections §2 API key, lastUsedAt).
func (s *Service) NoteUse(token server.StoredToken, now time.Time) error {
	if token.KeyID == "" || now.Sub(token.LastUsed).Abs() < useResolution {
		return nil
	}
	return s.DB.Update(func(tx *store.Tx) error {
		if row, ok := s.Keys.Get(tx, token.KeyID); ok {
			row.Key.LastUsedAt = &server.Timestamp{Time: now}
			s.Keys.Put(tx, row.Key.ID, row)
		}
		return nil
	})
}

// findKey finds the key that the path names.
func (s *Service) findKey(c *server.Call, tx *store.Tx) (KeyRow, error) {
	row, ok := s.Keys.Get(tx, c.Path["id"])
	if !ok || row.Organization != c.Organization {
		return KeyRow{}, server.ErrNotFound
	}
	return row, nil
}

// mintKey makes a public prefix and the token of an API key of collections.
func (s *Service) mintKey() (prefix, value string) {
	prefix = "ck_sandbox_" + s.Source.Hex(4)
	return prefix, prefix + "_" + s.Source.Hex(20)
}

// TokenOf finds a key, as the credential it is, by its token.
func (s *Service) TokenOf(tx *store.Tx, value string) (server.StoredToken, bool) {
	key, ok := s.keyByToken(tx, value)
	return key.token(), ok
}

// RevokeToken ends the key with this token or public prefix; known is false when
// there is none.
func (s *Service) RevokeToken(tx *store.Tx, token string) (known bool, err error) {
	sum := server.Digest(token)
	for _, key := range s.Keys.All(tx) {
		if key.Key.KeyPrefix == token || key.Digest == sum {
			return true, s.revoke(tx, key, s.Clock.Now())
		}
	}
	return false, nil
}

// StoredTokens returns the keys of all organizations as credentials, in the order
// they were made.
func (s *Service) StoredTokens() []server.StoredToken {
	var tokens []server.StoredToken
	for _, key := range s.keysInOrder() {
		tokens = append(tokens, key.token())
	}
	return tokens
}

// HasPrefix reports whether a key has this public prefix.
func (s *Service) HasPrefix(tx *store.Tx, prefix string) bool {
	for _, row := range s.Keys.All(tx) {
		if row.Key.KeyPrefix == prefix {
			return true
		}
	}
	return false
}

// SetToken gives a key another token, with this public prefix.
func (s *Service) SetToken(tx *store.Tx, id, prefix, token string) {
	row, _ := s.Keys.Get(tx, id)
	row.Digest, row.Key.KeyPrefix = server.Digest(token), prefix
	s.Keys.Put(tx, id, row)
}
