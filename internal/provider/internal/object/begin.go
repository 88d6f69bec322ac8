package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// BeginCreate begins the creation of an object; it returns false after an error.
func (r *Resource[S, T, M]) BeginCreate(ctx context.Context, req resource.CreateRequest,
	resp *resource.CreateResponse) (*Op[S, T, M], bool) {
	o := &Op[S, T, M]{resource: r, is: creation, Private: resp.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	o.Diags.Append(value.Get(ctx, req.Config, &o.Config)...)
	o.Diags.Append(value.Get(ctx, req.Plan, &o.Plan)...)
	o.State = o.Plan
	if len(r.OnCreation) > 0 {
		private.Set(ctx, o.Private, keyCreated, true, o.Diags)
	}
	return o, r.begin(o)
}

// BeginRead begins the refresh of an object; it returns false after an error. It also writes the identity of an object
// that turns out to be gone: the framework requires one from every refresh, and a state written by an older Terraform
// has none.
func (r *Resource[S, T, M]) BeginRead(ctx context.Context, req resource.ReadRequest,
	resp *resource.ReadResponse) (*Op[S, T, M], bool) {
	o := &Op[S, T, M]{resource: r, is: refresh, Private: resp.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	o.Diags.Append(value.Get(ctx, req.State, &o.State)...)
	o.Importing = private.Get[importing](ctx, o.Private, keyImport, o.Diags) == importFound
	o.wording = private.Get[wording](ctx, o.Private, keyWording, o.Diags)
	r.Scheme.Identify(ctx, o.State, o.identity, o.Diags)
	client, ready := r.Scheme.Service(r.Conn).ForRefresh(r.Scheme.TypeName, o.Diags)
	if ready && r.Conn.Foreign() {
		if _, foreign := r.foreign(ctx, o.Private, "", conn.DoubtStops, o.Diags); foreign {
			return o, false
		}
	}
	if !ready || o.Diags.HasError() {
		return o, false
	}
	r.Scheme.wrote(client, o.State)
	o.Client = client
	return o, true
}

// BeginUpdate begins the update of an object; it returns false after an error.
func (r *Resource[S, T, M]) BeginUpdate(ctx context.Context, req resource.UpdateRequest,
	resp *resource.UpdateResponse) (*Op[S, T, M], bool) {
	o := &Op[S, T, M]{resource: r, is: update, Private: resp.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	o.Diags.Append(value.Get(ctx, req.Config, &o.Config)...)
	o.Diags.Append(value.Get(ctx, req.Plan, &o.Plan)...)
	o.Diags.Append(value.Get(ctx, req.State, &o.State)...)
	o.wording = private.Get[wording](ctx, o.Private, keyWording, o.Diags)
	o.wording.satisfied(textsOf(r.Scheme.TypeName, o.state.Schema), &o.State, o.Plan)
	o.before = o.State
	if !r.begin(o) {
		return o, false
	}
	r.Scheme.wrote(o.Client, o.State)
	return o, true
}

// BeginDelete begins the deletion of an object. It returns false if deletion_policy keeps the object, if
// needsNoRequest (optional) reports that there is nothing to send, or after an error.
func (r *Resource[S, T, M]) BeginDelete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse,
	needsNoRequest func(M, *diag.Diagnostics) bool) (*Op[S, T, M], bool) {
	o := &Op[S, T, M]{resource: r, is: deletion, Private: req.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	o.Diags.Append(value.Get(ctx, req.State, &o.State)...)
	o.Plan = o.State
	of := policyOf(o.State)
	if of.prevents() { // the plan without a refresh has found that the object does not exist, or the object is tainted
		diags, lost := r.lost(ctx, resource.ReadRequest{State: req.State, Private: req.Private})
		if lost {
			o.Diags.Append(diags...)
			return o, false
		}
		of.check("destroy", ifTainted, o.Diags)
	}
	if o.Diags.HasError() || of.Abandons() || needsNoRequest != nil && needsNoRequest(o.State, o.Diags) {
		return o, false
	}
	return o, r.begin(o) && !r.endsForeign(ctx, o, of.Object) && r.checkReplacement(ctx, o)
}

// endsForeign is foreignEach for a deletion, for which a 404 is a success. If the organization of the token cannot be
// determined, it first reads whether the object exists.
func (r *Resource[S, T, M]) endsForeign(ctx context.Context, o *Op[S, T, M], object string) bool {
	if r.foreignEach(ctx, o.Private, "destroy", object, conn.DoubtPasses, o.Diags) {
		return true
	}
	if !r.bound() || !r.Conn.Undecided() {
		return false
	}
	_, err := r.Scheme.Get(o.Client, ctx, r.Scheme.name(o.State))
	return api.IsNotFound(err) && r.foreignEach(ctx, o.Private, "destroy", object, conn.DoubtStops, o.Diags)
}

// begin connects, and records that this run applies.
func (r *Resource[S, T, M]) begin(o *Op[S, T, M]) (ok bool) {
	if o.Client, ok = r.Scheme.Service(r.Conn).For(r.Scheme.TypeName, o.Diags); !ok || o.Diags.HasError() {
		return false
	}
	r.Run().Applies()
	return true
}
