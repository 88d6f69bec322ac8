package front

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// result is what a resource has returned to this server, for the framework to continue with: a resource reads and plans
// once.
type result struct {
	typeName string
	// blank leaves the framework's plan as it is.
	blank       bool
	read        *resource.ReadResponse
	readRequest resource.ReadRequest
	plan        *resource.ModifyPlanResponse
	planRequest resource.ModifyPlanRequest
	notes       object.PrivateMap // the private state
	compare     func(typeName string, ours, theirs any, err error)
}

type resultKey struct{}

// with is a context in which the framework continues with a result.
func (s *Server) with(ctx context.Context, typeName string, a *result) context.Context {
	a.typeName, a.compare = typeName, s.compare
	return context.WithValue(ctx, resultKey{}, a)
}

// hand copies the notes to the private state of the framework.
func (a *result) hand(ctx context.Context, to object.PrivateState) {
	for key, value := range a.notes {
		to.SetKey(ctx, key, value)
	}
}

// Resource is what a resource type of a provider offers for the framework to serve it behind this server.
type Resource interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
	resource.ResourceWithMoveState
}

// Wrapped makes resource types give the framework what they have returned to the Server already. A type that offers
// less than Resource stays as it is.
func Wrapped(all []func() resource.Resource) []func() resource.Resource {
	constructors := make([]func() resource.Resource, len(all))
	for i, constructor := range all {
		constructors[i] = func() resource.Resource {
			inner, ok := constructor().(Resource)
			if !ok {
				return constructor()
			}
			if validated, ok := inner.(validating); ok {
				return &wrappedValidated{wrapped{inner}, validated}
			}
			return &wrapped{inner}
		}
	}
	return constructors
}

// wrapped is a resource type that reads and plans once.
type wrapped struct{ Resource }

// Read returns what the resource has returned already, or reads.
func (r *wrapped) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	a, _ := ctx.Value(resultKey{}).(*result)
	if a == nil || a.read == nil {
		r.Resource.Read(ctx, req, resp)
		return
	}
	if a.compare != nil {
		a.compare(a.typeName, a.readRequest, req, nil)
	}
	notes := resp.Private
	*resp = *a.read
	resp.Private = notes
	a.hand(ctx, notes)
}

// ModifyPlan returns what the resource has returned already, or plans.
func (r *wrapped) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	a, _ := ctx.Value(resultKey{}).(*result)
	if a != nil && a.blank {
		return
	}
	if a == nil || a.plan == nil {
		r.Resource.ModifyPlan(ctx, req, resp)
		return
	}
	if a.compare != nil {
		a.compare(a.typeName, a.planRequest, req, nil)
	}
	notes := resp.Private
	*resp = *a.plan
	resp.Private = notes
	a.hand(ctx, notes)
}

type validating interface {
	ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse)
}

type wrappedValidated struct {
	wrapped
	validating
}
