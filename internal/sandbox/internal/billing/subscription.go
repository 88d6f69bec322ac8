package billing

import (
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// subscription is a subscription on the wire, every documented field always
// present (service description, Recurring billing §2 Subscription).
type subscription struct {
	ID                   string            `json:"id"`
	PublicID             string            `json:"public_id"`
	ExternalID           *string           `json:"external_id"`
	BillingAccountID     string            `json:"billing_account_id"`
	CompanyID            *string           `json:"company_id"`
	PlanID               *string           `json:"plan_id"`
	ProductGroupID       *string           `json:"product_group_id"`
	Status               string            `json:"status"`
	BillingCycle         string            `json:"billing_cycle"`
	CurrentPeriodStart   server.Timestamp  `json:"current_period_start"`
	CurrentPeriodEnd     server.Timestamp  `json:"current_period_end"`
	CycleBillingDate     server.Timestamp  `json:"cycle_billing_date"`
	TrialStart           *server.Timestamp `json:"trial_start"`
	TrialEnd             *server.Timestamp `json:"trial_end"`
	ActivatedAt          *server.Timestamp `json:"activated_at"`
	ConfirmedAt          *server.Timestamp `json:"confirmed_at"`
	CancelAtPeriodEnd    bool              `json:"cancel_at_period_end"`
	CanceledAt           *server.Timestamp `json:"canceled_at"`
	CancellationReason   *string           `json:"cancellation_reason"`
	PauseCollection      *pauseCollection  `json:"pause_collection"`
	PausedAt             *server.Timestamp `json:"paused_at"`
	ResumesAt            *server.Timestamp `json:"resumes_at"`
	ResumedAt            *server.Timestamp `json:"resumed_at"`
	DiscountCodeID       *string           `json:"discount_code_id"`
	DiscountPercent      *string           `json:"discount_percent"`
	RecurringAmountCents *int64            `json:"recurring_amount_cents"`
	ProrationBehavior    string            `json:"proration_behavior"`
	CollectionMethod     *string           `json:"collection_method"`
	NFEIssuancePolicy    *string           `json:"nfe_issuance_policy"`
	RenewalSettings      renewalSettings   `json:"renewal_settings"`
	Commitment           object            `json:"commitment"`
	AllowPause           bool              `json:"allow_pause"`
	AllowCancel          bool              `json:"allow_cancel"`
	ProposalID           *string           `json:"proposal_id"`
	Notes                *string           `json:"notes"`
	Metadata             object            `json:"metadata"`
	CustomMetadata       object            `json:"custom_metadata"`
	CreatedAt            server.Timestamp  `json:"created_at"`
	UpdatedAt            server.Timestamp  `json:"updated_at"`
}

type pauseCollection struct {
	Behavior  string            `json:"behavior"`
	ResumesAt *server.Timestamp `json:"resumes_at"`
}

type renewalSettings struct {
	Type string `json:"type"`
}

// The documented states (service description, Recurring billing §3). Create
// returns trialing or active; paused, past_due and canceled follow by the
// machine. draft, confirmed and suspended are never reached by an operation:
// the wire contract has no drafts, and no document says what leads
// to the other two. SetStatus puts a subscription into any of them.
const (
	subscriptionTrialing = "trialing"
	SubscriptionActive   = "active"
	SubscriptionPastDue  = "past_due"
	subscriptionPaused   = "paused"
	SubscriptionCanceled = "canceled"
	subscriptionDraft    = "draft"
)

// How a subscription is collected, as far as the sandbox distinguishes it: the
// other methods all invoice at every renewal.
const (
	chargeAutomatically = "charge_automatically"
	manualInvoice       = "manual_invoice"
)

// SubscriptionRow is a subscription as the tables keep it.
type SubscriptionRow struct {
	Organization  string       `json:"organization"`
	Subscription  subscription `json:"subscription"`
	Items         []item       `json:"items"`
	PendingPlanID *string      `json:"pending_plan_id"` // comes when the period ends
	// AnchorDay is the day of the month on which periods begin, where the month
	// has it: a period that began on 31 January ends on the last of February,
	// and the one after that on 31 March.
	AnchorDay int `json:"anchor_day"`
}

// externalKey takes part in the index of external ids until the subscription
// is canceled (wire contract: external_id of a canceled object).
func (r SubscriptionRow) externalKey() string {
	if r.Subscription.Status == SubscriptionCanceled {
		return ""
	}
	return externalKey(r.Organization, r.Subscription.ExternalID)
}

// derived returns the row with the fields that follow from others.
func (r SubscriptionRow) derived(costs pricing) SubscriptionRow {
	r.Subscription.Metadata = object{}
	if r.PendingPlanID != nil {
		r.Subscription.Metadata["pending_plan_id"] = *r.PendingPlanID
	}
	r.Subscription.CycleBillingDate = r.Subscription.CurrentPeriodEnd
	r.Subscription.RecurringAmountCents = r.amount(costs)
	return r
}

// findSubscription returns the subscription that the path names.
func (s *Service) findSubscription(c *server.Call, tx *store.Tx) (SubscriptionRow, error) {
	row, ok := s.Subscriptions.Get(tx, c.Path["id"])
	if !ok || row.Organization != c.Organization {
		return SubscriptionRow{}, server.ErrNotFound
	}
	return row, nil
}

// isSubscribed reports whether the billing account has a subscription that is
// not canceled.
func (s *Service) isSubscribed(c *server.Call, tx *store.Tx, accountID string) bool {
	for _, row := range s.subscriptionsOf.All(tx, accountID) {
		if row.Subscription.Status != SubscriptionCanceled {
			return true
		}
	}
	return false
}

// hasLiveSubscription reports whether one of the customer's billing accounts has
// a subscription that is not canceled.
func (s *Service) hasLiveSubscription(c *server.Call, tx *store.Tx, customerID string) bool {
	for accountID := range s.AccountsOf.All(tx, customerID) {
		if s.isSubscribed(c, tx, accountID) {
			return true
		}
	}
	return false
}
