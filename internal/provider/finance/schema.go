package finance

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

const typeName = "billing_finance_record"

// Names of the attributes that messages and paths speak of.
const (
	attrCollection     = "collection"
	attrBody           = "body"
	attrIdempotencyKey = "idempotency_key"
)

const aboutCollection = "Name of the collection, as in the paths of the service: `payables`, `receivables`, or another one (see the data source `billing_finance_openapi`)."

// aboutResource is what the page of the resource begins with.
const aboutResource = "A record of any collection of financial management, such as a payable or a receivable. Its `body` is free-form, because the service does not document the fields.\n\n" +
	"A creation carries a key, and the service makes one record for one key: applying the same saved plan twice, or again after an answer got lost, gives one record. Changes of `body` " +
	"are made in place, and send only the top-level keys that differ; another `collection` replaces the record.\n\n" +
	"A resource that is renamed without a `moved` block is created and deleted in one run, with one key. One record is left, and the state has it: either " +
	"the record itself or a new one, depending on which request comes first. A `moved` block keeps the record and its id. A creation that returns a record of an earlier creation takes it over, with a warning.\n\n" +
	"Destroying deletes the record. One that was deleted elsewhere is planned again, with a new id. Import by `<collection>/<id>` (see [the guide on importing](../guides/import)). A refresh takes one request, " +
	"a creation two: one makes the record, one reads it back. " +
	"Body and response are stored in the state. `response` repeats the values of `body`, also those that the configuration marks as sensitive: plans and outputs then show them."

// Schema describes the resource. Which value a plan shows is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id": object.Computed("Id of the record, unique within its collection."),
			attrCollection: schema.StringAttribute{Required: true, Validators: []validator.String{validate.Collection("payables")},
				MarkdownDescription: aboutCollection + " Another one replaces the record: this one is deleted, and one made there. " +
					"While it is only known after apply, no replacement is planned: if it then turns out to be another one, the apply fails before it sends anything, and the next plan shows the replacement."},
			attrBody: schema.DynamicAttribute{Required: true, CustomType: metadata.Type{},
				MarkdownDescription: "The record as the service takes it: an object, nested at will. Money is text with two decimals, such as `\"10.50\"` (see the function `format_cents`). This configuration owns the " +
					"keys it names, at any depth, and only those are compared: what the service or others add stays and is no drift, and a key taken out of the configuration is removed from the record. " +
					"After an import it is the whole record without `id`, `created_at` and `updated_at`, which the service fills in, and the first apply removes no key. A key that the service never answers keeps the configured value."},
			"ignore_remote_changes": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether to leave out the comparison of `body` with what the service has, for collections that change by themselves. Changes of the configuration are sent all the same, `response` still shows what the service has, and a deleted record is still planned again. Default `false`."},
			attrIdempotencyKey: schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{uuidV4()},
				MarkdownDescription: "Key of the creation (`X-Idempotency-Key`), a UUID of version 4, fixed in the plan as soon as the body is known. Default: a key that follows from `collection` and `body`, so the " +
					"same record planned again, also on another machine or in another workspace, is the same record and not a second one. Keys compare without case. Give a key of its own, such as the result of a `random_uuid`, to " +
					"each of several records that shall have exactly the same content, and another key where the service repeats an earlier refusal although its cause is gone. A record that was " +
					"deleted uses its key up; the next one is made with a key that follows from it. Used only for the creation: a later change is noted, and nothing is sent. Null after an import."},
			"response": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole record as the service last answered it, as JSON text; read it with `jsondecode`."},
		},
	}
}

// IdentitySchema names the record for import blocks.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		attrCollection: identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the collection, such as payables."},
		"id":           identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the record in that collection."},
	}}
}

// check is a validator of one text: it returns what is wrong and what to write instead, or "".
type check struct {
	description, summary string
	wrong                func(string) string
}

func (c check) Description(context.Context) string         { return c.description }
func (c check) MarkdownDescription(context.Context) string { return c.description }

func (c check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if wrong := c.wrong(req.ConfigValue.ValueString()); wrong != "" {
		resp.Diagnostics.AddAttributeError(req.Path, c.summary, wrong)
	}
}

// uuidV4 requires an idempotency key.
func uuidV4() validator.String {
	return check{"a UUID of version 4", "Invalid idempotency key", func(s string) string {
		if finance.IsKey(s) {
			return ""
		}
		return fmt.Sprintf("%q is no UUID of version 4. Take the result of a random_uuid resource, or write one such as 6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11.", s)
	}}
}
