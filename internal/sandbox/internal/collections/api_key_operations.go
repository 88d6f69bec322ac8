package collections

import (
	"net/http"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Days of the grace period of a rotated key (service description, Collections §8).
const (
	defaultGraceDays = 7
	maxGraceDays     = 30
	graceDay         = 24 * time.Hour
)

type keyInput struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Scopes      []string `json:"scopes"`
	ExpiresAt   *string  `json:"expiresAt"`
}

var keyShape = server.Shape{
	"name":        server.Filled,
	"description": server.Text,
	"scopes": server.ListOf(server.TextWhere("must be a pattern of permissions, such as webhook_endpoints:*",
		func(s string) bool { return s != "" && !strings.ContainsAny(s, " \t\r\n,") })),
	"expiresAt": server.Nullable(server.DateOrTime),
}

type rotationInput struct {
	GraceDays *int `json:"graceDays"`
}

var rotationShape = server.Shape{"graceDays": server.IntegerBetween(0, maxGraceDays)}

// keyWithToken is the response that shows the token once.
type keyWithToken struct {
	apiKey
	Token string `json:"token"`
}

// createKey serves api_keys.create.
func (s *Service) createKey(c *server.Call, tx *store.Tx) (server.Reply, error) {
	var in keyInput
	if _, err := c.ReadObject(keyShape, []string{"name"}, &in); err != nil {
		return server.Reply{}, err
	}
	row := KeyRow{Organization: c.Organization, Key: apiKey{
		Name: in.Name, Description: in.Description, Source: sourceAPI,
		Scopes: distinct(in.Scopes), CreatedAt: server.Timestamp{Time: c.Now},
	}}
	if in.ExpiresAt != nil {
		at, _ := server.ParseTime(*in.ExpiresAt) // its rule has read it
		if !at.After(c.Now) {
			return server.Reply{}, server.Invalid(server.Problems{"expiresAt": "must be in the future"})
		}
		row.Key.ExpiresAt = &server.Timestamp{Time: at.Truncate(time.Millisecond)}
	}
	token := s.addKey(tx, &row, "")
	return c.Single(http.StatusCreated, keyWithToken{row.Key, token}, c.Now), nil
}

// listKeys serves api_keys.list, the revoked and expired ones among them.
func (s *Service) listKeys(c *server.Call, tx *store.Tx) (server.Reply, error) {
	found := []placed[apiKey]{}
	for _, row := range s.Keys.All(tx) {
		if row.Organization == c.Organization {
			found = append(found, placed[apiKey]{row.Key.CreatedAt.Time, row.Number, row.Key})
		}
	}
	return inOrder(c, found)
}

// getKey serves api_keys.get.
func (s *Service) getKey(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findKey(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	return c.Single(http.StatusOK, row.Key, time.Time{}), nil
}

// rotateKey serves api_keys.rotate: a successor takes over, the old key works
// on until its grace period is over.
func (s *Service) rotateKey(c *server.Call, tx *store.Tx) (server.Reply, error) {
	old, err := s.findKey(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	var in rotationInput
	if err := c.ReadOptional(rotationShape, &in); err != nil {
		return server.Reply{}, err
	}
	if !old.active(c.Now) {
		return server.Reply{}, errKeyNotActive
	}
	days := defaultGraceDays
	if in.GraceDays != nil {
		days = *in.GraceDays
	}
	graceUntil := server.Timestamp{Time: c.Now.Add(time.Duration(days) * graceDay)}
	successor, token := s.succeed(c, tx, old, graceUntil)
	return c.Single(http.StatusOK, struct {
		keyWithToken
		PredecessorID string           `json:"predecessorId"`
		GraceUntil    server.Timestamp `json:"graceUntil"`
	}{keyWithToken{successor.Key, token}, old.Key.ID, graceUntil}, c.Now), s.rotated(c, tx, old.Key.ID, graceUntil)
}

// succeed makes the successor, which inherits name, description, scopes and
// the expiry policy, and ends the old key with its grace period, never later than it
// would have ended anyway.
func (s *Service) succeed(
	c *server.Call, tx *store.Tx, old KeyRow, graceUntil server.Timestamp,
) (successor KeyRow, token string) {
	successor = KeyRow{Organization: old.Organization, Key: apiKey{
		Name: old.Key.Name, Description: old.Key.Description, Source: old.Key.Source,
		Scopes: old.Key.Scopes, ExpiresAt: old.Key.ExpiresAt, CreatedAt: server.Timestamp{Time: c.Now},
	}}
	token = s.addKey(tx, &successor, "")
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
	_, err := s.publish(tx, happening{organization: c.Organization, at: c.Now, name: eventKeyRotated, data: struct {
		apiKey
		SuccessorID string           `json:"successorId"`
		GraceUntil  server.Timestamp `json:"graceUntil"`
	}{old.Key, old.SuccessorID, graceUntil}})
	return err
}

// revokeKey serves api_keys.revoke: the key returns 401 from here on. A second
// time nothing happens (wire contract: a revoked key).
func (s *Service) revokeKey(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findKey(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	return server.Reply{Status: http.StatusNoContent}, s.revoke(tx, row, c.Now)
}

// revoke ends a key and publishes what is documented of it.
func (s *Service) revoke(tx *store.Tx, row KeyRow, now time.Time) error {
	if row.Key.RevokedAt != nil {
		return nil
	}
	row.Key.RevokedAt = &server.Timestamp{Time: now}
	s.Keys.Put(tx, row.Key.ID, row)
	changed := struct {
		apiKey
		PreviousStatus string `json:"previousStatus"`
		NewStatus      string `json:"newStatus"`
	}{row.Key, "active", "revoked"}
	if _, err := s.publish(tx, happening{row.Organization, now, eventKeyStatusChanged, changed}); err != nil {
		return err
	}
	_, err := s.publish(tx, happening{row.Organization, now, eventKeyRevoked, row.Key})
	return err
}
