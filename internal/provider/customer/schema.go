package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// typeName is the Terraform type of the resource, the data source and the list resource.
const typeName = "billing_customer"

// about describes the fields that the resource and the data sources share.
var about = map[string]string{
	"id":        "Id of the customer at the service (UUID). Never changes.",
	"public_id": "Stable public identifier (UUID), for links and documents. Never changes.",
	"external_id": "Identifier of the customer in your own system, unique among the customers of the " +
		"organization that are not deleted.",
	"name":       "Name of the person or company.",
	"nickname":   "Trade name or short name.",
	"legal_name": "Company name of a legal entity, as registered.",
	"document_type": "`cpf` or `cnpj`, which the service infers from the length of `document_number`; null " +
		"without one.",
	"document_number": "Tax number: CPF (11 digits) or CNPJ (14 characters: 12 digits or letters and two check " +
		"digits), with or without a mask. Differences in mask or case cause no diff.",
	"kind":       "`natural` (a person) or `juridical` (a legal entity).",
	"birthday":   "Date of birth, `YYYY-MM-DD`.",
	"email":      "Main e-mail address, an entry of `emails`.",
	"phone":      "Main phone number, an entry of `phones`.",
	"notes":      "Notes, as free text.",
	"addresses":  "Postal addresses.",
	"phones":     "Phone numbers.",
	"emails":     "E-mail addresses.",
	"websites":   "Web addresses.",
	"tags":       "Labels, in any order.",
	"metadata":   "Service-managed metadata as a JSON string; decode it with `jsondecode`.",
	"created_at": "When the customer was created, ISO 8601.",
	"updated_at": "When the customer was last changed, ISO 8601.",

	"item.kind":      "Purpose, such as `billing` or `personal`.",
	"emails.value":   "E-mail address.",
	"phones.value":   "Phone number.",
	"websites.value": "Address (URL) of the website.",

	"address.kind":         "Purpose of the address, such as `billing` or `shipping`.",
	"address.street":       "Street, without the number.",
	"address.number":       "Number in the street.",
	"address.complement":   "Flat, floor or block.",
	"address.neighborhood": "Neighborhood.",
	"address.city":         "City.",
	"address.state":        "State, such as `SP`.",
	"address.postal_code":  "Postal code.",
	"address.country":      "ISO country code, such as `BR`.",
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
				MarkdownDescription: about["external_id"] + " Finds the customer for an import, and after a " +
					"lost response. If removed, it is cleared."},
			"nickname":   optional("nickname", validate.NotBlank()),
			"legal_name": optional("legal_name", validate.NotBlank()),
			"notes":      optional("notes", validate.NotBlank()),
			"kind":       optional("kind", validate.OneOf("natural", "juridical")),
			"birthday":   optional("birthday", validate.Date()),
			"document_number": schema.StringAttribute{Optional: true, CustomType: fwtype.DocumentType{},
				MarkdownDescription: about["document_number"] + " If removed, it is cleared.",
				PlanModifiers:       onChange(validate.CPFOrCNPJ())},

			"email": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: onChange(validate.Email()),
				MarkdownDescription: about["email"] + oneEntry("emails")},
			"phone": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: onChange(validate.Phone()),
				MarkdownDescription: about["phone"] + oneEntry("phones")},
			"emails":   contacts("emails", inAnyOrder+authoritative, validate.Email()),
			"phones":   contacts("phones", inAnyOrder+authoritative, validate.Phone()),
			"websites": contacts("websites", inAnyOrder, validate.NotBlank()),
			"addresses": schema.ListNestedAttribute{Optional: true, Computed: true,
				Validators: []validator.List{validate.NoNulls{}}, MarkdownDescription: about["addresses"] + inAnyOrder +
					wholeList,
				NestedObject: schema.NestedAttributeObject{Attributes: addressAttributes()}},
			"tags": schema.SetAttribute{Optional: true, Computed: true, ElementType: types.StringType,
				MarkdownDescription: about["tags"], Validators: []validator.Set{validate.NoNulls{}},
				PlanModifiers: []planmodifier.Set{validate.OnChangeElements(validate.NotBlank())}},

			"custom_metadata":           metadata.Attribute("customer"),
			"custom_metadata_mode":      metadata.ModeAttribute(),
			"effective_custom_metadata": metadata.EffectiveAttribute(),

			"create_billing_account": schema.BoolAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Whether a billing account is created together with the customer. Defaults " +
					"to `true`. " + onCreateOnly},
			"billing_email": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: onChange(validate.Email()),
				MarkdownDescription: "E-mail address for invoices of that billing account. Defaults to the " +
					"customer's `email`. " + onCreateOnly},
			"payment_terms_days": schema.Int64Attribute{Optional: true, Computed: true, CustomType: fwtype.Days,
				PlanModifiers: []planmodifier.Int64{validate.OnChangeInt64(validate.AtLeast(0))},
				MarkdownDescription: "Days until an invoice of that billing account is due, 0 or more. Defaults " +
					"to `10`. " + onCreateOnly},
			"auto_collection": schema.BoolAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Whether charges on that billing account are automatic. Defaults to `true`. " + onCreateOnly},
			"billing_account_id": schema.StringAttribute{Computed: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "Id of the billing account that was created together with the customer; null with " +
					"`create_billing_account = false`. After an import it is the customer's oldest account that is not " +
					"closed. Not refreshed: an account that was closed elsewhere stays here."},

			object.PolicyName: object.PolicyAttribute("`delete` deletes the customer and closes its billing accounts", object.PolicyDelete),
		},
	}
}

// aboutResource is what the page of the resource begins with.
const aboutResource = "A customer of the organization: a person or a company that is billed. By default the " +
	"service creates a billing account together with it (`billing_account_id`).\n\nAll changes are made in " +
	"place and charge nothing. Other systems can change the same customer: their keys in `custom_metadata` stay " +
	"(see [the guide on ownership](../guides/custom-metadata)), and so do contacts and addresses while " +
	"`emails`, `phones` and `addresses` are unset. Every other optional argument that is unset is cleared if " +
	"the customer has a value. Use `ignore_changes` for arguments that another system maintains.\n\nDestroying " +
	"deletes the customer and closes its billing accounts. The API rejects this while one of its subscriptions " +
	"is not canceled. A customer that was deleted elsewhere is planned for re-creation, with a new id and a new " +
	"billing account. Import by id or by `external_id` (see [the guide on importing](../guides/import)). A " +
	"refresh takes one request. Computed attributes also show values that you mark as sensitive, and are not sensitive " +
	"themselves: `email` by `emails`, `phone` by `phones`, `custom_metadata` by `effective_custom_metadata`."

// Parts of descriptions that several lists have in common.
const (
	inAnyOrder    = " Their order does not matter."
	authoritative = " If set, the list is authoritative: entries added elsewhere are removed. If unset or removed, " +
		"entries are left unchanged; `[]` deletes them."
	wholeList = " If set, the list is authoritative: entries added elsewhere are removed. If never set, entries " +
		"are left unchanged. Removing the argument deletes all entries, like `[]`."
)

// oneEntry describes a main value that is an entry of a list.
func oneEntry(list string) string {
	return " Changing it replaces that entry; other entries stay. Next to `" + list + "` it must be one of its values. If " +
		"unset, it shows the first entry; if removed, the entry stays."
}

const onCreateOnly = "Used on creation only, and not refreshed: a later change has no effect. After an import it " +
	"shows the account in `billing_account_id`."

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

func contacts(list, more string, value ...validator.String) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Optional: true, Computed: true, MarkdownDescription: about[list] + more,
		Validators:   []validator.List{validate.NoNulls{}},
		NestedObject: schema.NestedAttributeObject{Attributes: itemAttributes(list, value...)}}
}

// itemAttributes are the arguments of an item of emails, phones or websites; value checks a value that the service does
// not have yet.
func itemAttributes(list string, value ...validator.String) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"kind": optional("item.kind", validate.NotBlank()),
		"value": schema.StringAttribute{Required: true, MarkdownDescription: about[list+".value"],
			PlanModifiers: onChange(value...)},
	}
}

// addressAttributes are the arguments of an address.
func addressAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, name := range addressFields {
		attributes[name] = optional("address."+name, validate.NotBlank())
	}
	return attributes
}
