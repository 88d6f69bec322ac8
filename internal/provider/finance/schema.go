package finance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

const typeName = "billing_finance_record"

// Names of the attributes that messages and paths speak of.
const (
	attrCollection     = "collection"
	attrBody           = "body"
	attrIdempotencyKey = "idempotency_key"
)

const aboutCollection = "Name of the collection, as in the path of the service: `payables`, `receivables`, or another one."

// Schema describes the resource. Which value a plan shows is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A record of any collection of financial management, whose body is free-form.\n\n" +
			"A creation carries a key, and the service makes one record for one key: applying the same saved plan twice, or again after the answer was lost, gives one record. " +
			"A record that was deleted outside of Terraform is planned again. Destroying deletes the record.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the record, unique within its collection."},
			attrCollection: schema.StringAttribute{Required: true, Validators: []validator.String{pathSegment()},
				MarkdownDescription: aboutCollection + " Another collection makes a new record.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()}},
			attrBody: schema.DynamicAttribute{Required: true, CustomType: metadata.Type{},
				MarkdownDescription: "The record as the service takes it: an object, nested at will. Money is text with two decimals, such as `\"10.50\"` (see `format_cents`). This configuration owns the keys " +
					"it names, at any depth, and only those are compared: what the service or others add stays and is no drift, and a key taken out of the configuration is removed from the record. " +
					"A key that the service never answers keeps the configured value."},
			"ignore_remote_changes": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "`true` does not compare the body with the service at all, for collections that change by themselves; `response` still shows what the service has. A deleted record is still planned again. Default `false`."},
			attrIdempotencyKey: schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{uuidV4()},
				MarkdownDescription: "Key of the creation, a UUID of version 4, fixed in the plan as soon as the body is known. By default it follows from `collection` and `body`, so the same record planned again, also on another machine, is the same record " +
					"and not a second one. Give each a key of its own where two records shall have exactly the same content, and another key where the service repeats an earlier refusal although its cause is gone. " +
					"A record that was deleted uses its key up; a key that follows from it makes the next one. Only used for the creation: a later change is noted and nothing is sent. Null after an import."},
			"response": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole record as the service has it, as JSON text; read it with `jsondecode`."},
		},
	}
}

// IdentitySchema names the record for import blocks.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		attrCollection: identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the collection."},
		"id":           identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the record."},
	}}
}
