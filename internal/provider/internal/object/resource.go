package object

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// Managed is implemented by every resource of the provider.
type Managed interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
	resource.ResourceWithMoveState
}

// Resource is embedded by the resources of the provider: the connection, and the methods that follow from the scheme. M
// is the model.
type Resource[S, T, M any] struct {
	conn.Connected
	Scheme Scheme[S, T]
	// Refresh is the Read of the resource.
	Refresh func(context.Context, resource.ReadRequest, *resource.ReadResponse)
	// OnCreation are the arguments that only a creation uses.
	OnCreation []OnCreation[M]
	// Requirements returns the values that may cause the service to reject a creation; optional.
	Requirements func(planned M) []Requirement
	// Unmet returns sentences about why a new object cannot have a value and what to do, or "" if it can or this is not
	// known.
	Unmet func(ctx context.Context, client S, requirement Requirement) (string, error)
}

// Operation describes an operation on the object in m, for errors.
func (r *Resource[S, T, M]) Operation(verb string, m M) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: policyOf(m).Object, Model: m, TypeName: r.Scheme.TypeName,
		Keys: r.Scheme.Codes, Choices: r.Scheme.Choices,
		Created: func(id string) string { return r.Run().Created(r.Scheme.TypeName, id) }}
}

// Metadata returns the type's name.
func (r *Resource[S, T, M]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.Scheme.metadata(resp)
}

// metadata names the type of a resource or of a list resource.
func (s Scheme[S, T]) metadata(resp *resource.MetadataResponse) {
	resp.TypeName, resp.ResourceBehavior.MutableIdentity = s.TypeName, s.MutableIdentity
}

// IdentitySchema describes the identity of the object, as in an import block.
func (r *Resource[S, T, M]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest,
	resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = r.Scheme.identitySchema()
}

// ImportState finds the object by its id, or by <key>=<value>.
func (r *Resource[S, T, M]) ImportState(ctx context.Context, req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) {
	r.Scheme.Import(ctx, r.Scheme.Service(r.Conn), r.Run(), req, resp)
}

// MoveState rejects a moved block between types. Without it, the framework's message asks for a feature of the
// provider.
func (r *Resource[S, T, M]) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: func(_ context.Context, req resource.MoveStateRequest,
		resp *resource.MoveStateResponse) {
		resp.Diagnostics.AddError(fmt.Sprintf("A %s cannot become a %s", req.SourceTypeName, r.Scheme.TypeName),
			fmt.Sprintf("A moved block changes the address of an object, not its type. Write an address of the type %s "+
				"in to, or remove the moved block: then the plan destroys the %s and creates the %s. A removed block with "+
				"destroy = false keeps the first one at the service.", req.SourceTypeName, req.SourceTypeName,
				r.Scheme.TypeName))
	}}}
}

// Client returns the service's client, or false while the connection is not known, as in a plan where the provider
// block depends on another object.
func (r *Resource[S, T, M]) Client() (client S, ready bool) {
	if r.Conn == nil {
		return client, false
	}
	service := r.Scheme.Service(r.Conn)
	return service.Client, service.Ready
}

// Defaults returns the provider's default_custom_metadata; empty while the provider is not configured.
func (r *Resource[S, T, M]) Defaults() metadata.Defaults {
	if r.Conn == nil {
		return metadata.Defaults{}
	}
	return r.Conn.Defaults
}

// OnCreation is an argument that only a creation uses.
type OnCreation[M any] struct {
	Argument string
	// Has returns the value that the object has, if the service shows that; nil: the state has the value used then.
	Has func(state M) attr.Value
	// Instead says where the value is changed afterwards, as sentences; "" to say nothing of this object.
	Instead func(state M) string
}

// Requirement is a value that may cause the service to reject the creation of an object. An empty value is ignored.
type Requirement struct {
	// Argument is the argument of the value; Field is the service's name of the value if it differs.
	Argument string `json:"argument"`
	Field    string `json:"field,omitempty"`
	Value    string `json:"value"`
}
