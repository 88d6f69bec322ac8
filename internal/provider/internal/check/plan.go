package check

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Terraform validates without the state, also before it destroys: an error about a value that the service accepted
// blocks everything. So the validators of a schema reject only what no object can have. Those in InPlan, NumberInPlan
// and ObjectInPlan warn in validation, and reject in the plan what the state does not have.

// InPlan holds validators of a string, or of each string of a set, that reject values only in a plan.
func InPlan(validators ...validator.String) TextsInPlan { return validators }

// FreeText marks, among the validators of InPlan, a text in free form, which the service may store in its own wording.
func FreeText() validator.String { return freeText{"free text"} }

type freeText struct{ Described }

// ValidateString accepts every text.
func (freeText) ValidateString(context.Context, validator.StringRequest, *validator.StringResponse) {}

// IsFreeText reports whether an attribute, or one inside it, is a FreeText.
func IsFreeText(a schema.Attribute) bool {
	free := func(v any) bool {
		texts, _ := v.(TextsInPlan)
		return hasA[freeText](texts)
	}
	switch a := a.(type) {
	case ofText:
		return slices.ContainsFunc(a.StringValidators(), func(v validator.String) bool { return free(v) })
	case ofSet:
		return slices.ContainsFunc(a.SetValidators(), func(v validator.Set) bool { return free(v) })
	case schema.NestedAttribute:
		for _, inner := range a.GetNestedObject().GetAttributes() {
			if inner, ok := inner.(schema.Attribute); ok && IsFreeText(inner) {
				return true
			}
		}
	}
	return false
}

// TextInPlan are the validators of an argument that reject values only in a plan.
func TextInPlan(validators ...validator.String) []validator.String {
	return []validator.String{InPlan(validators...)}
}

// TextsInPlan is the result of InPlan.
type TextsInPlan []validator.String

var (
	_ validator.String = TextsInPlan{}
	_ validator.Set    = TextsInPlan{}
)

const aboutPlan = "checked in the plan, unless the state has the value"

// Description implements validator.Describer.
func (TextsInPlan) Description(context.Context) string { return aboutPlan }

// MarkdownDescription implements validator.Describer.
func (TextsInPlan) MarkdownDescription(context.Context) string { return aboutPlan }

// ValidateString warns.
func (v TextsInPlan) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	warn(ctx, &resp.Diagnostics, func(w walk) { w.text(req.Path, v, req.ConfigValue) }, req.Config)
}

// ValidateSet warns about each element.
func (v TextsInPlan) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	warn(ctx, &resp.Diagnostics, func(w walk) { w.set(req.Path, []validator.Set{v}, req.ConfigValue, nil) }, req.Config)
}

type numberInPlan struct{ validator.Int64 }

// NumberInPlan is a validator of a whole number that rejects it only in a plan.
func NumberInPlan(v validator.Int64) validator.Int64 { return numberInPlan{v} }

// ValidateInt64 warns.
func (v numberInPlan) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	warn(ctx, &resp.Diagnostics, func(w walk) { w.number(req.Path, v, req.ConfigValue) }, req.Config)
}

type objectInPlan struct{ validator.Object }

// ObjectInPlan is a validator of a nested object that rejects it only in a plan.
func ObjectInPlan(v validator.Object) validator.Object { return objectInPlan{v} }

// ValidateObject warns.
func (v objectInPlan) ValidateObject(ctx context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	warn(ctx, &resp.Diagnostics, func(w walk) { w.object(req.Path, v, req.ConfigValue) }, req.Config)
}

type quiet struct{}

// Quiet returns a context in which validation does not warn about what the plan rejects. Terraform validates a
// configuration before it plans, and again for the plan and the apply of each object.
func Quiet(ctx context.Context) context.Context { return context.WithValue(ctx, quiet{}, true) }

// warn reports as warnings what a check of the plan rejects.
func warn(ctx context.Context, diags *diag.Diagnostics, check func(walk), config tfsdk.Config) {
	if ctx.Value(quiet{}) != nil {
		return
	}
	var rejected diag.Diagnostics
	check(walk{ctx, config, &rejected})
	for _, d := range rejected {
		at, detail := path.Empty(), d.Detail()
		if located, ok := d.(diag.DiagnosticWithPath); ok {
			at = located.Path()
		}
		if d.Severity() == diag.SeverityError {
			detail += " The plan rejects it, unless the object already has it."
		}
		diags.AddAttributeWarning(at, d.Summary(), detail)
	}
}

// Plan runs the checks of a plan on all arguments, in the order of their names, and reports all errors. A value that
// the state has, in any spelling and in any element of the same list or set, is accepted.
func Plan(ctx context.Context, config tfsdk.Config, state tfsdk.State) (diags diag.Diagnostics) {
	described, _ := config.Schema.(schema.Schema)
	var configured, before map[string]tftypes.Value
	if config.Raw.IsNull() || config.Raw.As(&configured) != nil || !state.Raw.IsNull() && state.Raw.As(&before) != nil {
		return nil
	}
	w := walk{ctx, config, &diags}
	for _, name := range slices.Sorted(maps.Keys(described.Attributes)) {
		a := described.Attributes[name]
		if value := configured[name]; !value.IsNull() && !(before != nil && value.Equal(before[name])) && isChecked(a) {
			w.attribute(path.Root(name), a, w.typed(a, value), w.typed(a, before[name]))
		}
	}
	return diags
}

// Parts of the interfaces of attributes that the framework does not export.
type (
	ofText   interface{ StringValidators() []validator.String }
	ofNumber interface{ Int64Validators() []validator.Int64 }
	ofSet    interface{ SetValidators() []validator.Set }
	ofObject interface{ ObjectValidators() []validator.Object }
)

// isChecked reports whether an attribute has checks of a plan. Others, such as those of any type, are not decoded.
func isChecked(a schema.Attribute) bool {
	switch a := a.(type) {
	case schema.NestedAttribute:
		return true
	case ofText:
		return hasA[TextsInPlan](a.StringValidators())
	case ofNumber:
		return hasA[numberInPlan](a.Int64Validators())
	case ofSet:
		return hasA[TextsInPlan](a.SetValidators())
	}
	return false
}

// hasA reports whether one of the validators is of a type.
func hasA[T, V any](validators []V) bool {
	return slices.ContainsFunc(validators, func(v V) bool { _, is := any(v).(T); return is })
}

type walk struct {
	ctx    context.Context //nolint:containedctx // a walk lives as long as one call
	config tfsdk.Config
	diags  *diag.Diagnostics
}

func (w walk) typed(a schema.Attribute, raw tftypes.Value) []attr.Value {
	if raw.Type() == nil || raw.IsNull() {
		return nil
	}
	value, err := a.GetType().ValueFromTerraform(w.ctx, raw)
	if err != nil {
		return nil // the framework reports it
	}
	return []attr.Value{value}
}

// attribute checks the values of an attribute at a place. had are the values in state, of all elements of the list or
// set around it.
func (w walk) attribute(at path.Path, described any, values, had []attr.Value) {
	for _, value := range values {
		if value.IsNull() || value.IsUnknown() || w.has(had, value) {
			continue
		}
		switch a := described.(type) {
		case schema.NestedAttribute:
			w.nested(at, a, value, had)
		case ofText:
			for _, v := range a.StringValidators() {
				w.text(at, v, value)
			}
		case ofNumber:
			number, _ := value.(basetypes.Int64Valuable)
			for _, v := range a.Int64Validators() {
				w.number(at, v, number)
			}
		case ofSet:
			w.set(at, a.SetValidators(), value, had)
		}
	}
}

// nested checks the attributes of each object.
func (w walk) nested(at path.Path, a schema.NestedAttribute, value attr.Value, had []attr.Value) {
	before := members(had)
	object := a.GetNestedObject()
	attributes := object.GetAttributes()
	names := slices.Sorted(maps.Keys(attributes))
	for _, element := range elements(at, value) {
		of, isObject := element.value.(types.Object)
		if !isObject || of.IsNull() || of.IsUnknown() || w.has(before, of) {
			continue
		}
		if checked, ok := object.(ofObject); ok {
			for _, v := range checked.ObjectValidators() {
				w.object(element.at, v, of)
			}
		}
		for _, name := range names {
			w.attribute(element.at.AtName(name), attributes[name], []attr.Value{of.Attributes()[name]}, part(before, name))
		}
	}
}

func part(objects []attr.Value, name string) (values []attr.Value) {
	for _, object := range objects {
		if of, isObject := object.(types.Object); isObject && of.Attributes()[name] != nil {
			values = append(values, of.Attributes()[name])
		}
	}
	return values
}

type element struct {
	at    path.Path
	value attr.Value
}

func elements(at path.Path, value attr.Value) (all []element) {
	switch of := value.(type) {
	case types.Object:
		return []element{{at, of}}
	case types.List:
		for i, one := range of.Elements() {
			all = append(all, element{at.AtListIndex(i), one})
		}
	case interface{ Elements() []attr.Value }: // a set, of any type
		for _, one := range of.Elements() {
			all = append(all, element{at.AtSetValue(one), one})
		}
	}
	return all
}

func members(all []attr.Value) (values []attr.Value) {
	for _, whole := range all {
		for _, element := range elements(path.Empty(), whole) {
			values = append(values, element.value)
		}
	}
	return values
}

func (w walk) set(at path.Path, validators []validator.Set, value attr.Value, had []attr.Value) {
	before := members(had)
	for _, element := range elements(at, value) {
		if w.has(before, element.value) {
			continue
		}
		for _, v := range validators {
			if texts, in := v.(TextsInPlan); in {
				w.text(element.at, texts, element.value)
			}
		}
	}
}

func (w walk) text(at path.Path, v validator.String, value attr.Value) {
	valuable, isText := value.(basetypes.StringValuable)
	held, in := v.(TextsInPlan)
	if !isText || !in || value.IsNull() || value.IsUnknown() {
		return
	}
	text, diags := valuable.ToStringValue(w.ctx)
	w.diags.Append(diags...)
	for _, v := range held {
		var checked validator.StringResponse
		v.ValidateString(w.ctx, validator.StringRequest{Path: at, PathExpression: at.Expression(), Config: w.config,
			ConfigValue: text}, &checked)
		w.diags.Append(checked.Diagnostics...)
	}
}

func (w walk) number(at path.Path, v validator.Int64, value basetypes.Int64Valuable) {
	held, in := v.(numberInPlan)
	if !in || value == nil {
		return
	}
	number, diags := value.ToInt64Value(w.ctx)
	w.diags.Append(diags...)
	var checked validator.Int64Response
	held.Int64.ValidateInt64(w.ctx, validator.Int64Request{Path: at, PathExpression: at.Expression(), Config: w.config,
		ConfigValue: number}, &checked)
	w.diags.Append(checked.Diagnostics...)
}

func (w walk) object(at path.Path, v validator.Object, value types.Object) {
	held, in := v.(objectInPlan)
	if !in {
		return
	}
	var checked validator.ObjectResponse
	held.Object.ValidateObject(w.ctx, validator.ObjectRequest{Path: at, PathExpression: at.Expression(),
		Config: w.config, ConfigValue: value}, &checked)
	w.diags.Append(checked.Diagnostics...)
}

// has reports whether one of the values is the same, in any spelling.
func (w walk) has(values []attr.Value, value attr.Value) bool {
	return slices.ContainsFunc(values, func(before attr.Value) bool {
		text, ok := value.(basetypes.StringValuableWithSemanticEquals)
		if !ok {
			return value.Equal(before)
		}
		other, isText := before.(basetypes.StringValuable)
		if !isText {
			return false
		}
		equal, diags := text.StringSemanticEquals(w.ctx, other)
		return equal && !diags.HasError()
	})
}
