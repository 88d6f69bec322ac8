// Package finance implements financial management: the resource for free-form records, and the data sources for lists
// of records and the OpenAPI description. body.go compares bodies.
package finance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

const typeName = "billing_finance_record"

// Names of attributes in messages and paths.
const (
	attrCollection     = "collection"
	attrBody           = "body"
	attrIdempotencyKey = "idempotency_key"
)

const aboutCollection = "Name of the collection, as in the paths of the service: `accounts`, `payables`, " +
	"`receivables` or another one (see the data source `billing_finance_openapi`)."

// scheme describes how records are identified. ImportState finds them.
var scheme = object.Scheme[*finance.Service, finance.Record]{
	TypeName: typeName, Noun: "record", Key: attrCollection, CompositeID: true,
	Recreation: "creates it again, with a new id",
	Service:    conn.Finance,
	Get: func(client *finance.Service, ctx context.Context, name string) (*finance.Record, error) {
		collection, id, _ := strings.Cut(name, "/")
		return client.GetRecord(ctx, collection, id)
	},
}

type base = object.Resource[*finance.Service, finance.Record, model]

// Resource is billing_finance_record.
type Resource struct{ base }

var (
	_ object.Managed                      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource returns the resource.
func NewResource() resource.Resource {
	r := &Resource{base{Scheme: scheme, OnCreation: []object.OnCreation[model]{{Argument: attrIdempotencyKey,
		Instead: func(model) string { return "It can no longer be changed." }}}}}
	r.Refresh = r.Read
	return r
}

const aboutResource = "A record of any collection of financial management, such as a payable or a receivable. Its " +
	"`body` is free-form, because the service does not document the fields.\n\nThe service creates one record per " +
	"idempotency key: applying the same saved plan twice, or again after a lost response, creates one record. Changes " +
	"of `body` are made in place, and send only the top-level keys that differ.\n\nRenaming a resource needs a `moved` " +
	"block; without it, the plan fails, because both records have the same key. A creation that returns an earlier " +
	"record adopts it, with a warning. A record deleted elsewhere is planned for re-creation, with a new id.\n\nA " +
	"refresh takes one request, a creation one or, if the record may be older, more. `response` contains the values of " +
	"`body`, including sensitive ones."

// Schema describes the resource. plan.go decides which values a plan shows.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: aboutResource,
		Attributes: map[string]schema.Attribute{
			"id": object.Computed("Id of the record, unique within its collection."),
			attrCollection: schema.StringAttribute{Required: true,
				Validators:          []validator.String{check.Collection("payables")},
				MarkdownDescription: aboutCollection + " Changing this forces replacement."},
			attrBody: schema.DynamicAttribute{Required: true, CustomType: metadata.Type{},
				MarkdownDescription: "The record: an object with any nesting. Amounts are strings such as `\"10.50\"` (see " +
					"`format_cents`). The configuration owns the keys it sets, at any depth; other keys stay and are not drift, but " +
					"a list that changes is sent as configured. A removed key is removed from the record. **No secrets:** " +
					"`response` shows them in plans, even if they are sensitive here."},
			"ignore_remote_changes": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to ignore differences between `body` and the record, for collections that the " +
					"service changes. Configuration changes are still sent. Defaults to `false`."},
			attrIdempotencyKey: schema.StringAttribute{Optional: true, Computed: true,
				Validators: []validator.String{check.Matches(finance.KeyPattern,
					"a UUID of version 4, such as the result of a random_uuid resource")},
				MarkdownDescription: "Idempotency key of the creation, a UUID of version 4. Defaults to a key derived from " +
					"`collection` and `body`, so equal records need different keys. Null after an import. " +
					object.CreationOnly},
			object.PolicyName: object.PolicyAttribute("`delete` deletes the record", object.PolicyDelete),
			"response": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole record, as last returned, as " +
				"a JSON string."},
		},
	}
}

// exampleBody is an example in messages.
const exampleBody = `{ name = "Rent", amount = "1500.00" }`

// ValidateConfig checks the contents of the body.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Body.IsUnknown() || config.Body.IsNull() {
		return // the framework reports a null
	}
	// The framework does not detect a typed null, such as the result of a conditional expression.
	if config.Body.IsAbsent() {
		resp.Diagnostics.AddAttributeError(path.Root(attrBody), "Missing body", "body is null. Write the record as "+
			"an object, such as "+exampleBody+".")
		return
	}
	if _, err := config.Body.Object(); err != nil && !errors.Is(err, metadata.ErrUnknown) {
		resp.Diagnostics.AddAttributeError(path.Root(attrBody), "Invalid body",
			fmt.Sprintf("The body cannot be sent: %s.", err))
	}
}

// Create creates the record, or adopts the one that was created with the same key.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	op, ready := r.BeginCreate(ctx, req, resp)
	desired, ok := op.Plan.object(op.Diags)
	if !ready || !ok {
		return
	}
	created, err := op.Client.CreateRecord(ctx, op.Plan.Collection.ValueString(), metadata.Payload(desired),
		op.Plan.IdempotencyKey.ValueString())
	if op.Plan.explainOther(err, op.Diags) {
		return
	}
	adviseRetry(err, op.Plan, op.Diags)
	if op.Failed(ctx, "create", inBody(err, desired)) {
		return
	}
	op.MayPredate = true // the service returns the record of the key, whatever its body
	op.Finish(ctx, &created.Record, op.Plan.keep)
	private.SetOwned(ctx, op.Private, metadata.Owned{Object: op.State.owned(created, desired)}, op.Diags)
	private.Set(ctx, op.Private, keyWritten, op.Client.Date(), op.Diags)
	if created.Existed {
		warnExisted(op.State, created.Field("created_at"), op.Diags)
	}
}

// explainOther reports a creation that was answered with another record; false for any other error.
func (m model) explainOther(err error, diags *diag.Diagnostics) bool {
	var other *finance.OtherRecordError
	if !errors.As(err, &other) {
		return false
	}
	ids := make([]string, len(other.IDs))
	for i, id := range other.IDs {
		ids[i] = place(m.Collection.ValueString(), id)
	}
	diags.AddError(fmt.Sprintf("The creation of a %s was answered with another record", m.displayName()),
		fmt.Sprintf("%s. Nothing of it is in the state, changed or deleted. A cache or proxy may have mixed up responses, "+
			"or another system has changed the record of an earlier creation with the key %s. Import the one that is yours (put "+
			"this resource's name after the type), or set another idempotency_key:\n\n%s", apidiag.Capitalize(other.Error()),
			m.IdempotencyKey.ValueString(), apidiag.ImportBlocks(typeName, ids...)))
	return true
}

// keyWritten is the key of the private state under which a creation stores the service's Date: it limits how long reads
// may lag behind.
var keyWritten = private.Key("written")

// warnExisted warns that a creation probably returned an existing record, according to its date.
func warnExisted(m model, created string, diags *diag.Diagnostics) {
	diags.AddWarning("The "+m.displayName()+" may already have existed", fmt.Sprintf("It was created at %s, before "+
		"this request according to the Date header: the service creates one record per key, so it is probably that "+
		"of an earlier creation with the key %s. This resource now manages it. If another resource or workspace manages it "+
		"too, they overwrite each other's changes: remove it from one state, or set another idempotency_key on this one and "+
		"replace it.", created, m.IdempotencyKey.ValueString()))
}

// adviseRetry explains how to find out whether a record was created: by applying again.
func adviseRetry(err error, m model, diags *diag.Diagnostics) {
	if finance.MayHaveCreated(err) {
		diags.AddWarning(fmt.Sprintf("The %s with the key %s may exist anyway", m.displayName(),
			m.IdempotencyKey.ValueString()), "Apply again with the same collection and body: the creation has the same key, "+
			"and the service returns the existing record, or creates it. With a changed body, the key differs, and another "+
			"record is created.")
	}
}

// Read refreshes the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	op, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	op.Client.Wrote(op.State.Collection.ValueString(), op.State.ID.ValueString(),
		private.Get[string](ctx, op.Private, keyWritten, op.Diags), op.State.Response.ValueString())
	owned := private.Owned[metadata.Owned](ctx, op.Private, op.Diags).Object
	_, state, ok := op.Get(ctx, func(record *finance.Record) model {
		if op.Importing {
			return imported(op.State, record, op.Diags)
		}
		return op.State.refreshed(record, owned, op.Diags)
	})
	if ok {
		op.Save(ctx, state)
	}
}

// ImportState reads <collection>/<id>, or the identity, and checks that the record exists; the refresh that follows
// fills the rest.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) {
	collection, id := selected(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	client, ready := r.Conn.Finance.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	found := model{ID: types.StringValue(id), Collection: types.StringValue(collection)}
	_, err := client.GetRecord(ctx, collection, id)
	if api.IsNotFound(err) {
		resp.Diagnostics.AddError("No "+found.displayName(), fmt.Sprintf("The workspace of this token has no record %s in "+
			"the collection %s. Check both, including case, and the token.", id, collection))
		return
	}
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, r.Operation("find", found))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attrCollection), found.Collection)...)
	scheme.Identify(ctx, found, resp.Identity, &resp.Diagnostics)
	object.MarkImport(ctx, resp.Private, &resp.Diagnostics)
}

// selected reads the import id or the identity.
func selected(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) (collection, id string) {
	collection, id, _ = strings.Cut(req.ID, "/")
	if req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		diags.Append(req.Identity.GetAttribute(ctx, path.Root(attrCollection), &collection)...)
		diags.Append(req.Identity.GetAttribute(ctx, path.Root("id"), &id)...)
	}
	if !diags.HasError() && (!check.IsCollection(collection) || id == "" || strings.Contains(id, "/")) {
		diags.AddError("Invalid import id", "It does not identify a record. Write <collection>/<id>, such as "+
			"payables/7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a, or the identity with both.")
	}
	return collection, id
}

// Update sends the planned changes of top-level keys. Arguments that only this provider uses change without a request.
//
// It does not read the configuration, because that of an apply does not respect ignore_changes. Decisions about
// ownership are in the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	op, ready := r.BeginUpdate(ctx, req, resp)
	plan, state := op.Plan, op.State
	own := readOwnership(ctx, op.Private, state, op.Diags)
	next := private.Planned[metadata.Owned](ctx, op.Private, op.Diags)
	rejectReplacement(plan, state, op.Diags)
	if !ready || op.Diags.HasError() {
		return
	}
	before, record, ok := state.stored(next.Object, plan.IgnoreRemoteChanges.ValueBool(), op.Diags)
	if !ok {
		return
	}
	var updated *finance.Record
	if send := changes(own, before, record, next.Object); plan.Response.IsUnknown() && len(send) > 0 {
		var err error
		updated, err = patch(ctx, op.Client, state, send, ofObject(send, before), func(now metadata.Object) metadata.Object {
			return changes(own, before, now, next.Object)
		})
		if op.Failed(ctx, "update", inBody(err, next.Object)) {
			return
		}
		// The state knows nothing of the service's texts so far, so all that differed were sent.
		op.SentAll = state.IgnoreRemoteChanges.ValueBool() && !plan.IgnoreRemoteChanges.ValueBool()
	}
	op.Finish(ctx, updated, plan.keep)
	private.SetOwned(ctx, op.Private, next, op.Diags)
}

// patch sends changed keys of the record. If one of them is or was an object (shared), other systems may have added
// keys to it since the plan: it is sent as again determines from the record that is there.
func patch(ctx context.Context, client *finance.Service, m model, send metadata.Object, shared bool,
	again func(current metadata.Object) metadata.Object) (*finance.Record, error) {
	collection, id := m.Collection.ValueString(), m.ID.ValueString()
	read := sync.OnceValues(func() (json.RawMessage, error) {
		current, err := client.GetRecord(ctx, collection, id)
		if err != nil {
			return nil, err
		}
		return current.Raw, nil
	})
	if shared {
		raw, err := read()
		if err != nil {
			return nil, err
		}
		current, err := metadata.Parse(raw)
		if err != nil {
			return nil, err
		}
		send = again(current)
	}
	spelled, err := metadata.Respelled(send, true, read)
	if err != nil {
		return nil, err
	}
	return client.UpdateRecord(ctx, collection, id, spelled)
}

// Delete deletes the record, unless the creation of its replacement returned the same record.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	op, ok := r.BeginDelete(ctx, req, resp, nil)
	if !ok {
		return
	}
	deleted, err := op.Client.DeleteRecord(ctx, op.State.Collection.ValueString(), op.State.ID.ValueString())
	if !op.Failed(ctx, "delete", err) && !deleted {
		op.Diags.AddWarning("The "+op.State.displayName()+" was not deleted", "A creation of this run has the same "+
			"idempotency key, as in a replacement with create_before_destroy. The service creates one record per key, so both "+
			"are the same record, which is kept. To replace it, set another idempotency_key.")
	}
}

// inBody maps the rejected fields of err to the argument body, which contains them. If the service expects a string
// instead of a number, it adds how to write an amount.
func inBody(err error, body metadata.Object) error {
	e, ok := api.AsError(err)
	if !ok || e.Field == "" && len(e.Fields) == 0 {
		return err
	}
	blamed := *e
	if e.Field != "" {
		blamed.Field, blamed.Message = attrBody+"."+e.Field, e.Message+aboutAmount(body[e.Field])
	}
	blamed.Fields = nil
	for field, wrong := range e.Fields {
		if blamed.Fields == nil {
			blamed.Fields = map[string]string{}
		}
		blamed.Fields[attrBody+"."+field] = wrong + aboutAmount(body[field])
	}
	return &blamed
}

// aboutAmount explains how to write a number that may be an amount; "" for anything else.
func aboutAmount(value any) string {
	number, ok := value.(json.Number)
	if amount, err := number.Float64(); ok && err == nil && math.Abs(amount) < 1e12 {
		return fmt.Sprintf(". If it is an amount, write a string with two decimals: \"%.2f\", or format_cents(%.0f).", amount,
			amount*100)
	}
	return ""
}
