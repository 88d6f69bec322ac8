package value

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
)

// WholeType is the type of a whole number. Its values are those of types.Int64; a fraction, or a number beyond 64 bits,
// is a notWhole, which validation rejects with the name of the argument. The framework's type would report a bug in the
// provider.
type WholeType struct {
	basetypes.Int64Type
	// Unit is what the number counts, such as days; it is part of the message only.
	Unit string
	// Advice is what to write instead if rounding the number is not enough, without a full stop.
	Advice string
}

var (
	// Whole is the type of a number without a unit.
	Whole = WholeType{}
	// Days is the type of a number of days.
	Days = WholeType{Unit: "days"}
	// Seconds is the type of a number of seconds.
	Seconds = WholeType{Unit: "seconds"}
	// Subcents is the type of an amount in subcents.
	Subcents = WholeType{Unit: "subcents", Advice: "A subcent is a ten-thousandth of the currency unit; the function " +
		"subcents converts an amount: subcents(\"99.99\") is 999900"}
)

// DefaultPaymentTerms are the days until an invoice of a new billing account is due (Recurring billing §2).
const DefaultPaymentTerms = 10

var (
	_ basetypes.Int64Typable         = WholeType{}
	_ basetypes.Int64Valuable        = notWhole{}
	_ xattr.ValidateableAttribute    = notWhole{}
	_ function.ValidateableParameter = notWhole{}
)

// Equal reports whether o is a type of whole numbers. The framework's Int64 type is one, because the values have that
// type.
func (t WholeType) Equal(o attr.Type) bool {
	if _, ok := o.(WholeType); ok {
		return true
	}
	return t.Int64Type.Equal(o)
}

// String names the type in the framework's messages.
func (t WholeType) String() string { return "value.WholeType" }

// ValueFromTerraform reads the wire value.
func (t WholeType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	var number *big.Float
	if in.IsKnown() && !in.IsNull() {
		if err := in.As(&number); err != nil {
			return nil, fmt.Errorf("read a number: %w", err)
		}
		if _, accuracy := number.Int64(); accuracy != big.Exact {
			return notWhole{Int64Value: basetypes.NewInt64Unknown(), number: number, expected: t}, nil
		}
	}
	return t.Int64Type.ValueFromTerraform(ctx, in)
}

// notWhole is a number that is not a whole number of 64 bits. Everything but validation sees it as unknown.
type notWhole struct {
	basetypes.Int64Value
	number   *big.Float
	expected WholeType
}

// Type is the attribute type of the value.
func (v notWhole) Type(context.Context) attr.Type { return v.expected }

// Equal compares the numbers.
func (v notWhole) Equal(o attr.Value) bool {
	other, ok := o.(notWhole)
	return ok && v.number.Cmp(other.number) == 0
}

// IsUnknown is false: the written number is known.
func (v notWhole) IsUnknown() bool { return false }

// String returns the number.
func (v notWhole) String() string { return check.NumberText(v.number) }

// ToTerraformValue returns the original number: the framework finds the element of a set by it.
func (v notWhole) ToTerraformValue(context.Context) (tftypes.Value, error) {
	return tftypes.NewValue(tftypes.Number, v.number), nil
}

// ToInt64Value returns unknown, so that other validators skip the value.
func (v notWhole) ToInt64Value(context.Context) (basetypes.Int64Value, diag.Diagnostics) {
	return v.Int64Value, nil
}

// ValidateAttribute rejects the number, with the name of its argument.
func (v notWhole) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest,
	resp *xattr.ValidateAttributeResponse) {
	check.Invalid(req.Path, v, v.wrong()+".", &resp.Diagnostics)
}

// ValidateParameter rejects the argument of a function. Terraform adds the full stop of the message.
func (v notWhole) ValidateParameter(_ context.Context, req function.ValidateParameterRequest,
	resp *function.ValidateParameterResponse) {
	resp.Error = function.NewArgumentFuncError(req.Position, v.wrong())
}

// wrong describes the error and what to write instead, without the full stop.
func (v notWhole) wrong() string {
	whole := "a whole number"
	if v.expected.Unit != "" {
		whole += " of " + v.expected.Unit
	}
	switch {
	case v.number.IsInt():
		return fmt.Sprintf("%s is too large. Write %s with at most 18 digits", check.NumberText(v.number), whole)
	case v.expected.Advice != "":
		return fmt.Sprintf("%s is not %s. %s", check.NumberText(v.number), whole, v.expected.Advice)
	default:
		return fmt.Sprintf("%s is not %s. Round it, for example with floor(…) or ceil(…)",
			check.NumberText(v.number), whole)
	}
}
