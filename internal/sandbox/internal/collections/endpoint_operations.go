package collections

import (
	"net/http"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// createEndpoint serves webhook_endpoints.create, one of the two responses that
// show the secret.
func (s *Service) createEndpoint(c *server.Call, tx *store.Tx) (server.Reply, error) {
	in, sent, err := s.readEndpoint(c, "url")
	if err != nil {
		return server.Reply{}, err
	}
	row := EndpointRow{Organization: c.Organization, Number: s.Next(tx), Endpoint: webhookEndpoint{
		ID: s.Source.UUID(), Events: []string{}, Active: true,
		CreatedAt: server.Timestamp{Time: c.Now}, UpdatedAt: server.Timestamp{Time: c.Now},
	}}
	if in.Authentication == nil {
		in.Authentication = &delivery.Credentials{Type: delivery.None}
	}
	in.apply(&row, sent)
	secret := s.newSecret(&row)
	s.Endpoints.Put(tx, row.Endpoint.ID, row)
	return c.Single(http.StatusCreated, withSecret{row.Endpoint, secret}, c.Now), nil
}

// listEndpoints serves webhook_endpoints.list.
func (s *Service) listEndpoints(c *server.Call, tx *store.Tx) (server.Reply, error) {
	found := []placed[webhookEndpoint]{}
	for _, row := range s.endpointsInOrder(tx, c.Organization) {
		found = append(found, placed[webhookEndpoint]{row.Endpoint.CreatedAt.Time, row.Number, row.Endpoint})
	}
	return inOrder(c, found)
}

// getEndpoint serves webhook_endpoints.get.
func (s *Service) getEndpoint(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findEndpoint(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	return c.Single(http.StatusOK, row.Endpoint, row.Endpoint.UpdatedAt.Time), nil
}

// updateEndpoint serves webhook_endpoints.update. Other credentials of the same
// type change nothing visible except updatedAt.
func (s *Service) updateEndpoint(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findEndpoint(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	in, sent, err := s.readEndpoint(c)
	if err != nil {
		return server.Reply{}, err
	}
	before := row
	in.apply(&row, sent)
	if in.Authentication != nil || !reflect.DeepEqual(before, row) {
		row.Endpoint.UpdatedAt = row.Endpoint.UpdatedAt.Next(c.Now)
		s.Endpoints.Put(tx, row.Endpoint.ID, row)
	}
	return c.Single(http.StatusOK, row.Endpoint, row.Endpoint.UpdatedAt.Time), nil
}

// deleteEndpoint serves webhook_endpoints.delete. Its open deliveries end at
// their next attempt.
func (s *Service) deleteEndpoint(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findEndpoint(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	s.Endpoints.Delete(tx, row.Endpoint.ID)
	return server.Reply{Status: http.StatusNoContent}, nil
}

// rotateSecret serves webhook_endpoints.rotate_secret.
func (s *Service) rotateSecret(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findEndpoint(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	if err := c.ReadOptional(server.Shape{}, &struct{}{}); err != nil {
		return server.Reply{}, err
	}
	secret := s.newSecret(&row)
	row.Endpoint.UpdatedAt = row.Endpoint.UpdatedAt.Next(c.Now)
	s.Endpoints.Put(tx, row.Endpoint.ID, row)
	return c.Single(http.StatusOK, withSecret{row.Endpoint, secret}, row.Endpoint.UpdatedAt.Time), nil
}

// testEndpoint serves webhook_endpoints.test: an event without a business fact,
// to this endpoint alone and whatever it is subscribed to.
func (s *Service) testEndpoint(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findEndpoint(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	if err := c.ReadOptional(server.Shape{}, &struct{}{}); err != nil {
		return server.Reply{}, err
	}
	test := happening{organization: c.Organization, at: c.Now, name: eventTest, data: struct{}{}}
	eventID, err := s.storeEvent(tx, test)
	if err != nil {
		return server.Reply{}, err
	}
	scheduled := s.schedule(tx, row, eventID, test)
	return c.Single(http.StatusAccepted, map[string]string{"eventId": eventID, "deliveryId": scheduled.ID}, c.Now), nil
}
