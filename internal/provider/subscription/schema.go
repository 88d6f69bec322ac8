package subscription

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

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

// Schema describes the resource. Which value a plan shows for a computed attribute is decided in plan.go and touches.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"billing_account_id": schema.StringAttribute{Required: true, Validators: notBlank(), MarkdownDescription: about["billing_account_id"] + " Changing it replaces the subscription: this one is canceled at once, and the new one charges from its start. With a `deletion_policy` other than `cancel` the plan is an error.",
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"external_id": optional("external_id", notBlank()...),
		"plan_id": schema.StringAttribute{Optional: true, Validators: notBlank(),
			MarkdownDescription: "Plan that is wanted; required when there are no `items`. How a change is carried out says `plan_change`: at once, settled as `proration_behavior` says, or with the next period. What runs now is `current_plan_id`."},
		"items": itemsAttribute(),
		"company_id": schema.StringAttribute{Optional: true, Validators: notBlank(), MarkdownDescription: about["company_id"] + " Changing it replaces the subscription: this one is canceled at once, and the new one charges from its start. With a `deletion_policy` other than `cancel` the plan is an error.",
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"product_group_id": schema.StringAttribute{Optional: true, Validators: notBlank(), MarkdownDescription: about["product_group_id"] + " Changing it replaces the subscription: this one is canceled at once, and the new one charges from its start. With a `deletion_policy` other than `cancel` the plan is an error.",
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"discount_code_id": optional("discount_code_id", notBlank()...),
		"discount_percent": schema.StringAttribute{Optional: true, CustomType: fwtype.DecimalType{}, MarkdownDescription: about["discount_percent"],
			Validators: []validator.String{validate.Percent()}},
		"billing_cycle":       optionalComputed("billing_cycle", "Without it: the plan's.", stringvalidator.OneOf("monthly", "quarterly", "semiannual", "annual")),
		"collection_method":   optionalComputed("collection_method", "Taken out, it is cleared.", stringvalidator.OneOf("charge_automatically", "manual_charge", "manual_invoice")),
		"nfe_issuance_policy": optionalComputed("nfe_issuance_policy", "Taken out, it is cleared.", stringvalidator.OneOf("disabled", "on_finalization", "on_full_payment", "per_installment")),
		"proration_behavior":  optionalComputed("proration_behavior", "Default `create_prorations`.", stringvalidator.OneOf("create_prorations", "none", "always_invoice")),
		"trial_end": schema.StringAttribute{Optional: true, Computed: true, CustomType: fwtype.DateTimeType{},
			MarkdownDescription: about["trial_end"] + " Used when the subscription is created, instead of `trial_period_days`; the service offers no way to change it later.",
			Validators:          []validator.String{validate.DateOrDateTime(), stringvalidator.ConflictsWith(path.MatchRoot("trial_period_days"))}},
		"trial_period_days": schema.Int64Attribute{Optional: true, Computed: true, Validators: []validator.Int64{int64validator.AtLeast(0)},
			MarkdownDescription: "Length of the trial in days, counted from the creation. Used when the subscription is created; the service offers no way to change it later."},
		"allow_pause":  schema.BoolAttribute{Optional: true, Computed: true, MarkdownDescription: about["allow_pause"]},
		"allow_cancel": schema.BoolAttribute{Optional: true, Computed: true, MarkdownDescription: about["allow_cancel"] + " While it is `false`, destroying fails."},
		"notes":        optional("notes", notBlank()...),
		"cancel_at_period_end": schema.BoolAttribute{Optional: true, Computed: true,
			MarkdownDescription: about["cancel_at_period_end"] + " Set back to `false`, or taken out, the subscription goes on. Once the end has come the subscription counts as canceled, see `on_external_cancel`."},
		"pause":       pauseAttribute(),
		"plan_change": planChangeAttribute(),
		"cancellation_reason": schema.StringAttribute{Optional: true, Validators: notBlank(),
			MarkdownDescription: "Reason that is sent when this configuration cancels the subscription. Changing it alone changes nothing at the service."},
		"custom_metadata":           metadata.Attribute("subscription"),
		"custom_metadata_mode":      metadata.ModeAttribute(),
		"effective_custom_metadata": metadata.EffectiveAttribute(),
		policy.Attribute: schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(policyCancel),
			Validators: []validator.String{stringvalidator.OneOf(policyCancel, policyCancelAtPeriodEnd, policy.Abandon, policy.Prevent)},
			MarkdownDescription: "What destroying does: `cancel` (default) cancels at once, `cancel_at_period_end` lets the paid period run out, `abandon` only forgets the " +
				"subscription here, `prevent` refuses. It takes effect once applied, and then also when the whole block is gone."},
		"on_external_cancel": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(externalCancelKeep),
			Validators: []validator.String{stringvalidator.OneOf(externalCancelKeep, externalCancelRecreate, externalCancelError)},
			MarkdownDescription: "What to do about a subscription that was canceled elsewhere, or whose scheduled cancellation has come: `keep` (default) keeps it in the state " +
				"as canceled and warns in every plan, `recreate` plans a new subscription, `error` fails the plan."},
		"recurring_amount_cents": schema.Int64Attribute{Computed: true, MarkdownDescription: about["recurring_amount_cents"]},
	}
	for _, name := range computedTexts {
		attributes[name] = schema.StringAttribute{Computed: true, MarkdownDescription: about[name]}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A subscription of a billing account to a plan, to single items, or to both.\n\n" +
			"Subscriptions move money, so nothing here happens silently: a change of plan, a pause, a cancellation each show in the plan, and a subscription that was " +
			"canceled elsewhere is never made again unless `on_external_cancel` says so. Nearly everything changes in place. Destroying cancels at once, unless `deletion_policy` says otherwise. " +
			"The guide on subscriptions goes through their life.",
		Attributes: attributes,
	}
}

func itemsAttribute() schema.SetNestedAttribute {
	return schema.SetNestedAttribute{Optional: true, Computed: true,
		MarkdownDescription: "Products that are billed, in any order. The set is synchronised as a whole when it changes; where the service does not list items, it is not refreshed. Without the argument items are left as they are; taken out, they are removed.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"product_id": schema.StringAttribute{Required: true, Validators: notBlank(), MarkdownDescription: "Product."},
			"price_id":   schema.StringAttribute{Required: true, Validators: notBlank(), MarkdownDescription: "Price of the product."},
			"quantity": schema.Int64Attribute{Optional: true, Computed: true, Validators: []validator.Int64{int64validator.AtLeast(1)},
				MarkdownDescription: "How many. Default 1."},
			"unit_amount_subcents": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)},
				MarkdownDescription: "Amount of one in ten-thousandths of the currency unit (`105012` is 10.5012, see `subcents`), instead of the price's own."},
		}},
	}
}

func pauseAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "Present: the subscription is paused. Changed: it is paused anew. Removed: it is resumed. A pause that ended by itself or elsewhere is drift.",
		Attributes: map[string]schema.Attribute{
			"behavior": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("mark_uncollectible"),
				Validators:          []validator.String{stringvalidator.OneOf("mark_uncollectible", "keep_as_draft", "void")},
				MarkdownDescription: "What happens to invoices made during the pause: `mark_uncollectible` (default), `keep_as_draft` or `void`."},
			"resumes_at": schema.StringAttribute{Optional: true, CustomType: fwtype.DateTimeType{}, Validators: []validator.String{validate.DateOrDateTime()},
				MarkdownDescription: "When the pause ends by itself, ISO 8601. Without it: when the block is removed."},
		}}
}

func planChangeAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, Computed: true,
		MarkdownDescription: "How a change of `plan_id` is carried out. Alone it changes nothing: the state keeps it as it was until `plan_id` changes.",
		Attributes: map[string]schema.Attribute{
			"timing": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.OneOf(timingImmediate, timingEndOfPeriod)},
				MarkdownDescription: "`immediate` (default), or `end_of_period`: the new plan begins with the next period."},
			"reason": schema.StringAttribute{Optional: true, Validators: notBlank(), MarkdownDescription: "Reason that is recorded in the audit log."},
		}}
}

// IdentitySchema names the subscription for import blocks.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = scheme.IdentitySchema()
}

func notBlank() []validator.String { return []validator.String{validate.NotBlank()} }

func optional(name string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: about[name], Validators: validators}
}

func optionalComputed(name, without string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: about[name] + " " + without, Validators: validators}
}
