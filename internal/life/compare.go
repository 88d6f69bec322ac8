package life

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
)

// difference is a leaf that differs between two trees.
type difference struct {
	path          string
	before, after any
}

func (d difference) String() string {
	return fmt.Sprintf("%s: %s → %s", d.path, show(d.before), show(d.after))
}

func show(v any) string {
	if v == any(core.Unknown) {
		return "(known after apply)"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// absent is the value of a missing key.
type absent struct{}

// MarshalJSON returns a text that no value has.
func (absent) MarshalJSON() ([]byte, error) { return []byte(`"(none)"`), nil }

// differences returns the leaves that differ between two trees. Lists are leaves.
func differences(before, after any, path string) (all []difference) {
	old, wasObject := before.(object)
	now, isObject := after.(object)
	if !wasObject && !isObject || after == any(core.Unknown) {
		if !same(before, after) {
			all = append(all, difference{path, before, after})
		}
		return all
	}
	if (!wasObject && before != nil && before != any(absent{})) || (!isObject && after != nil && after != any(absent{})) {
		return append(all, difference{path, before, after})
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(old)), maps.Keys(now))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		all = append(all, differences(member(old, name), member(now, name), strings.TrimPrefix(path+"."+name, "."))...)
	}
	return all
}

// member returns a field of an object, or absent.
func member(o object, name string) any {
	if v, there := o[name]; there {
		return v
	}
	return absent{}
}

// same compares values that a user may have written differently: numbers by value, times as points in time, document
// numbers without punctuation.
func same(a, b any) bool {
	if a == nil && b == any(absent{}) || a == any(absent{}) && b == nil {
		return false
	}
	left, right := show(a), show(b)
	if left == right {
		return true
	}
	left, right = strings.Trim(left, `"`), strings.Trim(right, `"`)
	one, _, errOne := big.ParseFloat(left, 10, 256, big.ToNearestEven)
	other, _, errOther := big.ParseFloat(right, 10, 256, big.ToNearestEven)
	if errOne == nil && errOther == nil {
		return one.Cmp(other) == 0
	}
	then, thenOK := moment(left)
	when, whenOK := moment(right)
	if thenOK && whenOK {
		return then.Equal(when)
	}
	if bare := strings.NewReplacer(".", "", "-", "", "/", ""); strings.ContainsAny(left+right, "0123456789") &&
		len(left) > 10 {
		return bare.Replace(left) == bare.Replace(right)
	}
	return false
}

func moment(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// merged merges over into base as the service does in merge mode.
func merged(base, over object) object {
	all := maps.Clone(base)
	if all == nil {
		all = object{}
	}
	for name, v := range over {
		inner, isObject := v.(object)
		below, wasObject := all[name].(object)
		if isObject && wasObject {
			v = merged(below, inner)
		}
		all[name] = v
	}
	return all
}

// parsed parses a JSON text with exact numbers; nil if it is invalid.
func parsed(text []byte) any {
	var v any
	if core.Decode(text, &v) != nil {
		return nil
	}
	return v
}
