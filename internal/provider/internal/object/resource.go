package object

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// textOf is an attribute of a model.
func textOf(model any, name string) types.String {
	text, _ := value.Field(model, name).(types.String)
	return text
}

// wrote tells the client when the object that m shows was written.
func (s Scheme[S, T]) wrote(client S, m any) {
	if s.Wrote != nil {
		s.Wrote(client, textOf(m, keyID).ValueString(), textOf(m, "created_at").ValueString(),
			textOf(m, "updated_at").ValueString())
	}
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
	conn.Connected
	Scheme Scheme[S, T]
	// After is Write.After and Reading.After; nil where these need more than a response.
	After func(response *T, prior M) M
	// Needs are the values for which the service may reject the creation of an object; optional.
	Needs func(planned M) []Need
	// Lacks says why a new object cannot have a value and what to do, in sentences; "" if it can, or that is not known.
	Lacks func(ctx context.Context, client S, need Need) (string, error)
}

// Operation describes an operation on the object, which m names, for an error.
func (r *Resource[S, T, M]) Operation(verb string, m M) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: policyOf(m).Object, Model: m, TypeName: r.Scheme.TypeName,
		Keys: r.Scheme.Codes, Choices: r.Scheme.Choices}
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
