package billing

import (
	"encoding/json"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// subscriptionInput is what a create or an update may send
// (service description, Recurring billing §4 Subscription create and update).
type subscriptionInput struct {
	ExternalID        *string `json:"external_id"`
	PlanID            *string `json:"plan_id"`
	DiscountCodeID    *string `json:"discount_code_id"`
	BillingCycle      *string `json:"billing_cycle"`
	CollectionMethod  *string `json:"collection_method"`
	ProrationBehavior *string `json:"proration_behavior"`
	NFEIssuancePolicy *string `json:"nfe_issuance_policy"`
	Notes             *string `json:"notes"`
	CustomMetadata    object  `json:"custom_metadata"`

	// Create only.
	BillingAccountID string      `json:"billing_account_id"`
	CompanyID        *string     `json:"company_id"`
	ProductGroupID   *string     `json:"product_group_id"`
	TrialEnd         *string     `json:"trial_end"`
	TrialPeriodDays  *int64      `json:"trial_period_days"`
	Items            []itemInput `json:"items"`

	// Update only.
	CancelAtPeriodEnd  *bool        `json:"cancel_at_period_end"`
	DiscountPercent    *json.Number `json:"discount_percent"`
	AllowPause         *bool        `json:"allow_pause"`
	AllowCancel        *bool        `json:"allow_cancel"`
	CustomMetadataMode string       `json:"custom_metadata_mode"`
}

var (
	billingCycles      = server.OneOf("monthly", "quarterly", "semiannual", "annual")
	collectionMethods  = server.OneOf(chargeAutomatically, "manual_charge", manualInvoice)
	prorationBehaviors = server.OneOf("create_prorations", "none", "always_invoice")
	nfePolicies        = server.OneOf("disabled", "on_finalization", "on_full_payment", "per_installment")
)

const defaultProration = "create_prorations"

var subscriptionFields = server.Shape{
	"plan_id":            server.Nullable(server.UUID),
	"billing_cycle":      billingCycles,
	"collection_method":  server.Nullable(collectionMethods),
	"proration_behavior": prorationBehaviors,
	"notes":              server.Nullable(server.Text),
	"custom_metadata":    server.FreeObject,
}

// A null is accepted where the description says "or null", and nowhere else.
var subscriptionCreateShape = subscriptionFields.And(server.Shape{
	"billing_account_id":   server.UUID,
	"external_id":          server.Filled,
	"company_id":           server.UUID,
	"product_group_id":     server.UUID,
	"discount_code_id":     server.UUID,
	"nfe_issuance_policy":  nfePolicies,
	"trial_end":            server.DateOrTime,
	"trial_period_days":    server.IntegerFrom(0),
	"items":                itemsRule,
	"cancel_at_period_end": server.Refused("may be sent with an update only"),
	"discount_percent":     server.Refused("may be sent with an update only"),
	"allow_pause":          server.Refused("may be sent with an update only"),
	"allow_cancel":         server.Refused("may be sent with an update only"),
	"custom_metadata_mode": server.Refused("may be sent with an update only"),
})

var subscriptionUpdateShape = subscriptionFields.And(server.Shape{
	"external_id":          server.Nullable(server.Filled),
	"discount_code_id":     server.Nullable(server.UUID),
	"nfe_issuance_policy":  server.Nullable(nfePolicies),
	"cancel_at_period_end": server.Boolean,
	"discount_percent":     server.Nullable(server.Percent),
	"allow_pause":          server.Boolean,
	"allow_cancel":         server.Boolean,
	"custom_metadata_mode": server.OneOf(modeReplace, modeMerge),
	"billing_account_id":   server.Refused("may be sent with a create only"),
	"company_id":           server.Refused("may be sent with a create only"),
	"product_group_id":     server.Refused("may be sent with a create only"),
	"trial_end":            server.Refused("may be sent with a create only"),
	"trial_period_days":    server.Refused("may be sent with a create only"),
	"items":                server.Refused("may be sent with a create only"),
})

// canonical puts the ids into the form in which they are stored.
func (in *subscriptionInput) canonical() {
	server.Canonical(&in.BillingAccountID, in.PlanID, in.DiscountCodeID, in.CompanyID, in.ProductGroupID)
	canonicalItems(in.Items)
}

// trial returns when the trial of a subscription made now ends, nil without a
// trial: trial_period_days of 0 is none.
func (in subscriptionInput) trial(now time.Time) (*server.Timestamp, error) {
	switch {
	case in.TrialEnd != nil && in.TrialPeriodDays != nil:
		return nil, server.Invalid(server.Problems{
			"trial_end":         "excludes trial_period_days",
			"trial_period_days": "excludes trial_end",
		})
	case in.TrialEnd != nil:
		// The rules have parsed it before.
		end, _ := server.ParseTime(*in.TrialEnd)
		return inFuture("trial_end", end, now)
	case in.TrialPeriodDays != nil && *in.TrialPeriodDays > 0:
		// Past the bound, the number of days no longer matters.
		days := min(*in.TrialPeriodDays, lastYear*366)
		return inFuture("trial_period_days", now.AddDate(0, 0, int(days)), now)
	}
	return nil, nil
}

// inFuture rejects a time in the past, and one after lastYear.
func inFuture(field string, at, now time.Time) (*server.Timestamp, error) {
	switch {
	case !at.After(now):
		return nil, server.Invalid(server.Problems{field: "must be in the future"})
	case at.Year() > lastYear:
		return nil, server.Invalid(server.Problems{field: "is too far in the future"})
	}
	return &server.Timestamp{Time: at.Truncate(time.Millisecond)}, nil
}

// apply returns the row with the fields that were sent. plan_id, items and the
// schedule of a cancellation are steps of the machine and not among them.
func (in subscriptionInput) apply(c *server.Call, row SubscriptionRow, sent map[string]any) SubscriptionRow {
	s := &row.Subscription
	for name, assign := range map[string]func(){
		"external_id":         func() { s.ExternalID = in.ExternalID },
		"discount_code_id":    func() { s.DiscountCodeID = in.DiscountCodeID },
		"billing_cycle":       func() { s.BillingCycle = *in.BillingCycle },
		"collection_method":   func() { s.CollectionMethod = in.CollectionMethod },
		"proration_behavior":  func() { s.ProrationBehavior = *in.ProrationBehavior },
		"nfe_issuance_policy": func() { s.NFEIssuancePolicy = in.NFEIssuancePolicy },
		"discount_percent":    func() { s.DiscountPercent = formatPercent(in.DiscountPercent) },
		"allow_pause":         func() { s.AllowPause = *in.AllowPause },
		"allow_cancel":        func() { s.AllowCancel = *in.AllowCancel },
		"notes":               func() { s.Notes = in.Notes },
	} {
		if _, ok := sent[name]; ok {
			assign()
		}
	}
	s.CustomMetadata = updatedMetadata(c, s.CustomMetadata, in.CustomMetadata, in.CustomMetadataMode)
	return row
}
