package billingaccount

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

const typeName = "billing_account"

// Statuses of an account (service description, Recurring billing §3).
const (
	statusActive    = "active"
	statusSuspended = "suspended"
	statusClosed    = "closed"
)

const policyClose = "close"

// Schema describes the resource. plan.go decides which values a change makes unknown.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id":        object.Computed("Id of the billing account (UUID)."),
			"public_id": object.Computed("Stable public identifier (UUID)."),
			"external_id": schema.StringAttribute{Optional: true, Validators: check.TextInPlan(check.FreeText(), check.NotBlank(), check.Trimmed()),
				MarkdownDescription: "Identifier in your own system, unique among the organization's open accounts. Identifies " +
					"the account in imports and after a lost response. If removed, it is cleared."},
			"customer_id": schema.StringAttribute{Required: true, Validators: []validator.String{check.UUID()},
				PlanModifiers: []planmodifier.String{value.UUIDType{}.KeepSpelling()},
				MarkdownDescription: "Id of the account's customer. Unless that has `create_billing_account = false`, it gets two " +
					"accounts. Changing this forces replacement, and subscriptions do not move to the new account. A value only " +
					"known after apply does not, unless the same plan replaces the customer."},
			"currency": object.Computed("ISO 4217 code of the account's currency, such as `BRL`."),
			"billing_email": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: object.KeepText(),
				Validators: check.TextInPlan(check.FreeText(), check.Email()),
				MarkdownDescription: "E-mail address for invoices and notices. Defaults to the customer's on creation. It " +
					"cannot be cleared: if removed, the stored address stays."},
			"payment_terms_days": schema.Int64Attribute{Optional: true, Computed: true, CustomType: value.Days,
				// A customer's own account can have 0.
				Validators:    []validator.Int64{check.NumberInPlan(check.Between(1, 90))},
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
				MarkdownDescription: "Days until an invoice is due, 1 to 90. Defaults to `10` on creation. If removed, the " +
					"stored value stays."},
			"auto_collection": schema.BoolAttribute{Optional: true, Computed: true, PlanModifiers: object.KeepBool(),
				MarkdownDescription: "Whether charges are automatic. Defaults to `true` on creation. If removed, the stored " +
					"value stays."},
			"balance_cents": schema.Int64Attribute{Computed: true,
				PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
				MarkdownDescription: "Balance in cents of `currency`: `1050` is 10.50. Changes with every invoice and payment."},

			"status": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: object.KeepText(),
				Validators: []validator.String{check.Listed(statusActive, statusSuspended)},
				MarkdownDescription: "`active` or `suspended` (accepts no new subscriptions). Defaults to `active` on creation. " +
					"If set, a suspension or reactivation made elsewhere is drift; if unset or removed, the status is read-only."},
			"status_reason": schema.StringAttribute{Optional: true, Validators: check.TextInPlan(check.FreeText(), check.NotBlank()),
				MarkdownDescription: "Reason for the service's audit log when this configuration suspends, reactivates or " +
					"closes the account. Changing only this sends no request."},
			"suspended_at":      object.Computed("When the account was suspended; null if not suspended."),
			"suspension_reason": object.Computed("Reason for the suspension; null if not suspended."),

			"tax_exempt": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the account is exempt from tax.",
				PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}},
			"tax_exemption_certificate": object.Computed("Tax exemption certificate; null if none."),
			"customer_tax_type": object.Computed("Tax type of the customer: `individual`, `business` or `exempt`; null if " +
				"not set."),

			"custom_metadata":           metadata.Attribute("account"),
			"custom_metadata_mode":      object.MetadataModeAttribute(),
			"effective_custom_metadata": metadata.EffectiveAttribute(),

			"metadata":   object.Computed("Service-managed metadata as a JSON string."),
			"created_at": object.Computed("When the account was created."),
			"updated_at": object.Computed("When the account was last changed."),

			object.PolicyName: object.PolicyAttribute("`close` closes the account for good, but keeps it readable, "+
				"`delete` deletes it", policyClose, object.PolicyDelete),
		},
	}
}

const aboutResource = "A billing account of a customer, with subscriptions and invoices. A `billing_customer` " +
	"creates one by default; use this resource for further accounts, or for all with `create_billing_account = " +
	"false`.\n\nAll changes except those of `customer_id` are made in place and charge nothing. The data source " +
	"`billing_customer` finds an existing customer.\n\nDestroying closes the account, which is final, and keeps the " +
	"customer. It does not cancel subscriptions: Terraform destroys those that refer to the account first. An account " +
	"closed or deleted elsewhere is planned for re-creation, with a new id. A refresh takes one request. Values of " +
	"`custom_metadata` that you mark as sensitive also appear in `effective_custom_metadata`, which is not sensitive."
