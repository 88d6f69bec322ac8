package object

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Write is a creation, an update or a deletion in progress. S is the service's client, T its type of the object, M the
// model of the resource.
type Write[S, T, M any] struct {
	Client S
	// Config and Plan are the apply's configuration and plan; the plan of a deletion is the state. Config does not respect
	// ignore_changes, so only write-only values may be taken from it.
	Config, Plan M
	// State is the object as known so far: at first the state (of a creation: the plan), then updated by each step.
	State M
	// Last is the object in the last response; nil before the first one.
	Last *T
	// After builds the object from a response. It takes values that the service does not return from prior, a state or the
	// plan. It is Resource.After, unless the resource needs more than a response.
	After func(response *T, prior M) M
	// Private is the private state, with the data stored by the plan and the data that the apply stores.
	Private private.State
	Diags   *diag.Diagnostics

	// Whole is set if the last request carried every argument, as that of a creation does.
	Whole bool
	// Sent are arguments that a request carried although they do not change.
	Sent []string
	// Found is set if the object may have existed before the request, so that other values need not be those of the
	// service's wording.
	Found bool

	wording  wording
	resource *Resource[S, T, M]
	is       kind
	before   M    // what Terraform has of the object; zero for a creation
	failed   bool // a step has failed, so the outcome differs from the plan
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
}

// kind distinguishes creations, updates and deletions.
type kind int

const (
	creation kind = iota
	update
	deletion
)

// BeginCreate begins the creation of an object; it returns false after an error.
func (r *Resource[S, T, M]) BeginCreate(ctx context.Context, req resource.CreateRequest,
	resp *resource.CreateResponse) (*Write[S, T, M], bool) {
	w := &Write[S, T, M]{resource: r, is: creation, Private: resp.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	w.Diags.Append(value.Get(ctx, req.Config, &w.Config)...)
	w.Diags.Append(value.Get(ctx, req.Plan, &w.Plan)...)
	w.State = w.Plan
	if len(r.OnCreation) > 0 {
		private.Set(ctx, w.Private, keyCreated, true, w.Diags)
	}
	return w, r.begin(w)
}

// BeginUpdate begins the update of an object; it returns false after an error.
func (r *Resource[S, T, M]) BeginUpdate(ctx context.Context, req resource.UpdateRequest,
	resp *resource.UpdateResponse) (*Write[S, T, M], bool) {
	w := &Write[S, T, M]{resource: r, is: update, Private: resp.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	w.Diags.Append(value.Get(ctx, req.Config, &w.Config)...)
	w.Diags.Append(value.Get(ctx, req.Plan, &w.Plan)...)
	w.Diags.Append(value.Get(ctx, req.State, &w.State)...)
	w.wording = private.Get[wording](ctx, w.Private, keyWording, w.Diags)
	w.wording.satisfied(r.Scheme.Texts, &w.State, w.Plan)
	w.before = w.State
	if !r.begin(w) {
		return w, false
	}
	r.Scheme.wrote(w.Client, w.State)
	return w, true
}

// BeginDelete begins the deletion of an object. It returns false if deletion_policy keeps the object, if stays
// (optional) reports that there is nothing to send, or after an error.
func (r *Resource[S, T, M]) BeginDelete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse,
	stays func(M, *diag.Diagnostics) bool) (*Write[S, T, M], bool) {
	w := &Write[S, T, M]{resource: r, is: deletion, Private: req.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	w.Diags.Append(value.Get(ctx, req.State, &w.State)...)
	w.Plan = w.State
	of := policyOf(w.State)
	of.check("destroy", ifTainted, w.Diags)
	if w.Diags.HasError() || of.Abandons() || stays != nil && stays(w.State, w.Diags) {
		return w, false
	}
	return w, r.begin(w) && !r.endsForeign(ctx, w, of.Object) && r.checkReplacement(ctx, w)
}

// endsForeign is foreignEach for a deletion, for which a 404 is a success. If the organization of the token cannot be
// determined, it first reads whether the object exists.
func (r *Resource[S, T, M]) endsForeign(ctx context.Context, w *Write[S, T, M], object string) bool {
	if r.foreignEach(ctx, w.Private, "destroy", object, conn.DoubtPasses, w.Diags) {
		return true
	}
	if !r.bound() || !r.Conn.Undecided() {
		return false
	}
	_, err := r.Scheme.Get(w.Client, ctx, r.Scheme.name(w.State))
	return api.IsNotFound(err) && r.foreignEach(ctx, w.Private, "destroy", object, conn.DoubtStops, w.Diags)
}

// begin connects, and records that this run applies.
func (r *Resource[S, T, M]) begin(w *Write[S, T, M]) (ok bool) {
	w.After = r.After
	if w.Client, ok = r.Scheme.Service(r.Conn).For(r.Scheme.TypeName, w.Diags); !ok || w.Diags.HasError() {
		return false
	}
	r.Run().Applies()
	return true
}

// Step is one request about the object.
type Step[T any] struct {
	// Verb is what the step does to the object: create, update, pause.
	Verb string
	// ErrorAttributes maps errors to the argument that requires the step; zero if the service's fields are named like the
	// arguments.
	ErrorAttributes ErrorAttributes
	// Send sends the request, and returns the object in the response, or nil if it has none. It writes other results, such
	// as a secret, to State. A response together with an error means that the step has partly succeeded. A step without
	// Send sends nothing.
	Send func(context.Context) (*T, error)
	// Explain reports an error with its own message, or returns false; optional.
	Explain func(error) bool
}

// Change is the step that updates the object with body, its changes. An empty body is not sent.
func Change[T any, B interface{ IsEmpty() bool }](id types.String, body B,
	send func(ctx context.Context, id string, body B) (*T, error)) Step[T] {
	if body.IsEmpty() {
		return Step[T]{}
	}
	return Step[T]{Verb: "update", Send: func(ctx context.Context) (*T, error) {
		return send(ctx, id.ValueString(), body)
	}}
}

// Delete is the step that deletes the object with the id.
func Delete[T any](id types.String, send func(ctx context.Context, id string) error) Step[T] {
	return Step[T]{Verb: "delete", Send: func(ctx context.Context) (*T, error) {
		return nil, send(ctx, id.ValueString())
	}}
}

// Do runs steps in order. The result of each is saved before the next one begins, so that after a failure the state is
// correct and the next plan shows exactly the remaining changes. It returns false, with a diagnostic, if a step fails.
func (w *Write[S, T, M]) Do(ctx context.Context, steps ...Step[T]) bool {
	for _, s := range steps {
		if s.Send == nil {
			continue
		}
		response, err := s.Send(ctx)
		if response != nil {
			w.Last, w.State = response, w.After(response, w.State)
		}
		if response != nil || err == nil {
			w.Save(ctx)
		}
		if err != nil {
			w.fail(ctx, s, err)
			return false
		}
	}
	return true
}

// Finish saves the outcome after the last step: the plan, completed with the service's values. It warns about values
// that the service stored differently.
func (w *Write[S, T, M]) Finish(ctx context.Context) {
	state := w.Plan
	if w.Last != nil {
		state = w.After(w.Last, w.Plan)
	}
	fill(ctx, &state, &w.State)
	w.State = state
	if differences := CopyKnown(ctx, &w.Plan, &w.State); !w.failed {
		w.warn(ctx, w.learn(ctx, differences))
	}
	w.Save(ctx)
	private.Remove(ctx, w.Private, keyImport, w.Diags)
}

// fail reports the error of a step.
func (w *Write[S, T, M]) fail(ctx context.Context, s Step[T], err error) {
	if s.Explain != nil && s.Explain(err) {
		return
	}
	w.failed = true
	err = s.ErrorAttributes.on(err)
	operation := w.resource.Operation(s.Verb, w.State).Of(w.Plan)
	if w.is != creation || w.Last == nil {
		w.report(ctx, err, operation)
		return
	}
	var failed diag.Diagnostics
	apidiag.Add(&failed, err, operation)
	postpone(failed, w.Diags)
}

// report reports the error of a request about the object. If the object does not exist, the token may belong to another
// organization.
func (w *Write[S, T, M]) report(ctx context.Context, err error, operation apidiag.Operation) {
	if w.is == update && api.IsNotFound(err) &&
		w.resource.foreignEach(ctx, w.Private, operation.Verb, operation.Object, conn.DoubtPasses, w.Diags) {
		return
	}
	apidiag.Add(w.Diags, err, operation)
}

// Save writes the object as known so far. It is called after each response, before the next request.
func (w *Write[S, T, M]) Save(ctx context.Context) {
	w.Diags.Append(value.Set(ctx, w.state, w.State)...)
	w.resource.Scheme.Identify(ctx, w.State, w.identity, w.Diags)
	if w.is == creation {
		w.resource.bind(ctx, w.Private, w.Diags)
		w.resource.Run().Creates(w.resource.Scheme.TypeName, textOf(w.State, keyID).ValueString(), policyOf(w.State).Object)
	}
}

// Terraform rejects a result that differs from the plan, and after a creation taints the new object; for a billed
// object this would be worse than the difference. So if a service stores a different value, the state keeps the planned
// one, a warning reports it, and the next refresh shows the difference as drift.

// difference is one attribute that the service returned differently from the plan.
type difference struct {
	// Attribute is the name of the top-level attribute.
	Attribute string
	// Planned and Responded are the two values.
	Planned, Responded attr.Value
}

// CopyKnown copies each fully known value of plan into state if the two are not semantically equal, and lists the
// differences. Both point to the same struct type with `tfsdk` tags, also in embedded structs.
func CopyKnown(ctx context.Context, plan, state any) []difference {
	planned, responded := reflect.ValueOf(plan).Elem(), reflect.ValueOf(state).Elem()
	var differences []difference
	for name, index := range value.Fields(planned.Type()) {
		want, isValue := planned.FieldByIndex(index).Interface().(attr.Value)
		have, _ := responded.FieldByIndex(index).Interface().(attr.Value)
		if !isValue || !fullyKnown(ctx, want) || means(ctx, want, have) {
			continue
		}
		differences = append(differences, difference{Attribute: name, Planned: want, Responded: have})
		responded.FieldByIndex(index).Set(planned.FieldByIndex(index))
	}
	return differences
}

// fill replaces the unknown values in plan with those in before. Both point to the same struct type, as in CopyKnown.
func fill(ctx context.Context, plan, before any) {
	planned, had := reflect.ValueOf(plan).Elem(), reflect.ValueOf(before).Elem()
	for _, index := range value.Fields(planned.Type()) {
		if v, isValue := planned.FieldByIndex(index).Interface().(attr.Value); isValue && !fullyKnown(ctx, v) {
			planned.FieldByIndex(index).Set(had.FieldByIndex(index))
		}
	}
}

func fullyKnown(ctx context.Context, v attr.Value) bool {
	raw, err := v.ToTerraformValue(ctx)
	return err == nil && raw.IsFullyKnown()
}

// means reports whether two values are semantically equal.
func means(ctx context.Context, want, have attr.Value) bool {
	if want.Equal(have) {
		return true
	}
	if want.IsNull() || have.IsNull() || have.IsUnknown() {
		return false
	}
	switch want := want.(type) {
	case basetypes.StringValuableWithSemanticEquals:
		other, ok := have.(basetypes.StringValuable)
		equal, _ := want.StringSemanticEquals(ctx, other)
		return ok && equal
	case metadata.Value:
		other, ok := have.(metadata.Value)
		equal, _ := want.DynamicSemanticEquals(ctx, other)
		return ok && equal
	}
	return false
}

// warn reports which arguments the service stored differently. It skips computed attributes, and unchanged arguments
// that are not configured or are under ignore_changes: these show the service's value. It also skips custom_metadata if
// effective_custom_metadata, the whole object, is as planned: the first apply after an import removes no key, even with
// custom_metadata_mode = "replace".
func (w *Write[S, T, M]) warn(ctx context.Context, differences []difference) {
	attributes := w.state.Schema.GetAttributes()
	for _, d := range differences {
		is := attributes[d.Attribute]
		if is == nil || !is.IsRequired() && !is.IsOptional() {
			continue
		}
		asked, before := value.Field(w.Config, d.Attribute), value.Field(w.before, d.Attribute)
		if d.Attribute == "custom_metadata" && !slices.ContainsFunc(differences, func(d difference) bool {
			return d.Attribute == "effective_custom_metadata"
		}) {
			continue
		}
		if d.Planned.Equal(before) && (is.IsComputed() && asked.IsNull() || !means(ctx, asked, d.Planned)) {
			continue
		}
		w.Diags.AddAttributeWarning(path.Root(d.Attribute),
			fmt.Sprintf("The service stored a different value of %s for %s", d.Attribute, policyOf(w.State).Object),
			d.shown("The plan has %s, and the service returned %s. ")+"The next plan shows the difference: it reverts a "+
				"change by another system. If the service itself changes the value, configure one that it accepts.")
	}
}

// shown formats both values, unless a message must not show them.
func (d difference) shown(format string) string {
	planned, responded := check.Shown(d.Attribute, d.Planned), check.Shown(d.Attribute, d.Responded)
	if planned == "" || responded == "" {
		return ""
	}
	return fmt.Sprintf(format, planned, responded)
}

// postpone turns the errors of a step that follows a creation into warnings.
//
// Terraform taints a new object if its creation ends with an error. If the object exists and is billed, replacing it
// would do more harm than the missing step. The next plan shows that step, and the next apply completes it.
func postpone(failed diag.Diagnostics, diags *diag.Diagnostics) {
	for _, d := range failed {
		detail := d.Detail() + "\n\nThe object itself exists and is in the state. The next plan shows what is missing, and " +
			"the next apply completes it."
		diags.AddWarning("Created, but not finished: "+d.Summary(), detail)
	}
}

// ErrorAttributes maps the fields that the service rejects in an operation to the argument that requires it, because
// the fields of an operation and the arguments have different names.
type ErrorAttributes struct {
	// Argument is the argument that requires the operation. Rejections without a field are reported at it; optional.
	Argument string
	// Fields maps the operation's own fields to arguments, such as resumes_at: pause.resumes_at.
	Fields map[string]string
}

// Arguments returns all mapped arguments.
func (b ErrorAttributes) Arguments() []string {
	names := slices.Sorted(maps.Values(b.Fields))
	if b.Argument != "" {
		names = append(names, b.Argument)
	}
	return names
}

// on maps the fields of err to arguments. An unknown outcome is returned unchanged.
func (b ErrorAttributes) on(err error) error {
	e, ok := api.AsError(err)
	if _, ambiguous := api.AsAmbiguous(err); !ok || ambiguous || b.Argument == "" && len(b.Fields) == 0 {
		return err
	}
	blamed := *e
	blamed.Field = b.name(e.Field)
	blamed.Fields = make(map[string]string, len(e.Fields))
	for field, wrong := range e.Fields {
		blamed.Fields[b.name(field)] = wrong
	}
	if e.Status == http.StatusUnprocessableEntity && blamed.Field == "" && len(e.Fields) == 0 {
		blamed.Field = b.Argument
	}
	return &blamed
}

func (b ErrorAttributes) name(field string) string {
	if known, ok := b.Fields[field]; ok {
		return known
	}
	return field
}
