package billing

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// mostListed bounds how many objects are looked at where a service neither filters
// nor shows when they were created.
const mostListed = 1000

// creation is the create of an object.
type creation[T any] struct {
	noun       string
	externalID *string // of the object to be created
	// Without an external_id: what describes the object, and what it has in common
	// with others that could be taken for it.
	anonymous, key string

	create    func(ctx context.Context, existed func(id string) bool) (*T, error)
	find      func(ctx context.Context, externalID string) ([]T, error)
	list      func(ctx context.Context) iter.Seq2[T, error]    // newest first, filtered as the service can
	like      func(T) bool                                     // could be taken for the object to be created
	get       func(ctx context.Context, id string) (*T, error) // nil: a list shows all of it
	id        func(T) string
	createdAt func(T) string
	live      func(T) bool
	same      func(T) bool                                      // whether the object is what was asked for
	parts     func(ctx context.Context, object T) (bool, error) // the same of what the object does not show; nil: nothing
}

// settle creates the object and reconciles a lost response: the object is then looked up, by its
// external_id or else by what it has in common with the create. It is adopted when it
// is live, what was asked for, and was created by this request.
func (c creation[T]) settle(ctx context.Context, s *Service) (object *T, adopted bool, err error) {
	l := &lookup[T]{creation: c, known: map[string]bool{}, other: map[string]bool{}, date: s.client.Date}
	settlement := api.Settlement[*T]{
		Create: func(ctx context.Context) (*T, error) {
			return c.create(ctx, func(id string) bool { return l.known[id] })
		},
		Before:   func(ctx context.Context) ([]string, error) { return l.before(ctx, s.created.all()) },
		Lookup:   l.byLikeness,
		Same:     func(found *T) bool { return c.same(*found) && !l.other[c.id(*found)] },
		ID:       func(found *T) string { return c.id(*found) },
		Created:  func(found *T) string { return c.createdAt(*found) },
		Clock:    s.client,
		Describe: c.anonymous,
	}
	if c.externalID != nil && *c.externalID != "" {
		settlement.Describe = fmt.Sprintf("%s with external_id %q", c.noun, *c.externalID)
		settlement.RefusesDuplicates = true
		settlement.Lookup = l.byExternalID
	} else {
		// Another creation of this process that looks the same is not to be taken for
		// this one, whatever becomes of both.
		done, err := s.created.turn(ctx, c.noun+" "+c.key)
		if err != nil {
			return nil, false, fmt.Errorf("create the %s: nothing was sent: %w", c.anonymous, err)
		}
		defer done()
	}
	object, adopted, err = api.Settle(ctx, settlement)
	if err == nil {
		s.created.note(c.id(*object))
	}
	return object, adopted, err
}

// lookup finds what became of a creation.
type lookup[T any] struct {
	creation[T]
	date  func() (time.Time, bool)
	since time.Time       // of the service, before the creation
	known map[string]bool // ids from before the creation, and of other creations of this process
	other map[string]bool // ids of objects that differ in a part that they do not show
}

func (l *lookup[T]) before(ctx context.Context, created []string) (ids []string, err error) {
	found, err := l.recent(ctx)
	for _, item := range found {
		ids = append(ids, l.id(item))
	}
	ids = append(ids, created...)
	for _, id := range ids {
		l.known[id] = true
	}
	l.since, _ = l.date()
	return ids, err
}

func (l *lookup[T]) byExternalID(ctx context.Context) ([]*T, error) {
	found, err := l.find(ctx, *l.externalID)
	if err != nil {
		return nil, err
	}
	return l.whole(ctx, onlyLive(found, l.live))
}

func (l *lookup[T]) byLikeness(ctx context.Context) ([]*T, error) {
	found, err := l.recent(ctx)
	if err != nil {
		return nil, err
	}
	return l.whole(ctx, slices.DeleteFunc(found, func(item T) bool { return l.known[l.id(item)] }))
}

// recent returns the live objects that could be taken for the created one. It ends at
// the first object that does not fit and is older than the creation: then the list is
// sorted, and the service does not filter it.
func (l *lookup[T]) recent(ctx context.Context) (found []T, err error) {
	listed := 0
	for item, err := range l.list(ctx) {
		if err != nil {
			return nil, err
		}
		if listed++; listed > mostListed {
			break
		}
		if l.like(item) {
			if l.live(item) {
				found = append(found, item)
			}
			continue
		}
		since := l.since
		if since.IsZero() {
			since, _ = l.date()
		}
		if at, ok := api.Moment(l.createdAt(item)); ok && at.Before(since) {
			break
		}
	}
	return found, nil
}

// whole reads each object singly, because a list may leave parts of it out.
func (l *lookup[T]) whole(ctx context.Context, found []T) (whole []*T, err error) {
	for _, item := range found {
		object := &item
		if l.get != nil {
			if object, err = l.get(ctx, l.id(item)); err != nil {
				return nil, err
			}
		}
		if l.parts != nil {
			equal, err := l.parts(ctx, *object)
			if err != nil {
				return nil, err
			}
			l.other[l.id(item)] = !equal
		}
		whole = append(whole, object)
	}
	return whole, nil
}
