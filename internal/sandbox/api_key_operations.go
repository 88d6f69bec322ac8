package sandbox

import (
	"net/http"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Days of grace of a rotated key (service description, Collections §8).
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

var keyShape = shape{
	"name":        filled,
	"description": text,
	"scopes": listOf(textWhere("must be a pattern of permissions, such as webhook_endpoints:*", func(s string) bool {
		return s != "" && !strings.ContainsAny(s, " \t\r\n,")
	})),
	"expiresAt": nullable(moment),
}

type rotationInput struct {
	GraceDays *int `json:"graceDays"`
}

var rotationShape = shape{"graceDays": integerBetween(0, maxGraceDays)}

// keyWithToken is the answer that shows the token once.
type keyWithToken struct {
	apiKey
	Token string `json:"token"`
}

// createKey serves api_keys.create.
func createKey(c *call, tx *store.Tx) (reply, error) {
	var in keyInput
	if _, err := c.readObject(keyShape, []string{"name"}, &in); err != nil {
		return reply{}, err
	}
	row := keyRow{Organization: c.organization, Key: apiKey{
		Name: in.Name, Description: in.Description, Source: sourceAPI,
		Scopes: distinct(in.Scopes), CreatedAt: instant{c.now},
	}}
	if in.ExpiresAt != nil {
		at, _ := parseMoment(*in.ExpiresAt) // its rule has read it
		if !at.After(c.now) {
			return reply{}, invalid(problems{"expiresAt": "must be in the future"})
		}
		row.Key.ExpiresAt = &instant{at.Truncate(time.Millisecond)}
	}
	token := c.server.addKey(tx, &row, "")
	return c.single(http.StatusCreated, keyWithToken{row.Key, token}, c.now), nil
}

// listKeys serves api_keys.list, the revoked and expired ones among them.
func listKeys(c *call, tx *store.Tx) (reply, error) {
	found := []placed[apiKey]{}
	for id, row := range c.server.collections.keys.All(tx) {
		if row.Organization == c.organization && c.server.lag.shows(id) {
			found = append(found, placed[apiKey]{row.Key.CreatedAt.Time, row.Number, row.Key})
		}
	}
	return inOrder(c, found)
}

// getKey serves api_keys.get.
func getKey(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findKey(tx)
	if err != nil {
		return reply{}, err
	}
	return c.single(http.StatusOK, row.Key, time.Time{}), nil
}

// rotateKey serves api_keys.rotate: a successor takes over, the old key works
// on until its grace is over.
func rotateKey(c *call, tx *store.Tx) (reply, error) {
	old, err := c.findKey(tx)
	if err != nil {
		return reply{}, err
	}
	var in rotationInput
	if err := c.readOptional(rotationShape, &in); err != nil {
		return reply{}, err
	}
	if !old.active(c.now) {
		return reply{}, errKeyNotActive
	}
	days := defaultGraceDays
	if in.GraceDays != nil {
		days = *in.GraceDays
	}
	graceUntil := instant{c.now.Add(time.Duration(days) * graceDay)}
	successor, token := c.succeed(tx, old, graceUntil)
	return c.single(http.StatusOK, struct {
		keyWithToken
		PredecessorID string  `json:"predecessorId"`
		GraceUntil    instant `json:"graceUntil"`
	}{keyWithToken{successor.Key, token}, old.Key.ID, graceUntil}, c.now), c.rotated(tx, old.Key.ID, graceUntil)
}

// succeed makes the successor, which inherits name, description, scopes and
// the expiry policy, and ends the old key with its grace, never later than it
// would have ended anyway.
func (c *call) succeed(tx *store.Tx, old keyRow, graceUntil instant) (successor keyRow, token string) {
	successor = keyRow{Organization: old.Organization, Key: apiKey{
		Name: old.Key.Name, Description: old.Key.Description, Source: old.Key.Source,
		Scopes: old.Key.Scopes, ExpiresAt: old.Key.ExpiresAt, CreatedAt: instant{c.now},
	}}
	token = c.server.addKey(tx, &successor, "")
	old.SuccessorID = successor.Key.ID
	if old.Key.ExpiresAt == nil || graceUntil.Before(old.Key.ExpiresAt.Time) {
		old.Key.ExpiresAt = &graceUntil
	}
	c.server.collections.keys.Put(tx, old.Key.ID, old)
	return successor, token
}

// rotated publishes the event of a rotation
// (service description, Collections §6).
func (c *call) rotated(tx *store.Tx, id string, graceUntil instant) error {
	old, _ := c.server.collections.keys.Get(tx, id)
	_, err := c.server.publish(tx, happening{organization: c.organization, at: c.now, name: eventKeyRotated, data: struct {
		apiKey
		SuccessorID string  `json:"successorId"`
		GraceUntil  instant `json:"graceUntil"`
	}{old.Key, old.SuccessorID, graceUntil}})
	return err
}

// revokeKey serves api_keys.revoke: the key answers 401 from here on. A second
// time nothing happens (wire contract: a revoked key).
func revokeKey(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findKey(tx)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent}, c.server.revoke(tx, row, c.now)
}

// revoke ends a key and publishes what is documented of it.
func (s *Server) revoke(tx *store.Tx, row keyRow, now time.Time) error {
	if row.Key.RevokedAt != nil {
		return nil
	}
	row.Key.RevokedAt = &instant{now}
	s.collections.keys.Put(tx, row.Key.ID, row)
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
