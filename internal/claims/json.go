package claims

import (
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
)

// missing is what response.at gives for a member that is not there, which is not
// the same as one that is null.
type missing struct{}

// asJSON brings a Go value into the form that decoding gives.
func asJSON(value any) any {
	raw, err := json.Marshal(value)
	if err != nil {
		return missing{}
	}
	a := response{raw: raw}
	a.decode()
	return a.body
}

// sameJSON compares decoded values; numbers by their exact value, since 1.5 and
// 1.50 are one number and 2^53 and 2^53+1 are two.
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

// show is a value as an error names it.
func show(value any) string {
	if value == (any)(missing{}) {
		return "not there"
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return clip(raw)
}

// clip keeps errors readable.
func clip(raw []byte) string {
	const most = 400
	if len(raw) > most {
		return string(raw[:most]) + "…"
	}
	return string(raw)
}

// withoutNulls is the object without its null members, in decoded form.
func withoutNulls(o object) any {
	kept := maps.Clone(o)
	maps.DeleteFunc(kept, func(_ string, value any) bool { return value == nil })
	return asJSON(kept)
}
