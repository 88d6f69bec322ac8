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

const aboutCollection = "Name of the collection, as in the paths of the service: `payables`, `receivables` or " +
	"another collection (see the data source `billing_finance_openapi`)."

// aboutResource is what the page of the resource begins with.
const aboutResource = "A record of any collection of financial management, such as a payable or a receivable. Its " +
	"`body` is free-form, because the service does not document the fields.\n\nA create request contains an " +
	"idempotency key, and the service creates only one record per key: applying the same saved plan twice, or " +
	"again after a lost response, creates one record. Changes of `body` are made in place, and send only the " +
	"top-level keys that differ. Changing `collection` forces replacement.\n\nA resource that is renamed " +
	"without a `moved` block is created and deleted in one run, with the same key. One record remains and is in " +
	"the state: either the existing record or a new one, depending on the order of the requests. A `moved` " +
	"block keeps the record and its id. A creation that returns a record of an earlier creation adopts it, with " +
	"a warning.\n\nDestroying deletes the record. A record that was deleted elsewhere is planned for " +
	"re-creation, with a new id. Import by `<collection>/<id>` (see [the guide on " +
	"importing](../guides/import)). A refresh takes one request, a creation two: one creates the record, one " +
	"reads it. Body and response are stored in state. `response` contains the values of `body`, including those " +
	"that the configuration marks as sensitive: plans and outputs then show them."

// Schema describes the resource. Which value a plan shows is decided in plan.go.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id": object.Computed("Id of the record, unique within its collection."),
			attrCollection: schema.StringAttribute{Required: true,
				Validators: []validator.String{validate.Collection("payables")}, MarkdownDescription: aboutCollection +
					" Changing this forces replacement: the record is deleted " +
					"and a new one is created. A value that is only known after apply plans no replacement: if " +
					"it turns out to be different, the apply fails before it sends anything, and the next plan " +
					"shows the replacement."},
			attrBody: schema.DynamicAttribute{Required: true, CustomType: metadata.Type{},
				MarkdownDescription: "The record: an object with any nesting. Amounts are strings with two " +
					"decimals, such as `\"10.50\"` (see the function `format_cents`). This configuration owns " +
					"the keys it names, at any depth, and only those are compared: keys of the service or of " +
					"other systems stay and are not reported as drift. A key that you remove from the " +
					"configuration is removed from the record. After an import it is the whole record without " +
					"the service-managed `id`, `created_at` and `updated_at`, and the first apply removes no " +
					"key. A key that the service never returns keeps the configured value."},
			"ignore_remote_changes": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether to ignore differences between `body` and the record at the service, " +
					"for collections that the service changes. Changes of the configuration are still sent, " +
					"`response` still shows the record, and a deleted record is still planned for re-creation. " +
					"Defaults to `false`."},
			attrIdempotencyKey: schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{uuidV4()},
				MarkdownDescription: "Idempotency key of the creation (`X-Idempotency-Key`), a UUID of version 4, " +
					"fixed in the plan as soon as the body is known. Defaults to a key derived from " +
					"`collection` and `body`, so the same record planned on another machine or in another " +
					"workspace is one record, not two. Case is ignored. To create several records with " +
					"identical content, set a different key for each, for example from `random_uuid`. Change " +
					"the key if the API keeps returning an earlier rejection after you fixed the cause. The key " +
					"of a deleted record stays used: the next record is created with a key derived from it. " +
					"Used only for the creation: a later change is stored in state, and nothing is sent. Null " +
					"after an import."},
			"response": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole record as the " +
				"service last returned it, as a JSON string; decode it with `jsondecode`."},
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
		return fmt.Sprintf("%q is not a UUID of version 4. Use the result of a random_uuid resource, or write one "+
			"such as 6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11.", s)
	}}
}
