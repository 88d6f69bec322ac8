package subscription

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

const typeName = "billing_subscription"

// Statuses used by the provider (service description, Recurring billing §3). Others are only passed on.
const (
	statusPaused   = "paused"
	statusTrialing = "trialing"
	keepAsDraft    = "keep_as_draft"
	statusCanceled = "canceled"
)

// statuses are the documented ones (service description, Recurring billing §2).
var statuses = []string{"draft", "confirmed", statusTrialing, "active", "past_due", statusCanceled, statusPaused,
	"suspended"}

// arguments are the configurable attributes that the service has. If the subscription is canceled, they stay in the
// state as configured.
var arguments = func() (names []string) {
	for name, described := range attributes() {
		if (described.IsRequired() || described.IsOptional()) && name != object.PolicyName && name != "on_external_cancel" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}()

// computedTexts are the attributes that only the service sets.
var computedTexts = map[string]string{
	"id":        "Id of the subscription (UUID).",
	"public_id": "Stable public identifier (UUID).",
	"status": "`draft`, `confirmed`, `trialing`, `active`, `past_due`, `paused`, `suspended` or `canceled` (final). " +
		"Changes over time; not reported as drift.",
	"current_plan_id":      "Id of the active plan; null if only items are billed.",
	"pending_plan_id":      "Id of the plan that starts with the next period; null if none.",
	"current_period_start": "Start of the current billing period.",
	"current_period_end":   "End of the current billing period.",
	"cycle_billing_date":   "Date of the next invoice; overage is invoiced monthly on the same day.",
	"trial_start":          "Start of the trial; null without a trial.",
	"activated_at":         "When the subscription became active; null before.",
	"confirmed_at":         "When the subscription was confirmed; null before.",
	"canceled_at":          "When the subscription was canceled; null before.",
	"proposal_id":          "Id of the proposal behind the subscription; null if none.",
	"paused_at":            "When the subscription was last paused; null if never.",
	"resumes_at":           "When the pause ends automatically; null otherwise.",
	"resumed_at":           "When the subscription was last resumed; null if never.",
	"renewal_settings":     "Renewal settings as a JSON string: `type` is `auto_renew`, `cancel` or `downgrade_to_flexible`.",
	"commitment":           "Contract commitment as a JSON string in the service's format.",
	"metadata":             "Service-managed metadata as a JSON string.",
	"created_at":           "When the subscription was created.",
	"updated_at":           "When the subscription was last changed.",
}

// Values of arguments.
const (
	policyCancel            = "cancel"
	policyCancelAtPeriodEnd = "cancel_at_period_end"

	externalCancelKeep     = "keep"
	externalCancelRecreate = "recreate"
	externalCancelError    = "error"

	// defaultProration is the service's default (service description, Recurring billing §2).
	defaultProration = "create_prorations"

	methodManualInvoice = "manual_invoice"

	timingImmediate   = "immediate"
	timingEndOfPeriod = "end_of_period"
)

// collections are the service's lists of the objects to which arguments refer by id.
var collections = map[string]string{"plan_id": "plans", "product_id": "products", "price_id": "prices",
	"discount_code_id": "discount_codes"}

// Schema describes the resource. transitions.go decides which values a change makes unknown.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{MarkdownDescription: aboutResource, Attributes: attributes()}
}

func attributes() map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"billing_account_id": schema.StringAttribute{Required: true, Validators: []validator.String{check.UUID()},
			PlanModifiers: keepSpelling(), MarkdownDescription: "Id of the invoiced billing account." + replaces},
		"external_id": schema.StringAttribute{Optional: true, Validators: check.TextInPlan(check.FreeText(), check.NotBlank(), check.Trimmed()),
			MarkdownDescription: "Identifier in your own system, unique among the organization's uncanceled subscriptions. " +
				"Identifies the subscription in imports and after a lost response. If removed, it is cleared."},
		"plan_id": schema.StringAttribute{Optional: true, Validators: isIDOf("plan_id"), PlanModifiers: keepSpelling(),
			MarkdownDescription: "Id of the requested plan; required without `items`. A change is billable and made in place " +
				"(see `plan_change`). If removed, only items are billed. The active plan is `current_plan_id`."},
		"items": itemsAttribute(),
		"company_id": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{check.UUID()},
			PlanModifiers: object.KeepText(keepSpelling()...),
			MarkdownDescription: "Id of the subscription's company in your organization." + leftAlone +
				replaces},
		"product_group_id": schema.StringAttribute{Optional: true, Computed: true,
			Validators: []validator.String{check.UUID()}, PlanModifiers: object.KeepText(keepSpelling()...),
			MarkdownDescription: "Id of the product group." + leftAlone + replaces},
		"discount_code_id": schema.StringAttribute{Optional: true, Validators: isIDOf("discount_code_id"),
			PlanModifiers:       keepSpelling(),
			MarkdownDescription: "Id of the discount code. A change is billable. If removed, it is cleared."},
		"discount_percent": schema.StringAttribute{Optional: true, CustomType: value.DecimalType{},
			MarkdownDescription: "Discount in percent as a decimal string, 0 to 100, such as `\"12.5\"`. A change is " +
				"billable. If removed, it is cleared.",
			Validators: []validator.String{check.Percent()}},
		"billing_cycle": optionalComputed("Length of a billing period: `monthly`, `quarterly`, `semiannual` or `annual`. "+
			"A change is billable. If unset, the service chooses it, also when the plan changes. If removed, the stored "+
			"value stays.",
			check.Listed("monthly", "quarterly", "semiannual", "annual")),
		"collection_method": optionalComputed("`charge_automatically` (automatic invoices and charges), `manual_charge` "+
			"(automatic invoices only) or `manual_invoice` (neither)."+leftAlone,
			check.Listed("charge_automatically", "manual_charge", methodManualInvoice)),
		"nfe_issuance_policy": optionalComputed("When the tax invoice (NF-e) is issued: `disabled`, "+
			"`on_finalization`, `on_full_payment` or `per_installment`."+leftAlone,
			check.Listed("disabled", "on_finalization", "on_full_payment", "per_installment")),
		"proration_behavior": optionalComputed("How the service bills changes within a period: `create_prorations`, "+
			"`none` or `always_invoice`. Defaults to `create_prorations` on creation. If removed, the stored value stays.",
			check.Listed("create_prorations", "none", "always_invoice")),
		"trial_end": schema.StringAttribute{Optional: true, Computed: true, CustomType: value.DateTimeType{},
			MarkdownDescription: "End of the trial; null without a trial. A future date, or date and time with zone, instead " +
				"of `trial_period_days`." + createOnly,
			Validators: []validator.String{check.DateOrDateTime()}},
		"trial_period_days": schema.Int64Attribute{Optional: true, Computed: true, CustomType: value.Days,
			Validators: []validator.Int64{check.AtLeast(0)},
			MarkdownDescription: "Length of the trial in days, 0 or more, instead of `trial_end`." +
				createOnly},
		"allow_pause": schema.BoolAttribute{Optional: true, Computed: true, PlanModifiers: object.KeepBool(),
			MarkdownDescription: "Whether the subscription can be paused. If `false`, a `pause` is an error in the " +
				"plan." + leftAlone},
		"allow_cancel": schema.BoolAttribute{Optional: true, Computed: true, PlanModifiers: object.KeepBool(),
			MarkdownDescription: "Whether the subscription can be canceled. If `false`, plans reject `cancel_at_period_end`, " +
				"destroying and replacing, but not destroying with `deletion_policy = \"abandon\"`." + leftAlone},
		"notes": schema.StringAttribute{Optional: true, Validators: check.TextInPlan(check.FreeText(), check.NotBlank()),
			MarkdownDescription: "Free-text notes. If removed, they are cleared."},
		argCancelAtPeriodEnd: schema.BoolAttribute{Optional: true, Computed: true,
			MarkdownDescription: "Whether the subscription ends with the current period. `false` lets it continue. Defaults " +
				"to `false` on creation. If unset or removed, a scheduled end stays, and each plan warns."},
		"pause":       pauseAttribute(),
		"plan_change": planChangeAttribute(),
		argCancellationReason: schema.StringAttribute{Optional: true, Computed: true,
			Validators: check.TextInPlan(check.FreeText(), check.NotBlank()),
			MarkdownDescription: "Reason for the cancellation, sent when this configuration cancels immediately or at the " +
				"period end. Changing only this sends no request. After a cancellation it shows the recorded reason." + leftAlone},
		"custom_metadata":           metadata.Attribute("subscription"),
		"custom_metadata_mode":      object.MetadataModeAttribute(),
		"effective_custom_metadata": metadata.EffectiveAttribute(),
		object.PolicyName: object.PolicyAttribute("`cancel` cancels immediately, `cancel_at_period_end` at the end of "+
			"the paid period", policyCancel, policyCancelAtPeriodEnd),
		"on_external_cancel": schema.StringAttribute{Optional: true, Computed: true,
			Default: stringdefault.StaticString(externalCancelKeep),
			Validators: []validator.String{check.OneOf(externalCancelKeep, externalCancelRecreate,
				externalCancelError)},
			MarkdownDescription: "What a plan does about a subscription canceled elsewhere: `keep` keeps it in state and " +
				"warns, `recreate` plans a new one, billed on its own, `error` fails. Defaults to `keep`."},
		"recurring_amount_cents": schema.Int64Attribute{Computed: true,
			MarkdownDescription: "Amount per billing period in cents of the account's currency: `1050` is 10.50.",
			PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}},
	}
	for name, text := range computedTexts {
		all[name] = object.Computed(text)
	}
	return all
}

const aboutResource = "A subscription of a billing account to a plan, to single items, or to both. See [its " +
	"lifecycle](../guides/subscriptions.md) and [where plan ids come " +
	"from](../guides/subscriptions.md#where-do-plan-ids-come-from).\n\nReplacing a subscription " +
	"cancels it, and the new one is billed on its own, from a new period; the plan warns. All other changes are made in " +
	"place; the plan shows which are billable. **Terraform silently drops names that do not exist inside `items`, " +
	"`pause` and `plan_change`: check their spelling.**\n\nDestroying cancels immediately, unless " +
	"`deletion_policy` is set. A subscription that the service no longer has is planned for re-creation. A refresh " +
	"takes one request, and one more if the state has `items`."

// Parts of descriptions that several arguments have in common.
const (
	replaces   = " Changing this to a known value forces replacement."
	createOnly = " " + object.CreationOnly
	leftAlone  = " If unset, the service's value stays."
)

func itemsAttribute() schema.SetNestedAttribute {
	return schema.SetNestedAttribute{Optional: true, Computed: true, Validators: []validator.Set{check.NoNulls},
		MarkdownDescription: "Billed products, with or without a plan, in any order. If set, the set is authoritative: " +
			"the plan warns about other systems' items that it removes. `[]` removes all. If unset or removed, items stay, " +
			"and each plan warns about those in state.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			// Optional, because Terraform and the framework reject a required argument in an item that is not known
			// yet: see checkItemsComplete.
			"product_id": schema.StringAttribute{Optional: true, Validators: isIDOf("product_id"),
				MarkdownDescription: "Id of the product. Every item needs it."},
			"price_id": schema.StringAttribute{Optional: true, Validators: isIDOf("price_id"),
				MarkdownDescription: "Id of the price of the product. Every item needs it."},
			"quantity": schema.Int64Attribute{Optional: true, Computed: true, CustomType: value.Whole,
				Validators:          []validator.Int64{check.AtLeastOr(1, "remove the item")},
				MarkdownDescription: "Quantity, 1 or more. Defaults to `1`."},
			"unit_amount_subcents": schema.Int64Attribute{Optional: true, CustomType: value.Subcents,
				Validators: []validator.Int64{check.AtLeast(0)},
				MarkdownDescription: "Amount per unit in subcents, ten-thousandths of the currency unit: `105012` is 10.5012 " +
					"(see the function `subcents`). If unset, the price's amount applies."},
		}},
	}
}

func pauseAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "Setting or changing this pauses the subscription; removing it resumes. After `resumes_at`, " +
			"the block has no effect until it is removed.",
		Attributes: map[string]schema.Attribute{
			"behavior": schema.StringAttribute{Optional: true, Computed: true,
				Default: stringdefault.StaticString("mark_uncollectible"),
				Validators: []validator.String{check.Listed("mark_uncollectible", "keep_as_draft",
					"void")},
				MarkdownDescription: "How invoices created during the pause are handled: `mark_uncollectible`, `keep_as_draft` " +
					"or `void`. Defaults to `mark_uncollectible`."},
			"resumes_at": schema.StringAttribute{Optional: true, CustomType: value.DateTimeType{},
				Validators: []validator.String{check.DateOrDateTime()},
				MarkdownDescription: "When the pause ends automatically: a date, or date and time with zone. If unset, removing " +
					"the block ends the pause."},
		}}
}

func planChangeAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, Computed: true,
		MarkdownDescription: "How a change of `plan_id` is applied. Changing only this has no effect; the state keeps the " +
			"old value until the subscription next changes.",
		Attributes: map[string]schema.Attribute{
			"timing": schema.StringAttribute{Optional: true,
				Validators: []validator.String{check.OneOf(timingImmediate, timingEndOfPeriod)},
				MarkdownDescription: "`immediate`: the new plan starts immediately. `end_of_period`: it starts " +
					"with the next period; until then, restoring the old `plan_id` cancels the change. Defaults " +
					"to `immediate`."},
			"reason": schema.StringAttribute{Optional: true, Validators: check.TextInPlan(check.NotBlank()),
				MarkdownDescription: "Reason for the service's audit log."},
		}}
}

// checkPlanChange warns about a plan_change without any value: a misspelled timing would start a plan at once.
func (m model) checkPlanChange(diags *diag.Diagnostics) {
	if m.PlanChange.IsNull() || m.PlanChange.IsUnknown() {
		return
	}
	for _, v := range m.PlanChange.Attributes() {
		if !v.IsNull() {
			return
		}
	}
	diags.AddAttributeWarning(path.Root("plan_change"), m.title()+": plan_change is empty", "It sets neither timing "+
		"nor reason, so a change of plan_id starts immediately. If you have set one, check the spelling: Terraform "+
		"silently drops names that do not exist inside plan_change.")
}

// isIDOf requires the id of an object of a collection of the service, for an argument of collections.
func isIDOf(argument string) []validator.String {
	return []validator.String{check.UUIDIn(collections[argument])}
}

func keepSpelling() []planmodifier.String {
	return []planmodifier.String{value.UUIDType{}.KeepSpelling()}
}

func optionalComputed(text string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: text,
		Validators: validators, PlanModifiers: object.KeepText()}
}
