package customer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

const typeName = "billing_customer"

// Schema describes the resource. plan.go decides which values a change makes unknown.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id":            object.Computed("Id of the customer (UUID)."),
			"public_id":     object.Computed("Stable public identifier (UUID), for links and documents."),
			"document_type": object.Computed("`cpf` or `cnpj`, inferred from `document_number`; null without one."),
			"metadata":      object.Computed("Service-managed metadata as a JSON string."),
			"created_at":    object.Computed("When the customer was created."),
			"updated_at":    object.Computed("When the customer was last changed."),

			"name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the person or company.",
				Validators: []validator.String{freeText}},
			"external_id": optional("Identifier in your own system, unique among the organization's customers. Identifies "+
				"the customer in imports and after a lost response. If removed, it is cleared.",
				check.InPlan(check.FreeText(), check.NotBlank(), check.Trimmed())),
			"nickname":   optional("Trade name or short name.", freeText),
			"legal_name": optional("Registered name of a legal entity.", freeText),
			"notes":      optional("Free-text notes.", freeText),
			"kind": optional("`natural` (a person) or `juridical` (a legal entity).",
				check.Listed("natural", "juridical")),
			"birthday": schema.StringAttribute{Optional: true, CustomType: value.DateTimeType{},
				MarkdownDescription: "Date of birth, `YYYY-MM-DD`.", Validators: []validator.String{check.Date(), check.NotFuture()}},
			"document_number": schema.StringAttribute{Optional: true, CustomType: value.DocumentType{},
				MarkdownDescription: "Tax number: CPF (11 digits) or CNPJ (14 characters), with or without a mask. Mask and " +
					"case cause no diff. If removed, it is cleared.", Validators: check.TextInPlan(value.CPFOrCNPJ())},

			"email":    optional("E-mail address, one entry of `emails`."+oneEntry("emails"), check.InPlan(check.Email())),
			"phone":    optional("Phone number, one entry of `phones`."+oneEntry("phones"), check.InPlan(check.Phone())),
			"emails":   nestedList(itemParts("E-mail address.", check.Email()), "E-mail addresses."+authoritative),
			"phones":   nestedList(itemParts("Phone number.", check.Phone()), "Phone numbers."+authoritative),
			"websites": nestedList(itemParts("Address (URL) of the website.", check.NotBlank()), "Web addresses."+inAnyOrder),
			"addresses": nestedList(addressParts(), "Postal addresses."+inAnyOrder+" If set, entries added elsewhere are "+
				"removed; if never set, they stay. Removing the argument deletes all entries, like `[]`.", check.ObjectInPlan(someAddress{"an address with a part"})),
			"tags": schema.SetAttribute{Optional: true, Computed: true, CustomType: value.Strings,
				MarkdownDescription: "Labels, in any order.", Validators: []validator.Set{check.NoNulls, freeText}},

			"custom_metadata":           metadata.Attribute("customer"),
			"custom_metadata_mode":      object.MetadataModeAttribute(),
			"effective_custom_metadata": metadata.EffectiveAttribute(),

			"create_billing_account": schema.BoolAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Whether to create a billing account with the customer. Defaults to `true`. Set `false` if " +
					"a `billing_account` resource creates the account; otherwise the customer has two. " +
					object.CreationOnly},
			"billing_email": schema.StringAttribute{Optional: true, Computed: true, Validators: check.TextInPlan(check.FreeText(), check.Email()),
				MarkdownDescription: "E-mail address for that account's invoices. Defaults to `email`. " + object.CreationOnly},
			"payment_terms_days": schema.Int64Attribute{Optional: true, Computed: true, CustomType: value.Days,
				Validators:          []validator.Int64{check.AtLeast(0)},
				MarkdownDescription: "Days until that account's invoices are due, 0 or more. Defaults to `10`. " + object.CreationOnly},
			"auto_collection": schema.BoolAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Whether charges on that account are automatic. Defaults to `true`. " + object.CreationOnly},
			"billing_account_id": schema.StringAttribute{Computed: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "Id of the billing account created with the customer; null with `create_billing_account = " +
					"false`. After an import, the customer's oldest open account. Not refreshed: it keeps " +
					"naming an account that was closed elsewhere."},

			object.PolicyName: object.PolicyAttribute("`delete` deletes the customer and closes its billing accounts",
				object.PolicyDelete),
		},
	}
}

const aboutResource = "A customer of the organization: a person or company that is billed. By default the service " +
	"also creates a billing account (`billing_account_id`); a `billing_account` can [manage " +
	"it](../guides/customers.md#how-do-i-change-the-invoice-e-mail-or-the-payment-terms).\n\nAll changes are made in place and charge nothing. Unset " +
	"optional arguments are cleared at the service, except `emails`, `phones` and `addresses`. Use `ignore_changes` " +
	"for arguments that another system maintains.\n\nDestroying deletes the customer and closes its billing accounts; " +
	"the API rejects it while a subscription is not canceled. A customer deleted elsewhere is planned for re-creation, " +
	"with a new id and billing account. A refresh takes one request. Values that you mark as sensitive also appear in " +
	"computed attributes that are not sensitive: `email` in `emails`, `phone` in `phones`, `custom_metadata` in " +
	"`effective_custom_metadata`."

// Parts of the descriptions of several lists.
const (
	inAnyOrder    = " Order does not matter."
	authoritative = inAnyOrder + " If set, entries added elsewhere are removed; if unset or removed, they stay. `[]` " +
		"deletes all."
)

// oneEntry describes an argument that owns an entry of a list.
func oneEntry(list string) string {
	return " Changing it replaces that entry; other entries stay. If removed, the entry stays. Conflicts with `" + list + "`."
}

var freeText = check.InPlan(check.FreeText(), check.NotBlank())

func optional(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// nestedList is a list of contacts or addresses with these attributes.
func nestedList(parts map[string]schema.Attribute, description string,
	valid ...validator.Object) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Optional: true, Computed: true, MarkdownDescription: description,
		Validators: []validator.List{check.NoNulls}, NestedObject: schema.NestedAttributeObject{Attributes: parts,
			Validators: valid}}
}

// itemParts are the arguments of an item of emails, phones or websites; the validator checks its value in the plan.
func itemParts(v string, valid validator.String) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"kind":  optional("Purpose, such as `billing` or `personal`.", freeText),
		"value": schema.StringAttribute{Required: true, MarkdownDescription: v, Validators: check.TextInPlan(check.FreeText(), valid)},
	}
}

func addressParts() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"kind":         optional("Purpose of the address, such as `billing` or `shipping`.", freeText),
		"street":       optional("Street, without the number.", freeText),
		"number":       optional("Number in the street.", freeText),
		"complement":   optional("Flat, floor or block.", freeText),
		"neighborhood": optional("Neighborhood.", freeText),
		"city":         optional("City.", freeText),
		"state":        optional("State, such as `SP`.", freeText),
		"postal_code":  optional("Postal code.", freeText),
		"country":      optional("ISO country code, such as `BR`.", freeText),
	}
}

// someAddress rejects an address that has nothing but a kind.
type someAddress struct{ check.Described }

func (someAddress) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	parts := maps.Clone(req.ConfigValue.Attributes())
	delete(parts, "kind")
	for _, part := range parts {
		if !part.IsNull() {
			return
		}
	}
	check.Invalid(req.Path, req.ConfigValue, fmt.Sprintf("%s is empty: it has none of %s. If you have set some, check "+
		"their names: Terraform silently drops names that an address does not have.", check.PathName(req.Path),
		strings.Join(slices.Sorted(maps.Keys(parts)), ", ")), &resp.Diagnostics)
}
