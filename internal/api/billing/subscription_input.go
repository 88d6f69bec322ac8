package billing

import (
	"encoding/json"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// SubscriptionItemInput is one item of a subscription that is asked for (service
// description, Recurring billing §4). What is nil is left out.
type SubscriptionItemInput struct {
	ProductID string `json:"product_id"`
	PriceID   string `json:"price_id"`
	Quantity  *int64 `json:"quantity,omitempty"` // at least 1; nil: 1
	// ten-thousandths of the currency unit, instead of the price's amount
	UnitAmountSubcents *int64 `json:"unit_amount_subcents,omitempty"`
}

// SubscriptionCreate is the body of subscriptions.create (service description,
// Recurring billing §4). Only BillingAccountID is required, and PlanID where
// there are no Items; what is nil or empty is left out.
type SubscriptionCreate struct {
	BillingAccountID string  `json:"billing_account_id"`
	ExternalID       *string `json:"external_id,omitempty"`
	CompanyID        *string `json:"company_id,omitempty"`
	ProductGroupID   *string `json:"product_group_id,omitempty"`
	DiscountCodeID   *string `json:"discount_code_id,omitempty"`
	PlanID           *string `json:"plan_id,omitempty"`
	BillingCycle     *string `json:"billing_cycle,omitempty"`
	CollectionMethod *string `json:"collection_method,omitempty"`
	TrialEnd         *string `json:"trial_end,omitempty"`
	// days from the creation; excludes TrialEnd
	TrialPeriodDays   *int64                  `json:"trial_period_days,omitempty"`
	ProrationBehavior *string                 `json:"proration_behavior,omitempty"`
	NfeIssuancePolicy *string                 `json:"nfe_issuance_policy,omitempty"`
	Notes             *string                 `json:"notes,omitempty"`
	Items             []SubscriptionItemInput `json:"items,omitempty"`
	CustomMetadata    json.RawMessage         `json:"custom_metadata,omitempty"`
}

// SubscriptionUpdate is the body of subscriptions.update. A field that is left
// out is not touched; null clears where the service describes null.
type SubscriptionUpdate struct {
	ExternalID        api.Field[string]          `json:"external_id,omitzero"`
	PlanID            api.Field[string]          `json:"plan_id,omitzero"`
	BillingCycle      api.Field[string]          `json:"billing_cycle,omitzero"`
	CollectionMethod  api.Field[string]          `json:"collection_method,omitzero"`
	CancelAtPeriodEnd api.Field[bool]            `json:"cancel_at_period_end,omitzero"`
	DiscountCodeID    api.Field[string]          `json:"discount_code_id,omitzero"`
	DiscountPercent   api.Field[json.Number]     `json:"discount_percent,omitzero"` // 0 to 100, sent as a number
	ProrationBehavior api.Field[string]          `json:"proration_behavior,omitzero"`
	NfeIssuancePolicy api.Field[string]          `json:"nfe_issuance_policy,omitzero"`
	AllowPause        api.Field[bool]            `json:"allow_pause,omitzero"`
	AllowCancel       api.Field[bool]            `json:"allow_cancel,omitzero"`
	Notes             api.Field[string]          `json:"notes,omitzero"`
	CustomMetadata    api.Field[json.RawMessage] `json:"custom_metadata,omitzero"`
	// replace (the service's default) or merge
	CustomMetadataMode api.Field[string] `json:"custom_metadata_mode,omitzero"`
}

// IsEmpty says whether the update changes nothing. A mode alone changes nothing.
func (u SubscriptionUpdate) IsEmpty() bool {
	u.CustomMetadataMode = api.Field[string]{}
	return reflect.ValueOf(u).IsZero()
}

// SubscriptionCreated is the response of subscriptions.create.
type SubscriptionCreated struct {
	Subscription
	// Adopted says that the response to the create was lost and the subscription
	// was found by a lookup.
	Adopted bool `json:"-"`
}

func (q SubscriptionQuery) matches(s Subscription) bool {
	return (q.ExternalID == "" || q.ExternalID == text(s.ExternalID)) &&
		(q.BillingAccountID == "" || same.ID(q.BillingAccountID, s.BillingAccountID)) &&
		(q.Status == "" || q.Status == s.Status) &&
		(q.PlanID == "" || same.ID(q.PlanID, text(s.PlanID))) &&
		notBefore(s.UpdatedAt, q.UpdatedAtGTE)
}

// matches reports whether an item is what was asked for.
func (w SubscriptionItemInput) matches(i SubscriptionItem) bool {
	quantity := int64(1)
	if w.Quantity != nil {
		quantity = *w.Quantity
	}
	return same.ID(w.ProductID, i.ProductID) && same.ID(w.PriceID, i.PriceID) && quantity == i.Quantity &&
		(w.UnitAmountSubcents == nil || i.UnitAmountSubcents == nil || *w.UnitAmountSubcents == *i.UnitAmountSubcents)
}
