package subscription

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

// withoutUnknown is a planned model that leaves out what only the service can say.
func (m model) withoutUnknown() model {
	for _, text := range []*types.String{&m.BillingCycle, &m.CollectionMethod, &m.ProrationBehavior, &m.NfeIssuancePolicy} {
		*text = wire.Known(*text)
	}
	if m.TrialEnd.IsUnknown() {
		m.TrialEnd = fwtype.DateTimePointer(nil)
	}
	for _, allowed := range []*types.Bool{&m.AllowPause, &m.AllowCancel} {
		if allowed.IsUnknown() {
			*allowed = types.BoolNull()
		}
	}
	return m
}

// toCreate is the body that creates the subscription as planned, with desired as its custom_metadata. What is not
// configured is left out, so that the service's own defaults hold.
func (m model) toCreate(desired metadata.Object) billing.SubscriptionCreate {
	create := billing.SubscriptionCreate{
		BillingAccountID:  m.BillingAccountID.ValueString(),
		ExternalID:        m.ExternalID.ValueStringPointer(),
		CompanyID:         m.CompanyID.ValueStringPointer(),
		ProductGroupID:    m.ProductGroupID.ValueStringPointer(),
		DiscountCodeID:    m.DiscountCodeID.ValueStringPointer(),
		PlanID:            m.PlanID.ValueStringPointer(),
		BillingCycle:      m.BillingCycle.ValueStringPointer(),
		CollectionMethod:  m.CollectionMethod.ValueStringPointer(),
		TrialEnd:          m.TrialEnd.ValueStringPointer(),
		TrialPeriodDays:   m.TrialPeriodDays.ValueInt64Pointer(),
		ProrationBehavior: m.ProrationBehavior.ValueStringPointer(),
		NfeIssuancePolicy: m.NfeIssuancePolicy.ValueStringPointer(),
		Notes:             m.Notes.ValueStringPointer(),
		Items:             itemsTo(m.Items),
	}
	if len(desired) > 0 {
		create.CustomMetadata = metadata.Payload(desired)
	}
	return create
}

// afterCreate is the update with what is configured and a creation cannot carry.
func (m model) afterCreate(state model) billing.SubscriptionUpdate {
	var update billing.SubscriptionUpdate
	if !m.DiscountPercent.IsNull() {
		update.DiscountPercent = wireDiscount(m, state)
	}
	if !m.AllowPause.IsNull() {
		update.AllowPause = wire.Changed(m.AllowPause, state.AllowPause, types.Bool.ValueBool)
	}
	if !m.AllowCancel.IsNull() {
		update.AllowCancel = wire.Changed(m.AllowCancel, state.AllowCancel, types.Bool.ValueBool)
	}
	return update
}

// toUpdate is the body of an update that takes the subscription from state to m. A plan goes through change-plan, unless it is cleared;
// a scheduled cancellation goes through cancel, unless it is taken back.
func (m model) toUpdate(state model) billing.SubscriptionUpdate {
	update := m.plainUpdate(state)
	update.DiscountPercent = wireDiscount(m, state)
	update.DiscountCodeID = wire.Text(m.DiscountCodeID, state.DiscountCodeID)
	update.BillingCycle = wire.Text(m.BillingCycle, state.BillingCycle)
	if m.BillingCycle.IsUnknown() {
		update.BillingCycle = api.Field[string]{}
	}
	if m.PlanID.IsNull() {
		update.PlanID = wire.Text(m.PlanID, state.PlanID)
	}
	if !m.CancelAtPeriodEnd.ValueBool() && state.CancelAtPeriodEnd.ValueBool() {
		update.CancelAtPeriodEnd = api.Set(false)
	}
	return update
}

// plainUpdate holds the fields whose change touches nothing else; see touches.
func (m model) plainUpdate(state model) billing.SubscriptionUpdate {
	return billing.SubscriptionUpdate{
		ExternalID:        wire.Text(m.ExternalID, state.ExternalID),
		CollectionMethod:  wire.Text(m.CollectionMethod, state.CollectionMethod),
		ProrationBehavior: wire.Text(m.ProrationBehavior, state.ProrationBehavior),
		NfeIssuancePolicy: wire.Text(m.NfeIssuancePolicy, state.NfeIssuancePolicy),
		AllowPause:        wire.Changed(m.AllowPause, state.AllowPause, types.Bool.ValueBool),
		AllowCancel:       wire.Changed(m.AllowCancel, state.AllowCancel, types.Bool.ValueBool),
		Notes:             wire.Text(m.Notes, state.Notes),
	}
}

func wireDiscount(m, state model) api.Field[json.Number] {
	if m.DiscountPercent.Means(state.DiscountPercent) {
		return api.Field[json.Number]{}
	}
	return wire.Changed(m.DiscountPercent, state.DiscountPercent, func(d fwtype.Decimal) json.Number { return json.Number(d.ValueString()) })
}
