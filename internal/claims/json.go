package claims

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
)

// missing is the result of response.at for a missing member, as opposed to null.
type missing struct{}

// asJSON converts a Go value to the types of decoded JSON.
func asJSON(value any) any {
	raw, err := json.Marshal(value)
	if err != nil {
		return missing{}
	}
	a := response{raw: raw}
	a.decode()
	return a.body
}

// sameJSON compares decoded values; numbers by exact value, since 1.5 equals 1.50, but 2^53 differs from 2^53+1.
func sameJSON(got, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(wanted) {
			return false
		}
		for name, value := range wanted {
			if member, ok := got[name]; !ok || !sameJSON(member, value) {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(wanted) {
			return false
		}
		for i := range wanted {
			if !sameJSON(got[i], wanted[i]) {
				return false
			}
		}
		return true
	case json.Number:
		got, ok := got.(json.Number)
		return ok && sameNumber(got, wanted)
	default:
		return reflect.DeepEqual(got, wanted)
	}
}

func sameNumber(got, wanted json.Number) bool {
	x, ok := new(big.Rat).SetString(got.String())
	if !ok {
		return false
	}
	y, ok := new(big.Rat).SetString(wanted.String())
	return ok && x.Cmp(y) == 0
}

// rendered is a value in an error.
type rendered struct{ text, kind string }

func (s rendered) String() string { return s.text }

// show returns a value for an error.
func show(value any) rendered {
	if value == (any)(missing{}) {
		return rendered{"missing", "missing"}
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return rendered{err.Error(), "not JSON"}
	}
	return rendered{clip(raw).text, kindOf(value)}
}

// clip shortens a body for an error.
func clip(raw []byte) rendered {
	const most = 400
	text, kind := string(raw), fmt.Sprintf("(%d bytes)", len(raw))
	if len(raw) > most {
		text = string(raw[:most]) + "…"
	}
	return rendered{text, kind}
}

// kindOf describes a value in errors that must not contain data.
func kindOf(value any) string {
	switch value := value.(type) {
	case nil, bool:
		return fmt.Sprint(value)
	case string:
		return fmt.Sprintf("(text of %d bytes)", len(value))
	case map[string]any:
		return fmt.Sprintf("(object with %d members)", len(value))
	case []any:
		return fmt.Sprintf("(array of %d)", len(value))
	}
	return "(number)"
}

// withoutNulls returns the decoded object without its null members.
func withoutNulls(o object) any {
	kept := maps.Clone(o)
	maps.DeleteFunc(kept, func(_ string, value any) bool { return value == nil })
	return asJSON(kept)
}
