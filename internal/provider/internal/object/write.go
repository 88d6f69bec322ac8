package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fields"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Write is a creation, an update or a deletion in progress. S is the client of the service, M the model of the
// resource.
type Write[S, M any] struct {
	Client S
	// Config, Plan and State are what Terraform gives to the apply. State is zero for a creation; the other two are
	// zero for a deletion. Config is without ignore_changes, so only write-only values may be taken from it.
	Config, Plan, State M
	// Private is the private state: what the plan has left, and what the apply leaves.
	Private private.Store
	Diags   *diag.Diagnostics

	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	identify func(context.Context, types.String, *tfsdk.ResourceIdentity, *diag.Diagnostics)
	bind     func(context.Context, private.Store, *diag.Diagnostics) // nil once it is done, or not needed
	foreign  ask                                                     // nil unless this is an update
}

// BeginCreate begins the creation of an object; false means that it ends here, with an error.
func (r *Resource[S, T, M]) BeginCreate(ctx context.Context, req resource.CreateRequest,
	resp *resource.CreateResponse) (*Write[S, M], bool) {
	w := &Write[S, M]{Private: resp.Private, Diags: &resp.Diagnostics, state: &resp.State, identity: resp.Identity,
		bind: r.bind}
	w.Diags.Append(fields.Get(ctx, req.Config, &w.Config)...)
	w.Diags.Append(fields.Get(ctx, req.Plan, &w.Plan)...)
	return w, r.begin(w)
}

// BeginUpdate begins the update of an object; false means that it ends here, with an error.
func (r *Resource[S, T, M]) BeginUpdate(ctx context.Context, req resource.UpdateRequest,
	resp *resource.UpdateResponse) (*Write[S, M], bool) {
	w := &Write[S, M]{Private: resp.Private, Diags: &resp.Diagnostics, state: &resp.State, identity: resp.Identity}
	w.Diags.Append(fields.Get(ctx, req.Config, &w.Config)...)
	w.Diags.Append(fields.Get(ctx, req.Plan, &w.Plan)...)
	w.Diags.Append(fields.Get(ctx, req.State, &w.State)...)
	w.foreign = r.surelyForeign
	return w, r.begin(w)
}

// BeginDelete begins the deletion of an object: false means that the deletion ends here, because deletion_policy
// keeps the object, because stays says that there is nothing to send (it is optional), or with an error.
func (r *Resource[S, T, M]) BeginDelete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse,
	stays func(M, *diag.Diagnostics) bool) (*Write[S, M], bool) {
	w := &Write[S, M]{Private: req.Private, Diags: &resp.Diagnostics, state: &resp.State, identity: resp.Identity}
	w.Diags.Append(fields.Get(ctx, req.State, &w.State)...)
	of := policyOf(w.State)
	if of.Refuse("destroy", w.Diags); w.Diags.HasError() || of.Abandons() || stays != nil && stays(w.State, w.Diags) {
		return w, false
	}
	return w, r.begin(w) && !ask(r.foreign).each(ctx, w.Private, "destroy", of.Object, w.Diags)
}

// begin connects, and notes that this run applies.
func (r *Resource[S, T, M]) begin(w *Write[S, M]) (ok bool) {
	w.identify = r.Scheme.Identify
	if w.Client, ok = r.Scheme.Service(r.Conn).For(r.Scheme.TypeName, w.Diags); !ok || w.Diags.HasError() {
		return false
	}
	r.Run().Applies()
	return true
}

// Fail reports the error of a request about the object. Where the object does not exist, the token may belong to
// another organization.
func (w *Write[S, M]) Fail(ctx context.Context, err error, operation apidiag.Operation) {
	if w.foreign != nil && api.IsNotFound(err) &&
		w.foreign.each(ctx, w.Private, operation.Verb, operation.Object, w.Diags) {
		return
	}
	apidiag.Add(w.Diags, err, operation)
}

// Save writes m, the object with the id, to the state. It is called after each response, before the next request.
func (w *Write[S, M]) Save(ctx context.Context, id types.String, m M) {
	w.Diags.Append(fields.Set(ctx, w.state, m)...)
	w.identify(ctx, id, w.identity, w.Diags)
	if w.bind != nil {
		w.bind(ctx, w.Private, w.Diags)
		w.bind = nil
	}
}

// Save writes state, a model of the object with the id, and the identity.
func (s Scheme[S, T]) Save(ctx context.Context, id types.String, m any, state *tfsdk.State,
	identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	diags.Append(fields.Set(ctx, state, m)...)
	s.Identify(ctx, id, identity, diags)
}
