package subscription

const typeName = "billing_subscription"

// Statuses that the provider itself has to know (service description, Recurring billing §3). Others are shown as they are.
const (
	statusPaused   = "paused"
	statusCanceled = "canceled"
)

// statuses are those that the service describes (Recurring billing §2).
var statuses = []string{"draft", "confirmed", "trialing", "active", "past_due", statusCanceled, "paused", "suspended"}

// about describes the fields that the resource and the data sources share.
var about = map[string]string{
	"id":                   "Id of the subscription at the service (UUID). Never changes.",
	"public_id":            "Stable public identifier (UUID). Never changes.",
	"external_id":          "Identifier of the subscription in your own system, unique among the organization's subscriptions that are not canceled.",
	"billing_account_id":   "Id of the billing account that is invoiced.",
	"company_id":           "Id of the company of your organization that the subscription belongs to.",
	"product_group_id":     "Id of the product group.",
	"discount_code_id":     "Id of the discount code in use.",
	"discount_percent":     "Discount in percent: a decimal number from 0 to 100 as text, such as `\"12.5\"`.",
	"billing_cycle":        "How long a period is: `monthly`, `quarterly`, `semiannual` or `annual`.",
	"collection_method":    "`charge_automatically` (invoicing and charging are automatic), `manual_charge` (invoicing is automatic) or `manual_invoice` (neither is).",
	"proration_behavior":   "How the service settles a change within a period: `create_prorations`, `none` or `always_invoice`.",
	"nfe_issuance_policy":  "When the tax invoice is issued: `disabled`, `on_finalization`, `on_full_payment` or `per_installment`.",
	"allow_pause":          "Whether the subscription may be paused.",
	"allow_cancel":         "Whether the subscription may be canceled.",
	"notes":                "Free text for people.",
	"cancel_at_period_end": "Whether the subscription ends with the current period.",
	"cancellation_reason":  "Reason of the cancellation, as the service recorded it; null if it has none.",
	"trial_start":          "Start of the trial, ISO 8601; null without one.",
	"trial_end":            "End of the trial, ISO 8601; null without one.",
	"status":               "`draft`, `confirmed`, `trialing`, `active`, `past_due`, `paused`, `suspended` or `canceled` (final). It changes with time, and is shown as the service has it.",
	"current_plan_id":      "Id of the plan that runs now; null when only items are billed.",
	"pending_plan_id":      "Id of the plan that begins with the next period; null when no change is scheduled.",
	"current_period_start": "Start of the current billing period, ISO 8601.",
	"current_period_end":   "End of the current billing period, ISO 8601.",
	"cycle_billing_date":   "When the next invoice is made, ISO 8601; its day of the month is also that of the monthly overage invoices.",
	"activated_at":         "When the subscription became active, ISO 8601; null before.",
	"confirmed_at":         "When the subscription was confirmed, ISO 8601; null where it was not.",
	"canceled_at":          "When the subscription was canceled, ISO 8601; null while it is not.",
	"proposal_id":          "Id of the proposal that the subscription comes from; null without one.",
	"paused_at":            "When the subscription was last paused, ISO 8601; null when never.",
	"resumes_at":           "When the pause ends by itself, ISO 8601; null without a pause, or when it ends by hand.",
	"resumed_at":           "When the subscription was last resumed, ISO 8601; null when never.",

	"recurring_amount_cents": "Amount of a period in cents, hundredths of the account's currency unit: `1050` is 10.50.",
	"renewal_settings":       "How the subscription renews, as JSON text with the key `type` (`auto_renew`, `cancel` or `downgrade_to_flexible`); read it with `jsondecode`.",
	"commitment":             "Commitment of the contract, as JSON text of whatever form the service has for it; read it with `jsondecode`.",
	"metadata":               "What the service itself notes on the subscription, as JSON text; read it with `jsondecode`.",
	"created_at":             "When the subscription was created, ISO 8601.",
	"updated_at":             "When the subscription was last changed, ISO 8601.",
}

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{
	"billing_account_id", "external_id", "plan_id", "plan_change", "items", "company_id", "product_group_id", "discount_code_id", "discount_percent",
	"billing_cycle", "collection_method", "trial_end", "trial_period_days", "proration_behavior", "nfe_issuance_policy", "allow_pause",
	"allow_cancel", "notes", "cancel_at_period_end", "pause", "cancellation_reason", "custom_metadata", "custom_metadata_mode",
}

// computedTexts are the attributes that only the service sets.
var computedTexts = []string{"id", "public_id", "status", "current_plan_id", "pending_plan_id", "current_period_start", "current_period_end",
	"cycle_billing_date", "trial_start", "activated_at", "confirmed_at", "canceled_at", "proposal_id", "paused_at", "resumes_at", "resumed_at",
	"renewal_settings", "commitment", "metadata", "created_at", "updated_at"}
