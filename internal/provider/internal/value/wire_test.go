package value

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// update is a body with one key of each kind.
type update struct {
	Text  api.Field[string] `json:"text,omitzero"`
	Count api.Field[int64]  `json:"count,omitzero"`
}

// TestChanged: a key is absent when nothing changes, null when it is cleared, and its value otherwise.
func TestChanged(t *testing.T) {
	t.Parallel()
	null, a, b := types.StringNull(), types.StringValue("a"), types.StringValue("b")
	one, two := types.Int64Value(1), types.Int64Value(2)
	for name, c := range map[string]struct {
		body update
		want string
	}{
		"the same":      {update{Text: ChangedText(a, a), Count: Changed(one, one, types.Int64.ValueInt64)}, `{}`},
		"none and none": {update{Text: ChangedText(null, null)}, `{}`},
		"another": {update{Text: ChangedText(b, a), Count: Changed(two, one, types.Int64.ValueInt64)},
			`{"text":"b","count":2}`},
		"the first": {update{Text: ChangedText(a, null), Count: Changed(one, types.Int64Null(), types.Int64.ValueInt64)},
			`{"text":"a","count":1}`},
		"cleared": {update{Text: ChangedText(null, a), Count: Changed(types.Int64Null(), one, types.Int64.ValueInt64)},
			`{"text":null,"count":null}`},
		"emptied":         {update{Text: ChangedText(types.StringValue(""), a)}, `{"text":""}`},
		"zero is a value": {update{Count: Changed(types.Int64Value(0), one, types.Int64.ValueInt64)}, `{"count":0}`},
	} {
		raw, err := json.Marshal(c.body)
		if err != nil {
			t.Fatal(err)
		}
		if string(raw) != c.want {
			t.Errorf("%s: sends %s, want %s", name, raw, c.want)
		}
	}
	if ChangedText(types.StringUnknown(), a).IsZero() ||
		!ChangedText(types.StringUnknown(), types.StringUnknown()).IsZero() {
		t.Error("a value that is not known yet is a change of one that is known")
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	if !TextOrNull("").IsNull() || TextOrNull("a").ValueString() != "a" {
		t.Error("a text that was left out is not null")
	}
	if !Known(types.StringUnknown()).IsNull() || !Known(types.StringNull()).IsNull() ||
		Known(types.StringValue("a")).ValueString() != "a" {
		t.Error("a state would hold a value that is not known")
	}
}

// TestJSONText: objects are written in one way, whatever the service's; what is not an object has no such text, but may
// have one of its own.
func TestJSONText(t *testing.T) {
	t.Parallel()
	none := types.StringNull()
	for raw, c := range map[string]struct{ object, value types.String }{
		"":     {none, none},
		"null": {none, none},
		"{}":   {types.StringValue("{}"), types.StringValue("{}")},
		`{"b": 9007199254740993, "a":[ 1 ]}`: {types.StringValue(`{"a":[1],"b":9007199254740993}`),
			types.StringValue(`{"a":[1],"b":9007199254740993}`)},
		`[1, 2]`:      {none, types.StringValue(`[1, 2]`)},
		`"12 months"`: {none, types.StringValue(`"12 months"`)},
		`{"a":`:       {none, none},
	} {
		if have := JSONText(json.RawMessage(raw)); !have.Equal(c.object) {
			t.Errorf("the object %q is %s, want %s", raw, have, c.object)
		}
		if have := AnyJSONText(json.RawMessage(raw)); !have.Equal(c.value) {
			t.Errorf("the value %q is %s, want %s", raw, have, c.value)
		}
	}
}

// TestSet: a set has each text once, and none is null.
func TestSet(t *testing.T) {
	t.Parallel()
	if set := SetOf(nil); !set.IsNull() {
		t.Errorf("no tags are %s", set)
	}
	set := SetOf([]string{"b", "a", "b"})
	if want := types.SetValueMust(types.StringType,
		[]attr.Value{types.StringValue("a"), types.StringValue("b")}); !set.Equal(want) {
		t.Errorf("tags %s", set)
	}
	if have := Texts(set); len(have) != 2 || have[0] != "a" || have[1] != "b" {
		t.Errorf("sent %v", have)
	}
	if have := Texts(types.SetNull(types.StringType)); have == nil || len(have) != 0 {
		t.Errorf("no tags are sent as %#v, and only [] clears them", have)
	}
}
