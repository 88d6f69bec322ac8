package collections

import (
	"context"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// rotated is the response of webhook_endpoints.rotate_secret, of which only the
// secret is certain: the shape of the rest is not documented.
type rotated struct {
	Secret *string `json:"secret"`
}

// Check rejects a response without the secret: the old one is invalid, and this
// is the only time that the new one is shown.
func (r *rotated) Check() error { return present(api.OrEmpty(r.Secret), errNoSecret) }

// RotateWebhookSecret gives an endpoint a new secret and returns it (wire contract:
// webhook_endpoints.rotate_secret). The old secret is invalid immediately.
//
// The request is sent once. When its response is lost, no read shows the secret that was in
// it, and a request that is carried out later makes a secret of a second one invalid: the
// error is an *api.AmbiguousError. Once sent, the request continues for at most 8 s after ctx
// has ended, as the secret is shown this once.
func (s *Service) RotateWebhookSecret(ctx context.Context, id string) (string, error) {
	request := api.Request{Operation: "webhook_endpoints.rotate_secret", Path: map[string]string{"id": id}}
	response, _, err := api.Settle(ctx, s.client, api.Creation[rotated]{
		Send:     func(ctx context.Context) (rotated, error) { return api.One[rotated](ctx, s.client, request) },
		Describe: fmt.Sprintf("new secret of the webhook endpoint %q", id),
	})
	if ambiguous, ok := api.AsAmbiguous(err); ok {
		unknown := *ambiguous
		unknown.Outlook = fmt.Sprintf("The secret of the webhook endpoint %q may or may not have been rotated, so the "+
			"secret that was known may be invalid", id)
		return "", &unknown
	}
	if err != nil {
		return "", err
	}
	return *response.Secret, nil
}

// TestWebhookEndpoint fires a test event through the real pipeline (wire
// contract: webhook_endpoints.test). A response without a body is a success with
// unknown ids.
//
// When the response is lost, the request is sent once more: a second test event
// does no harm, as consumers must cope with any event coming twice (service
// description, Collections §1). The ids are those of the request that got a response.
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
