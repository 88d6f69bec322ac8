// Package subscription implements subscriptions of the recurring-billing service: the resource, the data sources
// (including invoices), the list resource and the action that invoices. transitions.go is the table of changes, for
// creation, plan and apply; replacement.go handles replacement and cancellation.
package subscription

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
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
func NewResource() resource.Resource {
	r := &Resource{base{Scheme: scheme, Requirements: model.requirements, Unmet: unmet, OnCreation: onCreation}}
	r.Refresh = r.Read
	return r
}

// onCreation are the arguments of a trial, which no update accepts.
var onCreation = []object.OnCreation[model]{
	{Argument: "trial_end", Instead: model.trialInstead, Has: func(m model) attr.Value {
		if !m.hasTrial() {
			return value.DateTime{StringValue: types.StringNull()}
		}
		return m.TrialEnd
	}},
	{Argument: "trial_period_days", Instead: model.trialInstead, Has: func(m model) attr.Value {
		if !m.hasTrial() {
			return types.Int64Null()
		}
		return trialDays(m.TrialStart.ValueString(), m.TrialEnd.ValueString())
	}},
}

// hasTrial reports whether the service shows a trial, running or over. trial_end alone is no proof: without a trial,
// the state has the configured one.
func (m model) hasTrial() bool {
	return m.TrialStart.ValueString() != "" || m.Status.ValueString() == statusTrialing
}

func (m model) trialInstead() string {
	switch {
	case m.Status.ValueString() == statusCanceled:
		return "" // planCanceled reports what has no effect
	case !m.hasTrial():
		return "There is no trial, and it is too late to add one."
	default:
		return fmt.Sprintf("The trial can no longer be changed: its end is %s.", m.TrialEnd.ValueString())
	}
}

var scheme = object.Scheme[*billing.Service, billing.Subscription]{
	TypeName: typeName, Noun: "subscription", Key: "external_id",
	Service:    conn.Billing,
	ID:         func(s *billing.Subscription) string { return s.ID },
	Get:        (*billing.Service).GetSubscription,
	Refresh:    (*billing.Service).RefreshSubscription,
	Wrote:      (*billing.Service).Wrote,
	Recreation: "creates another subscription, which is billed again",
	Find: func(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.Subscription, error) {
		return client.FindSubscriptions(ctx, billing.SubscriptionQuery{ExternalID: by.Value})
	},
	Summary: func(s *billing.Subscription) string {
		return fmt.Sprintf("%s  %s (created %s)", s.ID, s.Status, s.CreatedAt)
	},
	Choices: findIDs,
	CheckFound: func(_ context.Context, _ *billing.Service, s *billing.Subscription, by object.Selector,
		diags *diag.Diagnostics) {
		if by.ID == "" && s.Status == statusCanceled {
			diags.AddError(fmt.Sprintf("The subscription with %s (id %s) is canceled", by, s.ID),
				"An import by external_id skips canceled subscriptions, because a new one may use the same external_id. To "+
					"import it anyway, use its id.")
		}
		if by.Import != "" && len(by.Run.Claim(typeName+" import", s.ID, run.Claim{})) > 0 {
			diags.AddWarning(fmt.Sprintf("The subscription %s is imported twice", s.ID),
				"Two import blocks of this plan have it, so two resources will manage it: each reverts the changes of the "+
					"other one, and destroying either of them cancels the subscription. Remove one of the import blocks with its "+
					"resource.")
		}
	},
}

// ValidateConfig rejects configurations that no service accepts.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(value.Get(ctx, req.Config, &config)...)
	if config.BillingAccountID.IsNull() && !resp.Diagnostics.HasError() {
		resp.Diagnostics.AddAttributeError(path.Root(argBillingAccountID), config.title()+" has no billing account",
			"billing_account_id is null. For an existing customer, use the id of data \"billing_account\" with its "+
				"customer_id. A customer with create_billing_account = false has none: write a billing_account for it, and "+
				"refer to its id.")
	}
	config.checkItemsComplete(&resp.Diagnostics)
	config.checkPlanChange(&resp.Diagnostics)
}

type operation = object.Op[*billing.Service, billing.Subscription, model]

// Create creates the subscription and saves it to the state immediately. Then it sends the arguments that a creation
// cannot include: an update, a pause, a scheduled cancellation. A failure of these is a warning.
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
	w.body = w.Config.body(model{})
	w.body.CustomMetadata = value.ChangedMetadata(desired)
	if !w.carryOut(ctx, &request{verb: "create", send: (*work).create}) || w.Diags.HasError() {
		return
	}
	rest := w.Plan.withRest(w.State)
	w.body = rest.body(w.State)
	w.steps = keysOf(change{w.State, rest, func(date value.DateTime) bool {
		passed, _ := past(ctx, w.Client, date.ValueString())
		return passed
	}}.afterCreation())
	_, resumesAt := pauseFields(w.Plan.Pause)
	w.next = w.own
	w.next.PausedUntil = resumesAt.ValueString()
	w.carryOut(ctx, w.requests()...)
	w.finish(ctx)
}

// Update carries out the transitions in the plan, in order.
//
// It uses no value of the configuration, because the configuration of an apply does not respect ignore_changes. It only
// checks which arguments are set.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	begun, ok := r.BeginUpdate(ctx, req, resp)
	w := working(begun, private.Owned[ownership](ctx, begun.Private, begun.Diags))
	planned := private.Planned[forApply](ctx, w.Private, w.Diags)
	w.steps, w.next = planned.Steps, w.own
	if w.State.Status.ValueString() != statusCanceled { // a canceled subscription only changes in the state
		w.next.Metadata, w.next.Items = planned.Metadata, itemKeys(w.Config.Items)
		if w.Plan.PlanID.IsNull() {
			w.next.Pending = pending{}
		}
		if !samePause(w.Plan.Pause, w.State.Pause) {
			_, resumesAt := pauseFields(w.Plan.Pause)
			w.next.PausedUntil = resumesAt.ValueString()
		}
	}
	w.body = w.Plan.body(w.State)
	w.metadata = object.MetadataChangeOf(w.State.Attributes, w.Plan.Attributes, w.own.Metadata, w.next.Metadata)
	rejectReplacement(planned.Forces, w.Plan, w.State, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	if !w.planStands(ctx) || w.has(changeItems) && !w.checkItemsUnchanged(ctx) {
		return
	}
	if w.carryOut(ctx, w.requests()...) {
		w.finish(ctx)
	}
}

// work is an apply in progress.
type work struct {
	*operation
	// body is the body of the creation or update, without the change of custom_metadata.
	body     billing.SubscriptionBody
	metadata object.MetadataChange
	// last is the subscription in the last response; nil if none has shown it.
	last *billing.Subscription
	// own is the current ownership, next the one after all requests.
	own, next ownership
	// steps are the transitions in the plan.
	steps []transitionKey
	// stale is set if the last request has changed values that no response contains, so that the subscription must be
	// read again.
	stale bool
}

func working(begun *operation, own ownership) *work { return &work{operation: begun, own: own} }

// has reports whether the plan has one of the transitions.
func (w *work) has(keys ...transitionKey) bool {
	return slices.ContainsFunc(w.steps, func(key transitionKey) bool { return slices.Contains(keys, key) })
}

// carryOut sends requests in order, until one fails. After each response is in the state, it updates the ownership: the
// conversion of a response needs the previous one.
func (w *work) carryOut(ctx context.Context, all ...*request) bool {
	for _, r := range all {
		response, err := r.send(w, ctx)
		if response != nil {
			w.last, w.State = response, w.State.keep(response, w.own, w.Diags)
		}
		if response != nil || err == nil {
			// Before the next request: a subscription that the state lacks would be created, and billed, again.
			w.Save(ctx, w.State)
			if r.owns != nil {
				r.owns(&w.own, w.next)
			}
			w.note(ctx)
		}
		w.stale = r == &itemsRequest
		if w.endedSince(ctx, err) || w.Failed(ctx, r.verb, r.attributes.On(err)) {
			return false
		}
	}
	return true
}

func (w *work) note(ctx context.Context) {
	private.SetOwned(ctx, w.Private, w.own, w.Diags)
}

// finish writes the result.
func (w *work) finish(ctx context.Context) {
	w.own = w.next
	w.note(ctx)
	if w.stale {
		now, err := w.Client.GetSubscription(ctx, w.id())
		if w.Failed(ctx, "read", err) {
			return
		}
		w.last = now
	}
	w.Finish(ctx, w.last, func(response *billing.Subscription) model {
		state := w.Plan.keep(response, w.own, w.Diags)
		if state.Pause.IsNull() && !w.has(pauseIt) {
			// No pause was requested, so a planned one is fulfilled; see change.pauseOver.
			state.Pause = w.Plan.Pause
		}
		return state
	})
}

// Read refreshes the state. A canceled subscription stays in the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	op, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	own := private.Owned[ownership](ctx, op.Private, op.Diags)
	_, state, ok := op.Get(ctx, func(s *billing.Subscription) model {
		if op.Importing {
			return imported(s, op.Diags)
		}
		return op.State.keep(s, own, op.Diags)
	})
	if !ok || !r.readItems(ctx, op, &state) {
		return
	}
	state.endPause(ctx, op.Client, op.State, op.Diags)
	state.warnUnpaid(op.State, op.Diags)
	if own.Pending != (pending{}) && !own.Pending.scheduled(state) { // the scheduled plan has started, or was reverted
		own.Pending = pending{}
		private.SetOwned(ctx, op.Private, own, op.Diags)
	}
	op.Save(ctx, state)
}

// imported returns the state after an import: the whole subscription without items, which require a separate request.
// An absent custom_metadata is stored as empty, so that neither {} nor an unset argument causes a diff.
func imported(s *billing.Subscription, diags *diag.Diagnostics) model {
	m, err := fromAPI(s)
	if err != nil {
		apidiag.Unreadable(diags, err)
	}
	m.CustomMetadata = m.CustomMetadata.OrEmpty()
	return m
}

// readItems adds the service's items to the refreshed state, if the state had some or the subscription is being
// imported.
func (r *Resource) readItems(ctx context.Context, op *operation, state *model) bool {
	prior := op.State
	if !op.Importing && (prior.Items.IsNull() || state.Status.ValueString() == statusCanceled) {
		return true
	}
	listed, known, err := op.Client.RefreshSubscriptionItems(ctx, prior.ID.ValueString(),
		func(items []billing.SubscriptionItem) bool {
			return seenItems(prior.Items, items).Equal(prior.Items)
		})
	switch {
	case forbidsItems(err):
		warnForbidden(err, "the items of "+prior.displayName(), op.Diags)
	case known:
		state.Items = seenItems(prior.Items, listed)
	case err != nil: // without an error, the service does not list items
		apidiag.Add(op.Diags, err, r.Operation("read", prior))
	}
	return !op.Diags.HasError()
}

// Delete applies deletion_policy. A canceled subscription requires no request.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	begun, ok := r.BeginDelete(ctx, req, resp, model.needsNoRequest)
	if !ok {
		return
	}
	w := working(begun, private.Owned[ownership](ctx, begun.Private, begun.Diags))
	if planned := private.Planned[forDestroy](ctx, w.Private, w.Diags); planned.PeriodEnd != "" {
		w.State.CurrentPeriodEnd = types.StringValue(planned.PeriodEnd)
		w.State.CancelAtPeriodEnd = types.BoolValue(planned.Scheduled)
	} else if checkDestroy(w.State, w.Diags); w.Diags.HasError() { // otherwise the plan has checked it
		return
	}
	atPeriodEnd := w.State.DeletionPolicy.ValueString() == policyCancelAtPeriodEnd
	if atPeriodEnd && w.State.CancelAtPeriodEnd.ValueBool() || !r.endStands(ctx, w) {
		return
	}
	_, err := w.Client.CancelSubscription(ctx, w.id(), billing.Cancel{AtPeriodEnd: atPeriodEnd,
		Reason: w.State.CancellationReason.ValueString()})
	if err == nil || api.IsNotFound(err) {
		return
	}
	now, lookErr := w.Client.GetSubscription(ctx, w.id())
	if lookErr == nil && now.Status == statusCanceled {
		return
	}
	if lookErr == nil {
		state := w.State
		state.AllowCancel = types.BoolPointerValue(now.AllowCancel)
		checkDestroy(state, w.Diags)
	}
	w.Failed(ctx, "cancel", endErrors.On(err))
}

// endStands rejects the deletion of a subscription that is in another period than planned, which has been charged since
// then or would be, or whose replacement would charge a customer although another system has canceled the subscription
// since.
func (r *Resource) endStands(ctx context.Context, w *work) bool {
	replaces := w.Replaces(ctx)
	now, err := w.Client.GetSubscription(ctx, w.id())
	e, responded := api.AsError(err)
	switch {
	case replaces && (api.IsNotFound(err) || err == nil && now.Status == statusCanceled):
		w.checkNotEnded(now)
	case err == nil && now.Status != statusCanceled && w.otherPeriod(now):
		w.checkPeriod(now)
	case err == nil, api.IsNotFound(err), responded && e.Status == http.StatusForbidden:
		return true
	default:
		apidiag.Add(w.Diags, err, r.Operation("read", w.State))
	}
	return false
}

// needsNoRequest reports whether a deletion sends no request.
func (m model) needsNoRequest(*diag.Diagnostics) bool {
	return m.Status.ValueString() == statusCanceled
}

// findIDs explains where to find the ids for an argument.
func findIDs(argument string) string {
	name := argument[strings.LastIndexByte(argument, '.')+1:]
	if name == argBillingAccountID {
		return "If it is the id of a customer, use its billing_account_id."
	}
	if collection := collections[name]; collection != "" {
		return check.FoundIn(collection)
	}
	return ""
}
