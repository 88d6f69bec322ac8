package billingaccount

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
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

// about describes the fields that the resource and the data sources share.
var about = map[string]string{
	"id":        "Id of the billing account at the service (UUID). Never changes.",
	"public_id": "Stable public identifier (UUID). Never changes.",
	"external_id": "Identifier of the account in your own system, unique among the organization's accounts that are " +
		"not closed.",
	"customer_id":        "Id of the customer that the account belongs to.",
	"currency":           "Currency of the account as its ISO 4217 code, such as `BRL`. `balance_cents` is in it.",
	"billing_email":      "E-mail address for invoices and notices.",
	"payment_terms_days": "Days from an invoice to the day it is due, 1 to 90.",
	"auto_collection":    "Whether charges are made automatically: `true`, or `false` for charges by hand.",
	"balance_cents": "Balance in cents, hundredths of the currency unit: `1050` is 10.50. It changes without any " +
		"change here.",
	"status":                    "`active`, `suspended` or `closed` (final).",
	"suspended_at":              "When the account was suspended, ISO 8601; null while it is not.",
	"suspension_reason":         "Reason of the suspension; null while the account is not suspended.",
	"tax_exempt":                "Whether the account is exempt from tax.",
	"tax_exemption_certificate": "Certificate of the tax exemption; null without one.",
	"customer_tax_type":         "Tax type of the customer: `individual`, `business` or `exempt`; null when not set.",
	"metadata":                  "Service-managed metadata as a JSON string; decode it with `jsondecode`.",
	"created_at":                "When the account was created, ISO 8601.",
	"updated_at":                "When the account was last changed, ISO 8601.",
}

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{
	"customer", "external_id", "billing_email", "payment_terms_days", "auto_collection", "name", "email", "phone",
	"address",
	"status", "status_reason", "custom_metadata", "custom_metadata_mode",
}

// Schema describes the resource. What a change makes unknown is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"external_id": schema.StringAttribute{Optional: true, PlanModifiers: notBlank(),
			MarkdownDescription: about["external_id"] + " With it the account can be imported, and a creation whose " +
				"answer got lost is found again instead of being repeated. Taken out, it is cleared."},
		"customer": schema.SingleNestedAttribute{Required: true, Attributes: customerAttributes(),
			MarkdownDescription: "The customer that the account belongs to: an existing one, by `id`, `external_id` " +
				"or `document_number`, or a new one, which needs a `name` and is opened together with the account. " +
				"Naming another customer that exists forces replacement. A value that is only known after apply does " +
				"not, unless the same run replaces the customer, and neither does a customer that changes its own " +
				"`external_id` or `document_number`. When the reference is written in another way, the plan looks it " +
				"up, in one to three requests: an `id` that no customer has is an error, another reference that " +
				"finds nobody is a warning, and the account stays. The other fields are used only for a new " +
				"customer: beside a reference to an existing one they are ignored, and a later change of them is a " +
				"warning and changes nothing; change the customer by `name`, `email`, `phone` and `address` of this " +
				"resource, or by a `billing_customer`. Each re-creation of the account (closed elsewhere, " +
				"`-replace`) with a `name` alone creates another customer of the same name; `terraform plan " +
				"-replace` cannot warn of it."},
		"billing_email": schema.StringAttribute{Optional: true, Computed: true,
			PlanModifiers: orState(validate.Email()),
			MarkdownDescription: about["billing_email"] + " Default when the account is opened: the customer's. It " +
				"cannot be cleared: without the argument the stored address stands."},
		"payment_terms_days": schema.Int64Attribute{Optional: true, Computed: true, CustomType: fwtype.Days,
			PlanModifiers: []planmodifier.Int64{validate.OnChangeInt64(int64validator.Between(1, 90)),
				int64planmodifier.UseStateForUnknown()},
			MarkdownDescription: about["payment_terms_days"] + " Default when the account is opened: 10. Taken out, " +
				"the stored value stands."},
		"auto_collection": schema.BoolAttribute{Optional: true, Computed: true, PlanModifiers: object.KeepBool(),
			MarkdownDescription: about["auto_collection"] + " Default when the account is opened: `true`. Taken out, " +
				"the stored value stands."},
		"name": schema.StringAttribute{Optional: true, Computed: true,
			PlanModifiers: orState(stringvalidator.UTF8LengthBetween(1, 255)),
			MarkdownDescription: "Changes the name of the customer through the account, 1 to 255 characters. Without " +
				"it, or taken out: shows the name as it is." + followsCustomer},
		"email": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: orState(validate.Email()),
			MarkdownDescription: "Changes the main e-mail address of the customer through the account. Without it, " +
				"or taken out: shows the first one, where the service lists any." + followsCustomer},
		"phone": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: orState(validate.NotBlank()),
			MarkdownDescription: "Changes the main phone number of the customer through the account. Without it, or " +
				"taken out: shows the first one, where the service lists any." + followsCustomer},
		"address": schema.SingleNestedAttribute{Optional: true, Computed: true, Attributes: contact.AddressAttributes(),
			PlanModifiers: []planmodifier.Object{objectplanmodifier.UseStateForUnknown()},
			MarkdownDescription: "Becomes the first postal address of the customer, through the account. Without it, " +
				"or taken out: shows the first one, where the service lists any." + followsCustomer},
		"status": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: orState(),
			Validators: []validator.String{stringvalidator.OneOf(statusActive, statusSuspended)},
			MarkdownDescription: "`active` or `suspended`; a suspended account takes no new subscriptions. Given, a " +
				"suspension or reactivation made elsewhere is drift that the next apply takes back; without it, or " +
				"taken out, the status is only shown. A new account is `active`."},
		"status_reason": schema.StringAttribute{Optional: true, PlanModifiers: notBlank(),
			MarkdownDescription: "Reason for the service's audit log when this configuration suspends, reactivates " +
				"or closes the account. A change of it alone sends nothing."},
		"custom_metadata":           metadata.Attribute("account"),
		"custom_metadata_mode":      metadata.ModeAttribute(),
		"effective_custom_metadata": metadata.EffectiveAttribute(),
		policy.Attribute: schema.StringAttribute{Optional: true, Computed: true,
			Default: stringdefault.StaticString(policyClose),
			Validators: []validator.String{stringvalidator.OneOf(policyClose, policy.Delete, policy.Abandon,
				policy.Prevent)},
			MarkdownDescription: "What destroying does: `close` (default) closes the account, which is final and " +
				"keeps it readable, `delete` deletes it, `abandon` only forgets it here, `prevent` refuses in the " +
				"plan. A replacement destroys the old account in the same way." +
				policy.AboutEffect},
		"balance_cents": schema.Int64Attribute{Computed: true, MarkdownDescription: about["balance_cents"],
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}},
		"tax_exempt": schema.BoolAttribute{Computed: true, MarkdownDescription: about["tax_exempt"],
			PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}},
	}
	for _, name := range computedTexts {
		attributes[name] = object.Computed(about[name])
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes:          attributes,
	}
}

// followsCustomer ends the descriptions of what belongs to the customer.
const followsCustomer = " After an import it sets nothing while it repeats the imported value, as generated " +
	"configuration does. What a `billing_customer` in the same configuration says must not contradict it: the " +
	"plan warns."

// aboutResource is what the page of the resource begins with.
const aboutResource = "A billing account of a customer: what subscriptions run on and invoices are made for. A " +
	"`billing_customer` opens one by itself unless told not to; use this resource for further accounts, or for all " +
	"of them with `create_billing_account = false`.\n\n" +
	"Everything changes in place and charges nobody, except another `customer`: that forces replacement, and " +
	"subscriptions do not move with it. Of `custom_metadata` this configuration owns the keys it names (see [the " +
	"guide on ownership](../guides/custom-metadata)).\n\n" +
	"Destroying closes the account, which is final and leaves its subscriptions alive: destroy these first, as " +
	"Terraform does where they refer to the account. The customer stays, also one that was opened together with " +
	"the account. An account that was closed or deleted elsewhere is planned again, with a new id. Import by id " +
	"or by `external_id` (see [the guide on importing](../guides/import)); to import and then name another " +
	"customer is an error, not a replacement. A refresh takes one request. A value that you mark as sensitive is " +
	"also shown by computed attributes, which are not sensitive: `custom_metadata` by `effective_custom_metadata`."

var computedTexts = []string{"id", "public_id", "customer_id", "currency", "suspended_at", "suspension_reason",
	"tax_exemption_certificate", "customer_tax_type", "metadata", "created_at", "updated_at"}

func customerAttributes() map[string]schema.Attribute {
	text := func(description string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description,
			PlanModifiers: onChange(validators...)}
	}
	list := func(description string, value ...validator.String) schema.ListNestedAttribute {
		return schema.ListNestedAttribute{Optional: true, MarkdownDescription: description,
			Validators:   []validator.List{validate.NoNulls{}},
			NestedObject: schema.NestedAttributeObject{Attributes: contact.ItemAttributes(value...)}}
	}
	return map[string]schema.Attribute{
		"id": text("Id (UUID) or external code of an existing customer. It has to exist.",
			validate.NotBlank()),
		"external_id": text("External code of an existing customer; when there is none, that of the new one.",
			validate.NotBlank()),
		"document_number": schema.StringAttribute{Optional: true, CustomType: fwtype.DocumentType{},
			PlanModifiers: onChange(validate.CPFOrCNPJ()),
			MarkdownDescription: "Tax number (CPF or CNPJ, with or without a mask) of an existing customer; when " +
				"there is none, that of the new one. Mask and case do not count."},
		"name":       text("Name of a new customer; required for one.", validate.NotBlank()),
		"nickname":   text("Trade name or short name.", validate.NotBlank()),
		"legal_name": text("Company name of a legal entity, as registered.", validate.NotBlank()),
		"kind": text("`individual` or `company`, for which a `billing_customer` has `natural` and `juridical`.",
			stringvalidator.OneOf("individual", "company")),
		"birthday": text("Date of birth, `YYYY-MM-DD`.", validate.Date()),
		"email":    text("Main e-mail address, which the service keeps as an item of `emails`.", validate.Email()),
		"phone":    text("Main phone number, which the service keeps as an item of `phones`.", validate.NotBlank()),
		"notes":    text("Free text for people.", validate.NotBlank()),
		"addresses": schema.ListNestedAttribute{Optional: true, MarkdownDescription: "Postal addresses.",
			Validators:   []validator.List{validate.NoNulls{}},
			NestedObject: schema.NestedAttributeObject{Attributes: contact.AddressAttributes()}},
		"phones":   list("Phone numbers.", validate.NotBlank()),
		"emails":   list("E-mail addresses.", validate.Email()),
		"websites": list("Web addresses.", validate.NotBlank()),
		"tags": schema.SetAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Labels, in any order.", Validators: []validator.Set{validate.NoNulls{}}},
		"custom_metadata": schema.DynamicAttribute{Optional: true, CustomType: metadata.Type{},
			MarkdownDescription: "Your own data on the new customer: any object, nested at will."},
	}
}

func notBlank() []planmodifier.String { return onChange(validate.NotBlank()) }

func onChange(validators ...validator.String) []planmodifier.String {
	return []planmodifier.String{validate.OnChange(validators...)}
}

// orState is onChange for an argument that stays as it is in the state where the configuration does not name it.
func orState(validators ...validator.String) []planmodifier.String {
	return object.KeepText(onChange(validators...)...)
}
