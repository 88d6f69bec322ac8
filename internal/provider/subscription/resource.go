// Package subscription is the subscription of the recurring-billing service: the resource, the data sources (invoices too) and the list
// resource.
//
// schema.go says what a user writes, model.go and items.go convert, touches.go says what each transition can change, plan.go decides
// what a plan shows, resource.go, create.go and update.go talk to the service.
package subscription

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Resource is billing_subscription.
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

// ValidateConfig refuses what cannot work whatever the service says.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	refuseIncomplete(config.Items, &resp.Diagnostics)
}

// Read refreshes the state. Only the service's own not-found drops the subscription; a canceled one stays.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var prior model
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	own := private.Get[owned](ctx, req.Private, keyOwned, &resp.Diagnostics)
	importing := imports.Marked(ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	remote, err := client.GetSubscription(ctx, prior.ID.ValueString())
	if api.IsNotFound(err) {
		r.Run().Gone(typeName, prior.ID.ValueString())
		resp.Diagnostics.AddWarning("A subscription was deleted outside of Terraform",
			fmt.Sprintf("%s does not exist any more at the service. If it is still configured, the plan makes a new subscription.", prior.words()))
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("read", prior))
		return
	}
	r.Run().Refreshed(typeName, prior.ID.ValueString())
	state, err := fromAPI(remote)
	if err == nil && !importing {
		state, err = state.keeping(prior, remote, own)
	}
	if err == nil && (importing || own.readsItems(prior.Items) && remote.Status != statusCanceled) {
		state.Items, err = readItems(ctx, client, prior.ID.ValueString(), prior.Items)
		if e, ok := api.AsError(err); ok && e.Status == http.StatusForbidden && e.Structured {
			resp.Diagnostics.AddAttributeWarning(path.Root("items"), "The items of a subscription cannot be read",
				fmt.Sprintf("The API rejected reading the items of %s, so changes of them outside of Terraform are not shown. %s", prior.words(), apidiag.Text(err)))
			err = nil
		}
	}
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("read", prior))
		return
	}
	if importing {
		state.emptyCollections()
	}
	if !prior.Pause.IsNull() && state.Pause.IsNull() {
		if now, ok := client.Now(ctx); ok {
			state.keepFulfilled(prior, now)
		}
	}
	warnEndedPause(prior, state, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	imports.Mark(ctx, resp.Private, false, &resp.Diagnostics)
}

// readItems reads the items, worded as prior words them; where the service does not list them, they stay as they are.
func readItems(ctx context.Context, client *billing.Service, id string, prior types.Set) (types.Set, error) {
	items, listed, err := client.SubscriptionItems(ctx, id)
	if err != nil || !listed {
		return prior, err
	}
	return seenItems(prior, items), nil
}

// Delete does what deletion_policy says. What is canceled already needs nothing.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if state.Status.ValueString() == statusCanceled {
		return
	}
	refuseDestroy(state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || policy.Abandoned(state.DeletionPolicy, state.words(), &resp.Diagnostics) {
		return
	}
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	r.Run().Applies()
	atPeriodEnd := state.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if atPeriodEnd && state.CancelAtPeriodEnd.ValueBool() {
		return
	}
	_, err := client.CancelSubscription(ctx, state.ID.ValueString(), billing.Cancel{AtPeriodEnd: atPeriodEnd, Reason: state.CancellationReason.ValueString()})
	if err == nil || api.IsNotFound(err) {
		return
	}
	now, lookErr := client.GetSubscription(ctx, state.ID.ValueString())
	if lookErr == nil && now.Status == statusCanceled {
		return
	}
	if lookErr == nil {
		state.AllowCancel = types.BoolPointerValue(now.AllowCancel)
		refuseDestroy(state, &resp.Diagnostics)
	}
	apidiag.Add(&resp.Diagnostics, blameCancel.On(err), doing("cancel", state))
}

// ImportState finds the subscription by its id, or by external_id=<value>, and notes its id; the refresh that follows fills the rest.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	selector := scheme.Select(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	found := finder(client, selector.Value).One(ctx, selector.ID, selector, &resp.Diagnostics)
	switch {
	case found == nil:
	case selector.ID == "" && found.Status == statusCanceled:
		resp.Diagnostics.AddError("The subscription is canceled",
			fmt.Sprintf("The subscription with %s (id %s) is canceled, and canceled subscriptions are not found by "+
				"external_id for an import, because a new subscription may use the same one. "+
				"To import it in spite of that, use its id.", selector, found.ID))
	default:
		scheme.Imported(ctx, found.ID, resp)
	}
}

func finder(client *billing.Service, externalID string) imports.Finder[billing.Subscription] {
	return imports.Finder[billing.Subscription]{
		Noun: "subscription",
		Get:  client.GetSubscription,
		Find: func(ctx context.Context) ([]billing.Subscription, error) {
			return client.FindSubscriptions(ctx, billing.SubscriptionQuery{ExternalID: externalID})
		},
		Line: func(s *billing.Subscription) string {
			return fmt.Sprintf("%s  %s (created %s)", s.ID, s.Status, s.CreatedAt)
		},
	}
}

// scheme is how it is named for import.
var scheme = imports.ByExternalID("subscription")

// doing describes an operation on the subscription for an error.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: lower(m.words()), TypeName: typeName, Attributes: arguments}
}

func lower(words string) string { return strings.ToLower(words[:1]) + words[1:] }
