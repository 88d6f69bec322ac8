// Package billing speaks to the recurring-billing service: one file per object,
// with the wire types of the service description and the operations of the wire
// contract. It knows the wire, and nothing of Terraform.
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
}

// New wraps a client of the recurring-billing service.
func New(c *api.Client) *Service { return &Service{client: c} }

// Now returns the service's own time; see [api.Client.Now].
func (s *Service) Now(ctx context.Context) (time.Time, bool) {
	return s.client.Now(ctx, func(ctx context.Context) error {
		_, err := s.Me(ctx)
		return err
	})
}
