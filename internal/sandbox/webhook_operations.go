package sandbox

import (
	"net/http"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// createEndpoint serves webhook_endpoints.create, one of the two answers that
// show the secret.
func createEndpoint(c *call, tx *store.Tx) (reply, error) {
	in, sent, err := c.readEndpoint("url")
	if err != nil {
		return reply{}, err
	}
	s := c.server
	row := endpointRow{Organization: c.organization, Number: s.next(tx), Endpoint: webhookEndpoint{
		ID: s.source.uuid(), Events: []string{}, Active: true, CreatedAt: instant{c.now}, UpdatedAt: instant{c.now},
	}}
	if in.Authentication == nil {
		in.Authentication = &delivery.Credentials{Type: delivery.None}
	}
	if err := in.apply(s, &row, sent); err != nil {
		return reply{}, err
	}
	secret := s.newSecret(&row)
	s.collections.endpoints.Put(tx, row.Endpoint.ID, row)
	s.lag.hide(row.Endpoint.ID)
	return c.single(http.StatusCreated, withSecret{row.Endpoint, secret}, c.now), nil
}

// listEndpoints serves webhook_endpoints.list.
func listEndpoints(c *call, tx *store.Tx) (reply, error) {
	found := []placed[webhookEndpoint]{}
	for _, row := range c.server.endpointsInOrder(tx, c.organization) {
		if c.server.lag.shows(row.Endpoint.ID) {
			found = append(found, placed[webhookEndpoint]{row.Endpoint.CreatedAt.Time, row.Number, row.Endpoint})
		}
	}
	return inOrder(c, found)
}

// getEndpoint serves webhook_endpoints.get.
func getEndpoint(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findEndpoint(tx)
	if err != nil {
		return reply{}, err
	}
	return c.single(http.StatusOK, row.Endpoint, row.Endpoint.UpdatedAt.Time), nil
}

// updateEndpoint serves webhook_endpoints.update. Other credentials of the same
// type change nothing that can be seen, and updatedAt all the same.
func updateEndpoint(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findEndpoint(tx)
	if err != nil {
		return reply{}, err
	}
	in, sent, err := c.readEndpoint()
	if err != nil {
		return reply{}, err
	}
	before := row
	if err := in.apply(c.server, &row, sent); err != nil {
		return reply{}, err
	}
	if !reflect.DeepEqual(before, row) {
		row.Endpoint.UpdatedAt = row.Endpoint.UpdatedAt.after(c.now)
		c.server.collections.endpoints.Put(tx, row.Endpoint.ID, row)
	}
	return c.single(http.StatusOK, row.Endpoint, row.Endpoint.UpdatedAt.Time), nil
}

// deleteEndpoint serves webhook_endpoints.delete. Its open deliveries end at
// their next attempt.
func deleteEndpoint(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findEndpoint(tx)
	if err != nil {
		return reply{}, err
	}
	c.server.collections.endpoints.Delete(tx, row.Endpoint.ID)
	return reply{status: http.StatusNoContent}, nil
}

// rotateSecret serves webhook_endpoints.rotate_secret.
func rotateSecret(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findEndpoint(tx)
	if err != nil {
		return reply{}, err
	}
	if err := c.readOptional(shape{}, &struct{}{}); err != nil {
		return reply{}, err
	}
	secret := c.server.newSecret(&row)
	row.Endpoint.UpdatedAt = row.Endpoint.UpdatedAt.after(c.now)
	c.server.collections.endpoints.Put(tx, row.Endpoint.ID, row)
	return c.single(http.StatusOK, withSecret{row.Endpoint, secret}, row.Endpoint.UpdatedAt.Time), nil
}

// testEndpoint serves webhook_endpoints.test: an event without a business fact,
// to this endpoint alone and whatever it is subscribed to.
func testEndpoint(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findEndpoint(tx)
	if err != nil {
		return reply{}, err
	}
	if err := c.readOptional(shape{}, &struct{}{}); err != nil {
		return reply{}, err
	}
	test := happening{organization: c.organization, at: c.now, name: eventTest, data: struct{}{}}
	eventID, err := c.server.storeEvent(tx, test)
	if err != nil {
		return reply{}, err
	}
	scheduled := c.server.schedule(tx, row, eventID, test)
	return c.single(http.StatusAccepted, map[string]string{"eventId": eventID, "deliveryId": scheduled.ID}, c.now), nil
}
