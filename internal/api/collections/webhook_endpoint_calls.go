package collections

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// CreateWebhookEndpoint registers an endpoint (wire contract:
// webhook_endpoints.create). Its Secret is shown this once.
//
// A second endpoint of the same url is not rejected, so the create is never sent
// twice. When the response is lost, the endpoint is looked up by its url among those
// that did not exist before: exactly one, equal to what was asked for, without a
// delivery that its consumer has accepted, and created while the request ran by the
// service's clock, is adopted. Its secret is rotated, because the first one was lost
// with the response. Otherwise nothing is touched, and the error is an
// *api.AmbiguousError or an *api.ConflictError. Once sent, all this continues for at
// most a minute after ctx has ended.
func (s *Service) CreateWebhookEndpoint(ctx context.Context,
	create WebhookEndpointCreate) (*WebhookEndpointCreated, error) {
	before, err := s.endpoints.before(ctx, func(ctx context.Context) *image[WebhookEndpoint] {
		return listing(ctx, s, s.ListWebhookEndpoints(ctx), func(e WebhookEndpoint) string { return e.ID })
	})
	if err != nil {
		return nil, err
	}
	var lostAt time.Time
	request := api.Request{Operation: "webhook_endpoints.create", Body: create, Existed: before.has}
	endpoint, adopted, err := api.Settle(ctx, api.Settlement[*WebhookEndpoint]{
		Create: func(ctx context.Context) (*WebhookEndpoint, error) {
			endpoint, err := s.oneEndpoint(ctx, request)
			lostAt = s.shownTime(ctx)
			return endpoint, err
		},
		Lookup: func(ctx context.Context) ([]*WebhookEndpoint, error) {
			return s.newEndpoints(ctx, create.URL, before)
		},
		Same: func(found *WebhookEndpoint) bool { return create.matches(*found) },
		Doubt: func(ctx context.Context, found *WebhookEndpoint) string {
			return s.doubtEndpoint(ctx, found, before, lostAt)
		},
		Patient: true, Harmless: true,
		ID:       func(found *WebhookEndpoint) string { return found.ID },
		Describe: "webhook endpoint for " + api.ShownURL(create.URL),
	})
	if err != nil {
		return nil, err
	}
	s.claims.take(endpoint.ID)
	created := &WebhookEndpointCreated{WebhookEndpoint: *s.completed(ctx, endpoint.ID, endpoint), Adopted: adopted}
	if adopted {
		s.renewSecret(ctx, created)
	}
	return created, nil
}

// newEndpoints finds the endpoints of a url that did not exist before and belong to
// no other create of this process.
func (s *Service) newEndpoints(ctx context.Context, url string,
	before *image[WebhookEndpoint]) (found []*WebhookEndpoint, err error) {
	all, err := s.FindWebhookEndpoints(ctx, url)
	for _, endpoint := range all {
		if !before.has(endpoint.ID) && !s.claims.has(endpoint.ID) {
			found = append(found, &endpoint)
		}
	}
	return found, err
}

// doubtEndpoint says why a new endpoint may be another system's; "": it is ours. A
// consumer that has accepted a delivery probably has the secret, which would be
// rotated.
func (s *Service) doubtEndpoint(ctx context.Context, found *WebhookEndpoint, before *image[WebhookEndpoint],
	lostAt time.Time) string {
	if doubt := before.doubt(found.CreatedAt, lostAt); doubt != "" {
		return doubt
	}
	for delivery, err := range s.ListDeliveries(ctx, DeliveryQuery{EndpointID: found.ID, Status: deliverySuccess}) {
		if err != nil {
			return fmt.Sprintf("its deliveries cannot be listed (%s)", err)
		}
		return fmt.Sprintf("its consumer has accepted the delivery %s", delivery.ID)
	}
	if !s.claims.take(found.ID) {
		return "another creation of this run has taken it over"
	}
	return ""
}

// completed reads an endpoint where the response that showed its secret left the
// rest out. When that fails the response is used alone: the secret is shown
// once, and that must not be lost.
func (s *Service) completed(ctx context.Context, id string, response *WebhookEndpoint) *WebhookEndpoint {
	if response.ID != "" && response.URL != "" {
		return response
	}
	endpoint, err := s.GetWebhookEndpoint(ctx, id)
	if err != nil {
		response.ID = id
		return response
	}
	endpoint.Secret = response.Secret
	return endpoint
}

// renewSecret gives an adopted endpoint a secret that is known. It also runs
// after an interruption: without a known secret the endpoint cannot be used.
func (s *Service) renewSecret(ctx context.Context, created *WebhookEndpointCreated) {
	lasting, cancel := api.Outlast(ctx)
	defer cancel()
	rotated, err := s.RotateWebhookSecret(lasting, created.ID)
	if err != nil {
		created.SecretErr = fmt.Errorf("the endpoint %q was created and its secret was lost with the response; the "+
			"rotation failed: %w", created.ID, err)
		return
	}
	created.WebhookEndpoint = *rotated
}

// GetWebhookEndpoint reads an endpoint, without its secret (wire contract:
// webhook_endpoints.get).
func (s *Service) GetWebhookEndpoint(ctx context.Context, id string) (*WebhookEndpoint, error) {
	return api.Newest(ctx, s.client, &s.writes, id, func(ctx context.Context) (*WebhookEndpoint, error) {
		return s.oneEndpoint(ctx, api.Request{Operation: "webhook_endpoints.get", Path: map[string]string{"id": id}})
	}, func(e *WebhookEndpoint) string { return e.UpdatedAt })
}

// endpointListing is how webhook endpoints are listed (wire contract: webhook_endpoints.list).
var endpointListing = api.Listing{Family: "webhook_endpoints"}

// RefreshWebhookEndpoint is GetWebhookEndpoint for a refresh, which may come from a list; see [api.Refreshed].
func (s *Service) RefreshWebhookEndpoint(ctx context.Context, id string) (*WebhookEndpoint, error) {
	return api.Refreshed(ctx, s.client, &s.writes, endpointListing, id, s.GetWebhookEndpoint,
		func(e *WebhookEndpoint) string { return e.UpdatedAt })
}

func (s *Service) oneEndpoint(ctx context.Context, r api.Request) (*WebhookEndpoint, error) {
	endpoint, err := api.One[WebhookEndpoint](ctx, s.client, r)
	if err != nil {
		return nil, err
	}
	return &endpoint, nil
}

// UpdateWebhookEndpoint changes an endpoint and returns it as it is then (wire
// contract: webhook_endpoints.update). A response that does not show it is
// followed by a read.
func (s *Service) UpdateWebhookEndpoint(ctx context.Context, id string,
	u WebhookEndpointUpdate) (*WebhookEndpoint, error) {
	before := s.client.DateText()
	read := func(ctx context.Context) (*WebhookEndpoint, error) {
		s.writes.Note(id, "", before)
		return s.GetWebhookEndpoint(ctx, id)
	}
	endpoint, err := s.oneEndpoint(ctx, api.Request{Operation: "webhook_endpoints.update",
		Path: map[string]string{"id": id}, Body: u})
	if err == nil && endpoint.URL == "" {
		return read(ctx)
	}
	return api.ReadBack(ctx, endpoint, err, read)
}

// DeleteWebhookEndpoint deletes an endpoint (wire contract:
// webhook_endpoints.delete). One that is not there is deleted.
func (s *Service) DeleteWebhookEndpoint(ctx context.Context, id string) error {
	s.writes.Forget(id)
	return api.Delete(ctx, s.client, api.Request{Operation: "webhook_endpoints.delete", Path: map[string]string{"id": id}})
}

// ListWebhookEndpoints lists all endpoints (wire contract:
// webhook_endpoints.list), in the order of their creation.
func (s *Service) ListWebhookEndpoints(ctx context.Context) iter.Seq2[WebhookEndpoint, error] {
	return api.List(ctx, s.client, api.Request{Operation: "webhook_endpoints.list"}, api.ListOptions[WebhookEndpoint]{
		ID:     func(e WebhookEndpoint) string { return e.ID },
		SortBy: unsorted,
	})
}

// FindWebhookEndpoints returns every endpoint with exactly this url, over all
// pages. There may be several: a url need not be unique.
func (s *Service) FindWebhookEndpoints(ctx context.Context, url string) (found []WebhookEndpoint, err error) {
	for endpoint, err := range s.ListWebhookEndpoints(ctx) {
		if err != nil {
			return nil, err
		}
		if endpoint.URL == url {
			found = append(found, endpoint)
		}
	}
	return found, nil
}
