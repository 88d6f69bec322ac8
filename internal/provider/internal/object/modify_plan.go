package object

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Plan checks the arguments (see check.Plan), reads the request, calls destroy (optional), create or update, and writes
// the result. It reports all errors of the object: those of its arguments come first, and after one there are no
// warnings about a plan that cannot be applied.
func (r *Resource[S, T, M]) Plan(ctx context.Context, req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse, destroy, create, update func(context.Context, *Plan[M])) {
	checked := check.Plan(ctx, req.Config, req.State)
	applying := r.plan(ctx, req, resp, checked.HasError(), destroy, create, update)
	resp.Diagnostics = append(checked, resp.Diagnostics...)
	if checked.HasError() || applying {
		// Terraform shows the warnings of both plans of an apply, and the first one has reported them.
		resp.Diagnostics = resp.Diagnostics.Errors()
	}
}

// plan is Plan without the checks; applying is true for the second plan, inside the apply.
func (r *Resource[S, T, M]) plan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
	invalid bool, destroy, create, update func(context.Context, *Plan[M])) (applying bool) {
	if r.Conn != nil && !r.Scheme.Service(r.Conn).Planned(r.Scheme.TypeName, &resp.Diagnostics) {
		return false
	}
	p := &Plan[M]{Private: resp.Private, Run: r.Run(), Diags: &resp.Diagnostics, typeName: r.Scheme.TypeName,
		invalid: invalid, req: req, resp: resp}
	if !req.State.Raw.IsNull() {
		p.Diags.Append(value.Get(ctx, req.State, &p.State)...)
		p.id = r.Scheme.name(p.State)
	}
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, p, destroy)
		return false
	}
	p.Diags.Append(value.Get(ctx, req.Config, &p.Config)...)
	p.Diags.Append(value.Get(ctx, req.Plan, &p.Planned)...)
	if p.Diags.HasError() {
		return false
	}
	if req.State.Raw.IsNull() {
		if r.foreignUnseen(ctx, p, run.Replaced(ctx, p.Private, p.Diags), policyOf(p.Planned).Object) {
			return false
		}
		p.Replaces = p.Run.PlanCreate(ctx, p.typeName, p.Private, p.Diags)
		p.replacing(ctx)
		p.Applying = p.InApply()
		create(ctx, p)
		r.planRequirements(ctx, p)
	} else {
		if r.bound() && r.Conn.Foreign() && !p.InApply() { // the refresh has reported it, and shows nothing of the object
			return false
		}
		r.keepCreated(p) // before the wording, which an unknown value does not have
		private.Get[wording](ctx, p.Private, keyWording, p.Diags).satisfied(textsOf(p.typeName, req.Plan.Schema),
			&p.State, p.Planned)
		p.notePrevented(ctx, policyOf(p.State))
		p.Applying = p.Run.Applying(p.typeName, p.id, p.deferralAllowed())
		update(ctx, p)
		r.warnCreated(ctx, p)
		r.planOwn(ctx, p, "custom_metadata", r.Defaults())
		r.planOwn(ctx, p, "body", metadata.Defaults{})
	}
	p.Diags.Append(value.Set(ctx, &resp.Plan, p.Planned)...)
	r.claimExternalID(ctx, p)
	return p.Applying
}

// planDestroy plans the removal of an object. Terraform plans it before it reads an object without a block: nothing is
// said about one that no longer exists.
func (r *Resource[S, T, M]) planDestroy(ctx context.Context, p *Plan[M], destroy func(context.Context, *Plan[M])) {
	private.Remove(ctx, p.Private, keyRequirements, p.Diags) // of a replacement whose deletion failed
	of := policyOf(p.State)
	p.Run.PlanDestroy(p.typeName, p.id)
	if !of.Abandons() && r.foreignUnseen(ctx, p, p.id, of.Object) {
		return
	}
	of.check("destroy", "", p.Diags)
	if destroy != nil {
		destroy(ctx, p)
	}
	p.warnAbandoned()
	if _, ends := r.Ending(p); ends && len(*p.Diags) > 0 && !p.Run.WasRefreshed(p.typeName, p.id) {
		if _, lost := r.lost(ctx, resource.ReadRequest{State: p.req.State, Private: p.req.Private}); lost {
			*p.Diags = nil
		}
	}
}

// lost reports whether a refresh removes the object from the state, and returns the diagnostics of the refresh.
func (r *Resource[S, T, M]) lost(ctx context.Context, req resource.ReadRequest) (diag.Diagnostics, bool) {
	resp := resource.ReadResponse{State: req.State, Private: req.Private}
	r.Refresh(ctx, req, &resp)
	return resp.Diagnostics, resp.State.Raw.IsNull()
}

// claimExternalID reports another object of the plan with the same external_id: the service would reject one of the two
// in the apply. It accepts what the service has accepted, two objects that both have it already.
func (r *Resource[S, T, M]) claimExternalID(ctx context.Context, p *Plan[M]) {
	if r.Scheme.Key != keyExternalID || p.Ended || len(p.resp.RequiresReplace) > 0 || p.InApply() {
		return
	}
	var had, has types.String
	p.Diags.Append(p.resp.Plan.GetAttribute(ctx, path.Root(keyExternalID), &has)...)
	if !p.req.State.Raw.IsNull() {
		p.Diags.Append(p.req.State.GetAttribute(ctx, path.Root(keyExternalID), &had)...)
	}
	if has.ValueString() == "" {
		return
	}
	own := run.Claim{ID: p.id, Name: policyOf(p.Planned).Object, Takes: !has.Equal(had),
		Replaces: run.Replaced(ctx, p.Private, p.Diags)}
	for _, other := range p.Run.Claim(p.typeName, has.ValueString(), own) {
		if !own.Takes && !other.Takes || other.ID != "" && (other.ID == own.ID || other.ID == own.Replaces) {
			continue
		}
		which := other.Name
		if other.ID == "" {
			which = "a new " + other.Name
		}
		p.Diags.AddAttributeError(path.Root(keyExternalID), fmt.Sprintf("Two %ss have the external_id %s", r.Scheme.Noun,
			check.Quoted(has.ValueString())), fmt.Sprintf("The service accepts an external_id only once, so it would reject "+
			"one of the two in the apply. The other one is %s. Change the external_id of one of them, or remove one of the "+
			"two resources. With count or for_each, derive it from count.index or each.key.", which))
		return
	}
}

// foreignUnseen reports, when an object is removed or replaced without a refresh in this run, that it belongs to
// another organization than the token.
func (r *Resource[S, T, M]) foreignUnseen(ctx context.Context, p *Plan[M], id, object string) bool {
	if id == "" || r.Run().WasRefreshed(r.Scheme.TypeName, id) {
		return false
	}
	_, foreign := r.foreign(ctx, p.Private, object, conn.DoubtPasses, p.Diags)
	return foreign
}
