// Package value implements attribute types whose values have several spellings (times, decimals, tax numbers, ids), and
// converts between Terraform values, the provider's structs and request bodies.
package value

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
)

// notation defines when two spellings are the same value.
type notation interface {
	name() string
	same(a, b string) bool
}

// TextType is the type of a string with several spellings of a value, as defined by N.
type TextType[N notation] struct{ basetypes.StringType }

// Text is a value of TextType.
type Text[N notation] struct{ basetypes.StringValue }

var (
	_ basetypes.StringTypable                    = TextType[moment]{}
	_ basetypes.StringValuableWithSemanticEquals = Text[moment]{}
)

// Equal reports whether o is the same type.
func (t TextType[N]) Equal(o attr.Type) bool {
	_, ok := o.(TextType[N])
	return ok
}

// String returns the name of the type for the framework's messages.
func (t TextType[N]) String() string {
	var n N
	return "value." + n.name()
}

// ValueType is the value type of the attribute.
func (t TextType[N]) ValueType(context.Context) attr.Value { return Text[N]{} }

// ValueFromString wraps a string value.
func (t TextType[N]) ValueFromString(_ context.Context,
	v basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Text[N]{StringValue: v}, nil
}

// ValueFromTerraform converts the wire value.
func (t TextType[N]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	s, ok := v.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("unexpected value type %T", v)
	}
	return Text[N]{StringValue: s}, nil
}

// Type is the attribute type of the value.
func (v Text[N]) Type(context.Context) attr.Type { return TextType[N]{} }

// Equal compares exactly.
func (v Text[N]) Equal(o attr.Value) bool {
	other, ok := o.(Text[N])
	return ok && v.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals compares the values, not the spellings.
func (v Text[N]) StringSemanticEquals(_ context.Context, o basetypes.StringValuable) (bool, diag.Diagnostics) {
	other, ok := o.(Text[N])
	return ok && v.Means(other), nil
}

// Means reports whether both are known and semantically equal, or both null, or both unknown.
func (v Text[N]) Means(other Text[N]) bool {
	if v.IsNull() || v.IsUnknown() || other.IsNull() || other.IsUnknown() {
		return v.Equal(other)
	}
	var n N
	return n.same(v.ValueString(), other.ValueString())
}

// Or returns before if both are semantically equal, so that its spelling is kept.
func (v Text[N]) Or(before Text[N]) Text[N] {
	if v.Means(before) {
		return before
	}
	return v
}

// KeepSpelling is a plan modifier that keeps the spelling in state if the configuration is semantically equal, because
// the framework does not apply semantic equality in a plan. It must precede RequiresReplace, so that another spelling
// does not force replacement.
func (t TextType[N]) KeepSpelling() planmodifier.String {
	return keepSpelling[N]{"Keeps the spelling in state if the configured value is semantically equal."}
}

type keepSpelling[N notation] struct{ check.Described }

func (keepSpelling[N]) PlanModifyString(_ context.Context, req planmodifier.StringRequest,
	resp *planmodifier.StringResponse) {
	resp.PlanValue = text[N](req.PlanValue).Or(text[N](req.StateValue)).StringValue
}

func text[N notation](s types.String) Text[N] { return Text[N]{StringValue: s} }

func pointer[N notation](s *string) Text[N] {
	return Text[N]{StringValue: basetypes.NewStringPointerValue(s)}
}

// UUIDType is the type of an id of the services. UUIDs that differ only in the case of their letters are equal.
type UUIDType = TextType[uuid]

type uuid struct{}

func (uuid) name() string { return "UUIDType" }

func (uuid) same(a, b string) bool { return same.ID(a, b) }

// KeepID returns before if both are the same id: the service may return an id in another spelling.
func KeepID(before, now types.String) types.String {
	return text[uuid](now).Or(text[uuid](before)).StringValue
}

// DateTimeType is the type of a date, or of a date with time and zone (ISO 8601). The same time in another zone, or
// with other digits of a second, is equal; a date alone is its midnight in UTC.
type DateTimeType = TextType[moment]

// DateTime is a value of DateTimeType.
type DateTime = Text[moment]

// DateTimePointer wraps a value from a response; nil is null.
func DateTimePointer(s *string) DateTime { return pointer[moment](s) }

type moment struct{}

func (moment) name() string { return "DateTimeType" }

func (moment) same(a, b string) bool {
	x, okX := api.ParseTime(a)
	y, okY := api.ParseTime(b)
	if !okX || !okY {
		return a == b
	}
	// The services return milliseconds.
	return x.Truncate(time.Millisecond).Equal(y.Truncate(time.Millisecond))
}

// HeaderNameType is the type of the name of an HTTP header, which has no case.
type HeaderNameType = TextType[header]

// HeaderName is a value of HeaderNameType.
type HeaderName = Text[header]

// HeaderNamePointer wraps a value from a response; nil is null.
func HeaderNamePointer(s *string) HeaderName { return pointer[header](s) }

type header struct{}

func (header) name() string { return "HeaderNameType" }

func (header) same(a, b string) bool { return strings.EqualFold(a, b) }

// DecimalType is the type of a decimal number in a string. Numbers that differ only in trailing zeros are equal.
type DecimalType = TextType[decimal]

// Decimal is a value of DecimalType.
type Decimal = Text[decimal]

// DecimalPointer wraps a value from a response; nil is null.
func DecimalPointer(s *string) Decimal { return pointer[decimal](s) }

type decimal struct{}

func (decimal) name() string { return "DecimalType" }

// longestDecimal limits the length of a number; longer strings are compared as strings.
const longestDecimal = 64

func (decimal) same(a, b string) bool {
	x, okX := parseDecimal(a)
	y, okY := parseDecimal(b)
	if !okX || !okY {
		return a == b
	}
	return x.Cmp(y) == 0
}

// parseDecimal reads a decimal number exactly: digits, at most one dot, a sign. Exponents are not accepted.
func parseDecimal(s string) (*big.Rat, bool) {
	if s == "" || len(s) > longestDecimal {
		return nil, false
	}
	for i, r := range s {
		if (r < '0' || r > '9') && r != '.' && (i > 0 || r != '-' && r != '+') {
			return nil, false
		}
	}
	return new(big.Rat).SetString(s)
}
