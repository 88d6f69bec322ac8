// Package collections is the client of the collections service: webhook endpoints, their deliveries, and API keys. The
// package does not depend on Terraform.
//
// The service accepts duplicates and returns secrets only once. So if the response to a creation is lost, the client
// neither repeats the creation nor adopts an object that it finds: see [Service.CreateWebhookEndpoint], and
// [LostKeyError] for keys.
package collections

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Service is the collections service behind one client. It is safe for
// concurrent use.
type Service struct {
	client *api.Client
	writes api.Writes
	asking chan struct{} // held by the call that requests the time
	asked  bool
	silent error // of that call
}

// New wraps a client of the collections service.
func New(c *api.Client) *Service { return &Service{client: c, asking: make(chan struct{}, 1)} }

// Wrote records when an object was last written, according to the state of an earlier run. A read that lags behind it
// is repeated.
func (s *Service) Wrote(id, created, updated string) { s.writes.Note(id, created, updated) }

// ServerTime returns the service's time from its responses, to the second; zero if unknown. It sends no request.
func (s *Service) ServerTime(ctx context.Context) time.Time {
	now, _ := s.client.Now(ctx, func(context.Context) error { return nil })
	return now.Truncate(time.Second)
}

// Now returns the service's time; see [api.Client.Now]. Before the first response, it is requested once.
func (s *Service) Now(ctx context.Context) (time.Time, error) {
	if now := s.ServerTime(ctx); !now.IsZero() {
		return now, nil
	}
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
	if !s.asked {
		_, s.silent = s.client.Do(ctx, api.Request{Operation: "api_keys.list", Query: url.Values{"per_page": {"1"}}})
		s.asked = ctx.Err() == nil
	}
	if now := s.ServerTime(ctx); !now.IsZero() {
		return now, nil
	}
	return time.Time{}, s.silent
}

// HasPassed reports whether a time has passed by the service's clock. Before the first response, the service's time is
// requested inside an apply, where it is an error if it stays unknown, and otherwise only if the time has passed by the
// local clock. A plan that is shown does not rely on a Date that has jumped: the apply may see another one.
func (s *Service) HasPassed(ctx context.Context, at time.Time, applying bool) (bool, error) {
	if !applying && s.client.DateJumped() {
		return false, nil
	}
	var err error
	now := s.ServerTime(ctx)
	if now.IsZero() && (applying || !at.After(time.Now())) {
		now, err = s.Now(ctx)
	}
	if now.IsZero() && applying {
		return false, cmp.Or(err, errNoDate)
	}
	return !now.IsZero() && !at.After(now), nil
}

var errNoDate = errors.New("no response of the service has a valid Date; plan again")
