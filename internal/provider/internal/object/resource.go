package object

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fields"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// Refresh reads the object with the id for the refresh of its resource. Only the service's own not-found drops it from
// the state, see Gone: a bare 404 of a wrong address is an error. In both cases Refresh has reported it and returns
// nil. again ends the sentence that says what the plan does with an object that is gone, "the plan …".
func (r *Resource[S, T, M]) Refresh(ctx context.Context, client S, id types.String, operation apidiag.Operation,
	again string, resp *resource.ReadResponse) *T {
	importing := Importing(ctx, resp.Private, &resp.Diagnostics)
	found, err := r.Scheme.Reread(ctx, client, id.ValueString(), importing)
	switch {
	case api.IsNotFound(err):
		r.Gone(ctx, id, operation.Object, "was deleted", again, resp)
		return nil
	case err != nil:
		apidiag.AddRead(&resp.Diagnostics, err, operation, !importing)
		return nil
	case importing:
		r.bind(ctx, resp.Private, &resp.Diagnostics)
	}
	r.Run().Refreshed(r.Scheme.TypeName, id.ValueString())
	return found
}

// BeginRead begins the refresh of an object, which prior is in the state; false means that it ends here, with an error.
func (r *Resource[S, T, M]) BeginRead(ctx context.Context, req resource.ReadRequest,
	resp *resource.ReadResponse) (prior M, client S, ok bool) {
	resp.Diagnostics.Append(fields.Get(ctx, req.State, &prior)...)
	client, ready := r.Scheme.Service(r.Conn).ForRefresh(r.Scheme.TypeName, &resp.Diagnostics)
	if ready && r.Conn.Foreign() {
		if _, foreign := r.foreign(ctx, req.Private, "", &resp.Diagnostics); foreign {
			return prior, client, false
		}
	}
	return prior, client, ready && !resp.Diagnostics.HasError()
}

// Reread reads the object with the id for the refresh of its resource. An object that is being imported is read by its
// id: nothing is known of it.
func (s Scheme[S, T]) Reread(ctx context.Context, client S, id string, importing bool) (*T, error) {
	if s.Listed == nil || importing {
		return s.Get(client, ctx, id)
	}
	return s.Listed(client, ctx, id)
}

// Managed is what every resource of the provider is.
type Managed interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
}

// Resource is what the resources of the provider embed: the connection, and what follows from the scheme. M is the
// model.
type Resource[S, T, M any] struct {
	conn.Resource
	Scheme Scheme[S, T]
	// After is Write.After; nil where it needs more than a response.
	After func(response *T, prior M) M
}

// Operation describes an operation on the object, which m names, for an error.
func (r *Resource[S, T, M]) Operation(verb string, m M) apidiag.Operation {
	operation := apidiag.Operation{Verb: verb, Object: policyOf(m).Object, Model: m, TypeName: r.Scheme.TypeName,
		Keys: r.Scheme.Codes, Existing: r.Scheme.Existing}
	for name := range attributesOf(reflect.TypeFor[M]()) {
		operation.Attributes = append(operation.Attributes, name)
	}
	return operation
}

// Metadata names the type.
func (r *Resource[S, T, M]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.Scheme.metadata(resp)
}

// metadata names the type of a resource or of a list resource.
func (s Scheme[S, T]) metadata(resp *resource.MetadataResponse) {
	resp.TypeName, resp.ResourceBehavior.MutableIdentity = s.TypeName, s.MutableIdentity
}

// IdentitySchema describes what names the object in an import block.
func (r *Resource[S, T, M]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest,
	resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = r.Scheme.IdentitySchema()
}

// ImportState finds the object by its id, or by <key>=<value>.
func (r *Resource[S, T, M]) ImportState(ctx context.Context, req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) {
	r.Scheme.Import(ctx, r.Scheme.Service(r.Conn), req, resp)
}

// Client is the client of the service; false while the connection is not known, as in a plan whose provider block waits
// for another object.
func (r *Resource[S, T, M]) Client() (client S, ready bool) {
	if r.Conn == nil {
		return client, false
	}
	service := r.Scheme.Service(r.Conn)
	return service.Client, service.Ready
}

// Defaults is the provider's default_custom_metadata; none while the provider is not configured.
func (r *Resource[S, T, M]) Defaults() metadata.Defaults {
	if r.Conn == nil {
		return metadata.Defaults{}
	}
	return r.Conn.Defaults
}
