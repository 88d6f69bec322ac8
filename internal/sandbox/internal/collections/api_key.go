package collections

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Sources of a key. A successor inherits its predecessor's.
const (
	sourceAPI     = "api"
	sourceSandbox = "sandbox" // created outside the service: the first key, and those of PutKey
)

// useResolution is the precision of lastUsedAt: with the real clock, a write per request would be too expensive.
const useResolution = time.Second

// apiKey is a key as returned (service description, Collections §2 API key).
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

// keyRotated and keyChanged are the data of events (service description, Collections §6).
type (
	keyRotated struct {
		apiKey
		SuccessorID string           `json:"successorId"`
		GraceUntil  server.Timestamp `json:"graceUntil"`
	}
	keyChanged struct {
		apiKey
		PreviousStatus string `json:"previousStatus"`
		NewStatus      string `json:"newStatus"`
	}
)

// KeyRow is a stored key, with only the digest of its token.
type KeyRow struct {
	server.Owned
	Number      int64  `json:"number"`
	Digest      string `json:"digest"`
	Key         apiKey `json:"key"`
	SuccessorID string `json:"successor_id,omitempty"` // set after a rotation
	Blocked     bool   `json:"blocked,omitempty"`
	Hidden      bool   `json:"hidden,omitempty"` // not visible to operations
}

// Owner returns the organization, empty for a hidden key.
func (r KeyRow) Owner() string {
	if r.Hidden {
		return ""
	}
	return r.Organization
}

// Status returns active, rotated, expired or revoked.
func (r KeyRow) Status(now time.Time) string {
	switch {
	case r.Key.RevokedAt != nil:
		return "revoked"
	case r.Key.ExpiresAt != nil && !now.Before(r.Key.ExpiresAt.Time):
		return "expired"
	case r.SuccessorID != "":
		return "rotated"
	default:
		return "active"
	}
}

// token returns the key as a credential.
func (r KeyRow) token() server.StoredToken {
	t := server.Token{
		Service: server.Collections, Organization: r.Organization, Scopes: r.Key.Scopes,
		Revoked: r.Key.RevokedAt != nil, Blocked: r.Blocked,
	}
	if r.Key.ExpiresAt != nil {
		t.Expires = r.Key.ExpiresAt.Time
	}
	stored := server.StoredToken{Token: t, Prefix: r.Key.KeyPrefix, Number: r.Number, KeyID: r.Key.ID}
	if r.Key.LastUsedAt != nil {
		stored.LastUsed = r.Key.LastUsedAt.Time
	}
	return stored
}

// addKey assigns a number, an id and a token to the row and stores it. It returns the token.
func (s *Service) addKey(tx *store.Tx, row *KeyRow) (token string) {
	row.Key.KeyPrefix = "ck_sandbox_" + s.Source.Hex(4)
	token = row.Key.KeyPrefix + "_" + s.Source.Hex(20)
	row.Number, row.Digest, row.Key.ID = s.Next(tx), server.Digest(token), s.Source.UUID()
	s.Keys.Put(tx, row.Key.ID, *row)
	return token
}

// KeepKey reports whether an active key has this token and these scopes, and deletes other keys with the token.
func (s *Service) KeepKey(tx *store.Tx, token string, scopes []string) (kept bool) {
	for id, row := range s.keysByDigest.All(tx, server.Digest(token)) {
		if row.Status(s.Clock.Now()) == "active" && slices.Equal(row.Key.Scopes, distinct(scopes)) {
			return true
		}
		s.Keys.Delete(tx, id)
	}
	return false
}

// PutKey creates a key from a Token of collections; an empty value is generated.
func (s *Service) PutKey(tx *store.Tx, t server.Token, value string) (prefix, token string) {
	now := s.Clock.Now()
	row := KeyRow{Owned: server.Owned{Organization: t.Organization}, Blocked: t.Blocked, Key: apiKey{
		Name: "Sandbox", Source: sourceSandbox, Scopes: distinct(t.Scopes), CreatedAt: server.Timestamp{Time: now},
	}}
	if !t.Expires.IsZero() {
		row.Key.ExpiresAt = &server.Timestamp{Time: t.Expires}
	}
	if t.Revoked {
		row.Key.RevokedAt = &server.Timestamp{Time: now}
	}
	token = s.addKey(tx, &row)
	if value != "" {
		token = value
		s.SetToken(tx, row.Key.ID, row.Key.KeyPrefix, token)
	}
	return row.Key.KeyPrefix, token
}

// NoteUse records the use of a key (service description, Collections §2 API key, lastUsedAt).
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

// TokenOf finds a key by its token, and returns it as a credential.
func (s *Service) TokenOf(tx *store.Tx, value string) (server.StoredToken, bool) {
	for _, row := range s.keysByDigest.All(tx, server.Digest(value)) {
		return row.token(), true
	}
	return server.StoredToken{}, false
}

// RevokeCommand is the command that revokes a token or a key.
const RevokeCommand = "token revoke"

// RevokeToken revokes the key with this token or public prefix; known is false if it does not exist.
func (s *Service) RevokeToken(tx *store.Tx, token string) (known bool, err error) {
	sum := server.Digest(token)
	for _, key := range s.Keys.All(tx) {
		if key.Key.KeyPrefix == token || key.Digest == sum {
			return true, s.revoke(tx, key, server.AuditEntry{Time: s.Clock.Now(), Organization: key.Organization,
				Cause: server.ByCommand, Action: RevokeCommand})
		}
	}
	return false, nil
}

// StoredTokens returns the keys of all organizations as credentials, in order of creation.
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

// SetToken replaces a key's token and its public prefix.
func (s *Service) SetToken(tx *store.Tx, id, prefix, token string) {
	row, _ := s.Keys.Get(tx, id)
	row.Digest, row.Key.KeyPrefix = server.Digest(token), prefix
	s.Keys.Put(tx, id, row)
}

// Limits of the grace period of a rotated key in days (service description, Collections §8).
const (
	defaultGraceDays = 7
	maxGraceDays     = 30
	graceDay         = 24 * time.Hour
)

var (
	keyForm = server.Form{Required: []string{"name"}, Shape: server.Shape{
		"name":        server.Filled,
		"description": server.Text,
		"scopes": server.ListOf(server.TextWhere("must be a pattern of permissions, such as webhook_endpoints:*",
			func(s string) bool { return s != "" && !strings.ContainsAny(s, " \t\r\n,") })),
		"expiresAt": server.Nullable(server.DateOrTime),
	}}
	rotation = server.Form{Optional: true, Shape: server.Shape{"graceDays": server.IntegerBetween(0, maxGraceDays)}}
)

type keyWithToken struct {
	apiKey
	Token string `json:"token"`
}

// keys defines how operations find and list keys, including revoked and expired ones, in order of creation.
func (s *Service) keys() server.Kind[KeyRow, apiKey] {
	return server.Kind[KeyRow, apiKey]{
		Table: s.Keys,
		Show:  func(_ *server.Call, _ *store.Tx, r KeyRow) apiKey { return r.Key },
		Order: func(a, b KeyRow) int { return inOrder(a.Key.CreatedAt.Time, b.Key.CreatedAt.Time, a.Number, b.Number) },
	}
}

func (s *Service) createKey(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row := KeyRow{Owned: server.Owned{Organization: c.Organization},
		Key: apiKey{Source: sourceAPI, CreatedAt: server.Timestamp{Time: c.Now}}}
	c.Sent.Into(&row.Key, "expiresAt")
	row.Key.Scopes = distinct(row.Key.Scopes)
	if end := server.Sent[string](c.Sent, "expiresAt"); end != nil {
		at, _ := server.ParseTime(*end) // its rule has read it
		if !at.After(c.Now) {
			return server.Reply{}, server.Invalid(server.Problems{"expiresAt": "must be in the future"})
		}
		row.Key.ExpiresAt = &server.Timestamp{Time: at.Truncate(time.Millisecond)}
	}
	token := s.addKey(tx, &row)
	return c.Single(http.StatusCreated, keyWithToken{row.Key, token}, c.Now), nil
}

func (s *Service) showKey(c *server.Call, _ *store.Tx, row KeyRow) (server.Reply, error) {
	return c.Single(http.StatusOK, row.Key, time.Time{}), nil
}

// rotateKey serves api_keys.rotate: it creates a successor; the old key remains valid during its grace period.
func (s *Service) rotateKey(c *server.Call, tx *store.Tx, old KeyRow) (server.Reply, error) {
	if old.Status(c.Now) != "active" {
		return server.Reply{}, errKeyNotActive
	}
	days := defaultGraceDays
	if sent := server.Sent[int](c.Sent, "graceDays"); sent != nil {
		days = *sent
	}
	graceUntil := server.Timestamp{Time: c.Now.Add(time.Duration(days) * graceDay)}
	successor, token := s.succeed(c, tx, old, graceUntil)
	e := c.Audited("key", old.Key.ID, old.Key.Name).Moved("active", "rotated")
	e.Terms = map[string]*string{"prefix": &old.Key.KeyPrefix, "successor": &successor.Key.KeyPrefix,
		"grace_until": new(graceUntil.UTC().Format(time.RFC3339))}
	s.Audit(tx, e)
	return c.Single(http.StatusOK, struct {
		keyWithToken
		PredecessorID string           `json:"predecessorId"`
		GraceUntil    server.Timestamp `json:"graceUntil"`
	}{keyWithToken{successor.Key, token}, old.Key.ID, graceUntil}, c.Now), s.rotated(c, tx, old.Key.ID, graceUntil)
}

// succeed creates the successor, which inherits name, description, scopes and the expiry policy. The old key ends after
// its grace period, but not later than its own expiry.
func (s *Service) succeed(
	c *server.Call, tx *store.Tx, old KeyRow, graceUntil server.Timestamp,
) (successor KeyRow, token string) {
	successor = KeyRow{Owned: server.Owned{Organization: old.Organization}, Key: apiKey{
		Name: old.Key.Name, Description: old.Key.Description, Source: old.Key.Source,
		Scopes: old.Key.Scopes, ExpiresAt: old.Key.ExpiresAt, CreatedAt: server.Timestamp{Time: c.Now},
	}}
	token = s.addKey(tx, &successor)
	old.SuccessorID = successor.Key.ID
	if old.Key.ExpiresAt == nil || graceUntil.Before(old.Key.ExpiresAt.Time) {
		old.Key.ExpiresAt = &graceUntil
	}
	s.Keys.Put(tx, old.Key.ID, old)
	return successor, token
}

// rotated publishes the event of a rotation
// (service description, Collections §6).
func (s *Service) rotated(c *server.Call, tx *store.Tx, id string, graceUntil server.Timestamp) error {
	old, _ := s.Keys.Get(tx, id)
	data := keyRotated{old.Key, old.SuccessorID, graceUntil}
	_, err := s.publish(tx, happening{c.Organization, c.Now, eventKeyRotated, data, server.ByRequest, c.RequestID})
	return err
}

// revokeKey serves api_keys.revoke: the key returns 401 from now on. Revoking again has no effect (wire contract: a
// revoked key).
func (s *Service) revokeKey(c *server.Call, tx *store.Tx, row KeyRow) (server.Reply, error) {
	return server.Reply{Status: http.StatusNoContent}, s.revoke(tx, row, c.Audited("", "", ""))
}

// revoke ends a key and publishes the documented events. The entry says when and by whom.
func (s *Service) revoke(tx *store.Tx, row KeyRow, e server.AuditEntry) error {
	now := e.Time
	if row.Key.RevokedAt != nil {
		return nil
	}
	e.Type, e.ID, e.Name = "key", row.Key.ID, row.Key.Name
	e.Terms = map[string]*string{"prefix": &row.Key.KeyPrefix}
	s.Audit(tx, e.Moved(row.Status(now), "revoked"))
	row.Key.RevokedAt = &server.Timestamp{Time: now}
	s.Keys.Put(tx, row.Key.ID, row)
	changed := keyChanged{row.Key, "active", "revoked"}
	if _, err := s.publish(tx, happening{row.Organization, now, eventKeyStatusChanged, changed, e.Cause,
		e.RequestID}); err != nil {
		return err
	}
	_, err := s.publish(tx, happening{row.Organization, now, eventKeyRevoked, row.Key, e.Cause, e.RequestID})
	return err
}

// KeyState is an item of the list of API keys.
type KeyState struct {
	ID        string    `json:"id"`
	Prefix    string    `json:"prefix"`
	Name      string    `json:"name"`
	Scopes    []string  `json:"scopes"`
	Status    string    `json:"status"` // active, rotated, expired or revoked
	CreatedAt time.Time `json:"created_at"`
	LastUsed  time.Time `json:"last_used,omitzero"`
	Ends      time.Time `json:"ends,omitzero"` // its expiry, or the end of its grace period
}

// keysInOrder returns the keys of all organizations in the order of creation.
func (s *Service) keysInOrder() []KeyRow {
	return store.Read(s.DB, func(tx *store.Tx) []KeyRow {
		return store.Sorted(s.Keys.All(tx), func(a, b KeyRow) int { return cmp.Compare(a.Number, b.Number) })
	})
}

// KeyStates returns the keys of all organizations in order of creation.
func (s *Service) KeyStates() []KeyState {
	now := s.Clock.Now()
	states := []KeyState{}
	for _, row := range s.keysInOrder() {
		state := KeyState{
			ID: row.Key.ID, Prefix: row.Key.KeyPrefix, Name: row.Key.Name, Scopes: row.Key.Scopes,
			Status: row.Status(now), CreatedAt: row.Key.CreatedAt.Time,
		}
		if row.Key.LastUsedAt != nil {
			state.LastUsed = row.Key.LastUsedAt.Time
		}
		if row.Key.ExpiresAt != nil {
			state.Ends = row.Key.ExpiresAt.Time
		}
		states = append(states, state)
	}
	return states
}
