package billingaccount

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
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

// policyClose is the way of destroying that accounts have beside the common ones.
const policyClose = "close"

// about describes the fields that the resource and the data sources share.
var about = map[string]string{
	"id":                        "Id of the billing account at the service (UUID). Never changes.",
	"public_id":                 "Stable public identifier (UUID). Never changes.",
	"external_id":               "Identifier of the account in your own system, unique among the organization's accounts that are not closed. With it an interrupted creation is found again, and the account can be imported.",
	"customer_id":               "Id of the customer that the account belongs to.",
	"currency":                  "Currency of the account, ISO 4217.",
	"billing_email":             "Address for invoices and notices.",
	"payment_terms_days":        "Days until an invoice is due, 1 to 90.",
	"auto_collection":           "Whether charges are made automatically.",
	"balance_cents":             "Balance in hundredths of the currency unit: `1050` is 10.50.",
	"status":                    "`active`, `suspended` or `closed`.",
	"suspended_at":              "When the account was suspended, ISO 8601; null while it is not.",
	"suspension_reason":         "Why the account was suspended.",
	"tax_exempt":                "Whether the account is exempt from tax.",
	"tax_exemption_certificate": "Certificate of the exemption.",
	"customer_tax_type":         "`individual`, `business` or `exempt`.",
	"metadata":                  "What the service itself notes on the account, as JSON text; read it with `jsondecode`.",
	"created_at":                "When the account was opened, ISO 8601.",
	"updated_at":                "When the account was last changed, ISO 8601.",
}

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{
	"customer", "external_id", "billing_email", "payment_terms_days", "auto_collection", "name", "email", "phone", "address",
	"status", "status_reason", "custom_metadata", "custom_metadata_mode",
}

// Schema describes the resource. Which value a plan shows for a computed attribute is decided in plan.go, in one place.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"external_id": schema.StringAttribute{Optional: true, MarkdownDescription: about["external_id"], Validators: notBlank()},
		"customer": schema.SingleNestedAttribute{Required: true, Attributes: customerAttributes(),
			MarkdownDescription: "The customer that the account belongs to: an existing one, by `id` (its id, or its external code), `external_id` or `document_number`, " +
				"or a new one, which needs a `name`. Pointing to another customer replaces the account. Beside a reference to an existing customer the other " +
				"fields are ignored, and later changes to them have no effect: use `name`, `email`, `phone` and `address` of this resource, or a `billing_customer`."},
		"billing_email": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{validate.Email()},
			MarkdownDescription: about["billing_email"] + " Default: the customer's e-mail address. It cannot be cleared: without the argument the stored address stands."},
		"payment_terms_days": schema.Int64Attribute{Optional: true, Computed: true, Validators: []validator.Int64{int64validator.Between(1, 90)},
			MarkdownDescription: about["payment_terms_days"] + " Default 10."},
		"auto_collection": schema.BoolAttribute{Optional: true, Computed: true, MarkdownDescription: about["auto_collection"] + " Default `true`."},
		"name": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{stringvalidator.UTF8LengthBetween(1, 255)},
			MarkdownDescription: "Changes the name of the customer through the account, 1 to 255 characters. Without it: the name as it is."},
		"email": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{validate.Email()},
			MarkdownDescription: "Changes the main e-mail address of the customer through the account. Without it: the first address, where the service shows it."},
		"phone": schema.StringAttribute{Optional: true, Computed: true, Validators: notBlank(),
			MarkdownDescription: "Changes the main phone number of the customer through the account. Without it: the first number, where the service shows it."},
		"address": schema.SingleNestedAttribute{Optional: true, Computed: true, Attributes: contact.AddressAttributes(),
			MarkdownDescription: "Becomes the first address of the customer. Without it: the first address, where the service shows it."},
		"status": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{stringvalidator.OneOf(statusActive, statusSuspended)},
			MarkdownDescription: "`active` or `suspended`. When set, a suspension or reactivation made elsewhere is drift; without it the status is only shown. " +
				"An account closed elsewhere is planned again."},
		"status_reason": schema.StringAttribute{Optional: true, Validators: notBlank(),
			MarkdownDescription: "Reason that is recorded in the audit log when this configuration suspends, reactivates or closes the account. Changing it alone changes nothing at the service."},
		"custom_metadata":           metadata.Attribute("account"),
		"custom_metadata_mode":      metadata.ModeAttribute(),
		"effective_custom_metadata": metadata.EffectiveAttribute(),
		policy.Attribute: schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(policyClose),
			Validators: []validator.String{stringvalidator.OneOf(policyClose, policy.Delete, policy.Abandon, policy.Prevent)},
			MarkdownDescription: "What destroying does: `close` (default) closes the account, which is final, `delete` deletes it, `abandon` only forgets it here, " +
				"`prevent` refuses. It takes effect once applied, and then also when the whole block is gone."},
		"balance_cents": schema.Int64Attribute{Computed: true, MarkdownDescription: about["balance_cents"]},
		"tax_exempt":    schema.BoolAttribute{Computed: true, MarkdownDescription: about["tax_exempt"]},
	}
	for _, name := range computedTexts {
		attributes[name] = schema.StringAttribute{Computed: true, MarkdownDescription: about[name]}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A billing account of a customer: what subscriptions run on and invoices are made for.\n\n" +
			"A `billing_customer` opens an account by itself unless told not to; use this resource for further accounts, or for all of them with " +
			"`create_billing_account = false`.\n\nNearly everything changes in place; another `customer` replaces the account, and subscriptions do not move with it. Destroying closes the account, which is final and " +
			"leaves its subscriptions alive: destroy these first, as Terraform does where they refer to the account.",
		Attributes: attributes,
	}
}

var computedTexts = []string{"id", "public_id", "customer_id", "currency", "suspended_at", "suspension_reason",
	"tax_exemption_certificate", "customer_tax_type", "metadata", "created_at", "updated_at"}

func customerAttributes() map[string]schema.Attribute {
	text := func(description string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
	}
	list := func(description string, value ...validator.String) schema.ListNestedAttribute {
		return schema.ListNestedAttribute{Optional: true, MarkdownDescription: description,
			NestedObject: schema.NestedAttributeObject{Attributes: contact.ItemAttributes(value...)}}
	}
	return map[string]schema.Attribute{
		"id":          text("Id (UUID) or external code of an existing customer.", notBlank()...),
		"external_id": text("External code of an existing customer, or of the new one.", notBlank()...),
		"document_number": schema.StringAttribute{Optional: true, CustomType: fwtype.DocumentType{}, Validators: []validator.String{validate.CPFOrCNPJ()},
			MarkdownDescription: "Tax number: the customer that has it, or of the new one. Only the digits count."},
		"name":       text("Name of a new customer; required for one.", notBlank()...),
		"nickname":   text("Trade name or short name.", notBlank()...),
		"legal_name": text("Company name of a legal entity.", notBlank()...),
		"kind":       text("`individual` or `company`.", stringvalidator.OneOf("individual", "company")),
		"birthday":   text("Date of birth, `YYYY-MM-DD`.", validate.Date()),
		"email":      text("Main e-mail address.", validate.Email()),
		"phone":      text("Main phone number.", notBlank()...),
		"notes":      text("Free text for people.", notBlank()...),
		"addresses": schema.ListNestedAttribute{Optional: true, MarkdownDescription: "Postal addresses.",
			NestedObject: schema.NestedAttributeObject{Attributes: contact.AddressAttributes()}},
		"phones":          list("Phone numbers.", notBlank()...),
		"emails":          list("E-mail addresses.", validate.Email()),
		"websites":        list("Web addresses.", notBlank()...),
		"tags":            schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels."},
		"custom_metadata": schema.DynamicAttribute{Optional: true, CustomType: metadata.Type{}, MarkdownDescription: "Your own data on the new customer: any object."},
	}
}

// IdentitySchema names the account for import blocks.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = scheme.IdentitySchema()
}

func notBlank() []validator.String { return []validator.String{validate.NotBlank()} }
