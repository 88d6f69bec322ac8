package subscription

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

const typeName = "billing_subscription"

// Statuses that the provider itself has to know (service description, Recurring billing §3). Others are shown as they
// are.
const (
	statusPaused   = "paused"
	statusCanceled = "canceled"
)

// statuses are those that the service describes (Recurring billing §2).
var statuses = []string{"draft", "confirmed", "trialing", "active", "past_due", statusCanceled, "paused", "suspended"}

// about describes the fields that the resource and the data sources share.
var about = map[string]string{
	"id":        "Id of the subscription at the service (UUID). Never changes.",
	"public_id": "Stable public identifier (UUID). Never changes.",
	"external_id": "Identifier of the subscription in your own system, unique among the organization's subscriptions " +
		"that are not canceled.",
	"billing_account_id": "Id of the billing account that is invoiced.",
	"company_id":         "Id of the company of your organization that the subscription belongs to.",
	"product_group_id":   "Id of the product group.",
	"discount_code_id":   "Id of the discount code in use.",
	"discount_percent":   "Discount in percent: a decimal number from 0 to 100 as text, such as `\"12.5\"`.",
	"billing_cycle":      "How long a period is: `monthly`, `quarterly`, `semiannual` or `annual`.",
	"collection_method": "`charge_automatically` (invoicing and charging are automatic), `manual_charge` (invoicing " +
		"is automatic) or `manual_invoice` (neither is).",
	"proration_behavior": "How the service settles a change within a period: `create_prorations`, `none` or " +
		"`always_invoice`.",
	"nfe_issuance_policy": "When the tax invoice is issued: `disabled`, `on_finalization`, `on_full_payment` or " +
		"`per_installment`.",
	"allow_pause":          "Whether the subscription may be paused.",
	"allow_cancel":         "Whether the subscription may be canceled.",
	"notes":                "Free text for people.",
	"cancel_at_period_end": "Whether the subscription ends with the current period.",
	"cancellation_reason":  "Reason of the cancellation, as the service recorded it; null if it has none.",
	"trial_start":          "Start of the trial, ISO 8601; null without one.",
	"trial_end":            "End of the trial, ISO 8601; null without one.",
	"status": "`draft`, `confirmed`, `trialing`, `active`, `past_due`, `paused`, `suspended` or `canceled` (final). " +
		"It changes with time, and is shown as the service has it.",
	"current_plan_id":      "Id of the plan that runs now; null when only items are billed.",
	"pending_plan_id":      "Id of the plan that begins with the next period; null when no change is scheduled.",
	"current_period_start": "Start of the current billing period, ISO 8601.",
	"current_period_end":   "End of the current billing period, ISO 8601.",
	"cycle_billing_date": "When the next invoice is made, ISO 8601; its day of the month is also that of the monthly " +
		"overage invoices.",
	"activated_at": "When the subscription became active, ISO 8601; null before.",
	"confirmed_at": "When the subscription was confirmed, ISO 8601; null where it was not.",
	"canceled_at":  "When the subscription was canceled, ISO 8601; null while it is not.",
	"proposal_id":  "Id of the proposal that the subscription comes from; null without one.",
	"paused_at":    "When the subscription was last paused, ISO 8601; null when never.",
	"resumes_at":   "When the pause ends by itself, ISO 8601; null without a pause, or when it ends by hand.",
	"resumed_at":   "When the subscription was last resumed, ISO 8601; null when never.",

	"recurring_amount_cents": "Amount of a period in cents, hundredths of the account's currency unit: `1050` " +
		"is 10.50.",
	"renewal_settings": "How the subscription renews, as JSON text with the key `type` (`auto_renew`, `cancel` or " +
		"`downgrade_to_flexible`); read it with `jsondecode`.",
	"commitment": "Commitment of the contract, as JSON text of whatever form the service has for it; read it with " +
		"`jsondecode`.",
	"metadata":   "What the service itself notes on the subscription, as JSON text; read it with `jsondecode`.",
	"created_at": "When the subscription was created, ISO 8601.",
	"updated_at": "When the subscription was last changed, ISO 8601.",
}

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{
	"billing_account_id", "external_id", "plan_id", "plan_change", "items", "company_id", "product_group_id",
	"discount_code_id", "discount_percent",
	"billing_cycle", "collection_method", "trial_end", "trial_period_days", "proration_behavior", "nfe_issuance_policy",
	"allow_pause",
	"allow_cancel", "notes", "cancel_at_period_end", "pause", "cancellation_reason", "custom_metadata",
	"custom_metadata_mode",
}

// computedTexts are the attributes that only the service sets.
var computedTexts = []string{"id", "public_id", "status", "current_plan_id", "pending_plan_id", "current_period_start",
	"current_period_end",
	"cycle_billing_date", "trial_start", "activated_at", "confirmed_at", "canceled_at", "proposal_id", "paused_at",
	"resumes_at", "resumed_at",
	"renewal_settings", "commitment", "metadata", "created_at", "updated_at"}

// Values of arguments that only this provider knows.
const (
	policyCancel            = "cancel"
	policyCancelAtPeriodEnd = "cancel_at_period_end"

	externalCancelKeep     = "keep"
	externalCancelRecreate = "recreate"
	externalCancelError    = "error"

	timingImmediate   = "immediate"
	timingEndOfPeriod = "end_of_period"
)

// Schema describes the resource. What a change makes unknown is decided in plan.go and touches.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"billing_account_id": schema.StringAttribute{Required: true, Validators: isUUID(),
			PlanModifiers: keepSpelling(), MarkdownDescription: about["billing_account_id"] + replaces +
				unknownReplaces},
		"external_id": schema.StringAttribute{Optional: true, Computed: true,
			PlanModifiers: onChange(validate.NotBlank()), MarkdownDescription: about["external_id"] + " With it the " +
				"subscription can be imported, and a creation whose response was lost is found again instead of " +
				"being repeated. If removed, it is cleared."},
		"plan_id": schema.StringAttribute{Optional: true, Computed: true, Validators: isUUID(),
			PlanModifiers: keepSpelling(),
			MarkdownDescription: "Id of the plan that is wanted; required when there are no `items`. A change moves " +
				"money: it is carried out in place, as `plan_change` says, immediately (prorated as " +
				"`proration_behavior` says) or with the next period. If removed next to `items`, it is cleared " +
				"immediately; with `plan_change.timing = \"end_of_period\"` that is an error in the plan. What runs " +
				"now is `current_plan_id`. A plan that was changed elsewhere is drift, and the next apply changes " +
				"it back."},
		"items": itemsAttribute(),
		"company_id": schema.StringAttribute{Optional: true, Computed: true, Validators: isUUID(),
			PlanModifiers:       object.KeepText(keepSpelling()...),
			MarkdownDescription: about["company_id"] + leftAlone + replaces},
		"product_group_id": schema.StringAttribute{Optional: true, Computed: true, Validators: isUUID(),
			PlanModifiers:       object.KeepText(keepSpelling()...),
			MarkdownDescription: about["product_group_id"] + leftAlone + replaces},
		"discount_code_id": schema.StringAttribute{Optional: true, Computed: true, Validators: isUUID(),
			PlanModifiers: keepSpelling(),
			MarkdownDescription: about["discount_code_id"] + " A change changes what is charged. If removed, it is " +
				"cleared."},
		"discount_percent": schema.StringAttribute{Optional: true, Computed: true, CustomType: fwtype.DecimalType{},
			MarkdownDescription: about["discount_percent"] + " At most two decimals; trailing zeros cause no diff. A " +
				"change is billable. If removed, the discount is cleared.",
			Validators: []validator.String{validate.Percent()}, PlanModifiers: onChange(validate.PercentDecimals())},
		"billing_cycle": optionalComputed("billing_cycle", "Without it the service chooses, and a change of plan may "+
			"change it. A change changes the period and what is charged; taken out, the stored value stands.",
			stringvalidator.OneOf("monthly", "quarterly", "semiannual", "annual")),
		"collection_method": optionalComputed("collection_method", "Without it the service's value stands; taken "+
			"out, it is cleared.", stringvalidator.OneOf("charge_automatically", "manual_charge", "manual_invoice")),
		"nfe_issuance_policy": optionalComputed("nfe_issuance_policy", "Without it the service's value stands; taken "+
			"out, it is cleared.", stringvalidator.OneOf("disabled", "on_finalization", "on_full_payment",
			"per_installment")),
		"proration_behavior": optionalComputed("proration_behavior", "Default when the subscription is created: "+
			"`create_prorations`. Taken out, the stored value stands.", stringvalidator.OneOf("create_prorations",
			"none", "always_invoice")),
		"trial_end": schema.StringAttribute{Optional: true, Computed: true, CustomType: fwtype.DateTimeType{},
			MarkdownDescription: about["trial_end"] + inFuture + " A new subscription accepts this or " +
				"`trial_period_days`, not both. " + trialOnce,
			Validators: []validator.String{validate.DateOrDateTime()}},
		"trial_period_days": schema.Int64Attribute{Optional: true, Computed: true, CustomType: fwtype.Days,
			Validators: []validator.Int64{int64validator.AtLeast(0)},
			MarkdownDescription: "Length of the trial in days, counted from the creation; 0 or more. A new " +
				"subscription takes it or `trial_end`, not both. " + trialOnce},
		"allow_pause": schema.BoolAttribute{Optional: true, Computed: true, PlanModifiers: object.KeepBool(),
			MarkdownDescription: about["allow_pause"] + " While it is `false`, a `pause` is an error of the plan." +
				leftAlone},
		"allow_cancel": schema.BoolAttribute{Optional: true, Computed: true, PlanModifiers: object.KeepBool(),
			MarkdownDescription: about["allow_cancel"] + " While it is `false`, `cancel_at_period_end`, destroying " +
				"and replacing are errors of the plan (with `deletion_policy = \"abandon\"` destroying is none)." +
				leftAlone},
		"notes": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: onChange(validate.NotBlank()),
			MarkdownDescription: about["notes"] + " If removed, it is cleared."},
		"cancel_at_period_end": schema.BoolAttribute{Optional: true, Computed: true,
			MarkdownDescription: about["cancel_at_period_end"] + " Default `false`. Set back to `false`, or taken " +
				"out, before the end, the subscription goes on. Once the end has come the subscription counts as " +
				"canceled, see `on_external_cancel`. Where it was never given, what somebody else scheduled is " +
				"left alone."},
		"pause":       pauseAttribute(),
		"plan_change": planChangeAttribute(),
		"cancellation_reason": schema.StringAttribute{Optional: true, Computed: true, Validators: notBlank(),
			MarkdownDescription: "Reason of the cancellation. As an argument: the reason that is sent when this " +
				"configuration cancels the subscription, immediately or at the end of the period. A change of it " +
				"alone sends nothing, and once the end is scheduled it has no effect. To cancel with a reason by " +
				"destroying, apply the reason first. As the service records a reason, it is shown here, whoever " +
				"canceled; without one, the argument."},
		"custom_metadata":           metadata.Attribute("subscription"),
		"custom_metadata_mode":      metadata.ModeAttribute(),
		"effective_custom_metadata": metadata.EffectiveAttribute(),
		policy.Attribute: schema.StringAttribute{Optional: true, Computed: true,
			Default: stringdefault.StaticString(policyCancel),
			Validators: []validator.String{stringvalidator.OneOf(policyCancel, policyCancelAtPeriodEnd, policy.Abandon,
				policy.Prevent)},
			MarkdownDescription: "What destroying does: `cancel` (default) cancels at once, `cancel_at_period_end` " +
				"lets the paid period run out, `abandon` only forgets the subscription here, which goes on charging, " +
				"`prevent` refuses in the plan." + policy.AboutEffect},
		"on_external_cancel": schema.StringAttribute{Optional: true, Computed: true,
			Default: stringdefault.StaticString(externalCancelKeep),
			Validators: []validator.String{stringvalidator.OneOf(externalCancelKeep, externalCancelRecreate,
				externalCancelError)},
			MarkdownDescription: "What to do about a subscription that was canceled elsewhere, or whose scheduled " +
				"cancellation has come: `keep` (default) keeps it in the state as canceled and warns in every plan, " +
				"naming the arguments whose change has no effect, `recreate` plans a new subscription, which charges " +
				"from its start, and warns, `error` fails the plan. It can still be changed then."},
		"recurring_amount_cents": schema.Int64Attribute{Computed: true,
			MarkdownDescription: about["recurring_amount_cents"],
			PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}},
	}
	for _, name := range computedTexts {
		attributes[name] = object.Computed(about[name])
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes:          attributes,
	}
}

// aboutResource is what the page of the resource begins with.
const aboutResource = "A subscription of a billing account to a plan, to single items, or to both. [The guide on " +
	"subscriptions](../guides/subscriptions) goes through its life.\n\n" +
	"Creating one charges the customer from its start, or from the end of its trial. Everything changes in place " +
	"except `billing_account_id`, `company_id` and `product_group_id`, which cancel this subscription and make " +
	"another that charges anew. What changes the amounts shows in the plan: `plan_id`, `items`, the discounts, " +
	"`billing_cycle`, `pause`. Of `custom_metadata` this configuration owns the keys it names (see [the guide on " +
	"ownership](../guides/custom-metadata)).\n\n" +
	"Destroying cancels at once, unless `deletion_policy` says otherwise. One that was canceled elsewhere stays in " +
	"the state and is never made again unless `on_external_cancel` says so; one that the service does not know " +
	"any more is planned anew. Import by id or by `external_id` (see [the guide on " +
	"importing](../guides/import)). A refresh takes one request, and one more where the state has `items`."

// Parts of descriptions that several arguments have in common.
const (
	replaces = " Changing this forces replacement: this subscription is canceled immediately, and the new one " +
		"charges from its start. With a `deletion_policy` other than `cancel`, and right after an import, that is an " +
		"error in the plan; so is an account that cannot take the new subscription."
	unknownReplaces = " A value that is only known after apply forces no replacement, unless the same run replaces " +
		"the account. If it turns out different, the apply fails before it sends anything, and the next plan shows " +
		"the replacement."
	inFuture  = " As an argument: a date (its midnight in UTC), or date and time with zone, in the future."
	trialOnce = "Used only when the subscription is created: the service offers no way to change a trial, so a later " +
		"change is a warning and changes nothing."
	leftAlone = " If unset or removed, the service's value stays."
)

func itemsAttribute() schema.SetNestedAttribute {
	return schema.SetNestedAttribute{Optional: true, Computed: true, Validators: []validator.Set{validate.NoNulls{}},
		MarkdownDescription: "Products that are billed, beside the plan or instead of one, in any order. A change " +
			"changes what is charged: the whole set is sent, and what is not in it is removed. A plan that removes " +
			"or changes items that this configuration has not added warns, with product, quantity and amount; to " +
			"find them, the plan that sets `items` for the first time takes one more request. So does an apply that " +
			"changes `items`: it fails before it sends anything where there are items that the plan did not show. If " +
			"unset, items are left as they are; if removed, all are removed. Where the service does not list items, " +
			"they are not refreshed.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			// Optional, because Terraform and the framework reject a required argument in an item that is not known
			// yet: see refuseIncomplete.
			"product_id": schema.StringAttribute{Optional: true, Validators: isUUID(),
				MarkdownDescription: "Id of the product; required."},
			"price_id": schema.StringAttribute{Optional: true, Validators: isUUID(),
				MarkdownDescription: "Id of the price of the product; required."},
			"quantity": schema.Int64Attribute{Optional: true, Computed: true, CustomType: fwtype.Whole,
				Validators:          []validator.Int64{int64validator.AtLeast(1)},
				MarkdownDescription: "How many, 1 or more. Default 1."},
			"unit_amount_subcents": schema.Int64Attribute{Optional: true, CustomType: fwtype.Subcents,
				Validators: []validator.Int64{int64validator.AtLeast(0)},
				MarkdownDescription: "Amount of one in subcents, ten-thousandths of the currency unit: `105012` is " +
					"10.5012 (see the function `subcents`). Default: the price's own."},
		}},
	}
}

func pauseAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, Computed: true,
		MarkdownDescription: "Present: the subscription is paused. Changed: it is paused again, with the new terms. " +
			"Removed: it is resumed. Once `resumes_at` has passed, the pause is fulfilled: the block stays without a " +
			"diff until it is removed. A pause that was ended elsewhere before that is drift, which the next apply " +
			"pauses again; so is one that was begun elsewhere, which it resumes.",
		Attributes: map[string]schema.Attribute{
			"behavior": schema.StringAttribute{Optional: true, Computed: true,
				Default: stringdefault.StaticString("mark_uncollectible"),
				Validators: []validator.String{stringvalidator.OneOf("mark_uncollectible", "keep_as_draft",
					"void")},
				MarkdownDescription: "What becomes of invoices that are made during the pause: `mark_uncollectible` " +
					"(default), `keep_as_draft` or `void`."},
			"resumes_at": schema.StringAttribute{Optional: true, CustomType: fwtype.DateTimeType{},
				Validators: []validator.String{validate.DateOrDateTime()},
				MarkdownDescription: "When the pause ends by itself: an ISO 8601 date (its midnight in UTC), or date " +
					"and time with zone, in the future when it is sent. If unset, the pause ends when the block is " +
					"removed."},
		}}
}

func planChangeAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, Computed: true,
		MarkdownDescription: "How a change of `plan_id` is carried out. Alone it changes nothing: the state keeps it " +
			"as it was until the next change of the subscription. Default: at once.",
		Attributes: map[string]schema.Attribute{
			"timing": schema.StringAttribute{Optional: true,
				Validators: []validator.String{stringvalidator.OneOf(timingImmediate, timingEndOfPeriod)},
				MarkdownDescription: "`immediate` (default): the new plan begins at once; `end_of_period`: it begins " +
					"with the next period, and until then setting `plan_id` back takes the change back."},
			"reason": schema.StringAttribute{Optional: true, Validators: notBlank(), MarkdownDescription: "Reason of " +
				"the change for the service's audit log."},
		}}
}

func notBlank() []validator.String { return []validator.String{validate.NotBlank()} }

func onChange(v ...validator.String) []planmodifier.String {
	return []planmodifier.String{validate.OnChange(v...)}
}

func isUUID() []validator.String { return []validator.String{validate.UUID()} }

func keepSpelling() []planmodifier.String {
	return []planmodifier.String{fwtype.UUIDType{}.KeepSpelling()}
}

func optionalComputed(name, without string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: about[name] + " " + without,
		PlanModifiers: object.KeepText(onChange(validators...)...)}
}
