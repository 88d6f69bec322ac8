package collections

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// image is the objects of one kind that existed before a request. Only what is not
// in it can have been created by the request.
type image[T any] struct {
	objects map[string]T
	at      time.Time // the service's time, before the request; zero: not known
	// before reports whether a time of the service is before the request, to the fraction
	// of a second where its clock runs.
	before  func(time.Time) bool
	failure error // why there is none: then nothing is known to be new
}

// images takes images for requests that run at the same time. A listing serves
// every request that waits when it begins. One that has begun before does not: what
// others create in between would look new. The zero value is ready.
type images[T any] struct {
	mu      sync.Mutex
	waiting *shot[T]
	running *shot[T]
}

// shot is one listing, for all that wait for it.
type shot[T any] struct {
	done  chan struct{}
	image *image[T]
}

// before lists what exists. An error means that the request need not be sent: it is
// rejected like the listing, or the run ends. Any other failure leaves an image
// without objects.
func (i *images[T]) before(ctx context.Context, list func(context.Context) *image[T]) (*image[T], error) {
	i.mu.Lock()
	mine := i.waiting
	leads := mine == nil
	if leads {
		mine = &shot[T]{done: make(chan struct{})}
		i.waiting = mine
	}
	earlier := i.running
	i.mu.Unlock()
	if leads {
		if earlier != nil {
			<-earlier.done
		}
		i.mu.Lock()
		i.waiting, i.running = nil, mine
		i.mu.Unlock()
		mine.image = list(ctx)
		close(mine.done)
	}
	<-mine.done
	taken := mine.image
	if taken.failure != nil && ctx.Err() == nil && errors.Is(taken.failure, context.Canceled) {
		taken = list(ctx) // the request that led was interrupted, and this one was not
	}
	var earlierError *api.EarlierError
	if err := taken.failure; ctx.Err() != nil || api.IsUnauthorized(err) || errors.As(err, &earlierError) {
		return nil, fmt.Errorf("list what exists before the request is sent: %w", errors.Join(ctx.Err(), err))
	}
	return taken, nil
}

// listing reads a list into an image.
func listing[T any](ctx context.Context, s *Service, all iter.Seq2[T, error], id func(T) string) *image[T] {
	taken := &image[T]{objects: map[string]T{}}
	for object, err := range all {
		if err != nil {
			return &image[T]{failure: err}
		}
		taken.objects[id(object)] = object
	}
	mark := s.client.Mark()
	taken.before = func(at time.Time) bool {
		before, _ := s.client.Precedes(at, mark)
		return before
	}
	taken.at = s.shownTime(ctx)
	return taken
}

// has reports whether the object existed before the request.
func (i *image[T]) has(id string) bool {
	_, ok := i.objects[id]
	return ok
}

// doubt says why an object that looks new may not come from a request whose response
// was lost at a time of the service's clock; "": nothing contradicts it. A time that
// is not known contradicts nothing.
func (i *image[T]) doubt(createdAt string, lostAt time.Time) string {
	created, ok := api.Moment(createdAt)
	switch {
	case i.failure != nil:
		return fmt.Sprintf("what existed before could not be listed (%s)", i.failure)
	case !ok || i.at.IsZero() || lostAt.IsZero():
		return ""
	case created.Before(i.at.Add(-clockSlack)), i.before(created):
		return fmt.Sprintf("it was created at %s, before the request", createdAt)
	case created.After(lostAt.Add(clockSlack)):
		return fmt.Sprintf("it was created at %s, after the request had failed", createdAt)
	}
	return ""
}

// shownTime is the service's time as its last response showed it; zero: not known.
func (s *Service) shownTime(ctx context.Context) time.Time {
	now, _ := s.client.Now(ctx, func(context.Context) error { return nil })
	return now
}
