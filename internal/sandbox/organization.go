package sandbox

import (
	"net/http"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Organization is who a token belongs to, and what /v1/me answers
// (service description, Recurring billing §4 Organization of the token).
type Organization struct {
	ID             string
	Name           string
	Email          string
	DocumentType   string // cpf or cnpj
	DocumentNumber string
	Environment    string // "sandbox" or "production"
	CreatedAt      time.Time
}

// organizationObject is an organization on the wire.
type organizationObject struct {
	ID             string  `json:"id"`
	Name           string  `json:"name"`
	Email          string  `json:"email"`
	DocumentType   string  `json:"document_type"`
	DocumentNumber string  `json:"document_number"`
	Environment    string  `json:"environment"`
	CreatedAt      instant `json:"created_at"`
}

// organizationWithDefaults fills what is empty with an example.
func (s *Server) organizationWithDefaults(o Organization) Organization {
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&o.ID, s.source.uuid())
	fill(&o.Name, "Padaria Exemplo Ltda")
	fill(&o.Email, "financeiro@padaria-exemplo.com.br")
	fill(&o.DocumentType, "cnpj")
	fill(&o.DocumentNumber, "11222333000181")
	fill(&o.Environment, "sandbox")
	if o.CreatedAt.IsZero() {
		o.CreatedAt = s.clock.Now()
	}
	return o
}

// getMe serves me.get: the bare object, not an envelope
// (service description, Recurring billing §4).
func getMe(c *call, tx *store.Tx) (reply, error) {
	o, ok := c.server.organizations.Get(tx, c.organization)
	if !ok {
		return reply{}, errNotFound
	}
	return reply{
		status: http.StatusOK,
		body: organizationObject{
			ID: o.ID, Name: o.Name, Email: o.Email,
			DocumentType: o.DocumentType, DocumentNumber: o.DocumentNumber,
			Environment: o.Environment, CreatedAt: instant{o.CreatedAt},
		},
		modified: o.CreatedAt,
	}, nil
}
