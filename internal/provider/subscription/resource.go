// Package subscription is the subscription of the recurring-billing service: the resource, the data sources (invoices
// too), the list resource and the action that invoices. transitions.go is the table of what can change, for creation,
// plan and apply; replacement.go is about one that ends, or that another one takes the place of.
package subscription

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fields"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/steps"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

type base = object.Resource[*billing.Service, billing.Subscription, model]

// Resource is billing_subscription.
type Resource struct{ base }

var (
	_ object.Managed                      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource returns the resource.
func NewResource() resource.Resource { return &Resource{base{Scheme: scheme}} }

// scheme is how subscriptions are named and found.
var scheme = object.Scheme[*billing.Service, billing.Subscription]{
	TypeName: typeName, Noun: "subscription", Key: "external_id",
	Service: conn.Billing,
	ID:      func(s *billing.Subscription) string { return s.ID },
	Get:     (*billing.Service).GetSubscription,
	Listed:  (*billing.Service).RefreshSubscription,
	Find: func(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.Subscription, error) {
		return client.FindSubscriptions(ctx, billing.SubscriptionQuery{ExternalID: by.Value})
	},
	Line: func(s *billing.Subscription) string {
		return fmt.Sprintf("%s  %s (created %s)", s.ID, s.Status, s.CreatedAt)
	},
	Refuse: func(_ context.Context, _ *billing.Service, s *billing.Subscription, by object.Selector,
		diags *diag.Diagnostics) {
		if by.ID == "" && s.Status == statusCanceled {
			diags.AddError(fmt.Sprintf("The subscription with %s (id %s) is canceled", by, s.ID),
				"Canceled subscriptions are not found by external_id for an import, because a new subscription may use the "+
					"same one. To import it in spite of that, use its id.")
		}
	},
}

// ValidateConfig rejects what no service accepts.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(fields.Get(ctx, req.Config, &config)...)
	if config.BillingAccountID.IsNull() && !resp.Diagnostics.HasError() {
		resp.Diagnostics.AddAttributeError(path.Root(argBillingAccountID), config.title()+" has no billing account",
			"billing_account_id is null. A customer with create_billing_account = false has no account, so its "+
				"billing_account_id is null too: remove create_billing_account, or write a billing_account for the customer "+
				"and refer to its id.")
	}
	config.refuseIncomplete(&resp.Diagnostics)
}

// Create creates the subscription and writes it to the state before anything else is done. What a creation cannot carry
// follows: an update, a pause, a scheduled cancellation. When one of these fails it is a warning, see steps.Postpone.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	begun, ok := r.BeginCreate(ctx, req, resp)
	if !ok {
		return
	}
	w := &work{Write: begun}
	desired, ok := r.Defaults().Under(w.Plan.CustomMetadata, w.Diags)
	if !ok {
		return
	}
	body := w.Plan.body(model{})
	if payload := desired.Payload(); payload != nil {
		body.CustomMetadata = api.Set(payload)
	}
	created, err := w.Client.CreateSubscription(ctx, body)
	if err != nil {
		apidiag.Add(w.Diags, err, operation("create", w.Plan))
		return
	}
	if created.Adopted {
		w.Diags.AddWarning(w.Plan.title()+" was found instead of created twice",
			fmt.Sprintf("The response to the creation was lost. A lookup found the subscription that it created "+
				"(id %s).", created.ID))
	}
	w.own = ownedBy(w.Plan).namedBy(ownedBy(w.Config), ownership{})
	w.own.Metadata = desired
	w.next = w.own
	w.State = w.Plan
	w.save(ctx, step{Verb: "create"}, &created.Subscription, false)
	w.before = w.State
	rest := w.Plan.following(w.before)
	w.body = rest.body(w.before)
	_, w.asked = (&planning{Plan: &object.Plan[model]{Planned: rest, State: w.before}, ctx: ctx,
		client: w.Client}).way(true)
	_, resumesAt := pauseFields(w.Plan.Pause)
	w.next.PausedUntil = resumesAt.ValueString()
	now, done := steps.Run(ctx, &created.Subscription, w.steps(), w.save, steps.Postpone(w.Diags, w.operation))
	w.finish(ctx, now, done)
}

// work carries out a plan step by step. The result of each step is in the state before the next one begins, so that a
// failure leaves a truthful state, and a next plan with exactly the rest.
type work struct {
	*object.Write[*billing.Service, billing.Subscription, model]
	// before is the state that the transitions begin with, and body the update on the way from there.
	before model
	body   billing.SubscriptionBody
	// own is what the configuration owns so far, next what it owns once all is done.
	own, next ownership
	// asked are the transitions that the plan shows.
	asked []string
	// sent is the last request of the transitions.
	sent *request
	// stale says that the last response is older than the last step, so that the subscription has to be read once more.
	stale bool
}

type step = steps.Step[billing.Subscription]

// customMetadata reads and writes custom_metadata.
var customMetadata = metadata.Remote[*billing.Service, billing.Subscription, billing.SubscriptionBody]{
	Get: (*billing.Service).GetSubscription, Update: (*billing.Service).UpdateSubscription,
	Of: func(s *billing.Subscription) json.RawMessage { return s.CustomMetadata },
	Put: func(body *billing.SubscriptionBody, payload json.RawMessage, mode string) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
	},
}

// Update carries out the transitions that the plan shows, in their order.
//
// It takes no value from the configuration: at apply it does not respect ignore_changes. It only looks at which
// arguments are named.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	begun, ok := r.BeginUpdate(ctx, req, resp)
	own := private.Owned[ownership](ctx, begun.Private, begun.Diags)
	planned := private.Planned[forApply](ctx, begun.Private, begun.Diags)
	refuseForced(planned.Forces, begun.Plan, begun.State, begun.Diags)
	w := &work{Write: begun, before: begun.State, body: begun.Plan.body(begun.State), own: own, asked: planned.Steps,
		next: planned.Owned.namedBy(ownedBy(begun.Config), own)}
	if !ok || w.Diags.HasError() || slices.Contains(w.asked, changeItems) && !w.refuseUnseen(ctx) {
		return
	}
	requests := w.steps()
	if len(requests) == 0 {
		// The items are there already, see planning.adoptsItems.
		w.Plan.UpdatedAt = known(w.Plan.UpdatedAt, w.State.UpdatedAt)
		w.Plan.RecurringAmountCents = known(w.Plan.RecurringAmountCents, w.State.RecurringAmountCents)
	}
	now, done := steps.Run(ctx, nil, requests, w.save, func(verb string, err error) {
		w.Fail(ctx, err, w.operation(verb))
	})
	if done {
		w.finish(ctx, now, true)
	}
}

// save writes the state between two steps: what the service has, as the state before writes it. What the response to
// the last step shows is written by finish.
func (w *work) save(ctx context.Context, _ step, response *billing.Subscription, last bool) {
	w.stale = response == nil
	state, ok := w.State, true
	if response != nil {
		if last {
			return
		}
		w.own.Recorded = orEmpty(response.CancellationReason)
		state, ok = w.State.after(response, w.own, w.Diags)
	}
	if !ok {
		return
	}
	if w.sent == &itemsRequest {
		state.Items = w.Plan.Items
	}
	if w.State = state; w.sent != nil && w.sent.owns != nil {
		w.sent.owns(&w.own, w.next)
	}
	w.Save(ctx, state.ID, state)
	private.SetOwned(ctx, w.Private, w.own, w.Diags)
}

// finish writes the state after the last step: the plan, with what only the service could say. last is nil where
// nothing was sent. done says that all steps were done; where one was not, the difference to the plan has been reported
// already.
func (w *work) finish(ctx context.Context, last *billing.Subscription, done bool) {
	private.SetOwned(ctx, w.Private, w.next, w.Diags)
	if w.stale {
		var err error
		if last, err = w.Client.GetSubscription(ctx, w.Plan.ID.ValueString()); err != nil {
			w.Fail(ctx, err, operation("read", w.Plan))
			return
		}
	}
	if last == nil {
		w.Save(ctx, w.Plan.ID, w.Plan)
		return
	}
	w.next.Recorded = orEmpty(last.CancellationReason)
	private.SetOwned(ctx, w.Private, w.next, w.Diags)
	state, ok := w.Plan.after(last, w.next, w.Diags)
	if !ok {
		return
	}
	if state.Pause.IsNull() && !slices.Contains(w.asked, pauseIt) {
		// No pause was asked for, so one that is planned is fulfilled; see planning.pauseOver.
		state.Pause = w.Plan.Pause
	}
	if differences := settle.Onto(ctx, &w.Plan, &state); done {
		settle.Warn(differences, state.displayName(), arguments, w.Diags)
	}
	w.Save(ctx, state.ID, state)
}

// orEmpty is what a service returned, "" for null.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Read refreshes the state. Only the service's own not-found drops the subscription; a canceled one stays.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	own := private.Owned[ownership](ctx, req.Private, &resp.Diagnostics)
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	prior, client, ok := r.BeginRead(ctx, req, resp)
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	client.Wrote(prior.ID.ValueString(), prior.CreatedAt.ValueString(), prior.UpdatedAt.ValueString())
	remote := r.Refresh(ctx, client, prior.ID, operation("read", prior), "creates another subscription",
		resp)
	if remote == nil {
		return
	}
	state, err := fromAPI(remote)
	if err == nil && !importing {
		state = state.preserve(prior, remote, own)
	}
	if err == nil && (importing || own.readsItems(prior.Items) && remote.Status != statusCanceled) {
		state.Items, err = readItems(ctx, client, prior.ID.ValueString(), prior.Items)
		if forbidsItems(err) {
			warnForbidden(err, "the items of "+prior.displayName(), &resp.Diagnostics)
			err = nil
		}
	}
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, operation("read", prior))
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
	// The import's own run ends with the next refresh.
	if recorded := orEmpty(remote.CancellationReason); recorded != own.Recorded || importing != own.Imported {
		own.Recorded, own.Imported = recorded, importing
		private.SetOwned(ctx, resp.Private, own, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(fields.Set(ctx, &resp.State, state)...)
	object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
}

// Delete does what deletion_policy says. What is canceled already needs nothing.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	begun, ok := r.BeginDelete(ctx, req, resp, model.stays)
	if !ok {
		return
	}
	w := &work{Write: begun, before: begun.State}
	state, id := w.State, w.State.ID.ValueString()
	atPeriodEnd := state.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if atPeriodEnd && state.CancelAtPeriodEnd.ValueBool() {
		return
	}
	if next := private.Planned[forApply](ctx, req.Private, w.Diags).Creates; next != nil {
		if w.refuseDoomed(ctx, *next); w.Diags.HasError() {
			return
		}
	}
	own := private.Owned[ownership](ctx, req.Private, w.Diags)
	reason := cmp.Or(own.Reason, state.CancellationReason.ValueString())
	_, err := w.Client.CancelSubscription(ctx, id, billing.Cancel{AtPeriodEnd: atPeriodEnd, Reason: reason})
	if err == nil || api.IsNotFound(err) {
		return
	}
	now, lookErr := w.Client.GetSubscription(ctx, id)
	if lookErr == nil && now.Status == statusCanceled {
		return
	}
	if lookErr == nil {
		state.AllowCancel = types.BoolPointerValue(now.AllowCancel)
		refuseDestroy(state, w.Diags)
	}
	apidiag.Add(w.Diags, blameEnd.On(err), operation("cancel", state))
}

// stays reports that destroying the subscription sends nothing.
func (m model) stays(diags *diag.Diagnostics) bool {
	if m.Status.ValueString() == statusCanceled {
		return true
	}
	refuseDestroy(m, diags)
	return diags.HasError()
}

// operation describes an operation on the subscription for an error.
func operation(verb string, m model) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: m.displayName(), Model: m, TypeName: typeName, Attributes: arguments,
		Existing: findIDs}
}

// findIDs says where the ids of an argument are found.
func findIDs(argument string) string {
	name := argument[strings.LastIndexByte(argument, '.')+1:]
	if name == argBillingAccountID {
		return "If it is the id of a customer, use its billing_account_id."
	}
	if collection := collections[name]; collection != "" {
		return validate.FoundIn(collection)
	}
	return ""
}

// operation describes an operation on the subscription as it is now.
func (w *work) operation(verb string) apidiag.Operation { return operation(verb, w.State).Of(w.Plan) }
