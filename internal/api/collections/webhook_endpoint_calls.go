package collections

import (
	"context"
	"iter"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// CreateWebhookEndpoint registers an endpoint (wire contract: webhook_endpoints.create). Its Secret is returned only
// this once. An incomplete response is completed by a read, or used alone if the read fails.
//
// The service accepts several endpoints with the same url, so the creation is sent once, and the error for a lost
// response contains the endpoints with the url that were registered since; see [api.Create].
func (s *Service) CreateWebhookEndpoint(ctx context.Context, body WebhookEndpointBody) (*WebhookEndpoint, error) {
	url, _ := body.URL.Get()
	endpoint, _, err := api.Create(ctx, s.client, api.Creation[*WebhookEndpoint]{
		Describe: strings.TrimSpace("webhook endpoint " + api.ShownURL(url)),
		Send: func(ctx context.Context) (*WebhookEndpoint, error) {
			return api.Object[WebhookEndpoint](ctx, s.client, api.Request{Operation: "webhook_endpoints.create", Body: body})
		},
		ID:      func(e *WebhookEndpoint) string { return e.ID },
		Created: func(e *WebhookEndpoint) string { return e.CreatedAt },
		Find: func(ctx context.Context) (found []*WebhookEndpoint, err error) {
			for endpoint, err := range s.ListWebhookEndpoints(ctx) {
				if err != nil {
					return nil, err
				}
				if same.URL(endpoint.URL, url) {
					found = append(found, &endpoint)
				}
			}
			return found, nil
		},
		Again: "Applying again registers another endpoint: if this one exists, the consumer then receives every event " +
			"twice. If you import it, rotate its secret, which was lost with the response",
	})
	if err != nil || endpoint.URL != "" {
		return endpoint, err
	}
	ctx, cancel := api.Completing(ctx)
	defer cancel()
	if shown, err := s.GetWebhookEndpoint(ctx, endpoint.ID); err == nil {
		shown.Secret = endpoint.Secret
		return shown, nil
	}
	return endpoint, nil
}

// GetWebhookEndpoint reads an endpoint, without its secret (wire contract:
// webhook_endpoints.get).
func (s *Service) GetWebhookEndpoint(ctx context.Context, id string) (*WebhookEndpoint, error) {
	return api.Newest(ctx, s.client, &s.writes, id, func(ctx context.Context) (*WebhookEndpoint, error) {
		return api.Object[WebhookEndpoint](ctx, s.client, api.Request{Operation: "webhook_endpoints.get",
			Path: map[string]string{"id": id}})
	}, func(e *WebhookEndpoint) string { return e.UpdatedAt })
}

var endpointListing = api.Listing{Family: "webhook_endpoints"}

// RefreshWebhookEndpoint is GetWebhookEndpoint for a refresh; see [api.Refreshed].
func (s *Service) RefreshWebhookEndpoint(ctx context.Context, id string) (_ *WebhookEndpoint, unchanged bool, _ error) {
	return api.Refreshed(ctx, s.client, &s.writes, endpointListing, id, s.GetWebhookEndpoint,
		func(e *WebhookEndpoint) string { return e.UpdatedAt })
}

// UpdateWebhookEndpoint changes an endpoint and returns the changed one (wire contract: webhook_endpoints.update). If
// the response does not contain it, the endpoint is read.
func (s *Service) UpdateWebhookEndpoint(ctx context.Context, id string,
	body WebhookEndpointBody) (*WebhookEndpoint, error) {
	before := s.client.DateText()
	read := func(ctx context.Context) (*WebhookEndpoint, error) {
		s.writes.Note(id, "", before)
		return s.GetWebhookEndpoint(ctx, id)
	}
	endpoint, err := api.Object[WebhookEndpoint](ctx, s.client, api.Request{Operation: "webhook_endpoints.update",
		Path: map[string]string{"id": id}, Body: body})
	if err == nil && endpoint.URL == "" {
		return read(ctx)
	}
	return api.ReadBack(ctx, endpoint, err, read)
}

// DeleteWebhookEndpoint deletes an endpoint (wire contract: webhook_endpoints.delete). It succeeds if the endpoint does
// not exist.
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

// FindWebhookEndpoints returns every endpoint with exactly this url, over all pages, and without one, those with the
// same address in another spelling. There may be several, because a url need not be unique.
func (s *Service) FindWebhookEndpoints(ctx context.Context, url string) ([]WebhookEndpoint, error) {
	var exact, spelled []WebhookEndpoint
	for endpoint, err := range s.ListWebhookEndpoints(ctx) {
		switch {
		case err != nil:
			return nil, err
		case endpoint.URL == url:
			exact = append(exact, endpoint)
		case same.URL(endpoint.URL, url):
			spelled = append(spelled, endpoint)
		}
	}
	if len(exact) == 0 {
		return spelled, nil
	}
	return exact, nil
}
