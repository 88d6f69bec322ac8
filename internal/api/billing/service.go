// Package billing speaks to the recurring-billing service: one file per object,
// with the wire types of the service description and the operations of the wire
// contract. It does not depend on Terraform.
package billing

import (
	"context"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Service is the recurring-billing service behind one client. It is safe for
// concurrent use.
type Service struct {
	client *api.Client
	writes api.Writes
}

// New wraps a client of the recurring-billing service.
func New(c *api.Client) *Service { return &Service{client: c} }

// Wrote records when an object was last written, according to the state of an earlier run: a
// read that lags behind that is repeated.
func (s *Service) Wrote(id, created, updated string) { s.writes.Note(id, created, updated) }

// wrote remembers the response to a write. What it does not show was written at the
// time of the response at the latest.
func (s *Service) wrote(id, created, updated string, creates bool) {
	if creates && created == "" {
		created = s.client.DateText()
	}
	s.writes.Note(id, created, updated)
}

// Now returns the service's own time; see [api.Client.Now].
func (s *Service) Now(ctx context.Context) (time.Time, bool) {
	return s.client.Now(ctx, func(ctx context.Context) error {
		_, err := s.Me(ctx)
		return err
	})
}
