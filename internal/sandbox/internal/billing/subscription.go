package billing

import (
	"cmp"
	"net/http"
	"reflect"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// subscription is a subscription as returned, with every documented field always present (service description,
// Recurring billing §2 Subscription).
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

// The documented states (service description, Recurring billing §3). Create returns trialing or active; transitions
// lead to paused, past_due and canceled. Operations never reach draft, confirmed and suspended: the wire contract has
// no drafts, and transitions to the other two are undocumented. SetStatus can set any of them.
const (
	subscriptionTrialing = "trialing"
	SubscriptionActive   = "active"
	SubscriptionPastDue  = "past_due"
	subscriptionPaused   = "paused"
	SubscriptionCanceled = "canceled"
	subscriptionDraft    = "draft"
)

// Collection methods that the sandbox distinguishes; all others invoice at every renewal.
const (
	chargeAutomatically = "charge_automatically"
	manualInvoice       = "manual_invoice"
)

// SubscriptionRow is a stored subscription.
type SubscriptionRow struct {
	server.Owned
	Number        int64        `json:"number,omitempty"` // in order of creation; 0 in a copy
	Subscription  subscription `json:"subscription"`
	Items         []item       `json:"items"`
	PendingPlanID *string      `json:"pending_plan_id"` // takes effect at the end of the period
	// AnchorDay is the day of the month on which periods start, if the month has it: a period that started on 31 January
	// ends on the last day of February, and the next one on 31 March.
	AnchorDay int `json:"anchor_day"`
	// BillingDate is when the next invoice is made, in a copy of a subscription that is invoiced on another day than that
	// of its renewal, and BillingDay its day of the month.
	BillingDate *server.Timestamp `json:"billing_date,omitempty"`
	BillingDay  int               `json:"billing_day,omitempty"`
}

// externalKey includes the subscription in the index of external ids until it is canceled (wire contract: external_id
// of a canceled object).
func (r SubscriptionRow) externalKey() string {
	if r.Subscription.Status == SubscriptionCanceled {
		return ""
	}
	return externalKey(r.Organization, r.Subscription.ExternalID)
}

// derived returns the row with its derived fields set.
func (r SubscriptionRow) derived(costs costs) SubscriptionRow {
	r.Subscription.Metadata = object{}
	if r.PendingPlanID != nil {
		r.Subscription.Metadata["pending_plan_id"] = *r.PendingPlanID
	}
	r.Subscription.CycleBillingDate = r.Subscription.CurrentPeriodEnd
	if r.BillingDate != nil {
		r.Subscription.CycleBillingDate = *r.BillingDate
	}
	r.Subscription.RecurringAmountCents = costs(r).Shown
	return r
}

// isSubscribed reports whether the billing account has a subscription that is not canceled.
func (s *Service) isSubscribed(tx *store.Tx, accountID string) bool {
	for _, row := range s.SubscriptionsOf.All(tx, accountID) {
		if row.Subscription.Status != SubscriptionCanceled {
			return true
		}
	}
	return false
}

var (
	billingCycles = server.OneOf("monthly", "quarterly", "semiannual", "annual")
	nfePolicies   = server.OneOf("disabled", "on_finalization", "on_full_payment", "per_installment")
)

const defaultProration = "create_prorations"

// null is accepted only where documented as "or null".
var (
	subscriptionFields = server.Shape{
		"plan_id":            server.Nullable(server.UUID),
		"billing_cycle":      billingCycles,
		"collection_method":  server.Nullable(server.OneOf(chargeAutomatically, "manual_charge", manualInvoice)),
		"proration_behavior": server.OneOf(defaultProration, "none", "always_invoice"),
		"notes":              server.Nullable(server.Text),
		"custom_metadata":    server.FreeObject,
	}
	subscriptionCreate = server.Form{Required: []string{"billing_account_id"}, Shape: subscriptionFields.And(server.Shape{
		"billing_account_id":  server.UUID,
		"external_id":         server.Filled,
		"company_id":          server.UUID,
		"product_group_id":    server.UUID,
		"discount_code_id":    server.UUID,
		"nfe_issuance_policy": nfePolicies,
		"trial_end":           server.DateOrTime,
		"trial_period_days":   server.IntegerFrom(0),
		"items":               itemsRule,
	}, "an update", "cancel_at_period_end", "discount_percent", "allow_pause", "allow_cancel", "custom_metadata_mode")}
	subscriptionUpdate = server.Form{Shape: subscriptionFields.And(server.Shape{
		"external_id":          server.Nullable(server.Filled),
		"discount_code_id":     server.Nullable(server.UUID),
		"nfe_issuance_policy":  server.Nullable(nfePolicies),
		"cancel_at_period_end": server.Boolean,
		"discount_percent":     server.Nullable(server.Percent),
		"allow_pause":          server.Boolean,
		"allow_cancel":         server.Boolean,
		"custom_metadata_mode": metadataMode,
	}, "a create", "billing_account_id", "company_id", "product_group_id", "trial_end", "trial_period_days", "items")}
)

// trial returns when the trial of a subscription made now ends, nil without a
// trial: trial_period_days = 0 means no trial.
func trial(in server.Body, now time.Time) (*server.Timestamp, error) {
	end, days := server.Sent[string](in, "trial_end"), server.Sent[int64](in, "trial_period_days")
	switch {
	case end != nil && days != nil:
		return nil, server.Invalid(server.Problems{
			"trial_end":         "excludes trial_period_days",
			"trial_period_days": "excludes trial_end",
		})
	case end != nil:
		at, _ := server.ParseTime(*end) // its rule has read it
		return inFuture("trial_end", at, now)
	case days != nil && *days > 0:
		// Beyond the limit, the number of days does not matter.
		return inFuture("trial_period_days", now.AddDate(0, 0, int(min(*days, lastYear*366))), now)
	}
	return nil, nil
}

// inFuture rejects times in the past or after lastYear.
func inFuture(field string, at, now time.Time) (*server.Timestamp, error) {
	switch {
	case !at.After(now):
		return nil, server.Invalid(server.Problems{field: "must be in the future"})
	case at.Year() > lastYear:
		return nil, server.Invalid(server.Problems{field: "is too far in the future"})
	}
	return &server.Timestamp{Time: at.Truncate(time.Millisecond)}, nil
}

// with returns the row with the fields sent. plan_id, items, the trial and scheduled cancellations are handled by the
// state machine.
func (r SubscriptionRow) with(c *server.Call) SubscriptionRow {
	c.Sent.Canonical("billing_account_id", "company_id", "product_group_id", "discount_code_id")
	s := &r.Subscription
	c.Sent.Into(s, "plan_id", "trial_end", "cancel_at_period_end", "discount_percent", "custom_metadata")
	if c.Sent.Has("discount_percent") {
		s.DiscountPercent = formatPercent(server.Sent[float64](c.Sent, "discount_percent"))
	}
	s.CustomMetadata = updatedMetadata(c, s.CustomMetadata, c.Sent)
	return r
}

func (s *Service) subscriptions() server.Kind[SubscriptionRow, subscription] {
	return server.Kind[SubscriptionRow, subscription]{
		Table:   s.Subscriptions,
		Show:    func(_ *server.Call, _ *store.Tx, r SubscriptionRow) subscription { return r.Subscription },
		Updated: func(r SubscriptionRow) server.Timestamp { return r.Subscription.UpdatedAt },
		Fields:  []string{"external_id", "billing_account_id", "status", "plan_id"},
	}
}

func (s *Service) respondSubscription(c *server.Call, status int, row SubscriptionRow) (server.Reply, error) {
	return c.Single(status, row.Subscription, row.Subscription.UpdatedAt.Time), nil
}

func (s *Service) showSubscription(c *server.Call, _ *store.Tx, row SubscriptionRow) (server.Reply, error) {
	return s.respondSubscription(c, http.StatusOK, row)
}

func (s *Service) createSubscription(c *server.Call, tx *store.Tx) (server.Reply, error) {
	planID, items := sentPlan(c.Sent), sentItems(c.Sent)
	if planID == nil && len(items) == 0 {
		return server.Reply{}, server.Invalid(server.Problems{"plan_id": "is required without items"})
	}
	if err := s.checkReferences(c, tx, planID, items); err != nil {
		return server.Reply{}, err
	}
	trialEnd, err := trial(c.Sent, c.Now)
	if err != nil {
		return server.Reply{}, err
	}
	method := chargeAutomatically
	owned := server.Owned{Organization: c.Organization}
	row := SubscriptionRow{Owned: owned, Number: s.Next(tx), Subscription: subscription{
		ID:                s.Source.UUID(),
		PublicID:          s.Source.UUID(),
		PlanID:            planID,
		BillingCycle:      defaultCycle,
		CollectionMethod:  &method,
		ProrationBehavior: defaultProration,
		RenewalSettings:   renewalSettings{Type: "auto_renew"},
		AllowPause:        true,
		AllowCancel:       true,
		CreatedAt:         server.Timestamp{Time: c.Now},
		UpdatedAt:         server.Timestamp{Time: c.Now},
	}}.with(c)
	if err := cmp.Or(s.checkPayer(c, tx, row.Subscription.BillingAccountID),
		claimExternalID(c, tx, s.subscriptionCodes, "")); err != nil {
		return server.Reply{}, err
	}
	row.Items = s.items(nil, items)
	row.begin(c.Now, trialEnd)
	row = s.putSubscription(tx, row)
	s.audit(tx, c.Audited("", "", ""), SubscriptionRow{}, row)
	s.noteWriter(c, tx, row.Subscription.ID, nil, row.Subscription.CustomMetadata)
	return s.respondSubscription(c, http.StatusCreated, row)
}

// checkPayer rejects an account that cannot have new subscriptions (wire contract: suspended billing account, closed
// billing account).
func (s *Service) checkPayer(c *server.Call, tx *store.Tx, accountID string) error {
	account, ok := s.Accounts.Get(tx, accountID)
	switch {
	case !ok || account.Organization != c.Organization:
		return server.Invalid(server.Problems{"billing_account_id": "no billing account has it"})
	case account.Account.Status != accountActive:
		return errTransition.With("The billing account is " + account.Account.Status + ".")
	}
	return nil
}

// updateSubscription serves subscriptions.update. A plan_id changes the
// plan immediately; a canceled subscription is final.
func (s *Service) updateSubscription(c *server.Call, tx *store.Tx, row SubscriptionRow) (server.Reply, error) {
	planID := sentPlan(c.Sent)
	if err := cmp.Or(row.final(), s.checkReferences(c, tx, planID, nil),
		claimExternalID(c, tx, s.subscriptionCodes, row.Subscription.ID)); err != nil {
		return server.Reply{}, err
	}
	changed := row.with(c)
	if cancel := server.Sent[bool](c.Sent, "cancel_at_period_end"); cancel != nil {
		changed.schedule(*cancel)
	}
	if c.Sent.Has("plan_id") {
		if err := changed.setPlan(planID); err != nil {
			return server.Reply{}, err
		}
	}
	return s.respondSubscription(c, http.StatusOK, s.changeSubscription(c, tx, row, changed))
}

func sentPlan(in server.Body) *string {
	in.Canonical("plan_id")
	return server.Sent[string](in, "plan_id")
}

func (s *Service) changeSubscription(c *server.Call, tx *store.Tx, row, changed SubscriptionRow) SubscriptionRow {
	s.audit(tx, c.Audited("", "", ""), row, changed)
	if reflect.DeepEqual(changed.derived(s.costs(tx)), row) {
		return row
	}
	s.noteWriter(c, tx, row.Subscription.ID, row.Subscription.CustomMetadata, changed.Subscription.CustomMetadata)
	changed.Subscription.UpdatedAt = row.Subscription.UpdatedAt.Next(c.Now)
	return s.putSubscription(tx, changed)
}

// deleteSubscription serves subscriptions.delete for a draft or canceled subscription (wire contract:
// subscriptions.delete). Its invoices are kept.
func (s *Service) deleteSubscription(c *server.Call, tx *store.Tx, row SubscriptionRow) (server.Reply, error) {
	switch row.Subscription.Status {
	case subscriptionDraft, SubscriptionCanceled:
		s.Subscriptions.Delete(tx, row.Subscription.ID)
		s.Audit(tx, c.Audited("subscription", row.Subscription.ID, server.TextOf(row.Subscription.ExternalID)).
			Moved(row.Subscription.Status, server.Deleted))
		return c.Deleted(), nil
	default:
		return server.Reply{}, errTransition.With("The subscription is neither a draft nor canceled.")
	}
}
