package collections

import (
	"context"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// longestGraceDays is the longest grace period (service description, Collections §8).
const longestGraceDays = 30

// Successors finds the key that a rotation of a key has created, and the successors of
// that one; the last one was not rotated. It says so itself where the service shows it.
// Otherwise it has the name, description and scopes of its predecessor, and was created
// whole days of the grace period before the end of the predecessor: exactly so, where there are
// several. What is still not clear ends the chain. Where the rotation was shortly before, the list
// is read until a lag has passed.
func (s *Service) Successors(ctx context.Context, key APIKey) ([]APIKey, error) {
	return api.Again(ctx, func(ctx context.Context) ([]APIKey, error) {
		var all []APIKey
		for k, err := range s.ListAPIKeys(ctx) {
			if err != nil {
				return nil, err
			}
			all = append(all, k)
		}
		return successors(key, all), nil
	}, func(chain []APIKey, err error) bool {
		now := s.shownTime(ctx)
		justNow := !now.IsZero() && key.endsAfterGraceFrom(now.Add(-api.ReadLag/2), api.ReadLag/2+clockSlack)
		return err == nil && len(chain) == 0 && justNow
	})
}

func successors(key APIKey, all []APIKey) (chain []APIKey) {
	used := map[string]bool{key.ID: true}
	for {
		var next []APIKey
		for _, k := range all {
			if !used[k.ID] && k.RevokedAt == nil && k.succeeds(key) {
				next = append(next, k)
			}
		}
		if len(next) > 1 {
			next = slices.DeleteFunc(next, func(k APIKey) bool {
				created, _ := api.Moment(k.CreatedAt)
				return k.PredecessorID == nil && !key.endsAfterGraceFrom(created, 0)
			})
		}
		if len(next) != 1 {
			return chain
		}
		key = next[0]
		used[key.ID] = true
		chain = append(chain, key)
	}
}

// succeeds reports whether the key was created by a rotation of another one.
func (k *APIKey) succeeds(key APIKey) bool {
	if k.PredecessorID != nil {
		return *k.PredecessorID == key.ID
	}
	created, ok := api.Moment(k.CreatedAt)
	return ok && k.Name == key.Name && text(k.Description) == text(key.Description) && sameSet(k.Scopes, key.Scopes) &&
		key.endsAfterGraceFrom(created, clockSlack)
}

// endsAfterGraceFrom reports whether the key ends whole days after a time, as a key that
// was rotated then.
func (k *APIKey) endsAfterGraceFrom(rotated time.Time, slack time.Duration) bool {
	end, ok := api.Moment(text(k.ExpiresAt))
	for days := range longestGraceDays + 1 {
		if ok && end.Sub(rotated.Add(time.Duration(days)*24*time.Hour)).Abs() <= slack {
			return true
		}
	}
	return false
}
