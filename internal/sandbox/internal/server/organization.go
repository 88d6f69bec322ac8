package server

import (
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Organization is who a token belongs to, and what /v1/me returns
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

// OrganizationWithDefaults fills what is empty with an example.
func (c *Core) OrganizationWithDefaults(o Organization) Organization {
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&o.ID, c.Source.UUID())
	fill(&o.Name, "Padaria Exemplo Ltda")
	fill(&o.Email, "financeiro@padaria-exemplo.com.br")
	fill(&o.DocumentType, "cnpj")
	fill(&o.DocumentNumber, "11222333000181")
	fill(&o.Environment, "sandbox")
	if o.CreatedAt.IsZero() {
		o.CreatedAt = c.Clock.Now()
	}
	return o
}

// NewOrganization makes another organization.
func (c *Core) NewOrganization(o Organization) (Organization, error) {
	o = c.OrganizationWithDefaults(o)
	err := c.DB.Update(func(tx *store.Tx) error {
		c.Organizations.Put(tx, o.ID, o)
		return nil
	})
	return o, err
}
