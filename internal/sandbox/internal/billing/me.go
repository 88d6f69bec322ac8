package billing

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// organizationObject is an organization on the wire.
type organizationObject struct {
	ID             string           `json:"id"`
	Name           string           `json:"name"`
	Email          string           `json:"email"`
	DocumentType   string           `json:"document_type"`
	DocumentNumber string           `json:"document_number"`
	Environment    string           `json:"environment"`
	CreatedAt      server.Timestamp `json:"created_at"`
}

// getMe serves me.get: the bare object, not an envelope
// (service description, Recurring billing §4).
func (s *Service) getMe(c *server.Call, tx *store.Tx) (server.Reply, error) {
	o, ok := s.Organizations.Get(tx, c.Organization)
	if !ok {
		return server.Reply{}, server.ErrNotFound
	}
	return server.Reply{
		Status: http.StatusOK,
		Body: organizationObject{
			ID: o.ID, Name: o.Name, Email: o.Email,
			DocumentType: o.DocumentType, DocumentNumber: o.DocumentNumber,
			Environment: o.Environment, CreatedAt: server.Timestamp{Time: o.CreatedAt},
		},
		Modified: o.CreatedAt,
	}, nil
}
