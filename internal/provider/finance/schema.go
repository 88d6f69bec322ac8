package finance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

const typeName = "billing_finance_record"

// Names of the attributes that messages and paths speak of.
const (
	attrCollection     = "collection"
	attrBody           = "body"
	attrIdempotencyKey = "idempotency_key"
)

const aboutCollection = "Name of the collection, as in the paths of the service: `accounts`, `payables`, " +
	"`receivables` or another one (see the data source `billing_finance_openapi`)."

// aboutResource is what the page of the resource begins with.
const aboutResource = "A record of any collection of financial management, such as a payable or a receivable. Its " +
	"`body` is free-form, because the service does not document the fields.\n\nA create request contains an " +
	"idempotency key, and the service creates one record per key: applying the same saved plan twice, or " +
	"again after a lost response, creates one record. Changes of `body` are made in place, and send only the " +
	"top-level keys that differ.\n\nRenaming a resource needs a `moved` block: without one, a plan that would destroy " +
	"and create a record with one key is an error. A creation that returns a record of an earlier creation adopts it, " +
	"with a warning. A record that was deleted elsewhere is planned for re-creation, with a new id.\n\nImport by " +
	"`<collection>/<id>` (see [the guide on importing](../guides/import.md)). A refresh takes one request, a " +
	"creation one, " +
	"or two where the record is older. `response` contains the values of `body`, including those that the configuration " +
	"marks as sensitive."

// Schema describes the resource. Which value a plan shows is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id": object.Computed("Id of the record, unique within its collection."),
			attrCollection: schema.StringAttribute{Required: true,
				Validators:          []validator.String{value.Collection("payables")},
				MarkdownDescription: aboutCollection + " Changing this forces replacement."},
			attrBody: schema.DynamicAttribute{Required: true, CustomType: metadata.Type{},
				MarkdownDescription: "The record: an object with any nesting. Amounts are strings such as `\"10.50\"` (see " +
					"`format_cents`). The configuration owns the keys it names, at any depth. Other keys stay and are not " +
					"drift; a removed key is removed from the record."},
			"ignore_remote_changes": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether to ignore differences between `body` and the record at the service, " +
					"for collections that the service changes. Changes of the configuration are still sent. Defaults to `false`."},
			attrIdempotencyKey: schema.StringAttribute{Optional: true, Computed: true,
				Validators: []validator.String{value.Matches(finance.KeyPattern,
					"a UUID of version 4, such as the result of a random_uuid resource")},
				MarkdownDescription: "Idempotency key of the creation, a UUID of version 4. Defaults to a key derived from " +
					"`collection` and `body`: equal records need different keys. Used only for the creation; a later change " +
					"sends nothing. Null after an import."},
			object.PolicyName: object.PolicyAttribute("`delete` deletes the record", object.PolicyDelete),
			"response": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole record as the " +
				"service last returned it, as a JSON string."},
		},
	}
}

// IdentitySchema names the record for import blocks.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest,
	resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		attrCollection: identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the " +
			"collection, such as payables."},
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the record in that collection."},
	}}
}
