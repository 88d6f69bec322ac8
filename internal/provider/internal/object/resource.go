package object

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Refresh reads the object that prior is in the state. Only the service's own not-found drops it from the state, see
// Gone: a bare 404 of a wrong address is an error. In both cases Refresh has reported it and returns nil. again ends
// the sentence that says what the plan does with an object that is gone, "the plan …".
func (r *Resource[S, T, M]) Refresh(ctx context.Context, client S, prior M, again string,
	resp *resource.ReadResponse) *T {
	name := r.Scheme.name(prior)
	importing := Importing(ctx, resp.Private, &resp.Diagnostics)
	found, err := r.Scheme.Reread(ctx, client, name, importing)
	switch {
	case api.IsNotFound(err):
		r.Gone(ctx, prior, "was deleted", again, resp)
		return nil
	case err != nil:
		apidiag.AddRead(&resp.Diagnostics, err, r.Operation("read", prior), !importing)
		return nil
	case importing:
		r.bind(ctx, resp.Private, &resp.Diagnostics)
	}
	r.Run().Refreshed(r.Scheme.TypeName, name)
	return found
}

// textOf is an attribute of a model.
func textOf(model any, name string) types.String {
	text, _ := value.Field(model, name).(types.String)
	return text
}

// BeginRead begins the refresh of an object, which prior is in the state; false means that it ends here, with an error.
// It writes the identity also for an object that turns out to be gone: the framework requires one from every refresh,
// and a state that an older Terraform wrote has none.
func (r *Resource[S, T, M]) BeginRead(ctx context.Context, req resource.ReadRequest,
	resp *resource.ReadResponse) (prior M, client S, ok bool) {
	resp.Diagnostics.Append(value.Get(ctx, req.State, &prior)...)
	r.Scheme.Identify(ctx, prior, resp.Identity, &resp.Diagnostics)
	client, ready := r.Scheme.Service(r.Conn).ForRefresh(r.Scheme.TypeName, &resp.Diagnostics)
	if ready && r.Conn.Foreign() {
		if _, foreign := r.foreign(ctx, req.Private, "", doubtStops, &resp.Diagnostics); foreign {
			return prior, client, false
		}
	}
	if !ready || resp.Diagnostics.HasError() {
		return prior, client, false
	}
	r.Scheme.wrote(client, prior)
	return prior, client, true
}

// wrote tells the client when the object that m shows was written.
func (s Scheme[S, T]) wrote(client S, m any) {
	if s.Wrote != nil {
		s.Wrote(client, textOf(m, keyID).ValueString(), textOf(m, "created_at").ValueString(),
			textOf(m, "updated_at").ValueString())
	}
}

// Reread reads the object with the name for the refresh of its resource. An object that is being imported is not looked
// for in a list: nothing is known of it.
func (s Scheme[S, T]) Reread(ctx context.Context, client S, name string, importing bool) (*T, error) {
	if s.Listed == nil || importing {
		return s.Get(client, ctx, name)
	}
	return s.Listed(client, ctx, name)
}

// Managed is what every resource of the provider is.
type Managed interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
	resource.ResourceWithMoveState
}

// Resource is what the resources of the provider embed: the connection, and what follows from the scheme. M is the
// model.
type Resource[S, T, M any] struct {
	Connected
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

// MoveState rejects a moved block between types. Without it, the framework asks the developers of the provider for a
// feature.
func (r *Resource[S, T, M]) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: func(_ context.Context, req resource.MoveStateRequest,
		resp *resource.MoveStateResponse) {
		resp.Diagnostics.AddError(fmt.Sprintf("A %s cannot become a %s", req.SourceTypeName, r.Scheme.TypeName),
			fmt.Sprintf("A moved block gives an object another address, and its type stays. Write an address of the type %s "+
				"in to, or remove the moved block: then the plan destroys the %s and creates the %s. A removed block with "+
				"destroy = false keeps the first one at the service.", req.SourceTypeName, req.SourceTypeName,
				r.Scheme.TypeName))
	}}}
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

// Gone removes an object from the state that is not at the service any more, so that the plan creates it again. how
// says what has happened to it ("was deleted"), and again ends the sentence "the plan …". An object of another
// organization stays in the state.
func (r *Resource[S, T, M]) Gone(ctx context.Context, prior M, how, again string, resp *resource.ReadResponse) {
	object := policyOf(prior).Object
	if _, foreign := r.foreign(ctx, resp.Private, object, doubtStops, &resp.Diagnostics); foreign {
		return
	}
	r.Run().Gone(r.Scheme.TypeName, r.Scheme.name(prior))
	resp.Diagnostics.AddWarning(fmt.Sprintf("%s %s outside of Terraform", apidiag.Capitalize(object), how),
		fmt.Sprintf("It is removed from the state. If it is still configured, the plan %s.", again))
	resp.State.RemoveResource(ctx)
}
