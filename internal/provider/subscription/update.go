package subscription

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/steps"
)

// work carries a plan out step by step. Each step's result is in the state before the next one begins, so that a failure half-way
// leaves a truthful state, and a next plan with exactly the rest.
type work struct {
	client   *billing.Service
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	private  private.Store
	diags    *diag.Diagnostics
	// own is what the configuration will own once all is done; before is what it owned.
	own, before owned
	// asked are the transitions that the plan shows.
	asked []transition
	// stale says that the last answer is older than the last step, so that the subscription has to be read once more.
	stale bool
}

type step = steps.Step[billing.Subscription]

// Update carries out the transitions that the plan shows. It resumes before it changes, and pauses or schedules the end
// after that.
//
// It takes no value from the configuration: at apply it does not respect ignore_changes. It only looks at which
// arguments are named.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	own := private.Get[owned](ctx, req.Private, keyOwned, &resp.Diagnostics)
	planned := private.Planned[decided](ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	if refuseForced(planned.Forces, plan, state, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	r.Run().Applies()
	w := &work{client: client, state: &resp.State, identity: resp.Identity, private: resp.Private, diags: &resp.Diagnostics,
		own: planned.Owned.namedBy(ownedBy(config), own), before: own, asked: planned.Steps}
	if slices.Contains(w.asked, changeItems) && !w.refuseUnseen(ctx, plan, state) {
		return
	}
	if len(w.asked) == 0 {
		// The items are there already, see planning.adoptsItems.
		plan.UpdatedAt = known(plan.UpdatedAt, state.UpdatedAt)
		plan.RecurringAmountCents = known(plan.RecurringAmountCents, state.RecurringAmountCents)
	}
	last, done := steps.Run(ctx, w.steps(plan, state),
		func(s step, answer *billing.Subscription) { state = w.reached(ctx, state, plan, s, answer) },
		func(s step, err error) {
			apidiag.Add(w.diags, namingExisting(ctx, w.client, err, plan), doing(s.Verb, state))
		})
	if done {
		w.finish(ctx, plan, last, true)
	}
}

// Verbs of the steps that the state between two steps depends on.
const (
	verbChangePlan = "change the plan of"
	verbUpdate     = "update"
	verbItems      = "change the items of"
	verbPause      = "pause"
)

// What the service refuses about an operation is about these arguments.
var (
	blamePlan   = steps.Blame{Argument: "plan_id", Fields: map[string]string{"timing": "plan_change.timing", "reason": "plan_change.reason"}}
	blameItems  = steps.Blame{Argument: "items"}
	blamePause  = steps.Blame{Argument: "pause", Fields: map[string]string{"behavior": "pause.behavior", "resumes_at": "pause.resumes_at"}}
	blameCancel = steps.Blame{Argument: "cancel_at_period_end", Fields: map[string]string{"reason": "cancellation_reason"}}
)

// steps lists what takes the subscription from state to plan, in order: resume before change, change before pause, and the end last.
// A plan is removed after the items are there: the service keeps no subscription without either.
func (w *work) steps(plan, state model) []step {
	if len(w.asked) == 0 {
		// What differs all the same is a canceled subscription's, see planning.keepCanceled.
		return nil
	}
	id := state.ID.ValueString()
	asked := map[transition]bool{}
	for _, t := range w.asked {
		asked[t] = true
	}
	var all []step
	if asked[resumeIt] {
		all = append(all, step{Verb: "resume", Blame: blamePause, Run: func(ctx context.Context) (*billing.Subscription, error) {
			resumed, err := w.client.ResumeSubscription(ctx, id)
			return w.unlessDone(ctx, id, resumed, err, func(now *billing.Subscription) bool { return pauseOf(now).IsNull() })
		}})
	}
	if planned := asked[changePlanNow] || asked[changePlanLater] || asked[takePlanBack]; planned && !plan.PlanID.IsNull() {
		all = append(all, w.changePlan(id, plan))
	}
	items := step{Verb: verbItems, Blame: blameItems, Run: func(ctx context.Context) (*billing.Subscription, error) {
		_, err := w.client.SyncSubscriptionItems(ctx, id, itemsTo(plan.Items))
		return nil, err
	}}
	if asked[changeItems] && plan.PlanID.IsNull() {
		all = append(all, items)
	}
	if body := plan.toUpdate(state); asked[changeMetadata] || !body.IsEmpty() {
		owner := w.before.Metadata.Under(plan.CustomMetadataMode, nil)
		all = append(all, step{Verb: verbUpdate, Run: func(ctx context.Context) (*billing.Subscription, error) {
			return w.update(ctx, id, body, asked[changeMetadata], owner, state.EffectiveCustomMetadata.ValueString())
		}})
	}
	if asked[changeItems] && !plan.PlanID.IsNull() {
		all = append(all, items)
	}
	return append(all, w.ends(id, plan, asked[pauseIt], asked[scheduleCancel])...)
}

func (w *work) changePlan(id string, plan model) step {
	timing, reason := plan.planChange()
	return step{Verb: verbChangePlan, Blame: blamePlan, Run: func(ctx context.Context) (*billing.Subscription, error) {
		return w.client.ChangePlan(ctx, id, billing.ChangePlan{PlanID: plan.PlanID.ValueString(), Timing: timing, Reason: reason})
	}}
}

// ends are the steps after which nothing else is done.
func (w *work) ends(id string, plan model, pause, cancel bool) []step {
	var all []step
	if pause {
		behavior, resumesAt := pauseFields(plan.Pause)
		all = append(all, step{Verb: verbPause, Blame: blamePause, Run: func(ctx context.Context) (*billing.Subscription, error) {
			paused, err := w.client.PauseSubscription(ctx, id, behavior.ValueString(), resumesAt.ValueString())
			return w.unlessDone(ctx, id, paused, err, func(now *billing.Subscription) bool { return samePause(plan.Pause, pauseOf(now)) })
		}})
	}
	if cancel {
		all = append(all, step{Verb: "schedule the cancellation of", Blame: blameCancel, Run: func(ctx context.Context) (*billing.Subscription, error) {
			scheduled, err := w.client.CancelSubscription(ctx, id, billing.Cancel{AtPeriodEnd: true, Reason: plan.CancellationReason.ValueString()})
			return w.unlessDone(ctx, id, scheduled, err, func(now *billing.Subscription) bool {
				return now.CancelAtPeriodEnd || now.Status == statusCanceled
			})
		}})
	}
	return all
}

// unlessDone turns the rejection of a transition into a success where somebody else has made it since the plan.
func (w *work) unlessDone(ctx context.Context, id string, answer *billing.Subscription, err error, done func(*billing.Subscription) bool) (*billing.Subscription, error) {
	if e, ok := api.AsError(err); !ok || e.Status != http.StatusUnprocessableEntity && e.Status != http.StatusConflict {
		return answer, err
	}
	if now, lookErr := w.client.GetSubscription(ctx, id); lookErr == nil && done(now) {
		return now, nil
	}
	return answer, err
}

// update sends the fields that differ, and custom_metadata with them.
func (w *work) update(ctx context.Context, id string, body billing.SubscriptionUpdate, withMetadata bool, owner metadata.Ownership,
	effective string) (*billing.Subscription, error) {
	if !withMetadata {
		return w.client.UpdateSubscription(ctx, id, body)
	}
	sync := metadata.Sync[billing.Subscription]{
		Ownership: owner, Desired: w.own.Metadata.Object,
		Read: func(ctx context.Context) (*billing.Subscription, error) { return w.client.GetSubscription(ctx, id) },
		Of:   func(s *billing.Subscription) json.RawMessage { return s.CustomMetadata },
		Send: func(ctx context.Context, payload json.RawMessage, mode string) (*billing.Subscription, error) {
			return w.client.UpdateSubscription(ctx, id, billing.SubscriptionUpdate{CustomMetadata: api.Set(payload), CustomMetadataMode: api.Set(mode)})
		},
	}
	return sync.Update(ctx, effective, func(ctx context.Context, payload json.RawMessage, mode string) (*billing.Subscription, error) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
		return w.client.UpdateSubscription(ctx, id, body)
	})
}

// reached writes the state between two steps: what the service has, in the words of the state before.
func (w *work) reached(ctx context.Context, prior, plan model, s step, answer *billing.Subscription) model {
	w.stale = answer == nil
	state := prior
	if answer != nil {
		if s.Verb == verbChangePlan {
			timing, _ := plan.planChange()
			w.before.Pending = noted(answer, plan.PlanID.ValueString(), timing)
			w.own.Pending = w.before.Pending
		}
		var err error
		if state, err = fromAPI(answer); err == nil {
			state, err = state.keeping(prior, answer, w.before)
		}
		if err != nil {
			apidiag.Unreadable(w.diags, err)
			return prior
		}
	}
	if s.Verb == verbPause {
		_, resumesAt := pauseFields(plan.Pause)
		w.own.PausedUntil = resumesAt.ValueString()
	}
	if s.Verb == verbItems {
		state.Items = plan.Items
	}
	w.before = w.before.reaching(w.own, s.Verb)
	w.diags.Append(w.state.Set(ctx, state)...)
	scheme.Identify(ctx, state.ID, w.identity, w.diags)
	private.Set(ctx, w.private, keyOwned, w.before, w.diags)
	return state
}

// finish writes the state after the last step: the plan, with what only the service could say. Without an answer nothing was asked. done
// says that all steps were done; where one was not, the difference to the plan has been told already.
func (w *work) finish(ctx context.Context, plan model, last *billing.Subscription, done bool) {
	private.Set(ctx, w.private, keyOwned, w.own, w.diags)
	if w.stale {
		read, err := w.client.GetSubscription(ctx, plan.ID.ValueString())
		if err != nil {
			apidiag.Add(w.diags, err, doing("read", plan))
			return
		}
		last = read
	}
	if last == nil {
		w.diags.Append(w.state.Set(ctx, plan)...)
		scheme.Identify(ctx, plan.ID, w.identity, w.diags)
		return
	}
	state, err := fromAPI(last)
	if err == nil {
		state, err = state.keeping(plan, last, w.own)
	}
	if err != nil {
		apidiag.Unreadable(w.diags, err)
		return
	}
	if state.Pause.IsNull() && !slices.Contains(w.asked, pauseIt) {
		// No pause was asked for, so one that is planned is fulfilled; see planning.fulfil.
		state.Pause = plan.Pause
	}
	if differences := settle.Onto(ctx, &plan, &state); done {
		settle.Warn(differences, state.displayName(), arguments, w.diags)
	}
	w.diags.Append(w.state.Set(ctx, state)...)
	scheme.Identify(ctx, state.ID, w.identity, w.diags)
}
