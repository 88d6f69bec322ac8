// Package finance is financial management: the resource of free-form records, and the data sources of its lists and of its description.
package finance

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// Resource is billing_finance_record.
type Resource struct{ conn.Resource }

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource makes the resource.
func NewResource() resource.Resource { return &Resource{} }

// Metadata names the type.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

// Create makes the record, or takes the one that was made with the same key.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	client, ready := r.Conn.Finance.For(typeName, &resp.Diagnostics)
	desired, ok := plan.object(&resp.Diagnostics)
	if !ready || !ok || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	record, err := client.CreateRecord(ctx, plan.Collection.ValueString(), metadata.Payload(desired), plan.IdempotencyKey.ValueString())
	if err != nil {
		apidiag.Add(&resp.Diagnostics, inBody(err), doing("create", plan))
		adviseRetry(err, plan, &resp.Diagnostics)
		return
	}
	created, err := fromAPI(plan.Collection, &record.Record)
	if err != nil {
		apidiag.Unreadable(&resp.Diagnostics, err)
		return
	}
	client.Carried(plan.Collection.ValueString(), plan.IdempotencyKey.ValueString())
	plan.ID, plan.Response = created.ID, created.Response
	save(ctx, plan, &resp.State, resp.Identity, &resp.Diagnostics)
	private.Set(ctx, resp.Private, keyOwned, metadata.OwnedBy(desired), &resp.Diagnostics)
	entry(ctx, resp.Private, &resp.Diagnostics)
	if record.Existed {
		warnExisted(plan, &resp.Diagnostics)
	}
	plan.warnStored(&record.Record, desired, &resp.Diagnostics)
}

// warnExisted says that a creation was given a record that was there already.
func warnExisted(m model, diags *diag.Diagnostics) {
	diags.AddWarning("The record existed already", fmt.Sprintf("An earlier creation with the key %s made the %s. The service creates one record for one key, so it returned that record, and this resource "+
		"manages it now. Nothing is to be done if the resource was renamed, or if the response to the earlier creation was lost. If another resource or workspace manages the record too, what one of them "+
		"changes or deletes, the other one loses: remove one of them from its state, or give this one an idempotency_key of its own and replace it.", m.IdempotencyKey.ValueString(), m.displayName()))
}

// adviseRetry says how to find out whether a record was made: by asking again.
func adviseRetry(err error, m model, diags *diag.Diagnostics) {
	if finance.Unsettled(err) {
		diags.AddWarning("The record may exist all the same", fmt.Sprintf("Apply again with the same collection and body, and this is settled: the creation is sent with the same key (%s), "+
			"and the service answers with the record that it has made, or makes it. A body that was changed meanwhile has another key and makes another record.", m.IdempotencyKey.ValueString()))
	}
}

// Update sends the top-level keys that the plan shows as changing. What only this provider knows changes without any request.
//
// It does not read the configuration: at apply it does not respect ignore_changes. What the plan decided about ownership comes with
// the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	own := ownership(ctx, req.Private, &resp.Diagnostics)
	after := private.Planned[metadata.Owned](ctx, req.Private, &resp.Diagnostics)
	refuseMove(plan, state, &resp.Diagnostics)
	client, ready := r.Conn.Finance.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	stored, ok := state.stored(after.Object, &resp.Diagnostics)
	whole, err := state.answered()
	if !ok || err != nil {
		return
	}
	send := map[string]any{}
	if plan.Response.IsUnknown() {
		send = changes(own, stored, whole, after.Object)
	}
	plan.Response = state.Response
	if len(send) > 0 {
		record, err := client.UpdateRecord(ctx, state.Collection.ValueString(), state.ID.ValueString(), send)
		if err != nil {
			apidiag.Add(&resp.Diagnostics, inBody(err), doing("update", state))
			return
		}
		plan.Response = wire.JSONText(record.Raw)
		plan.warnStored(record, after.Object, &resp.Diagnostics)
	}
	save(ctx, plan, &resp.State, resp.Identity, &resp.Diagnostics)
	private.Set(ctx, resp.Private, keyOwned, after, &resp.Diagnostics)
}

// Delete deletes the record, unless another resource manages it too.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	client, state, ok := object.Delete[*finance.Service, model](ctx, typeName, r.Conn.Finance, r.Run(), req, resp, nil)
	if !ok {
		return
	}
	if !removes(ctx, client, state, req.Private, &resp.Diagnostics) {
		return // the plan has said so
	}
	deleted, err := client.DeleteRecord(ctx, state.Collection.ValueString(), state.ID.ValueString())
	switch {
	case err != nil:
		apidiag.Add(&resp.Diagnostics, err, doing("delete", state))
	case !deleted:
		resp.Diagnostics.AddWarning("The record was not deleted", fmt.Sprintf("A creation of this run has the same key as the %s: the resource was renamed without a moved block, or is replaced with "+
			"create_before_destroy. The service creates one record for one key, so both are the same one, and it stays. To replace it, give it another idempotency_key.", state.displayName()))
	}
}

// save writes state and identity.
func save(ctx context.Context, m model, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	diags.Append(state.Set(ctx, m)...)
	identify(ctx, m, identity, diags)
}

// inBody is err, speaking of the argument body: the fields that the service blames are inside of it.
func inBody(err error) error {
	e, ok := api.AsError(err)
	if !ok || e.Field == "" && len(e.Fields) == 0 {
		return err
	}
	blamed := *e
	if e.Field != "" {
		blamed.Field = attrBody + "." + e.Field
	}
	blamed.Fields = nil
	for field, wrong := range e.Fields {
		if blamed.Fields == nil {
			blamed.Fields = map[string]string{}
		}
		blamed.Fields[attrBody+"."+field] = wrong
	}
	return &blamed
}

// doing describes an operation on the record for an error.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: m.displayName(), Attributes: []string{attrBody}}
}
