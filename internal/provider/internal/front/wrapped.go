package front

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// result is what a resource has returned to this server, for the framework to continue with: a resource reads and plans
// once.
type result struct {
	read        *resource.ReadResponse
	readRequest resource.ReadRequest
	plan        *resource.ModifyPlanResponse
	planRequest resource.ModifyPlanRequest
	check       bool
}

type resultKey struct{}

// Resource is what a resource type of a provider offers for the framework to serve it behind this server.
type Resource interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
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
			if validated, ok := inner.(validatedResource); ok {
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
	if a.check && (!req.State.Raw.Equal(a.readRequest.State.Raw) || !req.Identity.Raw.Equal(a.readRequest.Identity.Raw) ||
		req.ClientCapabilities != a.readRequest.ClientCapabilities || req.State.Schema == nil) {
		panic(fmt.Sprintf("front: a read began with %+v, and in the framework with %+v", a.readRequest, req))
	}
	*resp = *a.read
}

// ModifyPlan returns what the resource has returned already, or plans.
func (r *wrapped) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	a, _ := ctx.Value(resultKey{}).(*result)
	if a == nil || a.plan == nil {
		r.Resource.ModifyPlan(ctx, req, resp)
		return
	}
	if a.check && (!req.Config.Raw.Equal(a.planRequest.Config.Raw) || !req.State.Raw.Equal(a.planRequest.State.Raw) ||
		!req.Plan.Raw.Equal(a.planRequest.Plan.Raw) || !req.Identity.Raw.Equal(a.planRequest.Identity.Raw) ||
		req.ClientCapabilities != a.planRequest.ClientCapabilities || len(resp.Diagnostics) > 0) {
		panic(fmt.Sprintf("front: a plan began with %+v, and in the framework with %+v and %v", a.planRequest, req,
			resp.Diagnostics))
	}
	*resp = *a.plan
}

// validatedResource is a resource type that validates its configuration.
type validatedResource interface {
	resource.ResourceWithValidateConfig
}

type wrappedValidated struct {
	wrapped
	validated validatedResource
}

// ValidateConfig validates as the resource does.
func (r *wrappedValidated) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	r.validated.ValidateConfig(ctx, req, resp)
}
