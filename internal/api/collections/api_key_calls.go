package collections

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// CodeKeyNotActive is the code of the 409 for rotating a key that is rotated, revoked or expired (wire contract:
// api_keys.rotate).
const CodeKeyNotActive = "key_not_active"

// LostKeyError ends a creation or a rotation whose response was lost, together with the token of a key that may exist.
type LostKeyError struct {
	// Found are the candidates: working, never used keys of the name that were created since.
	Found []APIKey
	// Rotated is the key of a rotation as read afterwards; nil if it could not be read.
	Rotated *APIKey
	Err     *api.AmbiguousError
}

func (e *LostKeyError) Error() string { return e.Err.Error() }

func (e *LostKeyError) Unwrap() error { return e.Err }

// CreateAPIKey creates a key with one request (wire contract: api_keys.create). Its Token is returned only this once;
// the response may contain little else. A lost response is a *LostKeyError.
func (s *Service) CreateAPIKey(ctx context.Context, create APIKeyCreate) (*APIKey, error) {
	name := func(context.Context) (string, error) { return create.Name, nil }
	return s.newKey(ctx, fmt.Sprintf("API key named %q", create.Name),
		api.Request{Operation: "api_keys.create", Body: create}, name)
}

type rotateBody struct {
	GraceDays int64 `json:"graceDays"`
}

// RotateAPIKey creates a successor of a key and returns it with its token, which is returned only this once (wire
// contract: api_keys.rotate). The old key works for another graceDays, 0 to 30. A lost response is a *LostKeyError with
// the old key as read after the lag.
func (s *Service) RotateAPIKey(ctx context.Context, id string, graceDays int64) (*APIKey, error) {
	var rotated *APIKey
	look := func(ctx context.Context) (string, error) {
		key, err := s.GetAPIKey(ctx, id)
		if err != nil {
			return "", err
		}
		rotated = key
		return key.Name, nil
	}
	successor, err := s.newKey(ctx, fmt.Sprintf("successor of the API key %q", id), api.Request{
		Operation: "api_keys.rotate", Path: map[string]string{"id": id}, Body: rotateBody{GraceDays: graceDays}}, look)
	var lost *LostKeyError
	if errors.As(err, &lost) {
		lost.Rotated = rotated
	}
	return successor, err
}

// newKey sends a request that creates a key, once. nameOf returns the name of the new key.
func (s *Service) newKey(ctx context.Context, describe string, request api.Request,
	nameOf func(context.Context) (string, error)) (*APIKey, error) {
	var found []APIKey
	key, _, err := api.Create(ctx, s.client, api.Creation[*APIKey]{
		Describe: describe,
		Send:     func(ctx context.Context) (*APIKey, error) { return api.Object[APIKey](ctx, s.client, request) },
		ID:       func(k *APIKey) string { return k.ID },
		Created:  func(k *APIKey) string { return k.CreatedAt },
		Find: func(ctx context.Context) (all []*APIKey, err error) {
			name, err := nameOf(ctx)
			if err != nil {
				return nil, err
			}
			listed, err := s.UnusedKeys(ctx, func(k APIKey) bool { return same.Wording(name, k.Name) })
			if err == nil {
				found = listed
			}
			for _, k := range listed {
				all = append(all, &k)
			}
			return all, err
		},
	})
	lost, isLost := api.AsAmbiguous(err)
	if err == nil {
		return key, nil
	}
	if !isLost {
		return nil, err
	}
	lost.Advice = ""
	e := &LostKeyError{Err: lost}
	for _, k := range found {
		if slices.Contains(lost.Candidates, k.ID) {
			e.Found = append(e.Found, k)
		}
	}
	return nil, e
}

// UnusedKeys lists the working, never used keys that fit. A key whose token was lost is among them.
func (s *Service) UnusedKeys(ctx context.Context, fits func(APIKey) bool) (found []APIKey, err error) {
	for key, err := range s.ListAPIKeys(ctx) {
		if err != nil {
			return nil, err
		}
		if key.LastUsedAt == nil && key.live(s.ServerTime(ctx)) && fits(key) {
			found = append(found, key)
		}
	}
	return found, nil
}

// GetAPIKey reads a key, without its token (wire contract: api_keys.get). Revoked keys can be read too.
func (s *Service) GetAPIKey(ctx context.Context, id string) (*APIKey, error) {
	return api.Newest(ctx, s.client, &s.writes, id, func(ctx context.Context) (*APIKey, error) {
		return api.Object[APIKey](ctx, s.client, api.Request{Operation: "api_keys.get", Path: map[string]string{"id": id}})
	}, func(*APIKey) string { return "" })
}

var keyListing = api.Listing{Family: "api_keys"}

// RefreshAPIKey is GetAPIKey for a refresh; see [api.Refreshed].
func (s *Service) RefreshAPIKey(ctx context.Context, id string) (_ *APIKey, unchanged bool, _ error) {
	return api.Refreshed(ctx, s.client, &s.writes, keyListing, id, s.GetAPIKey, func(*APIKey) string { return "" })
}

// RevokeAPIKey revokes a key immediately (wire contract: api_keys.revoke). It succeeds if the key is already revoked or
// does not exist; if the response leaves that open, the key is read.
func (s *Service) RevokeAPIKey(ctx context.Context, id string) error {
	revocation := api.Request{Operation: "api_keys.revoke", Path: map[string]string{"id": id}}
	return api.Revoke(ctx, s.client, revocation, func(key APIKey) bool { return key.RevokedAt != nil })
}

// ListAPIKeys lists all keys in the order of their creation, including revoked ones if the service lists them (wire
// contract: api_keys.list).
func (s *Service) ListAPIKeys(ctx context.Context) iter.Seq2[APIKey, error] {
	return api.List(ctx, s.client, api.Request{Operation: "api_keys.list"}, api.ListOptions[APIKey]{
		ID:     func(k APIKey) string { return k.ID },
		SortBy: unsorted,
	})
}

// FindAPIKeys returns every key with exactly this name, over all pages: the working ones, or, if there are none, the
// revoked and expired ones. There may be several: a rotated key and its successor have the same name, and both work
// until the grace period ends.
func (s *Service) FindAPIKeys(ctx context.Context, name string) ([]APIKey, error) {
	var all []APIKey
	for key, err := range s.ListAPIKeys(ctx) {
		if err != nil {
			return nil, err
		}
		if key.Name == name {
			all = append(all, key)
		}
	}
	// The service's clock decides; the list has just shown it.
	now := s.ServerTime(ctx)
	live := slices.DeleteFunc(slices.Clone(all), func(k APIKey) bool { return !k.live(now) })
	if len(live) > 0 {
		return live, nil
	}
	return all, nil
}
