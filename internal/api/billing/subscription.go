package billing

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// Subscription is a subscription as the service returns it (service
// description, Recurring billing §2). A nil pointer is null or absent; dates are
// as returned.
type Subscription struct {
	ID               string  `json:"id"`
	PublicID         string  `json:"public_id"`
	ExternalID       *string `json:"external_id"`
	BillingAccountID string  `json:"billing_account_id"`
	CompanyID        *string `json:"company_id"`
	PlanID           *string `json:"plan_id"` // the current plan; null: priced by its items
	ProductGroupID   *string `json:"product_group_id"`
	// draft, confirmed, trialing, active, past_due, canceled, paused, suspended
	Status               string           `json:"status"`
	BillingCycle         string           `json:"billing_cycle"` // monthly, quarterly, semiannual, annual
	CurrentPeriodStart   string           `json:"current_period_start"`
	CurrentPeriodEnd     string           `json:"current_period_end"`
	CycleBillingDate     string           `json:"cycle_billing_date"` // when the next invoice is created
	TrialStart           *string          `json:"trial_start"`
	TrialEnd             *string          `json:"trial_end"`
	ActivatedAt          *string          `json:"activated_at"`
	ConfirmedAt          *string          `json:"confirmed_at"`
	CancelAtPeriodEnd    bool             `json:"cancel_at_period_end"`
	CanceledAt           *string          `json:"canceled_at"`
	CancellationReason   *string          `json:"cancellation_reason"`
	PauseCollection      *PauseCollection `json:"pause_collection"` // nil: not paused
	PausedAt             *string          `json:"paused_at"`
	ResumesAt            *string          `json:"resumes_at"`
	ResumedAt            *string          `json:"resumed_at"`
	DiscountCodeID       *string          `json:"discount_code_id"`
	DiscountPercent      *string          `json:"discount_percent"`       // decimal, 0 to 100, as written in the response
	RecurringAmountCents *int64           `json:"recurring_amount_cents"` // hundredths of the currency unit
	ProrationBehavior    string           `json:"proration_behavior"`     // create_prorations, none, always_invoice
	// charge_automatically, manual_charge, manual_invoice
	CollectionMethod *string `json:"collection_method"`
	// disabled, on_finalization, on_full_payment, per_installment
	NfeIssuancePolicy *string         `json:"nfe_issuance_policy"`
	RenewalSettings   json.RawMessage `json:"renewal_settings"` // object with type; nil or "null" when null
	Commitment        json.RawMessage `json:"commitment"`       // any shape
	AllowPause        *bool           `json:"allow_pause"`
	AllowCancel       *bool           `json:"allow_cancel"`
	ProposalID        *string         `json:"proposal_id"`
	Notes             *string         `json:"notes"`
	Metadata          json.RawMessage `json:"metadata"`
	CustomMetadata    json.RawMessage `json:"custom_metadata"` // nil or "null" when null
	CreatedAt         string          `json:"created_at"`
	UpdatedAt         string          `json:"updated_at"`
}

// PauseCollection describes how a subscription is paused.
type PauseCollection struct {
	Behavior  string  `json:"behavior"`   // mark_uncollectible, keep_as_draft, void
	ResumesAt *string `json:"resumes_at"` // nil: resumed by hand
}

// subscriptionKeys are always present in a subscription (service description,
// Recurring billing §2).
var subscriptionKeys = []string{
	"id", "public_id", "external_id", "billing_account_id", "company_id", "plan_id", "product_group_id", "status",
	"billing_cycle", "current_period_start", "current_period_end", "cycle_billing_date", "trial_start", "trial_end",
	"activated_at", "confirmed_at", "cancel_at_period_end", "canceled_at", "cancellation_reason", "discount_code_id",
	"discount_percent", "recurring_amount_cents", "proration_behavior", "collection_method", "nfe_issuance_policy",
	"allow_pause", "allow_cancel", "proposal_id", "notes", "metadata", "custom_metadata", "created_at", "updated_at",
}

// UnmarshalJSON also accepts a number as discount_percent, in addition to the documented string.
func (s *Subscription) UnmarshalJSON(data []byte) error {
	type plain Subscription
	open := struct {
		*plain
		DiscountPercent json.RawMessage `json:"discount_percent"`
	}{plain: (*plain)(s)}
	if err := json.Unmarshal(data, &open); err != nil {
		return err
	}
	raw := bytes.TrimSpace(open.DiscountPercent)
	switch {
	case len(raw) == 0: // absent: the previous value is kept
		return nil
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		s.DiscountPercent = new(string(raw))
		return nil
	}
	s.DiscountPercent = nil
	err := json.Unmarshal(raw, &s.DiscountPercent)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		mismatch.Field = "discount_percent"
	}
	return err
}

// PendingPlanID returns the plan that takes effect at the end of the period, or "" (wire contract: change-plan,
// end_of_period).
func (s *Subscription) PendingPlanID() string {
	var metadata struct {
		PendingPlanID json.RawMessage `json:"pending_plan_id"`
	}
	var id string
	if json.Unmarshal(s.Metadata, &metadata) != nil || json.Unmarshal(metadata.PendingPlanID, &id) != nil {
		return ""
	}
	return id
}

// SubscriptionBody is the body of subscriptions.create and subscriptions.update (service description, Recurring billing
// §4). An absent field has the service's default on creation, and is not changed by an update; null clears it.
type SubscriptionBody struct {
	// Creation only. It requires billing_account_id, and plan_id unless it has items.
	BillingAccountID api.Field[string]                  `json:"billing_account_id,omitzero"`
	CompanyID        api.Field[string]                  `json:"company_id,omitzero"`
	ProductGroupID   api.Field[string]                  `json:"product_group_id,omitzero"`
	TrialEnd         api.Field[string]                  `json:"trial_end,omitzero"`
	TrialPeriodDays  api.Field[int64]                   `json:"trial_period_days,omitzero"` // excludes TrialEnd
	Items            api.Field[[]SubscriptionItemInput] `json:"items,omitzero"`
	// Creation and update.
	ExternalID        api.Field[string]          `json:"external_id,omitzero"`
	PlanID            api.Field[string]          `json:"plan_id,omitzero"`
	BillingCycle      api.Field[string]          `json:"billing_cycle,omitzero"`
	CollectionMethod  api.Field[string]          `json:"collection_method,omitzero"`
	DiscountCodeID    api.Field[string]          `json:"discount_code_id,omitzero"`
	ProrationBehavior api.Field[string]          `json:"proration_behavior,omitzero"`
	NfeIssuancePolicy api.Field[string]          `json:"nfe_issuance_policy,omitzero"`
	Notes             api.Field[string]          `json:"notes,omitzero"`
	CustomMetadata    api.Field[json.RawMessage] `json:"custom_metadata,omitzero"`
	// Update only.
	CancelAtPeriodEnd  api.Field[bool]        `json:"cancel_at_period_end,omitzero"`
	DiscountPercent    api.Field[json.Number] `json:"discount_percent,omitzero"` // 0 to 100, sent as a number
	AllowPause         api.Field[bool]        `json:"allow_pause,omitzero"`
	AllowCancel        api.Field[bool]        `json:"allow_cancel,omitzero"`
	CustomMetadataMode api.Field[string]      `json:"custom_metadata_mode,omitzero"` // replace (the default) or merge
}

// SubscriptionCreated is the response of subscriptions.create.
type SubscriptionCreated struct {
	Subscription
	// Adopted means that the response to the creation was lost and a lookup found the subscription.
	Adopted bool `json:"-"`
}

// SubscriptionItem is one item of a subscription (wire contract:
// subscriptions.items.list).
type SubscriptionItem struct {
	ID                 string `json:"id"`
	ProductID          string `json:"product_id"`
	PriceID            string `json:"price_id"`
	Quantity           int64  `json:"quantity"`             // 1 if the response omits it
	UnitAmountSubcents *int64 `json:"unit_amount_subcents"` // ten-thousandths of the currency unit; nil: the price's own
}

// UnmarshalJSON applies the default of the quantity (service description,
// Recurring billing §4).
func (i *SubscriptionItem) UnmarshalJSON(data []byte) error {
	type plain SubscriptionItem
	item := plain{Quantity: 1}
	if err := json.Unmarshal(data, &item); err != nil {
		return err
	}
	*i = SubscriptionItem(item)
	return nil
}

// SubscriptionItemInput is a requested item of a subscription (service description, Recurring billing §4). Nil fields
// are omitted.
type SubscriptionItemInput struct {
	ProductID string `json:"product_id"`
	PriceID   string `json:"price_id"`
	Quantity  *int64 `json:"quantity,omitempty"` // at least 1; nil: 1
	// ten-thousandths of the currency unit, instead of the price's amount
	UnitAmountSubcents *int64 `json:"unit_amount_subcents,omitempty"`
}

// SubscriptionQuery filters a list of subscriptions. Empty fields are not sent.
type SubscriptionQuery struct {
	ListOptions
	ExternalID       string
	BillingAccountID string
	Status           string
	PlanID           string
	UpdatedAtGTE     string // ISO 8601
}

func (q SubscriptionQuery) matches(s Subscription) bool {
	return q.hasCode(q.ExternalID, s.ExternalID) &&
		(q.BillingAccountID == "" || same.ID(q.BillingAccountID, s.BillingAccountID)) &&
		(q.Status == "" || q.Status == s.Status) &&
		(q.PlanID == "" || same.ID(q.PlanID, api.OrEmpty(s.PlanID))) &&
		notBefore(s.UpdatedAt, q.UpdatedAtGTE)
}

// Check implements [checked].
func (s *Subscription) Check() error { return api.Present("subscription with an id", s.ID) }

// matches reports whether an item is the requested one.
func (w SubscriptionItemInput) matches(i SubscriptionItem) bool {
	quantity := int64(1)
	if w.Quantity != nil {
		quantity = *w.Quantity
	}
	return same.ID(w.ProductID, i.ProductID) && same.ID(w.PriceID, i.PriceID) && quantity == i.Quantity &&
		(w.UnitAmountSubcents == nil || i.UnitAmountSubcents == nil || *w.UnitAmountSubcents == *i.UnitAmountSubcents)
}
