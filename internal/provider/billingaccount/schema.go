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

// policyClose is the deletion_policy that accounts have in addition to the common ones.
const policyClose = "close"

// Schema describes the resource. What a change makes unknown is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id":        object.Computed("Id of the billing account at the service (UUID). Never changes."),
			"public_id": object.Computed("Stable public identifier (UUID). Never changes."),
			"external_id": schema.StringAttribute{Optional: true, PlanModifiers: notBlank(),
				MarkdownDescription: "Identifier of the account in your own system, unique among the organization's accounts " +
					"that are not closed. Finds the account for an import, and after a lost response. If removed, it is cleared."},
			"customer_id": schema.StringAttribute{Required: true, Validators: []validator.String{check.UUID()},
				PlanModifiers: []planmodifier.String{value.UUIDType{}.KeepSpelling()},
				MarkdownDescription: "Id of the customer that the account belongs to. Changing this forces replacement; " +
					"subscriptions do not move to the new account. A value that is only known after apply does not, unless the " +
					"same run replaces the customer."},
			"currency": object.Computed("Currency of the account as its ISO 4217 code, such as `BRL`. `balance_cents` is in " +
				"it."),
			"billing_email": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: orState(check.Email()),
				MarkdownDescription: "E-mail address for invoices and notices. When the account is created, it defaults to the " +
					"customer's. It cannot be cleared: if removed, the stored address stays."},
			"payment_terms_days": schema.Int64Attribute{Optional: true, Computed: true, CustomType: value.Days,
				PlanModifiers: []planmodifier.Int64{check.OnChangeInt64(check.Between(1, 90)),
					int64planmodifier.UseStateForUnknown()},
				MarkdownDescription: "Days until an invoice is due, 1 to 90. When the account is created, it defaults to `10`. " +
					"If removed, the stored value stays."},
			"auto_collection": schema.BoolAttribute{Optional: true, Computed: true, PlanModifiers: object.KeepBool(),
				MarkdownDescription: "Whether charges are automatic (`true`) or manual (`false`). When the account is created, " +
					"it defaults to `true`. If removed, the stored value stays."},
			"balance_cents": schema.Int64Attribute{Computed: true,
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
				MarkdownDescription: "Balance in cents, hundredths of the currency unit: `1050` is 10.50. The service changes it " +
					"with every invoice and payment."},

			"status": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: orState(),
				Validators: []validator.String{check.OneOf(statusActive, statusSuspended)},
				MarkdownDescription: "`active` or `suspended`, which accepts no new subscriptions. Defaults to `active` for a " +
					"new account. If set, a suspension or reactivation made elsewhere is drift; if unset or removed, the status " +
					"is only shown."},
			"status_reason": schema.StringAttribute{Optional: true, PlanModifiers: notBlank(),
				MarkdownDescription: "Reason for the service's audit log when this configuration suspends, " +
					"reactivates or closes the account. Changing only this sends nothing."},
			"suspended_at":      object.Computed("When the account was suspended; null while it is not."),
			"suspension_reason": object.Computed("Reason of the suspension; null while the account is not suspended."),

			"tax_exempt": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the account is exempt from tax.",
				PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}},
			"tax_exemption_certificate": object.Computed("Certificate of the tax exemption; null without one."),
			"customer_tax_type": object.Computed("Tax type of the customer: `individual`, `business` or `exempt`; null when " +
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

// aboutResource is what the page of the resource begins with.
const aboutResource = "A billing account of a customer, which has subscriptions and is invoiced. By default, a " +
	"`billing_customer` creates one automatically; use this resource for further accounts, or for all of them " +
	"with `create_billing_account = false`.\n\nAll changes but that of `customer_id` are made in place, and none " +
	"charges anything. An existing customer is found by the data source `billing_customer`.\n\nDestroying closes the " +
	"account, which is final. It cancels no subscription: subscriptions that refer to the account are destroyed first. " +
	"The customer stays. An account that was closed or deleted elsewhere is planned for re-creation, with a new id. A " +
	"refresh takes one request. `effective_custom_metadata` also shows values of `custom_metadata` that you mark as " +
	"sensitive, and is not sensitive itself."

func notBlank() []planmodifier.String { return onChange(check.NotBlank()) }

func onChange(validators ...validator.String) []planmodifier.String {
	return []planmodifier.String{check.OnChange(validators...)}
}

// orState is onChange for an argument that stays as it is in the state where the configuration does not name it.
func orState(validators ...validator.String) []planmodifier.String {
	return object.KeepText(onChange(validators...)...)
}
