package metadata

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// TestImportAttribute: an import takes the whole object in; an empty one is none.
func TestImportAttribute(t *testing.T) {
	t.Parallel()
	for raw, c := range map[string]struct {
		custom    Value
		effective string
	}{
		"":                {Null(), `{}`},
		"null":            {Null(), `{}`},
		"{}":              {Null(), `{}`},
		`{"b": 1, "a":2}`: {FromObject(Object{"a": json.Number("2"), "b": json.Number("1")}), `{"a":2,"b":1}`},
	} {
		custom, effective, err := ImportAttribute(json.RawMessage(raw))
		if err != nil || !custom.Equal(c.custom) || effective.ValueString() != c.effective {
			t.Errorf("%q: %s, %s, %v", raw, custom, effective, err)
		}
	}
	if _, _, err := ImportAttribute(json.RawMessage(`[1]`)); err == nil {
		t.Error("a list is taken for an object")
	}
}

// TestReadAttribute: a refresh shows what the configuration owns, and beside it the whole object.
func TestReadAttribute(t *testing.T) {
	t.Parallel()
	prior, effective := FromObject(Object{"own": json.Number("1")}), basetypes.NewStringValue(`{"own":1}`)
	merge := Ownership{Mode: ModeMerge, Owned: Object{"own": json.Number("1")}}
	for raw, c := range map[string]struct {
		custom    Value
		effective string
	}{
		`{"own": 1.0}`:     {prior, `{"own":1}`},
		`{"own":1,"x":2}`:  {prior, `{"own":1,"x":2}`},
		`{"own":3,"x":2}`:  {FromObject(Object{"own": json.Number("3")}), `{"own":3,"x":2}`},
		`{"x":{"own":1}}`:  {FromObject(Object{}), `{"x":{"own":1}}`},
		`{"own":{"a":[]}}`: {FromObject(Object{"own": Object{"a": []any{}}}), `{"own":{"a":[]}}`},
	} {
		custom, text, err := merge.ReadAttribute(prior, effective, json.RawMessage(raw))
		if err != nil || !custom.Equal(c.custom) || text.ValueString() != c.effective {
			t.Errorf("%s: %s, %s, %v", raw, custom, text, err)
		}
	}
	if custom, text, err := merge.ReadAttribute(prior, effective, json.RawMessage(`[1]`)); err == nil ||
		!custom.Equal(prior) || !text.Equal(effective) {
		t.Errorf("an unreadable response: %s, %s, %v", custom, text, err)
	}
}

// TestPlanAttribute: the effective object is planned as it will be, and is unknown only while it cannot be said.
func TestPlanAttribute(t *testing.T) {
	t.Parallel()
	one := func(value string) Value { return FromObject(Object{"a": json.Number(value)}) }
	known := Ownership{Mode: ModeMerge, Owned: Object{"a": json.Number("1")}}
	for name, c := range map[string]struct {
		owner           Ownership
		config          Value
		effective       string
		defaultsUnknown bool
		want            basetypes.StringValue
		messages        string // of the diagnostics; "" for none
	}{
		"no change":        {known, one("1.0"), `{"a":1,"x":9}`, false, basetypes.NewStringValue(`{"a":1,"x":9}`), ""},
		"another value":    {known, one("2"), `{"a":1,"x":9}`, false, basetypes.NewStringValue(`{"a":2,"x":9}`), ""},
		"unknown value":    {known, Unknown(), `{"a":1}`, false, basetypes.NewStringUnknown(), ""},
		"unknown defaults": {known, one("1"), `{"a":1}`, true, basetypes.NewStringUnknown(), ""},
		"after an import": {Ownership{Mode: ModeMerge}, one("2"), `{"a":1,"y":8,"x":9}`, false,
			basetypes.NewStringValue(`{"a":2,"x":9,"y":8}`), `Thing "A" was imported with the keys x, y`},
		"no object": {known, Value{DynamicValue: basetypes.NewDynamicValue(basetypes.NewStringValue("text"))},
			`{"a":1}`, false, basetypes.NewStringValue(`{"a":1}`), "not an object"},
		"unreadable state": {known, one("1"), `[]`, false, basetypes.NewStringValue(`[]`), "not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			_, effective, _ := c.owner.PlanAttribute(c.config, one("1"), basetypes.NewStringValue(c.effective),
				c.defaultsUnknown, `Thing "A"`, &diags)
			if !effective.Equal(c.want) {
				t.Errorf("planned %s, want %s", effective, c.want)
			}
			if len(diags) != min(1, len(c.messages)) || len(diags) > 0 && !strings.Contains(diags[0].Detail(), c.messages) {
				t.Errorf("says %v", diags)
			}
		})
	}
}

func TestDesiredAttribute(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	owner := Ownership{Mode: ModeMerge, Defaults: Object{"by": "terraform"}}
	if desired, ok := owner.DesiredAttribute(FromObject(Object{"a": "1"}), &diags); !ok || len(diags) != 0 ||
		Text(desired) != `{"a":"1","by":"terraform"}` {
		t.Errorf("desired %v, %v", desired, diags)
	}
	if _, ok := owner.DesiredAttribute(Unknown(), &diags); ok || diags.ErrorsCount() != 1 {
		t.Errorf("an unknown object is desired: %v", diags)
	}
}
