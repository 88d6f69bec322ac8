package object

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

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

// Onto copies each fully known value of plan into state where state means something else, and lists what it copied.
// Both point to the same struct type, whose fields, or those of structs embedded in it, carry `tfsdk` tags.
func Onto(ctx context.Context, plan, state any) []difference {
	planned, responded := reflect.ValueOf(plan).Elem(), reflect.ValueOf(state).Elem()
	var differences []difference
	for name, index := range attributesOf(planned.Type()) {
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

// fill copies each value of before that plan leaves unknown into plan. Both point to the same struct type, as in Onto.
func fill(ctx context.Context, plan, before any) {
	planned, had := reflect.ValueOf(plan).Elem(), reflect.ValueOf(before).Elem()
	for _, index := range attributesOf(planned.Type()) {
		if value, isValue := planned.FieldByIndex(index).Interface().(attr.Value); isValue && !fullyKnown(ctx, value) {
			planned.FieldByIndex(index).Set(had.FieldByIndex(index))
		}
	}
}

// attributesOf are the fields of a model, by the names of the attributes, in their order.
func attributesOf(model reflect.Type) iter.Seq2[string, []int] {
	return func(yield func(string, []int) bool) {
		for _, field := range reflect.VisibleFields(model) {
			name := field.Tag.Get("tfsdk") // none: an embedded struct, whose fields follow
			if name != "" && !yield(name, field.Index) {
				return
			}
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
// worth a warning, and neither is an argument that is not configured and stays as it is: it shows what the service has.
func (w *Write[S, T, M]) warn(differences []difference) {
	attributes := w.state.Schema.GetAttributes()
	for _, d := range differences {
		is := attributes[d.Attribute]
		if is == nil || !is.IsRequired() && !is.IsOptional() {
			continue
		}
		if asked := value.Field(w.Config, d.Attribute); is.IsComputed() && asked.IsNull() &&
			d.Planned.Equal(value.Field(w.before, d.Attribute)) {
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
	if len(e.Fields) > 0 {
		blamed.Fields = make(map[string]string, len(e.Fields))
		for field, wrong := range e.Fields {
			blamed.Fields[b.name(field)] = wrong
		}
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
