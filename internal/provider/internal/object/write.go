package object

import (
	"context"
	"fmt"
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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Write is a creation, an update or a deletion in progress. S is the client of the service, T its type of the object,
// M the model of the resource.
type Write[S, T, M any] struct {
	Client S
	// Config and Plan are what Terraform gives to the apply; the plan of a deletion is the state. Config is without
	// ignore_changes, so only write-only values may be taken from it.
	Config, Plan M
	// State is the object as it is known so far: what Terraform has of it (of a creation: the plan), and what each step
	// has made of it.
	State M
	// Last is what the last response shows; nil as long as none does.
	Last *T
	// After is the object as a response shows it, with what the service does not return as prior has it, a state or the
	// plan. It is Resource.After, unless that needs more than a response.
	After func(response *T, prior M) M
	// Private is the private state: what the plan has left, and what the apply leaves.
	Private private.State
	Diags   *diag.Diagnostics

	resource *Resource[S, T, M]
	is       kind
	before   M    // what Terraform has of the object; zero for a creation
	failed   bool // a step has failed, so that the outcome is not the plan
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
}

// kind tells a creation, an update and a deletion apart.
type kind int

const (
	creation kind = iota
	update
	deletion
)

// BeginCreate begins the creation of an object; false means that it ends here, with an error.
func (r *Resource[S, T, M]) BeginCreate(ctx context.Context, req resource.CreateRequest,
	resp *resource.CreateResponse) (*Write[S, T, M], bool) {
	w := &Write[S, T, M]{resource: r, is: creation, Private: resp.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	w.Diags.Append(value.Get(ctx, req.Config, &w.Config)...)
	w.Diags.Append(value.Get(ctx, req.Plan, &w.Plan)...)
	w.State = w.Plan
	return w, r.begin(w)
}

// BeginUpdate begins the update of an object; false means that it ends here, with an error.
func (r *Resource[S, T, M]) BeginUpdate(ctx context.Context, req resource.UpdateRequest,
	resp *resource.UpdateResponse) (*Write[S, T, M], bool) {
	w := &Write[S, T, M]{resource: r, is: update, Private: resp.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	w.Diags.Append(value.Get(ctx, req.Config, &w.Config)...)
	w.Diags.Append(value.Get(ctx, req.Plan, &w.Plan)...)
	w.Diags.Append(value.Get(ctx, req.State, &w.State)...)
	w.before = w.State
	if !r.begin(w) {
		return w, false
	}
	r.Scheme.wrote(w.Client, w.State)
	return w, true
}

// BeginDelete begins the deletion of an object: false means that the deletion ends here, because deletion_policy
// keeps the object, because stays says that there is nothing to send (it is optional), or with an error.
func (r *Resource[S, T, M]) BeginDelete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse,
	stays func(M, *diag.Diagnostics) bool) (*Write[S, T, M], bool) {
	w := &Write[S, T, M]{resource: r, is: deletion, Private: req.Private, Diags: &resp.Diagnostics, state: &resp.State,
		identity: resp.Identity}
	w.Diags.Append(value.Get(ctx, req.State, &w.State)...)
	w.Plan = w.State
	of := policyOf(w.State)
	if of.Refuse("destroy", w.Diags); w.Diags.HasError() || of.Abandons() || stays != nil && stays(w.State, w.Diags) {
		return w, false
	}
	return w, r.begin(w) && !r.foreignEach(ctx, w.Private, "destroy", of.Object, conn.DoubtStops, w.Diags) &&
		r.checkReplacement(ctx, w)
}

// begin connects, and notes that this run applies.
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
	// Verb says what the step does to the object: create, update, pause.
	Verb string
	// Blame says which argument asks for the step; the zero value where the service's fields are named as the arguments.
	Blame Blame
	// Send sends the request, and returns the object as the response shows it; nil where it does not. What else has
	// changed, such as a secret, Send writes to State. A response next to an error means that the step has partly
	// happened. A step without Send has nothing to send.
	Send func(context.Context) (*T, error)
	// Explain reports an error in words of its own, or returns false; optional.
	Explain func(error) bool
}

// Change is the step that sends body, what changes of the object with the id. An empty one is not sent.
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

// Do carries out steps in order. The result of each is in the state before the next one begins, so that a failure
// leaves a truthful state, and a next plan with exactly the rest. It returns false after a step that fails, and has
// reported that.
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

// Finish writes the outcome, after the last step: the plan, with what only the service could say. What it has stored in
// another form than it was asked to is a warning.
func (w *Write[S, T, M]) Finish(ctx context.Context) {
	state := w.Plan
	if w.Last != nil {
		state = w.After(w.Last, w.Plan)
	}
	fill(ctx, &state, &w.State)
	w.State = state
	if differences := CopyKnown(ctx, &w.Plan, &w.State); !w.failed {
		w.warn(ctx, differences)
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
	err = s.Blame.On(err)
	operation := w.resource.Operation(s.Verb, w.State).Of(w.Plan)
	if w.is != creation || w.Last == nil {
		w.report(ctx, err, operation)
		return
	}
	var failed diag.Diagnostics
	apidiag.Add(&failed, err, operation)
	postpone(failed, w.Diags)
}

// report reports the error of a request about the object. Where the object does not exist, the token may belong to
// another organization.
func (w *Write[S, T, M]) report(ctx context.Context, err error, operation apidiag.Operation) {
	if w.is == update && api.IsNotFound(err) &&
		w.resource.foreignEach(ctx, w.Private, operation.Verb, operation.Object, conn.DoubtPasses, w.Diags) {
		return
	}
	apidiag.Add(w.Diags, err, operation)
}

// Save writes the object as it is known so far. It is called after each response, before the next request.
func (w *Write[S, T, M]) Save(ctx context.Context) {
	w.Diags.Append(value.Set(ctx, w.state, w.State)...)
	w.resource.Scheme.Identify(ctx, w.State, w.identity, w.Diags)
	if w.is == creation {
		w.resource.bind(ctx, w.Private, w.Diags)
	}
}

// Terraform rejects a result that differs from the plan, and on a create marks the new object for replacement; for an
// object that is billed this would be worse than the difference. So where a service stores something else than it was
// asked to, the state keeps what was planned, a warning reports it, and the next refresh shows the difference as drift.

// difference is one attribute that the service returned differently from the plan.
type difference struct {
	// Attribute is the name of the top-level attribute.
	Attribute string
	// Planned and Responded are the two values.
	Planned, Responded attr.Value
}

// CopyKnown copies each fully known value of plan into state where state means something else, and lists them. Both
// point to the same struct type, whose fields, or those of structs embedded in it, carry `tfsdk` tags.
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

// fill copies each value of before that plan leaves unknown into plan. Both point to the same struct type, as in
// CopyKnown.
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

// means reports whether two values mean the same.
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

// warn reports which arguments the service stored in another form than it was asked to. Computed attributes are not
// worth a warning, and neither is an argument that stays as it is and is not configured, or is under ignore_changes: it
// shows what the service has. custom_metadata is stored as asked where the whole object, effective_custom_metadata, is
// as planned: the first apply after an import removes no key, also with custom_metadata_mode = "replace".
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
			fmt.Sprintf("The service stored another %s for %s", d.Attribute, policyOf(w.State).Object),
			fmt.Sprintf("The plan has %s, and the service returned %s. The next plan shows the difference: it "+
				"changes back what another system has changed meanwhile. Where the service changes the value itself, write "+
				"one that it accepts.", inHCL(d.Planned), inHCL(d.Responded)))
	}
}

// inHCL is a value as it is written in a configuration.
func inHCL(v attr.Value) string {
	if v.IsNull() {
		return "null"
	}
	return v.String()
}

// postpone turns the errors of a step that follows a creation into warnings.
//
// Terraform marks a new object for replacement when its creation ends in an error. Where the object exists and is
// billed, replacing it would do more harm than the missing step, which the next plan shows and the next apply does.
func postpone(failed diag.Diagnostics, diags *diag.Diagnostics) {
	for _, d := range failed {
		detail := d.Detail() + "\n\nThe object itself exists and is in the state. The next plan shows what is " +
			"missing, and the next apply does it."
		diags.AddWarning("Created, but not finished: "+d.Summary(), detail)
	}
}

// Blame maps what the service rejects about an operation to the argument that asked for it: the fields of an
// operation are not named as the arguments are.
type Blame struct {
	// Argument is the one that asks for the operation. A rejection that names no field is about it; "" is no argument.
	Argument string
	// Fields are the operation's own fields, each as the configuration calls it, such as resumes_at: pause.resumes_at.
	Fields map[string]string
}

// On is err, speaking of the arguments. An outcome that is not known stays as it is.
func (b Blame) On(err error) error {
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

func (b Blame) name(field string) string {
	if known, ok := b.Fields[field]; ok {
		return known
	}
	return field
}
