// Package settle makes the response of a service fit the plan that led to it.
//
// Terraform rejects a result that differs from the plan, and on a create marks the new object for replacement; for an
// object that is billed this would be worse than the difference. So where a service stores something else than
// it was asked to, the state keeps what was planned, a warning reports it, and the next refresh shows the difference as
// drift.
package settle

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// Difference is one attribute that the service returned differently from the plan.
type Difference struct {
	// Attribute is the name of the top-level attribute.
	Attribute string
	// Planned and Responded are the two values.
	Planned, Responded attr.Value
}

// Onto copies each fully known value of plan into state where state means something else, and lists what it copied.
// Both point to the same struct type, whose fields, or those of structs embedded in it, carry `tfsdk` tags.
func Onto(ctx context.Context, plan, state any) []Difference {
	planned, responded := reflect.ValueOf(plan).Elem(), reflect.ValueOf(state).Elem()
	var differences []Difference
	for _, field := range reflect.VisibleFields(planned.Type()) {
		name := field.Tag.Get("tfsdk")
		if name == "" {
			continue // an embedded struct, whose fields follow
		}
		want, isValue := planned.FieldByIndex(field.Index).Interface().(attr.Value)
		have, _ := responded.FieldByIndex(field.Index).Interface().(attr.Value)
		if !isValue || !fullyKnown(ctx, want) || same(ctx, want, have) {
			continue
		}
		differences = append(differences, Difference{Attribute: name, Planned: want, Responded: have})
		responded.FieldByIndex(field.Index).Set(planned.FieldByIndex(field.Index))
	}
	return differences
}

func fullyKnown(ctx context.Context, v attr.Value) bool {
	raw, err := v.ToTerraformValue(ctx)
	return err == nil && raw.IsFullyKnown()
}

func same(ctx context.Context, want, have attr.Value) bool {
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
