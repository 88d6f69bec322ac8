package billing

import (
	"context"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Organization is the organization that the token belongs to (service
// description, Recurring billing §4).
type Organization struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Email          string `json:"email"`
	DocumentType   string `json:"document_type"`
	DocumentNumber string `json:"document_number"`
	Environment    string `json:"environment"` // for example "sandbox"
	CreatedAt      string `json:"created_at"`
}

// Me asks who the token belongs to (wire contract: me.get). The service returns
// a bare object.
func (s *Service) Me(ctx context.Context) (*Organization, error) {
	organization, err := api.One[Organization](ctx, s.client, api.Request{Operation: "me.get"})
	if err != nil {
		return nil, err
	}
	return &organization, nil
}
