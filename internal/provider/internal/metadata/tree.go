package metadata

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// precision is that of Terraform's numbers, in bits: integers far above 2^53 stay exact.
const precision = 512

// Terraform expands every number in decimal, which takes minutes and gigabytes for a short number such as 1e999999999.
// Numbers beyond these limits are converted to strings in a response, and rejected in a configuration.
const (
	longestNumber   = 4096    // characters
	largestExponent = 1 << 14 // bits: about 4900 decimal places on either side of the point
)

// ErrUnknown means that a value, or a part of it, is known only after apply.
var ErrUnknown = errors.New("the value is not known yet")

// Object is a JSON object as a tree: nil, bool, string, json.Number, []any and map[string]any below it.
type Object = map[string]any

// Parse parses a JSON object as Terraform stores it: with exact numbers, and keys and texts in NFC. Empty text and JSON
// null result in the nil object.
func Parse(text []byte) (Object, error) {
	object, err := parse(text)
	if object == nil || err != nil {
		return nil, err
	}
	whole, _ := composed(object).(Object)
	return whole, nil
}

func parse(text []byte) (Object, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object Object
	if err := decoder.Decode(&object); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a JSON object: something follows it")
	}
	return object, nil
}

// Text returns the normalized JSON of an object: sorted keys, no white space, {} for the nil object.
func Text(object Object) string {
	if object == nil {
		return "{}"
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		// Objects come from Parse and Value.Object, and those can always be encoded.
		panic(fmt.Sprintf("metadata: %v", err))
	}
	return string(bytes.TrimSpace(out.Bytes()))
}

// Object converts a Terraform value. It returns ErrUnknown if any part of the value is unknown, and nil for an absent
// object.
func (v Value) Object() (Object, error) { return v.object(nil) }

// later is a part of a value that is known only after apply.
type later struct{}

// Partly is Object, but an unknown part is a value that differs from all others.
func (v Value) Partly() (Object, error) { return v.object(later{}) }

// object converts a value with a replacement for its unknown parts; nil: there is none.
func (v Value) object(unknown any) (Object, error) {
	if v.IsUnknown() {
		return nil, ErrUnknown
	}
	if v.IsAbsent() {
		return nil, nil
	}
	tree, err := fromAttr(v.UnderlyingValue(), unknown)
	if err != nil {
		return nil, err
	}
	object, ok := tree.(Object)
	if !ok {
		return nil, errors.New("not an object")
	}
	return object, nil
}

// FromObject converts an object to a Terraform value; the nil object is null.
func FromObject(object Object) Value {
	if object == nil {
		return Null()
	}
	return Value{DynamicValue: basetypes.NewDynamicValue(toAttr(object))}
}

func fromAttr(v attr.Value, unknown any) (any, error) {
	switch {
	case v.IsUnknown() && unknown == nil:
		return nil, ErrUnknown
	case v.IsUnknown():
		return unknown, nil
	case v.IsNull():
		return nil, nil
	}
	switch v := v.(type) {
	case basetypes.DynamicValue:
		return fromAttr(v.UnderlyingValue(), unknown)
	case basetypes.BoolValue:
		return v.ValueBool(), nil
	case basetypes.StringValue:
		return v.ValueString(), nil
	case basetypes.NumberValue:
		if f := v.ValueBigFloat(); representable(f) {
			return json.Number(numberText(f)), nil
		}
		return nil, fmt.Errorf("the number %s is too large, or too close to zero; numbers have at most 4900 digits before "+
			"and after the decimal point", roughly(v.ValueBigFloat()))
	case basetypes.ObjectValue:
		return fromFields(v.Attributes(), unknown)
	case basetypes.MapValue:
		return fromFields(v.Elements(), unknown)
	case basetypes.ListValue:
		return fromItems(v.Elements(), unknown)
	case basetypes.TupleValue:
		return fromItems(v.Elements(), unknown)
	case basetypes.SetValue:
		return fromItems(v.Elements(), unknown)
	default:
		return nil, fmt.Errorf("a value of type %s has no JSON form", v.Type(context.Background()))
	}
}

// wrongValue is a value inside a tree that cannot be sent.
type wrongValue struct {
	path string
	err  error
}

func (e wrongValue) Error() string { return fmt.Sprintf("at %s, %s", e.path, e.err) }

func (e wrongValue) Unwrap() error { return e.err }

// inside prepends a key or an index to the path of an error.
func inside(step string, err error) error {
	var below wrongValue
	switch {
	case !errors.As(err, &below):
		return wrongValue{step, err}
	case strings.HasPrefix(below.path, "["):
		return wrongValue{step + below.path, below.err}
	}
	return wrongValue{step + "." + below.path, below.err}
}

func fromFields(fields map[string]attr.Value, unknown any) (any, error) {
	object := make(Object, len(fields))
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		tree, err := fromAttr(fields[key], unknown)
		if err != nil {
			return nil, inside(key, err)
		}
		object[key] = tree
	}
	return object, nil
}

func fromItems(items []attr.Value, unknown any) (any, error) {
	list := make([]any, len(items))
	for i, item := range items {
		tree, err := fromAttr(item, unknown)
		if err != nil {
			return nil, inside(fmt.Sprintf("[%d]", i), err)
		}
		list[i] = tree
	}
	return list, nil
}

func toAttr(tree any) attr.Value {
	switch v := tree.(type) {
	case bool:
		return basetypes.NewBoolValue(v)
	case string:
		return basetypes.NewStringValue(v)
	case json.Number:
		if f, ok := numberOf(v); ok {
			return basetypes.NewNumberValue(f)
		}
		return basetypes.NewStringValue(v.String())
	case []any:
		types, values := make([]attr.Type, len(v)), make([]attr.Value, len(v))
		for i, item := range v {
			values[i] = toAttr(item)
			types[i] = values[i].Type(context.Background())
		}
		return basetypes.NewTupleValueMust(types, values)
	case Object:
		types, values := make(map[string]attr.Type, len(v)), make(map[string]attr.Value, len(v))
		for key, field := range v {
			values[key] = toAttr(field)
			types[key] = values[key].Type(context.Background())
		}
		return basetypes.NewObjectValueMust(types, values)
	default:
		return basetypes.NewDynamicNull()
	}
}

// numberText formats a number without an exponent if the result is readable, so that 1e2 and 100 look the same.
func numberText(f *big.Float) string {
	if f.IsInt() && f.MantExp(nil) < precision {
		return f.Text('f', 0)
	}
	if exp := f.MantExp(nil); exp > precision || exp < -precision {
		return f.Text('g', -1)
	}
	return f.Text('f', -1)
}

// numberOf parses a JSON number; it returns false if it is not representable.
func numberOf(n json.Number) (*big.Float, bool) {
	if len(n) > longestNumber {
		return nil, false
	}
	f, _, err := big.ParseFloat(n.String(), 10, precision, big.ToNearestEven)
	if err != nil || !representable(f) {
		return nil, false
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(n.String()), "e")
	underflow := f.Sign() == 0 && strings.ContainsAny(mantissa, "123456789")
	return f, !underflow
}

func representable(f *big.Float) bool {
	exp := f.MantExp(nil)
	return !f.IsInf() && exp <= largestExponent && exp >= -largestExponent
}

// roughly formats a number with three digits. Unlike big.Float itself, it is fast for any exponent.
func roughly(f *big.Float) string {
	if f.IsInf() || f.Sign() == 0 {
		return f.String()
	}
	var mantissa big.Float
	exponent := f.MantExp(&mantissa)
	fraction, _ := mantissa.Float64()
	digits := float64(exponent)*math.Log10(2) + math.Log10(math.Abs(fraction))
	power := math.Floor(digits + 1e-6)
	return fmt.Sprintf("%s%.3ge%+.0f", strings.Repeat("-", (1-f.Sign())/2), math.Pow(10, digits-power), power)
}
