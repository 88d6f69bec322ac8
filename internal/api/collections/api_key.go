package collections

import (
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// APIKey is an API key as the service returns it (service description,
// Collections §2). A nil pointer or slice is null or absent. The timestamps are ISO
// 8601.
type APIKey struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description *string  `json:"description"`
	KeyPrefix   string   `json:"keyPrefix"`
	Source      string   `json:"source"`
	Scopes      []string `json:"scopes"` // a set; empty: everything but administration
	LastUsedAt  *string  `json:"lastUsedAt"`
	ExpiresAt   *string  `json:"expiresAt"`
	RevokedAt   *string  `json:"revokedAt"`
	CreatedAt   string   `json:"createdAt"`

	// Token is returned only when the key is created, or is the successor of a rotation.
	Token *string `json:"token,omitempty"`
	// PredecessorID and GraceUntil are in the response to a rotation: the old key, and the time at which it stops working.
	PredecessorID *string `json:"predecessorId,omitempty"`
	GraceUntil    *string `json:"graceUntil,omitempty"`
}

// Check rejects a response without required fields, such as the id.
func (k *APIKey) Check() error { return api.Present("API key with an id", k.ID) }

// live reports whether the key still works at a time. Without a time, expiry is not considered.
func (k *APIKey) live(now time.Time) bool {
	expiry, expires := api.ParseTime(api.OrEmpty(k.ExpiresAt))
	return k.RevokedAt == nil && !(expires && !now.IsZero() && !now.Before(expiry))
}

// EndsWithin reports whether the key ends at most days from now, as a rotated key does. Without a time it returns
// false.
func (k *APIKey) EndsWithin(now time.Time, days int64) bool {
	expiry, expires := api.ParseTime(api.OrEmpty(k.ExpiresAt))
	latest := now.Add(time.Duration(days)*24*time.Hour + time.Minute) // the request may have been processed late
	return expires && !now.IsZero() && !expiry.After(latest)
}

// APIKeyCreate is the body of api_keys.create. Only Name is required; nil fields are omitted.
type APIKeyCreate struct {
	Name        string   `json:"name"`
	Description *string  `json:"description,omitempty"`
	Scopes      []string `json:"scopes,omitzero"` // empty, not nil: sent as an empty list
	ExpiresAt   *string  `json:"expiresAt,omitempty"`
}
