package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/listing"
)

// ListResource lists keys for `terraform query`.
type ListResource struct{ conn.Resource }

var _ list.ListResourceWithConfigure = (*ListResource)(nil)

// NewListResource makes the list resource.
func NewListResource() list.ListResource { return &ListResource{} }

// Metadata names the type, which is the resource's.
func (l *ListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
	resp.ResourceBehavior.MutableIdentity = true
}

// ListResourceConfigSchema says that there are no filters: the service offers none.
func (l *ListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the API keys of the organization that are neither revoked nor expired, oldest first, so that `terraform query` can write their configuration and import them. " +
			"Tokens are not part of it, and the service offers no filters." + listing.Needs("billing_api_keys"),
	}
}

// List streams keys, each with the whole resource. Revoked and expired ones cannot be managed, so they are left out.
func (l *ListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	diags := req.Config.Get(ctx, &struct{}{})
	client, ready := l.Conn.Collections.For(typeName, &diags)
	if !ready || diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = listing.Stream(ctx, req, "API keys", scheme, client.ListAPIKeys(ctx), func(k *collections.APIKey) (listing.Item, bool) {
		now, _ := client.Now(ctx)
		item := listing.Item{ID: k.ID, Name: k.Name + " (" + k.KeyPrefix + ")", Resource: fromAPI(k)}
		return item, ended(k, now) == ""
	})
}
