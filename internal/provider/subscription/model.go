package subscription

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// shared are the attributes that the resource and the data sources have in common.
type shared struct {
	ID                   types.String   `tfsdk:"id"`
	PublicID             types.String   `tfsdk:"public_id"`
	BillingAccountID     types.String   `tfsdk:"billing_account_id"`
	ExternalID           types.String   `tfsdk:"external_id"`
	PlanID               types.String   `tfsdk:"plan_id"`
	CurrentPlanID        types.String   `tfsdk:"current_plan_id"`
	PendingPlanID        types.String   `tfsdk:"pending_plan_id"`
	CompanyID            types.String   `tfsdk:"company_id"`
	ProductGroupID       types.String   `tfsdk:"product_group_id"`
	DiscountCodeID       types.String   `tfsdk:"discount_code_id"`
	DiscountPercent      value.Decimal  `tfsdk:"discount_percent"`
	BillingCycle         types.String   `tfsdk:"billing_cycle"`
	CollectionMethod     types.String   `tfsdk:"collection_method"`
	TrialStart           types.String   `tfsdk:"trial_start"`
	TrialEnd             value.DateTime `tfsdk:"trial_end"`
	ProrationBehavior    types.String   `tfsdk:"proration_behavior"`
	NfeIssuancePolicy    types.String   `tfsdk:"nfe_issuance_policy"`
	AllowPause           types.Bool     `tfsdk:"allow_pause"`
	AllowCancel          types.Bool     `tfsdk:"allow_cancel"`
	Notes                types.String   `tfsdk:"notes"`
	CancelAtPeriodEnd    types.Bool     `tfsdk:"cancel_at_period_end"`
	CancellationReason   types.String   `tfsdk:"cancellation_reason"`
	Pause                types.Object   `tfsdk:"pause"`
	Status               types.String   `tfsdk:"status"`
	CurrentPeriodStart   types.String   `tfsdk:"current_period_start"`
	CurrentPeriodEnd     types.String   `tfsdk:"current_period_end"`
	CycleBillingDate     types.String   `tfsdk:"cycle_billing_date"`
	ActivatedAt          types.String   `tfsdk:"activated_at"`
	ConfirmedAt          types.String   `tfsdk:"confirmed_at"`
	CanceledAt           types.String   `tfsdk:"canceled_at"`
	ProposalID           types.String   `tfsdk:"proposal_id"`
	PausedAt             types.String   `tfsdk:"paused_at"`
	ResumesAt            types.String   `tfsdk:"resumes_at"`
	ResumedAt            types.String   `tfsdk:"resumed_at"`
	RecurringAmountCents types.Int64    `tfsdk:"recurring_amount_cents"`
	RenewalSettings      types.String   `tfsdk:"renewal_settings"`
	Commitment           types.String   `tfsdk:"commitment"`
	Metadata             types.String   `tfsdk:"metadata"`
	CreatedAt            types.String   `tfsdk:"created_at"`
	UpdatedAt            types.String   `tfsdk:"updated_at"`
}

type model struct {
	shared
	metadata.Attributes
	PlanChange       types.Object `tfsdk:"plan_change"`
	Items            types.Set    `tfsdk:"items"`
	TrialPeriodDays  types.Int64  `tfsdk:"trial_period_days"`
	DeletionPolicy   types.String `tfsdk:"deletion_policy"`
	OnExternalCancel types.String `tfsdk:"on_external_cancel"`
}

// at returns the field of the named attribute, get its value.
func (m *model) at(name string) reflect.Value { return value.At(m, name) }

func (m *model) get(name string) attr.Value {
	v, _ := m.at(name).Interface().(attr.Value)
	return v
}

// fromAPI builds the whole model of a subscription, as for an import: the whole custom_metadata, and the defaults of
// arguments that only this provider uses. Items require a separate request.
func fromAPI(s *billing.Subscription) (model, error) {
	custom, err := metadata.Import("subscription "+s.ID, s.CustomMetadata)
	m := model{
		shared: shared{
			ID:                   types.StringValue(s.ID),
			PublicID:             value.TextOrNull(s.PublicID),
			BillingAccountID:     value.TextOrNull(s.BillingAccountID),
			ExternalID:           value.FilledOrNull(s.ExternalID),
			PlanID:               types.StringPointerValue(s.PlanID),
			CurrentPlanID:        types.StringPointerValue(s.PlanID),
			PendingPlanID:        value.TextOrNull(s.PendingPlanID()),
			CompanyID:            types.StringPointerValue(s.CompanyID),
			ProductGroupID:       types.StringPointerValue(s.ProductGroupID),
			DiscountCodeID:       types.StringPointerValue(s.DiscountCodeID),
			DiscountPercent:      value.DecimalPointer(s.DiscountPercent),
			BillingCycle:         value.TextOrNull(s.BillingCycle),
			CollectionMethod:     types.StringPointerValue(s.CollectionMethod),
			TrialStart:           types.StringPointerValue(s.TrialStart),
			TrialEnd:             value.DateTimePointer(s.TrialEnd),
			ProrationBehavior:    value.TextOrNull(s.ProrationBehavior),
			NfeIssuancePolicy:    types.StringPointerValue(s.NfeIssuancePolicy),
			AllowPause:           types.BoolPointerValue(s.AllowPause),
			AllowCancel:          types.BoolPointerValue(s.AllowCancel),
			Notes:                value.FilledOrNull(s.Notes),
			CancelAtPeriodEnd:    types.BoolValue(s.CancelAtPeriodEnd),
			CancellationReason:   value.FilledOrNull(s.CancellationReason),
			Pause:                pauseOf(s),
			Status:               value.TextOrNull(s.Status),
			CurrentPeriodStart:   value.TextOrNull(s.CurrentPeriodStart),
			CurrentPeriodEnd:     value.TextOrNull(s.CurrentPeriodEnd),
			CycleBillingDate:     value.TextOrNull(s.CycleBillingDate),
			ActivatedAt:          types.StringPointerValue(s.ActivatedAt),
			ConfirmedAt:          types.StringPointerValue(s.ConfirmedAt),
			CanceledAt:           types.StringPointerValue(s.CanceledAt),
			ProposalID:           types.StringPointerValue(s.ProposalID),
			PausedAt:             types.StringPointerValue(s.PausedAt),
			ResumesAt:            types.StringPointerValue(resumesAt(s)),
			ResumedAt:            types.StringPointerValue(s.ResumedAt),
			RecurringAmountCents: types.Int64PointerValue(s.RecurringAmountCents),
			RenewalSettings:      value.JSONText(s.RenewalSettings),
			Commitment:           value.AnyJSONText(s.Commitment),
			Metadata:             value.JSONText(s.Metadata),
			CreatedAt:            value.TextOrNull(s.CreatedAt),
			UpdatedAt:            value.TextOrNull(s.UpdatedAt),
		},
		PlanChange:       planChangeOf(timingImmediate),
		Items:            types.SetNull(itemType),
		TrialPeriodDays:  trialDays(api.OrEmpty(s.TrialStart), api.OrEmpty(s.TrialEnd)),
		Attributes:       custom,
		DeletionPolicy:   types.StringValue(policyCancel),
		OnExternalCancel: types.StringValue(externalCancelKeep),
	}
	if !m.PendingPlanID.IsNull() {
		m.PlanID = m.PendingPlanID
	}
	return m, err
}

// keep returns the state after a response with s. From m, a state or the applied plan, it keeps the values that the
// service never returns, and the spelling of equal values. If custom_metadata is unreadable, it reports an error and
// updates the rest.
func (m model) keep(s *billing.Subscription, own ownership, diags *diag.Diagnostics) model {
	state, err := fromAPI(s)
	state.PlanChange, state.TrialPeriodDays = m.PlanChange, m.TrialPeriodDays
	state.DeletionPolicy, state.OnExternalCancel = m.DeletionPolicy, m.OnExternalCancel
	state.Items = m.Items
	state.BillingAccountID = value.KeepID(m.BillingAccountID, state.BillingAccountID)
	state.PlanID = value.KeepID(m.PlanID, state.PlanID)
	state.CompanyID = value.KeepID(m.CompanyID, state.CompanyID)
	state.ProductGroupID = value.KeepID(m.ProductGroupID, state.ProductGroupID)
	state.DiscountCodeID = value.KeepID(m.DiscountCodeID, state.DiscountCodeID)
	state.CurrentPlanID = value.KeepID(m.CurrentPlanID, state.CurrentPlanID)
	state.PendingPlanID = value.KeepID(m.PendingPlanID, state.PendingPlanID)
	takenBack := m.CancelAtPeriodEnd.ValueBool() && !state.CancelAtPeriodEnd.ValueBool()
	if state.CancellationReason.IsNull() && !takenBack {
		// The service stores a reason only with a cancellation. Until then, the state has the configured one.
		state.CancellationReason = value.Known(m.CancellationReason)
	}
	state.DiscountPercent = discountLike(m.DiscountPercent, state.DiscountPercent)
	state.TrialEnd = state.TrialEnd.Or(m.TrialEnd)
	if state.TrialEnd.IsNull() && !m.TrialEnd.IsUnknown() {
		// It was requested too late.
		state.TrialEnd = m.TrialEnd
	}
	state.Pause = pauseLike(m.Pause, state.Pause, s)
	if own.Pending.holds(s) {
		state.PlanID, state.PendingPlanID = types.StringValue(own.Pending.To), types.StringValue(own.Pending.To)
	}
	if !state.PendingPlanID.IsNull() && !m.PendingPlanID.IsUnknown() && !sameID(state.PendingPlanID, m.PendingPlanID) {
		// Another system has scheduled it, not a plan_change of this configuration.
		state.PlanChange = planChangeOf(timingImmediate)
	}
	switch {
	case err != nil:
		object.AddUnreadMetadata(state.displayName(), err, diags)
		state.Attributes = metadata.Unread(m.Attributes)
	case s.Status == statusCanceled:
		state = state.withArgumentsOf(m)
	default:
		state.Attributes = state.Attributes.Seen(m.Attributes, own.Metadata)
	}
	return state
}

// discountLike returns the discount with the spelling of prior, if the service returns the same value or rounds it to
// its two decimals (wire contract: discount_percent).
func discountLike(prior, now value.Decimal) value.Decimal {
	_, decimals, _ := strings.Cut(strings.TrimRight(prior.ValueString(), "0"), ".")
	wanted, okWanted := new(big.Rat).SetString(prior.ValueString())
	stored, okStored := new(big.Rat).SetString(now.ValueString())
	if !okWanted || !okStored || len(decimals) <= 2 {
		return now.Or(prior)
	}
	if off := wanted.Sub(wanted, stored); off.Abs(off).Cmp(big.NewRat(1, 100)) < 0 { //nolint:mnd // below its precision
		return prior
	}
	return now
}

// sameID reports whether both are the same id, or null.
func sameID(a, b types.String) bool { return value.KeepID(a, b).Equal(a) }

// trialDays returns the length of a trial of whole days, as trial_period_days would create it.
func trialDays(from, until string) types.Int64 {
	const day = 24 * time.Hour
	start, okStart := api.ParseTime(from)
	end, okEnd := api.ParseTime(until)
	length := end.Sub(start)
	if !okStart || !okEnd || length < 0 || length%day != 0 {
		return types.Int64Null()
	}
	return types.Int64Value(int64(length / day))
}

// body returns the changes from prior to m, an update; for a zero prior, a creation. Unknown values are omitted, so
// that the service chooses them. A new plan is sent with change-plan, unless it is cleared; a scheduled cancellation is
// sent with cancel, unless it is reverted.
func (m model) body(prior model) billing.SubscriptionBody {
	for name := range value.Fields(reflect.TypeFor[model]()) {
		if m.get(name).IsUnknown() {
			m.at(name).Set(prior.at(name))
		}
	}
	body := billing.SubscriptionBody{
		ExternalID:        value.ChangedText(m.ExternalID, prior.ExternalID),
		DiscountCodeID:    value.ChangedText(m.DiscountCodeID, prior.DiscountCodeID),
		BillingCycle:      value.ChangedText(m.BillingCycle, prior.BillingCycle),
		CollectionMethod:  value.ChangedText(m.CollectionMethod, prior.CollectionMethod),
		ProrationBehavior: value.ChangedText(m.ProrationBehavior, prior.ProrationBehavior),
		NfeIssuancePolicy: value.ChangedText(m.NfeIssuancePolicy, prior.NfeIssuancePolicy),
		Notes:             value.ChangedText(m.Notes, prior.Notes),
	}
	creates := prior.ID.IsNull()
	if creates || m.PlanID.IsNull() {
		body.PlanID = value.ChangedText(m.PlanID, prior.PlanID)
	}
	if creates {
		body.BillingAccountID = value.ChangedText(m.BillingAccountID, prior.BillingAccountID)
		body.CompanyID = value.ChangedText(m.CompanyID, prior.CompanyID)
		body.ProductGroupID = value.ChangedText(m.ProductGroupID, prior.ProductGroupID)
		body.TrialEnd = value.Changed(m.TrialEnd, prior.TrialEnd, value.DateTime.ValueString)
		body.TrialPeriodDays = value.ChangedNumber(m.TrialPeriodDays, prior.TrialPeriodDays)
		if items := itemsTo(m.Items); len(items) > 0 {
			body.Items = api.Set(items)
		}
		return body
	}
	body.DiscountPercent = value.Changed(m.DiscountPercent, prior.DiscountPercent,
		func(d value.Decimal) json.Number { return json.Number(d.ValueString()) })
	body.AllowPause = value.ChangedBool(m.AllowPause, prior.AllowPause)
	body.AllowCancel = value.ChangedBool(m.AllowCancel, prior.AllowCancel)
	if !m.CancelAtPeriodEnd.ValueBool() && prior.CancelAtPeriodEnd.ValueBool() {
		body.CancelAtPeriodEnd = api.Set(false)
	}
	return body
}

// updateOnly are the arguments that can be set by an update but not by a creation.
var updateOnly = []string{"discount_percent", "allow_pause", "allow_cancel"}

// withRest returns the created subscription with the configured arguments that a creation cannot set.
func (m model) withRest(created model) model {
	for _, name := range updateOnly {
		if value := m.get(name); !value.IsNull() && !value.IsUnknown() {
			created.at(name).Set(m.at(name))
		}
	}
	created.Pause, created.CancelAtPeriodEnd = m.Pause, m.CancelAtPeriodEnd
	return created
}

// displayName names the subscription in a sentence. One without external_id and id is named by its account.
func (m model) displayName() string {
	name := "subscription"
	external, id := m.ExternalID.ValueString(), m.ID.ValueString()
	account := check.ShownText(argBillingAccountID, m.BillingAccountID.ValueString())
	if external != "" {
		name += fmt.Sprintf(" %q", external)
	}
	switch {
	case id != "":
		name += " (id " + id + ")"
	case external == "" && account != "":
		name += " of billing account " + account
	}
	return name
}

// title is displayName at the beginning of a sentence.
func (m model) title() string { return apidiag.Capitalize(m.displayName()) }

// Policy is the deletion_policy of the object.
func (m model) Policy() object.Policy {
	return object.Policy{Value: m.DeletionPolicy, Object: m.displayName(), Own: policyCancel}
}

var pauseType = types.ObjectType{AttrTypes: map[string]attr.Type{"behavior": types.StringType,
	"resumes_at": value.DateTimeType{}}}

// pauseOf returns the argument pause for the service's subscription; null if it is not paused. A response may lack
// either sign of a pause (service description, Recurring billing §2); a behavior missing from the response is null.
func pauseOf(s *billing.Subscription) types.Object {
	p := s.PauseCollection
	if s.Status == statusCanceled || s.Status != statusPaused && (p == nil || p.Behavior == "") {
		return types.ObjectNull(pauseType.AttrTypes)
	}
	behavior, resumesAt := types.StringNull(), s.ResumesAt
	if p != nil {
		behavior = value.TextOrNull(p.Behavior)
		if p.ResumesAt != nil {
			resumesAt = p.ResumesAt
		}
	}
	return pauseObject(behavior, value.DateTimePointer(resumesAt))
}

// resumesAt is the end of a pause that the response shows; nil if there is none.
func resumesAt(s *billing.Subscription) *string {
	if s.ResumesAt == nil && s.PauseCollection != nil {
		return s.PauseCollection.ResumesAt
	}
	return s.ResumesAt
}

func pauseObject(behavior types.String, resumesAt value.DateTime) types.Object {
	return types.ObjectValueMust(pauseType.AttrTypes, map[string]attr.Value{"behavior": behavior,
		"resumes_at": resumesAt})
}

// pauseLike returns the current pause, with the spelling of prior if they are equal. If the response only shows that
// the subscription is paused, the pause is assumed unchanged.
func pauseLike(prior, now types.Object, remote *billing.Subscription) types.Object {
	if prior.IsNull() || prior.IsUnknown() || now.IsNull() {
		return now
	}
	if remote.PauseCollection == nil && remote.ResumesAt == nil || samePause(prior, now) {
		return prior
	}
	return now
}

func pauseFields(pause types.Object) (behavior types.String, resumesAt value.DateTime) {
	behavior, _ = pause.Attributes()["behavior"].(types.String)
	resumesAt, _ = pause.Attributes()["resumes_at"].(value.DateTime)
	return behavior, resumesAt
}

// samePause reports whether both pauses are equal. A null behavior was missing from the response, and is not compared.
func samePause(a, b types.Object) bool {
	if a.IsNull() || b.IsNull() || a.IsUnknown() || b.IsUnknown() {
		return a.Equal(b)
	}
	behaviorA, resumesA := pauseFields(a)
	behaviorB, resumesB := pauseFields(b)
	return (behaviorA.IsNull() || behaviorB.IsNull() || behaviorA.Equal(behaviorB)) && resumesA.Means(resumesB)
}

// endPause handles a pause in the state that the service no longer has. If its resumes_at has passed by the service's
// clock, it is fulfilled and stays in the state, so that its configuration causes no diff. Otherwise another system has
// ended it, except if it never started because the step that pauses failed.
func (m *model) endPause(ctx context.Context, client *billing.Service, prior model, diags *diag.Diagnostics) {
	if prior.Pause.IsNull() || !m.Pause.IsNull() {
		return
	}
	_, resumesAt := pauseFields(prior.Pause)
	over, _ := past(ctx, client, resumesAt.ValueString())
	switch {
	case m.Status.ValueString() != statusCanceled && over:
		m.Pause = prior.Pause
	case prior.Status.ValueString() == statusPaused || !prior.PausedAt.IsNull():
		diags.AddAttributeWarning(path.Root("pause"), "The pause of "+m.displayName()+" has ended",
			"It was ended outside of Terraform. If pause is still configured and not in ignore_changes, the plan pauses it "+
				"again: remove pause, or set another resumes_at.")
	}
}
