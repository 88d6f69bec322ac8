package collections

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// CreateAPIKey creates a key (wire contract: api_keys.create). Its Token is shown
// this once.
//
// When the response is lost, the key is looked up by its name among those that did
// not exist before. Exactly one, equal to what was asked for, never used, and created
// while the request ran by the service's clock, is the one whose token was lost. A
// key without its token can never be used, so that key is REVOKED and the create sent
// ONCE MORE; DiscardedID then names it. When that response is lost too, the second key
// is revoked like the first, and the error is an *api.AmbiguousError that names both.
//
// Where the lookup finds no such key, or not that one alone, nothing is revoked
// and nothing sent again: the error is an *api.AmbiguousError or an
// *api.ConflictError.
func (s *Service) CreateAPIKey(ctx context.Context, create APIKeyCreate) (*APIKeyCreated, error) {
	key, lost, err := s.settleKey(ctx, create)
	if err != nil {
		return nil, err
	}
	if lost == nil {
		return &APIKeyCreated{APIKey: *s.completedKey(ctx, key)}, nil
	}
	if err := s.discard(ctx, key.ID, lost); err != nil {
		return nil, err
	}
	again, lost, err := s.settleKey(ctx, create)
	if err != nil {
		return nil, afterDiscard(key.ID, err)
	}
	if lost == nil {
		return &APIKeyCreated{APIKey: *s.completedKey(ctx, again), DiscardedID: key.ID}, nil
	}
	if err := s.discard(ctx, again.ID, lost); err != nil {
		return nil, err
	}
	return nil,
		outlook(lost, "The API key was created twice, as %q and as %q, and each time its token was lost with the response. "+
			"Both were revoked, because a key without its token cannot be used, and nothing is left behind. Create it again",
			key.ID, again.ID)
}

// settleKey creates a key. When the error is a lost response, the token of the returned key was in
// that response.
func (s *Service) settleKey(ctx context.Context, create APIKeyCreate) (*APIKey, *api.AmbiguousError, error) {
	before, err := s.keysBefore(ctx)
	if err != nil {
		return nil, nil, err
	}
	var lost *api.AmbiguousError
	var lostAt time.Time
	key, adopted, err := api.Settle(ctx, api.Settlement[*APIKey]{
		Create: func(ctx context.Context) (key *APIKey, err error) {
			key, err = s.oneKey(ctx, api.Request{Operation: "api_keys.create", Body: create, Existed: before.has})
			lost, _ = api.AsAmbiguous(err)
			lostAt = s.shownTime(ctx)
			return key, err
		},
		Lookup: func(ctx context.Context) ([]*APIKey, error) {
			// What a rotation has made is not what was created.
			return s.newKeys(ctx, before, func(k APIKey) bool { return k.Name == create.Name && k.PredecessorID == nil })
		},
		Same: func(found *APIKey) bool { return create.matches(*found) },
		Doubt: func(_ context.Context, found *APIKey) string {
			return s.doubtKey(found, before, lostAt)
		},
		Patient: true, Harmless: true,
		ID:       func(found *APIKey) string { return found.ID },
		Describe: fmt.Sprintf("API key named %q", create.Name),
	})
	if undecided, ok := api.AsAmbiguous(err); ok && undecided.Outlook != "" {
		return nil, nil, outlook(undecided, "%s. A key that is there has lost its token: revoke it, or import and rotate it",
			undecided.Outlook)
	}
	if err != nil {
		return nil, nil, err
	}
	if !adopted {
		s.claims.take(key.ID)
		lost = nil
	}
	return key, lost, nil
}

// keysBefore lists the keys before a request that creates one.
func (s *Service) keysBefore(ctx context.Context) (*image[APIKey], error) {
	return s.keys.before(ctx, func(ctx context.Context) *image[APIKey] {
		return listing(ctx, s, s.ListAPIKeys(ctx), func(k APIKey) string { return k.ID })
	})
}

// newKeys lists the keys that work, did not exist before, belong to no other create
// or rotation of this process, and fit.
func (s *Service) newKeys(ctx context.Context, before *image[APIKey],
	fits func(APIKey) bool) (found []*APIKey, err error) {
	for key, err := range s.ListAPIKeys(ctx) {
		if err != nil {
			return nil, err
		}
		if key.RevokedAt == nil && !before.has(key.ID) && !s.claims.has(key.ID) && fits(key) {
			found = append(found, &key)
		}
	}
	return found, nil
}

// doubtKey says why a new key may be another system's; "": it is ours, and claimed.
// Nobody can have used a key whose token was lost.
func (s *Service) doubtKey(found *APIKey, before *image[APIKey], lostAt time.Time) string {
	doubt := before.doubt(found.CreatedAt, lostAt)
	switch {
	case doubt != "":
		return doubt
	case found.LastUsedAt != nil:
		return "it was used at " + *found.LastUsedAt
	case !s.claims.take(found.ID):
		return "another creation of this run has taken it over"
	}
	return ""
}

// discard revokes a key whose token was lost. It also runs after an
// interruption, because the key would otherwise never be revoked.
func (s *Service) discard(ctx context.Context, id string, lost *api.AmbiguousError) error {
	lasting, cancel := api.Outlast(ctx)
	defer cancel()
	if err := s.RevokeAPIKey(lasting, id); err != nil {
		return outlook(lost, "The API key %q was created and its token was lost with the response. "+
			"A key without its token cannot be used: revoke it, and create another one. The revocation failed: %s", id, err)
	}
	return nil
}

// afterDiscard says of the failure of a second create that there was a first.
func afterDiscard(id string, err error) error {
	first := fmt.Sprintf("the API key %q was created before, its token was lost with the response, and it was revoked", id)
	if undecided, ok := api.AsAmbiguous(err); ok && undecided.Outlook != "" {
		return outlook(undecided, "%s. This was the second attempt: %s", undecided.Outlook, first)
	}
	return fmt.Errorf("%s; creating it once more: %w", first, err)
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
