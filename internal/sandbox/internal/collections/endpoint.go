package collections

import (
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// secretPrefix marks an endpoint's secret
// (service description, Collections §2 Webhook endpoint).
const secretPrefix = "whsec_"

// webhookEndpoint is an endpoint on the wire
// (wire contract: webhook_endpoints.get).
type webhookEndpoint struct {
	ID             string               `json:"id"`
	URL            string               `json:"url"`
	Description    *string              `json:"description"`
	Events         []string             `json:"events"`
	Active         bool                 `json:"active"`
	Authentication publicAuthentication `json:"authentication"`
	CreatedAt      server.Timestamp     `json:"createdAt"`
	UpdatedAt      server.Timestamp     `json:"updatedAt"`
}

// publicAuthentication is what responses show of the credentials: not password, token
// and value.
type publicAuthentication struct {
	Type     string  `json:"type"`
	Username *string `json:"username,omitempty"`
	Name     *string `json:"name,omitempty"`
}

// withSecret is the response that shows the secret once.
type withSecret struct {
	webhookEndpoint
	Secret string `json:"secret"`
}

// EndpointRow is an endpoint as the tables keep it.
type EndpointRow struct {
	Organization string               `json:"organization"`
	Number       int64                `json:"number"`
	Endpoint     webhookEndpoint      `json:"endpoint"`
	Secret       string               `json:"secret"`
	Credentials  delivery.Credentials `json:"credentials"`
}

// newSecret gives the endpoint another secret, which it returns. The one before
// is deleted, so it is invalid immediately.
func (s *Service) newSecret(row *EndpointRow) string {
	row.Secret = secretPrefix + s.Source.Hex(32)
	return row.Secret
}

// setCredentials replaces the endpoint's authentication.
func (r *EndpointRow) setCredentials(credentials delivery.Credentials) {
	r.Credentials = credentials
	r.Endpoint.Authentication = publicAuthentication{Type: credentials.Type}
	switch credentials.Type {
	case delivery.Basic:
		r.Endpoint.Authentication.Username = &credentials.Username
	case delivery.Header:
		r.Endpoint.Authentication.Name = &credentials.Name
	}
}

// findEndpoint finds the endpoint that the path names.
func (s *Service) findEndpoint(c *server.Call, tx *store.Tx) (EndpointRow, error) {
	row, ok := s.Endpoints.Get(tx, c.Path["id"])
	if !ok || row.Organization != c.Organization {
		return EndpointRow{}, server.ErrNotFound
	}
	return row, nil
}

// endpointsInOrder returns an organization's endpoints as they were made.
func (s *Service) endpointsInOrder(tx *store.Tx, organization string) []EndpointRow {
	var rows []EndpointRow
	for _, row := range s.Endpoints.All(tx) {
		if row.Organization == organization {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b EndpointRow) int { return int(a.Number - b.Number) })
	return rows
}

// SetSecret gives an endpoint this secret.
func (s *Service) SetSecret(tx *store.Tx, id, secret string) {
	row, _ := s.Endpoints.Get(tx, id)
	row.Secret = secret
	s.Endpoints.Put(tx, id, row)
}

// SecretOf returns the secret of an endpoint of any organization.
func (s *Service) SecretOf(id string) (secret string, err error) {
	err = s.DB.View(func(tx *store.Tx) error {
		row, ok := s.Endpoints.Get(tx, id)
		if !ok {
			return server.ErrNotFound.With("There is no webhook endpoint with this id.")
		}
		secret = row.Secret
		return nil
	})
	return secret, err
}
