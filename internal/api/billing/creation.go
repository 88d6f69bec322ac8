package billing

import (
	"context"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// creation is the create of an object that can end, after which its external_id
// is free again.
type creation[T any] struct {
	noun       string
	anonymous  string  // describes the object where it has no external_id
	externalID *string // of the object to be made

	create func(ctx context.Context) (*T, error)
	find   func(ctx context.Context, externalID string) ([]T, error)
	get    func(ctx context.Context, id string) (*T, error)
	id     func(T) string
	live   func(T) bool
	same   func(T) bool // whether the object is what was asked for
}

// settle creates the object. When the answer is lost, one with the external_id
// is looked up, and adopted when it is live and what was asked for.
func (c creation[T]) settle(ctx context.Context) (object *T, adopted bool, err error) {
	settlement := api.Settlement[*T]{
		Create:   c.create,
		Same:     func(found *T) bool { return c.same(*found) },
		ID:       func(found *T) string { return c.id(*found) },
		Describe: c.anonymous,
	}
	if c.externalID != nil && *c.externalID != "" {
		settlement.Describe = fmt.Sprintf("%s with external_id %q", c.noun, *c.externalID)
		settlement.RefusesDuplicates = true
		settlement.Lookup = c.lookup
	}
	return api.Settle(ctx, settlement)
}

// lookup reads each live object that has the external_id singly, because a list
// may leave parts of it out.
func (c creation[T]) lookup(ctx context.Context) (live []*T, err error) {
	found, err := c.find(ctx, *c.externalID)
	if err != nil {
		return nil, err
	}
	for _, item := range onlyLive(found, c.live) {
		object, err := c.get(ctx, c.id(item))
		if err != nil {
			return nil, err
		}
		live = append(live, object)
	}
	return live, nil
}
