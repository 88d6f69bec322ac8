package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
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

// Schema describes the resource. Which value a plan shows for a computed attribute is decided in plan.go, in one place.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A customer of the organization: a person or a company that is billed.\n\n" +
			"By default the service opens a billing account together with the customer (`billing_account_id`). Every change is made in place; " +
			"destroying deletes the customer and closes its billing accounts, which the service refuses while one of its subscriptions is alive.\n\n" +
			"Other systems may work on the same customer: this configuration owns what it names, and leaves the rest alone.",
		Attributes: map[string]schema.Attribute{
			"id":            computed("id"),
			"public_id":     computed("public_id"),
			"document_type": computed("document_type"),
			"metadata":      computed("metadata"),
			"created_at":    computed("created_at"),
			"updated_at":    computed("updated_at"),

			"name":        schema.StringAttribute{Required: true, MarkdownDescription: about["name"], Validators: notBlank()},
			"external_id": optional("external_id", notBlank()...),
			"nickname":    optional("nickname", notBlank()...),
			"legal_name":  optional("legal_name", notBlank()...),
			"notes":       optional("notes", notBlank()...),
			"kind":        optional("kind", stringvalidator.OneOf("natural", "juridical")),
			"birthday":    optional("birthday", validate.Date()),
			"document_number": schema.StringAttribute{Optional: true, CustomType: fwtype.DocumentType{},
				MarkdownDescription: about["document_number"] + " Wrong check digits are a warning.",
				Validators:          []validator.String{validate.CPFOrCNPJ()}},

			"email": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{validate.Email()},
				MarkdownDescription: about["email"] + " Without the argument it shows the first of them."},
			"phone": schema.StringAttribute{Optional: true, Computed: true, Validators: notBlank(),
				MarkdownDescription: about["phone"] + " Without the argument it shows the first of them."},
			"emails":   contacts(about["emails"]+" In any order; `email` need not be repeated here. Without the argument the list is left as it is; `[]` empties it.", true, validate.Email()),
			"phones":   contacts(about["phones"]+" In any order; `phone` need not be repeated here. Without the argument the list is left as it is; `[]` empties it.", true, notBlank()...),
			"websites": contacts(about["websites"]+" In any order.", false, notBlank()...),
			"addresses": schema.ListNestedAttribute{Optional: true, MarkdownDescription: about["addresses"] + " In any order.",
				NestedObject: schema.NestedAttributeObject{Attributes: contact.AddressAttributes()}},
			"tags": schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: about["tags"],
				Validators: []validator.Set{setvalidator.ValueStringsAre(notBlank()...)}},

			"custom_metadata":           metadata.Attribute("customer"),
			"custom_metadata_mode":      metadata.ModeAttribute(),
			"effective_custom_metadata": metadata.EffectiveAttribute(),

			"create_billing_account": schema.BoolAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Whether a billing account is opened together with the customer. Default `true`. " + onCreateOnly},
			"billing_email": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{validate.Email()},
				MarkdownDescription: "Address for invoices on that billing account. Default: the customer's `email`. " + onCreateOnly},
			"payment_terms_days": schema.Int64Attribute{Optional: true, Computed: true, Validators: []validator.Int64{int64validator.AtLeast(0)},
				MarkdownDescription: "Days until an invoice on that billing account is due. Default 10. " + onCreateOnly},
			"auto_collection": schema.BoolAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Whether charges on that billing account are made automatically. Default `true`. " + onCreateOnly},
			"billing_account_id": schema.StringAttribute{Computed: true,
				MarkdownDescription: "Id of the billing account that was opened together with the customer; null when there was none. " +
					"After an import it is the customer's oldest billing account that is not closed."},

			policy.Attribute: schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(policy.Delete),
				Validators: []validator.String{stringvalidator.OneOf(policy.Delete, policy.Abandon, policy.Prevent)},
				MarkdownDescription: "What destroying does: `delete` (default) deletes the customer, `abandon` only forgets it here, `prevent` refuses. It takes effect " +
					"once applied, and then also when the whole block is gone."},
		},
	}
}

const onCreateOnly = "Used when the customer is created; later changes have no effect here and are made on the `billing_account`."

// IdentitySchema names the customer for import blocks.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = scheme.IdentitySchema()
}

func notBlank() []validator.String { return []validator.String{validate.NotBlank()} }

func computed(name string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: about[name]}
}

func optional(name string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: about[name], Validators: validators}
}

func contacts(description string, computed bool, value ...validator.String) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Optional: true, Computed: computed, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: contact.ItemAttributes(value...)}}
}
