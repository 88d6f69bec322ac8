package collections

import (
	"context"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// rotated is the response of webhook_endpoints.rotate_secret. Only the secret is documented.
type rotated struct {
	Secret *string `json:"secret"`
}

// Check rejects a response without the secret: the old one is invalid, and the new one is returned only this once.
func (r *rotated) Check() error { return api.Present("new secret", api.OrEmpty(r.Secret)) }

// RotateWebhookSecret rotates the secret of an endpoint and returns the new one (wire contract:
// webhook_endpoints.rotate_secret). The old secret is invalid immediately.
//
// The request is sent once. If its response is lost, the error is an *api.AmbiguousError: no read returns the new
// secret, and if the first of two requests were carried out last, the secret of the second would be invalid. After it
// was sent, the request continues for at most 8 s after ctx has ended, because the secret is returned only this once.
func (s *Service) RotateWebhookSecret(ctx context.Context, id string) (string, error) {
	request := api.Request{Operation: "webhook_endpoints.rotate_secret", Path: map[string]string{"id": id}}
	response, _, err := api.Create(ctx, s.client, api.Creation[rotated]{
		Send:     func(ctx context.Context) (rotated, error) { return api.One[rotated](ctx, s.client, request) },
		Describe: fmt.Sprintf("new secret of the webhook endpoint %q", id),
	})
	if ambiguous, ok := api.AsAmbiguous(err); ok {
		unknown := *ambiguous
		unknown.Advice = fmt.Sprintf("The secret of the webhook endpoint %q may or may not have been rotated, so the "+
			"last known secret may be invalid", id)
		return "", &unknown
	}
	if err != nil {
		return "", err
	}
	return *response.Secret, nil
}

// TestWebhookEndpoint sends a test event through the real pipeline (wire contract: webhook_endpoints.test). A response
// without a body is a success with unknown ids.
//
// If the response is lost, the request is repeated once: a second test event is harmless, because consumers must handle
// duplicate events (service description, Collections §1). The ids are those of the request that got a response.
func (s *Service) TestWebhookEndpoint(ctx context.Context, id string) (TestEvent, error) {
	return api.Repeat(ctx, api.Repetition[TestEvent]{
		Send: func(ctx context.Context) (TestEvent, error) {
			event, _, err := api.Optional[TestEvent](ctx, s.client, api.Request{
				Operation: "webhook_endpoints.test", Path: map[string]string{"id": id},
			})
			return event, err
		},
		Describe: fmt.Sprintf("test of the webhook endpoint %q", id),
		Advice:   "The list of its deliveries shows whether a test event was fired; firing another one does no harm",
	})
}
