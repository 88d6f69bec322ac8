// Package subscription is the subscription of the recurring-billing service: the resource, the data sources (invoices
// too), the list resource and the action that invoices. transitions.go is the table of what can change, for creation,
// plan and apply; replacement.go is about one that ends, or that another one takes the place of.
package subscription

import (
	"context"
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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
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
	Service: object.Billing,
	ID:      func(s *billing.Subscription) string { return s.ID },
	Get:     (*billing.Service).GetSubscription,
	Listed:  (*billing.Service).RefreshSubscription,
	Wrote:   (*billing.Service).Wrote,
	Find: func(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.Subscription, error) {
		return client.FindSubscriptions(ctx, billing.SubscriptionQuery{ExternalID: by.Value})
	},
	Line: func(s *billing.Subscription) string {
		return fmt.Sprintf("%s  %s (created %s)", s.ID, s.Status, s.CreatedAt)
	},
	Existing: findIDs,
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
	resp.Diagnostics.Append(value.Get(ctx, req.Config, &config)...)
	if config.BillingAccountID.IsNull() && !resp.Diagnostics.HasError() {
		resp.Diagnostics.AddAttributeError(path.Root(argBillingAccountID), config.title()+" has no billing account",
			"billing_account_id is null. A customer with create_billing_account = false has no account, so its "+
				"billing_account_id is null too: remove create_billing_account, or write a billing_account for the customer "+
				"and refer to its id.")
	}
	config.refuseIncomplete(&resp.Diagnostics)
}

type (
	write = object.Write[*billing.Service, billing.Subscription, model]
	step  = object.Step[billing.Subscription]
)

// Create creates the subscription and writes it to the state before anything else is done. What a creation cannot carry
// follows: an update, a pause, a scheduled cancellation. When one of these fails it is a warning, see object.Postpone.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	begun, ok := r.BeginCreate(ctx, req, resp)
	if !ok {
		return
	}
	desired, ok := r.Defaults().Under(begun.Plan.CustomMetadata, begun.Diags)
	if !ok {
		return
	}
	w := working(begun, ownership{Metadata: desired, Items: itemKeys(begun.Config.Items)})
	sent := w.Plan
	sent.ProrationBehavior = begun.Config.ProrationBehavior // the default is the service's
	w.body = sent.body(model{})
	w.body.CustomMetadata = value.ChangedMetadata(desired)
	if !w.carryOut(ctx, &request{verb: "create", send: (*work).create}) || w.Diags.HasError() {
		return
	}
	rest := w.Plan.following(w.State)
	w.body = rest.body(w.State)
	_, w.asked = (&planning{Plan: &object.Plan[model]{Planned: rest, State: w.State}, ctx: ctx,
		client: w.Client}).way(true)
	_, resumesAt := pauseFields(w.Plan.Pause)
	w.next = w.own
	w.next.PausedUntil = resumesAt.ValueString()
	w.carryOut(ctx, w.requests()...)
	w.finish(ctx)
}

// Update carries out the transitions that the plan shows, in their order.
//
// It takes no value from the configuration: at apply it does not respect ignore_changes. It only looks at which
// arguments are named.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	begun, ok := r.BeginUpdate(ctx, req, resp)
	w := working(begun, object.Owned[ownership](ctx, begun.Private, begun.Diags))
	planned := object.Planned[forApply](ctx, w.Private, w.Diags)
	w.asked, w.next = planned.Steps, w.own
	if w.State.Status.ValueString() != statusCanceled { // of which nothing changes but the state
		w.next.Metadata, w.next.Items, w.next.Imported = planned.Metadata, itemKeys(w.Config.Items), false
		if w.Plan.PlanID.IsNull() {
			w.next.Pending = pending{}
		}
		if !samePause(w.Plan.Pause, w.State.Pause) {
			_, resumesAt := pauseFields(w.Plan.Pause)
			w.next.PausedUntil = resumesAt.ValueString()
		}
	}
	w.body, w.effective = w.Plan.body(w.State), w.State.EffectiveCustomMetadata.ValueString()
	refuseForced(planned.Forces, w.Plan, w.State, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	if !w.planStands(ctx) || slices.Contains(w.asked, changeItems) && !w.refuseUnseen(ctx) {
		return
	}
	if w.carryOut(ctx, w.requests()...) {
		w.finish(ctx)
	}
}

// work carries out a plan.
type work struct {
	*write
	// body is what the creation or the update sends, but for a change of custom_metadata; effective is the whole
	// custom_metadata as the plan has seen it.
	body      billing.SubscriptionBody
	effective string
	// own is what the configuration owns so far, next what it owns once all is done.
	own, next ownership
	// asked are the transitions that the plan shows.
	asked []string
	// stale says that the last request has changed what no response shows, so that the subscription is read once more.
	stale bool
}

func working(begun *write, own ownership) *work {
	w := &work{write: begun, own: own}
	w.After = func(response *billing.Subscription, prior model) model { return prior.after(response, w.own, w.Diags) }
	return w
}

// carryOut sends requests in order, until one fails. What the configuration owns advances with what has happened, but
// only after the response is in the state: that is read as what was owned before.
func (w *work) carryOut(ctx context.Context, all ...*request) bool {
	for _, r := range all {
		before := w.Last
		done := w.Do(ctx, step{Verb: r.verb, Blame: r.blame, Explain: func(err error) bool { return w.endedSince(ctx, err) },
			Send: func(ctx context.Context) (*billing.Subscription, error) { return r.send(w, ctx) }})
		if done || w.Last != before {
			if r.owns != nil {
				r.owns(&w.own, w.next)
			}
			w.note(ctx)
		}
		if w.stale = r == &itemsRequest; !done {
			return false
		}
	}
	return true
}

// note leaves in the private state what the configuration owns.
func (w *work) note(ctx context.Context) {
	object.SetOwned(ctx, w.Private, w.own, w.Diags)
}

// finish writes the outcome.
func (w *work) finish(ctx context.Context) {
	w.own = w.next
	if !w.stale || w.Do(ctx, step{Verb: "read", Send: func(ctx context.Context) (*billing.Subscription, error) {
		return w.Client.GetSubscription(ctx, w.id())
	}}) {
		after := w.After
		w.After = func(response *billing.Subscription, plan model) model {
			state := after(response, plan)
			if state.Pause.IsNull() && !slices.Contains(w.asked, pauseIt) {
				// No pause was asked for, so one that is planned is fulfilled; see planning.pauseOver.
				state.Pause = plan.Pause
			}
			return state
		}
		w.Finish(ctx)
	}
	w.note(ctx)
}

// Read refreshes the state. Only the service's own not-found drops the subscription; a canceled one stays.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	own := object.Owned[ownership](ctx, req.Private, &resp.Diagnostics)
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	prior, client, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	remote := r.Refresh(ctx, client, prior, "creates another subscription", resp)
	if remote == nil {
		return
	}
	state, err := fromAPI(remote)
	if err == nil && !importing {
		state = state.preserve(prior, remote, own)
	}
	if err == nil && (importing || !prior.Items.IsNull() && remote.Status != statusCanceled) {
		listed, known, unread := client.SubscriptionItems(ctx, prior.ID.ValueString())
		switch {
		case forbidsItems(unread):
			warnForbidden(unread, "the items of "+prior.displayName(), &resp.Diagnostics)
		case known:
			state.Items = seenItems(prior.Items, listed)
		default:
			err = unread // without one, the service lists no items
		}
	}
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, r.Operation("read", prior))
		return
	}
	if importing {
		// None is written as empty: a configuration that leaves it out and one that writes it empty both plan nothing.
		state.CustomMetadata = state.CustomMetadata.OrEmpty()
	}
	state.endPause(ctx, client, prior, &resp.Diagnostics)
	state.warnUnpaid(prior, &resp.Diagnostics)
	// The import's own run ends with the next refresh, and a scheduled plan with the one that does not show it any more.
	over := own.Pending != (pending{}) && !own.Pending.scheduled(state)
	if over || importing != own.Imported {
		if own.Imported = importing; over {
			own.Pending = pending{}
		}
		object.SetOwned(ctx, resp.Private, own, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(value.Set(ctx, &resp.State, state)...)
	object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
}

// Delete does what deletion_policy says. What is canceled already needs nothing.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	begun, ok := r.BeginDelete(ctx, req, resp, model.stays)
	if !ok {
		return
	}
	w := working(begun, object.Owned[ownership](ctx, begun.Private, begun.Diags))
	atPeriodEnd := w.State.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if atPeriodEnd && w.State.CancelAtPeriodEnd.ValueBool() {
		return
	}
	if w.refuseDoomed(ctx, object.Replacement[needs](ctx, w.Private, w.Diags)); w.Diags.HasError() {
		return
	}
	w.Do(ctx, step{Verb: "cancel", Blame: blameEnd, Send: func(ctx context.Context) (*billing.Subscription, error) {
		_, err := w.Client.CancelSubscription(ctx, w.id(), billing.Cancel{AtPeriodEnd: atPeriodEnd,
			Reason: w.State.CancellationReason.ValueString()})
		if err == nil || api.IsNotFound(err) {
			return nil, nil
		}
		now, lookErr := w.Client.GetSubscription(ctx, w.id())
		if lookErr == nil && now.Status == statusCanceled {
			return nil, nil
		}
		if lookErr == nil {
			state := w.State
			state.AllowCancel = types.BoolPointerValue(now.AllowCancel)
			refuseDestroy(state, w.Diags)
		}
		return nil, err
	}})
}

// stays reports that destroying the subscription sends nothing.
func (m model) stays(diags *diag.Diagnostics) bool {
	if m.Status.ValueString() == statusCanceled {
		return true
	}
	refuseDestroy(m, diags)
	return diags.HasError()
}

// findIDs says where the ids of an argument are found.
func findIDs(argument string) string {
	name := argument[strings.LastIndexByte(argument, '.')+1:]
	if name == argBillingAccountID {
		return "If it is the id of a customer, use its billing_account_id."
	}
	if collection := collections[name]; collection != "" {
		return value.FoundIn(collection)
	}
	return ""
}
