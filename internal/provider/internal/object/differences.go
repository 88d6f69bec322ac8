package object

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

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

// shown formats both values, unless a message must not show them.
func (d difference) shown(format string) string {
	planned, responded := check.Shown(d.Attribute, d.Planned), check.Shown(d.Attribute, d.Responded)
	if planned == "" || responded == "" {
		return ""
	}
	return fmt.Sprintf(format, planned, responded)
}
