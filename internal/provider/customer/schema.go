package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// typeName is the Terraform type of the resource, the data source and the list resource.
const typeName = "billing_customer"

// about describes the fields that the resource and the data sources share.
var about = map[string]string{
	"id":              "Id of the customer at the service (UUID). Never changes.",
	"public_id":       "Stable public identifier (UUID), for links and documents. Never changes.",
	"external_id":     "Identifier of the customer in your own system, unique among the organization's live customers.",
	"name":            "Name of the person or company.",
	"nickname":        "Trade name or short name.",
	"legal_name":      "Company name of a legal entity, as registered.",
	"document_type":   "`cpf` or `cnpj`, which the service infers from the length of `document_number`; null without one.",
	"document_number": "Tax number: CPF (11 digits) or CNPJ (14 characters: 12 digits or letters and two check digits), with or without a mask. Numbers that differ only in mask or case are the same.",
	"kind":            "`natural` (a person) or `juridical` (a legal entity).",
	"birthday":        "Date of birth, `YYYY-MM-DD`.",
	"email":           "Main e-mail address, which the service keeps as an item of `emails`.",
	"phone":           "Main phone number, which the service keeps as an item of `phones`.",
	"notes":           "Free text for people.",
	"addresses":       "Postal addresses.",
	"phones":          "Phone numbers.",
	"emails":          "E-mail addresses.",
	"websites":        "Web addresses.",
	"tags":            "Labels, in any order.",
	"metadata":        "What the service itself notes on the customer, as JSON text; read it with `jsondecode`.",
	"created_at":      "When the customer was created, ISO 8601.",
	"updated_at":      "When the customer was last changed, ISO 8601.",
}

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{
	"external_id", "name", "nickname", "legal_name", "document_number", "kind", "birthday", "email", "phone", "notes",
	"addresses", "phones", "emails", "websites", "tags", "custom_metadata", "custom_metadata_mode",
	"create_billing_account", "billing_email", "payment_terms_days", "auto_collection",
}

// Schema describes the resource. What a change makes unknown is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id":            computed("id"),
			"public_id":     computed("public_id"),
			"document_type": computed("document_type"),
			"metadata":      computed("metadata"),
			"created_at":    computed("created_at"),
			"updated_at":    computed("updated_at"),

			"name": schema.StringAttribute{Required: true, MarkdownDescription: about["name"], PlanModifiers: notBlank()},
			"external_id": schema.StringAttribute{Optional: true, PlanModifiers: notBlank(),
				MarkdownDescription: about["external_id"] + " With it the customer can be imported, and a creation whose answer got lost is found again instead of being repeated. Taken out, it is cleared."},
			"nickname":   optional("nickname", validate.NotBlank()),
			"legal_name": optional("legal_name", validate.NotBlank()),
			"notes":      optional("notes", validate.NotBlank()),
			"kind":       optional("kind", stringvalidator.OneOf("natural", "juridical")),
			"birthday":   optional("birthday", validate.Date()),
			"document_number": schema.StringAttribute{Optional: true, CustomType: fwtype.DocumentType{},
				MarkdownDescription: about["document_number"] + " A number of another length is an error, wrong check digits are a warning (see `normalize_document`).",
				PlanModifiers:       onChange(validate.CPFOrCNPJ())},

			"email": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: onChange(validate.Email()),
				MarkdownDescription: about["email"] + " Without the argument it shows the first of them; taken out, the address is removed unless `emails` names it."},
			"phone": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: notBlank(),
				MarkdownDescription: about["phone"] + " Without the argument it shows the first of them; taken out, the number is removed unless `phones` names it."},
			"emails":   contacts(about["emails"]+inAnyOrder+" `email` need not be repeated here."+wholeList, validate.Email()),
			"phones":   contacts(about["phones"]+inAnyOrder+" `phone` need not be repeated here."+wholeList, validate.NotBlank()),
			"websites": contacts(about["websites"]+inAnyOrder, validate.NotBlank()),
			"addresses": schema.ListNestedAttribute{Optional: true, Computed: true, Validators: []validator.List{validate.NoNulls{}},
				MarkdownDescription: about["addresses"] + inAnyOrder + " The `address` of a `billing_account` becomes one of them." + wholeList,
				NestedObject:        schema.NestedAttributeObject{Attributes: contact.AddressAttributes()}},
			"tags": schema.SetAttribute{Optional: true, Computed: true, ElementType: types.StringType, MarkdownDescription: about["tags"],
				Validators:    []validator.Set{validate.NoNulls{}},
				PlanModifiers: []planmodifier.Set{validate.OnChangeElements(validate.NotBlank())}},

			"custom_metadata":           metadata.Attribute("customer"),
			"custom_metadata_mode":      metadata.ModeAttribute(),
			"effective_custom_metadata": metadata.EffectiveAttribute(),

			"create_billing_account": schema.BoolAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Whether a billing account is opened together with the customer. Default `true`. " + onCreateOnly},
			"billing_email": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: onChange(validate.Email()),
				MarkdownDescription: "Address for invoices on that billing account. Default: the customer's `email`. " + onCreateOnly},
			"payment_terms_days": schema.Int64Attribute{Optional: true, Computed: true, CustomType: fwtype.Days, PlanModifiers: []planmodifier.Int64{validate.OnChangeInt64(int64validator.AtLeast(0))},
				MarkdownDescription: "Days until an invoice on that billing account is due. Default 10. " + onCreateOnly},
			"auto_collection": schema.BoolAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Whether charges on that billing account are made automatically. Default `true`. " + onCreateOnly},
			"billing_account_id": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "Id of the billing account that was opened together with the customer; null when none was. " +
					"After an import it is the oldest of the customer's billing accounts that is not closed. " +
					"One that could not be found out then is looked for at each refresh. Otherwise it is not refreshed: an account that was closed elsewhere stays here, and is only noticed where it is used. To see that, read it with the data source `billing_account`, or manage it as a `billing_account`."},

			policy.Attribute: schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(policy.Delete),
				Validators: []validator.String{stringvalidator.OneOf(policy.Delete, policy.Abandon, policy.Prevent)},
				MarkdownDescription: "What destroying does: `delete` (default) deletes the customer and closes its billing accounts, `abandon` only forgets the customer here, " +
					"`prevent` refuses in the plan." + policy.AboutEffect},
		},
	}
}

// aboutResource is what the page of the resource begins with.
const aboutResource = "A customer of the organization: a person or a company that is billed. By default the service opens a billing account together with it " +
	"(`billing_account_id`).\n\n" +
	"Every change is made in place, and none charges anybody. Other systems may work on the same customer: their keys in `custom_metadata` stay (see [the guide on ownership](../guides/custom-metadata)), " +
	"and so do contacts and addresses as long as `emails`, `phones` and `addresses` are left out. Every other optional argument that is left out is cleared where the customer has a value; one that another " +
	"system maintains belongs under `ignore_changes`.\n\n" +
	"Destroying deletes the customer and closes its billing accounts; the service refuses that while one of its subscriptions is not canceled. A customer that was deleted elsewhere " +
	"is planned again, with a new id and a new billing account. Import by id or by `external_id` (see [the guide on importing](../guides/import)). A refresh takes one request. " +
	"What a `billing_account` changes of its customer shows here from the next refresh on. " +
	"A value that you mark as sensitive is also shown by computed attributes, which are not sensitive: " +
	"`email` by `emails`, `phone` by `phones`, `custom_metadata` by `effective_custom_metadata`."

// Parts of descriptions that several lists have in common.
const (
	inAnyOrder = " Their order does not matter."
	wholeList  = " Given, it is the whole list: what others add is removed. Without the argument it is left as it is; taken out, it is emptied, as by `[]`."
)

const onCreateOnly = "Used only when the customer is created, and not refreshed: a later change is a warning and changes nothing; make it on a `billing_account`. After an import it shows the account in `billing_account_id`."

func notBlank() []planmodifier.String { return onChange(validate.NotBlank()) }

func onChange(validators ...validator.String) []planmodifier.String {
	return []planmodifier.String{validate.OnChange(validators...)}
}

func computed(name string) schema.StringAttribute {
	return object.Computed(about[name])
}

func optional(name string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: about[name], PlanModifiers: onChange(validators...)}
}

func contacts(description string, value ...validator.String) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Optional: true, Computed: true, MarkdownDescription: description, Validators: []validator.List{validate.NoNulls{}},
		NestedObject: schema.NestedAttributeObject{Attributes: contact.ItemAttributes(value...)}}
}
