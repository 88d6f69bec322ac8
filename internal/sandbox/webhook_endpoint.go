package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/delivery"
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
	CreatedAt      instant              `json:"createdAt"`
	UpdatedAt      instant              `json:"updatedAt"`
}

// publicAuthentication is what comes back of the credentials: password, token
// and value do not.
type publicAuthentication struct {
	Type     string  `json:"type"`
	Username *string `json:"username,omitempty"`
	Name     *string `json:"name,omitempty"`
}

// withSecret is the answer that shows the secret once.
type withSecret struct {
	webhookEndpoint
	Secret string `json:"secret"`
}

// endpointRow is an endpoint as the tables keep it, its secrets sealed.
type endpointRow struct {
	Organization string          `json:"organization"`
	Number       int64           `json:"number"`
	Endpoint     webhookEndpoint `json:"endpoint"`
	Secret       []byte          `json:"secret"`
	Credentials  []byte          `json:"credentials"`
}

// What a sealed text is for, with the endpoint's id.
const (
	secretPurpose      = "webhook secret "
	credentialsPurpose = "webhook credentials "
)

// newSecret gives the endpoint another secret, which it answers. The one
// before is forgotten, so it is invalid at once.
func (s *Server) newSecret(row *endpointRow) string {
	secret := secretPrefix + s.source.hex(32)
	row.Secret = s.collections.box.Seal([]byte(secret), secretPurpose+row.Endpoint.ID)
	return secret
}

func (s *Server) secretOf(row endpointRow) (string, error) {
	secret, err := s.collections.box.Open(row.Secret, secretPurpose+row.Endpoint.ID)
	return string(secret), err
}

// setCredentials makes the endpoint's authentication the given one.
func (s *Server) setCredentials(row *endpointRow, credentials delivery.Credentials) error {
	document, err := json.Marshal(credentials)
	if err != nil {
		return fmt.Errorf("encode credentials: %w", err)
	}
	row.Credentials = s.collections.box.Seal(document, credentialsPurpose+row.Endpoint.ID)
	row.Endpoint.Authentication = publicAuthentication{Type: credentials.Type}
	switch credentials.Type {
	case delivery.Basic:
		row.Endpoint.Authentication.Username = &credentials.Username
	case delivery.Header:
		row.Endpoint.Authentication.Name = &credentials.Name
	}
	return nil
}

func (s *Server) credentialsOf(row endpointRow) (credentials delivery.Credentials, err error) {
	document, err := s.collections.box.Open(row.Credentials, credentialsPurpose+row.Endpoint.ID)
	if err != nil {
		return credentials, err
	}
	return credentials, json.Unmarshal(document, &credentials)
}

// findEndpoint finds the endpoint that the path names.
func (c *call) findEndpoint(tx *store.Tx) (endpointRow, error) {
	row, ok := c.server.collections.endpoints.Get(tx, c.path["id"])
	if !ok || row.Organization != c.organization {
		return endpointRow{}, errNotFound
	}
	return row, nil
}

// endpointsInOrder answers an organization's endpoints as they were made.
func (s *Server) endpointsInOrder(tx *store.Tx, organization string) []endpointRow {
	var rows []endpointRow
	for _, row := range s.collections.endpoints.All(tx) {
		if row.Organization == organization {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b endpointRow) int { return int(a.Number - b.Number) })
	return rows
}
