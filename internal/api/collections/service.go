// Package collections speaks to the collections service: webhook endpoints,
// their deliveries, and API keys, with the wire types of the service description
// and the operations of the wire contract. It does not depend on
// Terraform.
//
// The service accepts duplicates, and shows secrets once. So a creation whose response was lost is neither repeated
// nor adopted: see [Service.CreateWebhookEndpoint], and [LostKeyError] for keys.
package collections

import (
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
}

// shownTime is the service's time as its last response showed it; zero: not known.
func (s *Service) shownTime(ctx context.Context) time.Time {
	now, _ := s.client.Now(ctx, func(context.Context) error { return nil })
	return now
}

// New wraps a client of the collections service.
func New(c *api.Client) *Service { return &Service{client: c} }

// Wrote records when an object was last written, according to the state of an earlier run: a
// read that lags behind that is repeated.
func (s *Service) Wrote(id, created, updated string) { s.writes.Note(id, created, updated) }

// Now returns the service's own time; see [api.Client.Now].
func (s *Service) Now(ctx context.Context) (time.Time, bool) {
	return s.client.Now(ctx, func(ctx context.Context) error {
		_, err := s.client.Do(ctx, api.Request{Operation: "api_keys.list", Query: url.Values{"per_page": {"1"}}})
		return err
	})
}

var (
	errNoEndpointID = errors.New("the response contains no webhook endpoint with an id")
	errNoSecret     = errors.New("the response contains no new secret")
	errNoDeliveryID = errors.New("the response contains no delivery with an id")
	errNoKeyID      = errors.New("the response contains no API key with an id")
)

func present(value string, missing error) error {
	if value == "" {
		return missing
	}
	return nil
}
