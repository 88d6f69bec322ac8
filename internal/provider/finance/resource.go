// Package finance is financial management: the resource of free-form records, and the data sources of its lists and of
// its description. body.go compares bodies, entries.go tells resources apart that manage one record.
package finance

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

type base = object.Resource[*finance.Service, finance.Record, model]

// Resource is billing_finance_record.
type Resource struct{ base }

var (
	_ object.Managed                      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource returns the resource.
func NewResource() resource.Resource { return &Resource{base{Scheme: scheme}} }

// ValidateConfig checks what is inside of the body.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Body.IsUnknown() || config.Body.IsNull() {
		return // a null the framework reports
	}
	// A null that has a type, as a condition may give, the framework does not see.
	if config.Body.IsAbsent() {
		resp.Diagnostics.AddAttributeError(path.Root(attrBody), "Missing body", "body is null. Write the record as "+
			"an object, such as { name = \"Rent\", amount = \"1500.00\" }.")
		return
	}
	if _, err := config.Body.Object(); err != nil && !errors.Is(err, metadata.ErrUnknown) {
		resp.Diagnostics.AddAttributeError(path.Root(attrBody), "Invalid body",
			fmt.Sprintf("The body cannot be sent: %s.", err))
	}
}

// Create creates the record, or takes the one that was created with the same key.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	w, ready := r.BeginCreate(ctx, req, resp)
	plan, client := w.Plan, w.Client
	desired, ok := plan.object(w.Diags)
	if !ready || !ok {
		return
	}
	record, err := client.CreateRecord(ctx, plan.Collection.ValueString(), metadata.Payload(desired),
		plan.IdempotencyKey.ValueString())
	if err != nil {
		apidiag.Add(w.Diags, inBody(err), operation("create", plan))
		adviseRetry(err, plan, w.Diags)
		return
	}
	created, err := fromAPI(plan.Collection, &record.Record)
	if err != nil {
		apidiag.Unreadable(w.Diags, err)
		return
	}
	client.Carried(plan.Collection.ValueString(), plan.IdempotencyKey.ValueString())
	plan.ID, plan.Response = created.ID, created.Response
	save(ctx, plan, &resp.State, resp.Identity, w.Diags)
	private.SetOwned(ctx, w.Private, metadata.Owned{Object: metadata.Merge(nil, desired)}, w.Diags)
	entry(ctx, w.Private, w.Diags)
	if record.Existed {
		warnExisted(plan, w.Diags)
	}
	plan.warnStored(&record.Record, desired, w.Diags)
}

// warnExisted says that a creation was given a record that was there already.
func warnExisted(m model, diags *diag.Diagnostics) {
	diags.AddWarning("The record existed already", fmt.Sprintf("An earlier creation with the key %s made the %s. The "+
		"service creates one record for one key, so it returned that record, and this resource manages it now. "+
		"No action is needed if the resource was renamed, or if the response to the earlier creation was lost. If "+
		"another resource or workspace manages the record too, each of them overwrites the changes of the other: "+
		"remove one of them from its state, or set another idempotency_key on this one and replace it.",
		m.IdempotencyKey.ValueString(), m.displayName()))
}

// adviseRetry says how to find out whether a record was made: by asking again.
func adviseRetry(err error, m model, diags *diag.Diagnostics) {
	if finance.Unsettled(err) {
		diags.AddWarning("The record may exist all the same", fmt.Sprintf("Apply again with the same collection and "+
			"body: the creation is sent with the same key (%s), and the service returns the record that exists, or "+
			"creates it. If the body was changed in the meantime, it has another key, and another record is "+
			"created.", m.IdempotencyKey.ValueString()))
	}
}

// Update sends the top-level keys that the plan shows as changing. What only this provider knows changes without any
// request.
//
// It does not read the configuration: at apply it does not respect ignore_changes. What the plan decided about
// ownership comes with the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	w, ready := r.BeginUpdate(ctx, req, resp)
	plan, state := w.Plan, w.State
	own := readOwnership(ctx, w.Private, w.Diags)
	next := private.Planned[metadata.Owned](ctx, w.Private, w.Diags)
	refuseMove(plan, state, w.Diags)
	if !ready || w.Diags.HasError() {
		return
	}
	stored, ok := state.stored(next.Object, w.Diags)
	whole, err := state.lastResponse()
	if !ok || err != nil {
		return
	}
	send := map[string]any{}
	if plan.Response.IsUnknown() {
		send = changes(own, stored, whole, next.Object)
	}
	plan.Response = state.Response
	if len(send) > 0 {
		record, err := w.Client.UpdateRecord(ctx, state.Collection.ValueString(), state.ID.ValueString(), send)
		if err != nil {
			apidiag.Add(w.Diags, inBody(err), operation("update", state).Of(w.Plan))
			return
		}
		plan.Response = wire.JSONText(record.Raw)
		plan.warnStored(record, next.Object, w.Diags)
	}
	save(ctx, plan, &resp.State, resp.Identity, w.Diags)
	private.SetOwned(ctx, w.Private, next, w.Diags)
}

// Delete deletes the record, unless another resource manages it too.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	w, ok := r.BeginDelete(ctx, req, resp, nil)
	if !ok || !removes(ctx, w.Client, w.State, w.Private, w.Diags) {
		return // where another resource keeps it, the plan has said so
	}
	deleted, err := w.Client.DeleteRecord(ctx, w.State.Collection.ValueString(), w.State.ID.ValueString())
	switch {
	case err != nil:
		apidiag.Add(w.Diags, err, operation("delete", w.State))
	case !deleted:
		w.Diags.AddWarning("The record was not deleted",
			fmt.Sprintf("A creation of this run has the same key as the %s: the resource was renamed without a moved "+
				"block, or is replaced with create_before_destroy. The service creates one record for one key, so "+
				"both are the same one, and it stays. To replace it, give it another idempotency_key.",
				w.State.displayName()))
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

// operation describes an operation on the record for an error.
func operation(verb string, m model) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: m.displayName(), Model: m, Attributes: []string{attrBody}}
}
