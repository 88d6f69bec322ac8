package collections

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// CodeKeyNotActive is the code of the 409 that rejects the rotation of a key that was rotated or revoked, or
// has expired (wire contract: api_keys.rotate).
const CodeKeyNotActive = "key_not_active"

// clockSlack is how far the times that a service shows may be apart although they
// belong together: a Date has no fractions of a second.
const clockSlack = 2 * time.Second

// LostKeyError ends a creation or a rotation whose response was lost, and with it the
// token of a key that may exist. Such a request is never repeated, and what is found is
// only named: nothing proves that it is not another system's.
type LostKeyError struct {
	// Found are the keys that may have been created: see [Service.UnusedKeys].
	Found []APIKey
	// Rotated is the key of a rotation as it was read afterwards; nil where it could not be read.
	Rotated *APIKey
	Err     *api.AmbiguousError
}

func (e *LostKeyError) Error() string { return e.Err.Error() }

func (e *LostKeyError) Unwrap() error { return e.Err }

// CreateAPIKey creates a key with one request (wire contract: api_keys.create). Its
// Token is shown this once. A lost response is a *LostKeyError.
func (s *Service) CreateAPIKey(ctx context.Context, create APIKeyCreate) (*APIKey, error) {
	start := time.Now()
	key, lost, err := s.newKey(ctx, fmt.Sprintf("API key named %q", create.Name),
		api.Request{Operation: "api_keys.create", Body: create})
	if lost == nil {
		return key, err
	}
	lasting, cancel := api.Outlast(ctx)
	defer cancel()
	return nil, &LostKeyError{Found: s.appeared(lasting, start, create.Name), Err: lost}
}

// rotateBody is the body of api_keys.rotate.
type rotateBody struct {
	GraceDays int64 `json:"graceDays"`
}

// RotateAPIKey creates a successor of a key and returns it with its token, which is
// shown this once (wire contract: api_keys.rotate). The key itself works for another
// graceDays, 0 to 30. A lost response is a *LostKeyError: the key was read until it has
// an end within graceDays, or reads do not lag any more.
func (s *Service) RotateAPIKey(ctx context.Context, id string, graceDays int64) (*APIKey, error) {
	start := time.Now()
	successor, lost, err := s.newKey(ctx, fmt.Sprintf("successor of the API key %q", id), api.Request{
		Operation: "api_keys.rotate", Path: map[string]string{"id": id}, Body: rotateBody{GraceDays: graceDays}})
	if lost == nil {
		return successor, err
	}
	lasting, cancel := api.Outlast(ctx)
	defer cancel()
	e := &LostKeyError{Err: lost}
	e.Rotated, err = api.Await(lasting, func(ctx context.Context) (*APIKey, error) { return s.GetAPIKey(ctx, id) },
		func(key *APIKey) bool { return key.EndsWithin(s.shownTime(ctx), graceDays) })
	if err != nil {
		e.Rotated = nil
		return nil, e
	}
	e.Found = s.appeared(lasting, start, e.Rotated.Name)
	return nil, e
}

// newKey sends a request that creates a key, once. lost is the error where its response was lost.
func (s *Service) newKey(ctx context.Context, describe string,
	request api.Request) (key *APIKey, lost *api.AmbiguousError, err error) {
	key, _, err = api.Settle(ctx, api.Settlement[*APIKey]{Describe: describe,
		Create: func(ctx context.Context) (*APIKey, error) { return s.sendNew(ctx, request) }})
	if ambiguous, ok := api.AsAmbiguous(err); ok {
		ambiguous.Outlook = ""
		return nil, ambiguous, err
	}
	if err != nil {
		return nil, nil, err
	}
	return s.completedKey(ctx, key), nil, nil
}

// sendNew sends a request that creates a key. A response that shows a key which this
// process has got before, or an older one without a token, is no response to it.
func (s *Service) sendNew(ctx context.Context, request api.Request) (*APIKey, error) {
	began := time.Now()
	key, err := s.oneKey(ctx, request)
	if err != nil {
		return nil, err
	}
	if key.Token == nil && s.isBefore(ctx, key.CreatedAt, began) || !s.claims.take(key.ID) {
		return nil, &api.AmbiguousError{Service: "collections", Operation: request.Operation, SentAt: began,
			Err: fmt.Errorf("the response shows the API key %s, which was there before the request (created %s); "+
				"nothing of it is used", key.ID, key.CreatedAt)}
	}
	return key, nil
}

// appeared lists the keys that may come from a request that began at a time of this machine. It looks until there is
// one, or reads do not lag any more.
func (s *Service) appeared(ctx context.Context, began time.Time, name string) []APIKey {
	found, _ := api.Await(ctx, func(ctx context.Context) ([]APIKey, error) {
		return s.UnusedKeys(ctx, func(k APIKey) bool { return k.Name == name && !s.isBefore(ctx, k.CreatedAt, began) })
	}, func(found []APIKey) bool { return len(found) > 0 })
	return found
}

// UnusedKeys lists the keys that fit, that work and that nobody has used, without those
// that requests of this process have returned. A key whose token was lost is among them.
func (s *Service) UnusedKeys(ctx context.Context, fits func(APIKey) bool) (found []APIKey, err error) {
	for key, err := range s.ListAPIKeys(ctx) {
		if err != nil {
			return nil, err
		}
		if key.LastUsedAt == nil && key.live(s.shownTime(ctx)) && !s.claims.has(key.ID) && fits(key) {
			found = append(found, key)
		}
	}
	return found, nil
}

// completedKey reads a key where the response that showed its token left the rest
// out. When that fails the response is used alone: the token is shown once, and
// that must not be lost.
func (s *Service) completedKey(ctx context.Context, response *APIKey) *APIKey {
	if response.Name != "" {
		return response
	}
	key, err := s.GetAPIKey(ctx, response.ID)
	if err != nil {
		return response
	}
	key.Token, key.PredecessorID, key.GraceUntil = response.Token, response.PredecessorID, response.GraceUntil
	return key
}

// GetAPIKey reads a key, without its token (wire contract: api_keys.get). A
// revoked one is read like any other.
func (s *Service) GetAPIKey(ctx context.Context, id string) (*APIKey, error) {
	return api.Newest(ctx, s.client, &s.writes, id, func(ctx context.Context) (*APIKey, error) {
		return s.oneKey(ctx, api.Request{Operation: "api_keys.get", Path: map[string]string{"id": id}})
	}, func(*APIKey) string { return "" })
}

// keyListing is how API keys are listed (wire contract: api_keys.list).
var keyListing = api.Listing{Family: "api_keys"}

// RefreshAPIKey is GetAPIKey for a refresh, which may come from a list; see [api.Refreshed].
func (s *Service) RefreshAPIKey(ctx context.Context, id string) (*APIKey, error) {
	return api.Refreshed(ctx, s.client, &s.writes, keyListing, id, s.GetAPIKey, func(*APIKey) string { return "" })
}

func (s *Service) oneKey(ctx context.Context, r api.Request) (*APIKey, error) {
	key, err := api.One[APIKey](ctx, s.client, r)
	if err != nil {
		return nil, err
	}
	return &key, nil
}

// RevokeAPIKey revokes a key, which is rejected from then on (wire contract:
// api_keys.revoke). One that is revoked already, or does not exist, is revoked;
// where the response leaves that open, the key is read.
func (s *Service) RevokeAPIKey(ctx context.Context, id string) error {
	revocation := api.Request{Operation: "api_keys.revoke", Path: map[string]string{"id": id}}
	return api.Revoke(ctx, s.client, revocation, func(key APIKey) bool { return key.RevokedAt != nil })
}

// ListAPIKeys lists all keys, the revoked ones too where the service lists them
// (wire contract: api_keys.list), in the order of their creation.
func (s *Service) ListAPIKeys(ctx context.Context) iter.Seq2[APIKey, error] {
	return api.List(ctx, s.client, api.Request{Operation: "api_keys.list"}, api.ListOptions[APIKey]{
		ID:     func(k APIKey) string { return k.ID },
		SortBy: unsorted,
	})
}

// FindAPIKeys returns every key with exactly this name, over all pages: those
// that still work, or, when there are none, those that are revoked or expired.
// There may be several: a rotated key works in addition to its successor, which has its
// name, until its grace period is over.
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
	// The clock of the service decides, as the list has just shown it.
	now, _ := s.Now(ctx)
	live := slices.DeleteFunc(slices.Clone(all), func(k APIKey) bool { return !k.live(now) })
	if len(live) > 0 {
		return live, nil
	}
	return all, nil
}
