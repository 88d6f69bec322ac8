package webhookendpoint

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// scheme is how endpoints are named and found.
var scheme = object.Scheme[*collections.Service, collections.WebhookEndpoint]{
	TypeName: typeName, Noun: "webhook endpoint", Key: "url",
	Service: conn.Collections,
	ID:      func(e *collections.WebhookEndpoint) string { return e.ID },
	Get:     (*collections.Service).GetWebhookEndpoint,
	Listed:  (*collections.Service).RefreshWebhookEndpoint,
	Find: func(ctx context.Context, client *collections.Service, by object.Selector) ([]collections.WebhookEndpoint,
		error) {
		return client.FindWebhookEndpoints(ctx, by.Value)
	},
	Line: func(e *collections.WebhookEndpoint) string {
		return fmt.Sprintf("%s  (registered %s)", e.ID, e.CreatedAt)
	},
}

// Read refreshes the state. Only the service's own not-found drops the endpoint.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	prior, client, ok := r.BeginRead(ctx, req, resp)
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	client.Wrote(prior.ID.ValueString(), prior.CreatedAt.ValueString(), prior.UpdatedAt.ValueString())
	endpoint := r.Refresh(ctx, client, prior.ID, operation("read", prior),
		"registers it again, with a new id and a new secret", resp)
	if endpoint == nil {
		return
	}
	state := fromAPI(endpoint)
	// No refresh puts clear text into the state.
	state.setSecret(prior.secret())
	if !importing {
		state = state.preserve(prior)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
}

// ImportState finds the endpoint by its id, or by url=<value>.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) {
	if found := scheme.Import(ctx, r.Conn.Collections, req, resp); found != nil {
		resp.Diagnostics.AddAttributeWarning(path.Root("secret"),
			"The secret of "+fromAPI(found).displayName()+" is not known",
			"It was imported, and the service shows a secret only when an endpoint is registered and when the secret is "+
				"rotated, so secret is null. "+howToRotate)
	}
}

type lists = object.ListResource[*collections.Service, collections.WebhookEndpoint, struct{}]

// ListResource lists endpoints for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource. The service offers no filters.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme,
		About: "Lists the webhook endpoints of the organization, oldest first, so that `terraform query` " +
			"can write their configuration and import them. Secrets and credentials are not part of it, and the service " +
			"offers no filters." +
			object.ListNeeds("billing_webhook_endpoints"),
		Query: func(ctx context.Context, client *collections.Service,
			_ struct{}) iter.Seq2[collections.WebhookEndpoint, error] {
			return client.ListWebhookEndpoints(ctx)
		},
		Describe: describe}}
}

// describe is an endpoint in a listing.
func describe(_ context.Context, _ *collections.Service, e *collections.WebhookEndpoint) (object.Item, bool) {
	m := fromAPI(e)
	m.setSecret(encrypt.Secret{})
	return object.Item{Name: e.URL, Resource: m}, true
}
