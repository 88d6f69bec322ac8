// Package subscription is the subscription of the recurring-billing service: the resource, the data sources (invoices
// too), the list resource and the action that invoices. transitions.go says what each transition can change,
// canceled.go plans one that was canceled elsewhere, refusals.go is what a plan rejects, pause.go and items.go are
// these arguments.
package subscription

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fields"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/steps"
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

// ValidateConfig rejects what no service accepts.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(fields.Get(ctx, req.Config, &config)...)
	refuseIncomplete(config.Items, &resp.Diagnostics)
}

// Create creates the subscription and writes it to the state before anything else is done. What a creation cannot carry
// follows: an update, a pause, a scheduled cancellation. When one of these fails it is a warning, see settle.Postpone.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	begun, ok := r.BeginCreate(ctx, req, resp)
	if !ok {
		return
	}
	w := &work{Write: begun}
	wanted := w.Plan.withoutUnknown()
	desired, ok := r.Defaults().Under(wanted.CustomMetadata, w.Diags)
	if !ok {
		return
	}
	created, err := w.Client.CreateSubscription(ctx, wanted.toCreate(desired))
	if err != nil {
		apidiag.Add(w.Diags, namingExisting(ctx, w.Client, err, w.Plan), operation("create", w.Plan))
		return
	}
	if created.Adopted {
		w.Diags.AddWarning("Found the subscription instead of creating it twice",
			fmt.Sprintf("The response to the creation was lost. A lookup found the subscription that it created "+
				"(id %s).",
				created.ID))
	}
	w.own = ownedBy(wanted).namedBy(ownedBy(w.Config), ownership{})
	w.own.Metadata = desired
	w.next = w.own
	if !wanted.Pause.IsNull() {
		w.asked = append(w.asked, pauseIt)
	}
	w.State = w.Plan
	w.save(ctx, step{Verb: "create"}, &created.Subscription, false)
	now, done := steps.Run(ctx, &created.Subscription, w.afterCreate(wanted), w.save,
		steps.Postpone(w.Diags, w.operation))
	w.finish(ctx, now, done)
}

// afterCreate lists what the plan asks for and the creation could not carry.
func (w *work) afterCreate(wanted model) (all []step) {
	id := w.State.ID.ValueString()
	if body := wanted.afterCreate(w.State); !body.IsEmpty() {
		all = append(all, step{Verb: verbUpdate, Run: func(ctx context.Context) (*billing.Subscription, error) {
			return w.Client.UpdateSubscription(ctx, id, body)
		}})
	}
	return append(all, w.ends(id, wanted, !wanted.Pause.IsNull(), wanted.CancelAtPeriodEnd.ValueBool())...)
}

// work carries out a plan step by step. The result of each step is in the state before the next one begins, so that a
// failure leaves a truthful state, and a next plan with exactly the rest.
type work struct {
	*object.Write[*billing.Service, model]
	// own is what the configuration owns so far, next what it owns once all is done.
	own, next ownership
	// asked are the transitions that the plan shows.
	asked []transition
	// stale says that the last response is older than the last step, so that the subscription has to be read once more.
	stale bool
}

type step = steps.Step[billing.Subscription]

// Verbs of the steps that the state between two steps depends on.
const (
	verbChangePlan = "change the plan of"
	verbUpdate     = "update"
	verbItems      = "change the items of"
	verbPause      = "pause"
)

// What the service refuses about an operation is about these arguments.
var (
	blamePlan = steps.Blame{Argument: "plan_id", Fields: map[string]string{"timing": "plan_change.timing",
		"reason": "plan_change.reason"}}
	blameItems = steps.Blame{Argument: "items"}
	blamePause = steps.Blame{Argument: "pause", Fields: map[string]string{"behavior": "pause.behavior",
		"resumes_at": "pause.resumes_at"}}
	blameCancel = steps.Blame{Argument: "cancel_at_period_end",
		Fields: map[string]string{"reason": "cancellation_reason"}}
)

// customMetadata reads and writes custom_metadata.
var customMetadata = metadata.Remote[*billing.Service, billing.Subscription, billing.SubscriptionUpdate]{
	Get: (*billing.Service).GetSubscription, Update: (*billing.Service).UpdateSubscription,
	Of: func(s *billing.Subscription) json.RawMessage { return s.CustomMetadata },
	Put: func(body *billing.SubscriptionUpdate, payload json.RawMessage, mode string) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
	},
}

// Update carries out the transitions that the plan shows. It resumes before it changes, and pauses or schedules the end
// after that.
//
// It takes no value from the configuration: at apply it does not respect ignore_changes. It only looks at which
// arguments are named.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	begun, ok := r.BeginUpdate(ctx, req, resp)
	own := private.Owned[ownership](ctx, begun.Private, begun.Diags)
	planned := private.Planned[forApply](ctx, begun.Private, begun.Diags)
	refuseForced(planned.Forces, begun.Plan, begun.State, begun.Diags)
	w := &work{Write: begun, own: own, next: planned.Owned.namedBy(ownedBy(begun.Config), own), asked: planned.Steps}
	if !ok || w.Diags.HasError() || slices.Contains(w.asked, changeItems) && !w.refuseUnseen(ctx) {
		return
	}
	if len(w.asked) == 0 {
		// The items are there already, see planning.adoptsItems.
		w.Plan.UpdatedAt = known(w.Plan.UpdatedAt, w.State.UpdatedAt)
		w.Plan.RecurringAmountCents = known(w.Plan.RecurringAmountCents, w.State.RecurringAmountCents)
	}
	now, done := steps.Run(ctx, nil, w.steps(), w.save, func(verb string, err error) {
		apidiag.Add(w.Diags, namingExisting(ctx, w.Client, err, w.Plan), w.operation(verb))
	})
	if done {
		w.finish(ctx, now, true)
	}
}

// steps lists what takes the subscription from state to plan, in order: resume before change, change before pause, and
// the end last. A plan is removed after the items are there: the service keeps no subscription without either.
func (w *work) steps() (all []step) {
	if len(w.asked) == 0 {
		// What differs all the same is a canceled subscription's, see planning.keepCanceled.
		return nil
	}
	plan, state := w.Plan, w.State
	id := state.ID.ValueString()
	asked := map[transition]bool{}
	for _, t := range w.asked {
		asked[t] = true
	}
	add := func(verb string, blame steps.Blame, run func(context.Context) (*billing.Subscription, error)) {
		all = append(all, step{Verb: verb, Blame: blame, Run: run})
	}
	if asked[resumeIt] {
		add("resume", blamePause, func(ctx context.Context) (*billing.Subscription, error) {
			resumed, err := w.Client.ResumeSubscription(ctx, id)
			return w.unlessDone(ctx, id, resumed, err,
				func(now *billing.Subscription) bool { return pauseOf(now).IsNull() })
		})
	}
	if planned := asked[changePlanNow] || asked[changePlanLater] || asked[takePlanBack]; planned &&
		!plan.PlanID.IsNull() {
		timing, reason := plan.planChange()
		add(verbChangePlan, blamePlan, func(ctx context.Context) (*billing.Subscription, error) {
			return w.Client.ChangePlan(ctx, id,
				billing.ChangePlan{PlanID: plan.PlanID.ValueString(), Timing: timing, Reason: reason})
		})
	}
	sendItems := func(ctx context.Context) (*billing.Subscription, error) {
		_, err := w.Client.SyncSubscriptionItems(ctx, id, itemsTo(plan.Items))
		return nil, err
	}
	if asked[changeItems] && plan.PlanID.IsNull() {
		add(verbItems, blameItems, sendItems)
	}
	if body := plan.toUpdate(state); asked[changeMetadata] || !body.IsEmpty() {
		owner := w.own.Metadata.Under(plan.CustomMetadataMode)
		add(verbUpdate, steps.Blame{}, func(ctx context.Context) (*billing.Subscription, error) {
			if !asked[changeMetadata] {
				return w.Client.UpdateSubscription(ctx, id, body)
			}
			return customMetadata.Change(ctx, w.Client, id, body, owner, w.next.Metadata.Object,
				state.EffectiveCustomMetadata.ValueString())
		})
	}
	if asked[changeItems] && !plan.PlanID.IsNull() {
		add(verbItems, blameItems, sendItems)
	}
	return append(all, w.ends(id, plan, asked[pauseIt], asked[scheduleCancel])...)
}

// ends are the steps after which nothing else is done.
func (w *work) ends(id string, plan model, pause, cancel bool) []step {
	var all []step
	if pause {
		behavior, resumesAt := pauseFields(plan.Pause)
		all = append(all, step{Verb: verbPause, Blame: blamePause,
			Run: func(ctx context.Context) (*billing.Subscription, error) {
				paused, err := w.Client.PauseSubscription(ctx, id, behavior.ValueString(), resumesAt.ValueString())
				return w.unlessDone(ctx, id, paused, err,
					func(now *billing.Subscription) bool { return samePause(plan.Pause, pauseOf(now)) })
			}})
	}
	if cancel {
		all = append(all, step{Verb: "schedule the cancellation of", Blame: blameCancel,
			Run: func(ctx context.Context) (*billing.Subscription, error) {
				scheduled, err := w.Client.CancelSubscription(ctx, id, billing.Cancel{AtPeriodEnd: true,
					Reason: plan.CancellationReason.ValueString()})
				return w.unlessDone(ctx, id, scheduled, err, func(now *billing.Subscription) bool {
					return now.CancelAtPeriodEnd || now.Status == statusCanceled
				})
			}})
	}
	return all
}

// unlessDone turns the rejection of a transition into a success where another user has made it since the plan.
func (w *work) unlessDone(ctx context.Context, id string, response *billing.Subscription, err error,
	done func(*billing.Subscription) bool) (*billing.Subscription, error) {
	if e, ok := api.AsError(err); !ok || e.Status != http.StatusUnprocessableEntity && e.Status != http.StatusConflict {
		return response, err
	}
	if now, lookErr := w.Client.GetSubscription(ctx, id); lookErr == nil && done(now) {
		return now, nil
	}
	return response, err
}

// save writes the state between two steps: what the service has, as the state before writes it. What the response to
// the last step shows is written by finish.
func (w *work) save(ctx context.Context, s step, response *billing.Subscription, last bool) {
	w.stale = response == nil
	switch {
	case s.Verb == verbPause:
		_, resumesAt := pauseFields(w.Plan.Pause)
		w.next.PausedUntil = resumesAt.ValueString()
	case s.Verb == verbChangePlan && response != nil:
		timing, _ := w.Plan.planChange()
		w.own.Pending = noted(response, w.Plan.PlanID.ValueString(), timing)
		w.next.Pending = w.own.Pending
	}
	state, ok := w.State, true
	if response != nil {
		if last {
			return
		}
		state, ok = w.State.after(response, w.own, w.Diags)
	}
	if !ok {
		return
	}
	if s.Verb == verbItems {
		state.Items = w.Plan.Items
	}
	w.own, w.State = w.own.reaching(w.next, s.Verb), state
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
			apidiag.Add(w.Diags, err, operation("read", w.Plan))
			return
		}
	}
	if last == nil {
		w.Save(ctx, w.Plan.ID, w.Plan)
		return
	}
	state, ok := w.Plan.after(last, w.next, w.Diags)
	if !ok {
		return
	}
	if state.Pause.IsNull() && !slices.Contains(w.asked, pauseIt) {
		// No pause was asked for, so one that is planned is fulfilled; see planning.fulfil.
		state.Pause = w.Plan.Pause
	}
	if differences := settle.Onto(ctx, &w.Plan, &state); done {
		settle.Warn(differences, state.displayName(), arguments, w.Diags)
	}
	w.Save(ctx, state.ID, state)
}

// Delete does what deletion_policy says. What is canceled already needs nothing.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	w, ok := r.BeginDelete(ctx, req, resp, model.stays)
	if !ok {
		return
	}
	state, id := w.State, w.State.ID.ValueString()
	atPeriodEnd := state.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if atPeriodEnd && state.CancelAtPeriodEnd.ValueBool() {
		return
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
	apidiag.Add(w.Diags, blameCancel.On(err), operation("cancel", state))
}

// stays reports that destroying the subscription sends nothing.
func (m model) stays(diags *diag.Diagnostics) bool {
	if m.Status.ValueString() == statusCanceled {
		return true
	}
	refuseDestroy(m, diags)
	return diags.HasError()
}

// Policy implements policy.Managed.
func (m model) Policy() policy.Of {
	return policy.Of{Value: m.DeletionPolicy, Object: m.displayName(), Own: policyCancel,
		Stays: "Each period is charged" + m.charge() + " until it is canceled at the service."}
}

// operation describes an operation on the subscription for an error.
func operation(verb string, m model) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: m.displayName(), Model: m, TypeName: typeName, Attributes: arguments}
}

// operation describes an operation on the subscription as it is now.
func (w *work) operation(verb string) apidiag.Operation { return operation(verb, w.State).Of(w.Plan) }
