package metadata

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// TestImport: an import takes the whole object in; an empty one is none.
func TestImport(t *testing.T) {
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
		have, err := Import("thing 1", json.RawMessage(raw))
		if err != nil || !have.CustomMetadata.Equal(c.custom) || have.EffectiveCustomMetadata.ValueString() != c.effective ||
			have.CustomMetadataMode.ValueString() != ModeMerge {
			t.Errorf("%q: %s, %v", raw, have, err)
		}
	}
	if _, err := Import("thing 1", json.RawMessage(`[1]`)); err == nil ||
		!strings.HasPrefix(err.Error(), "custom_metadata of thing 1: ") {
		t.Errorf("a list is taken for an object: %v", err)
	}
}

// TestAttributes_Seen: a refresh shows what the configuration owns, and the whole object. Each keeps its spelling if it
// is semantically equal.
func TestAttributes_Seen(t *testing.T) {
	t.Parallel()
	prior, effective := FromObject(Object{"own": json.Number("1")}), basetypes.NewStringValue(`{"own":1}`)
	own, mode := Owned{Object{"own": json.Number("1")}}, basetypes.NewStringValue(ModeMerge)
	for name, c := range map[string]struct {
		raw          string
		before, want basetypes.StringValue
		custom       Value
	}{
		"the same":          {`{"own": 1.0}`, effective, effective, prior},
		"a key of others":   {`{"own":1,"x":2}`, effective, basetypes.NewStringValue(`{"own":1,"x":2}`), prior},
		"unknown before":    {`{"own":1}`, basetypes.NewStringUnknown(), effective, prior},
		"null before":       {`{}`, basetypes.NewStringNull(), basetypes.NewStringValue(`{}`), FromObject(Object{})},
		"unreadable before": {`{"own":1}`, basetypes.NewStringValue(`{`), effective, prior},
		"another notation": {`{"own":1}`, basetypes.NewStringValue(`{"own": 1.0}`),
			basetypes.NewStringValue(`{"own": 1.0}`), prior},
		"drift": {`{"own":3}`, effective, basetypes.NewStringValue(`{"own":3}`),
			FromObject(Object{"own": json.Number("3")})},
		"elsewhere": {`{"x":{"own":1}}`, effective, basetypes.NewStringValue(`{"x":{"own":1}}`),
			FromObject(Object{})},
		"an exact number": {`{"own":1,"x":9007199254740993}`, effective,
			basetypes.NewStringValue(`{"own":1,"x":9007199254740993}`), prior},
		"no Terraform number": {`{"own":1,"x":1e999999999}`, effective, basetypes.NewStringValue(`{"own":1,"x":1e999999999}`),
			prior},
	} {
		whole, err := Import("thing 1", json.RawMessage(c.raw))
		if err != nil {
			t.Fatal(err)
		}
		have := whole.Seen(Attributes{prior, mode, c.before}, own)
		if !have.CustomMetadata.Equal(c.custom) || !have.EffectiveCustomMetadata.Equal(c.want) ||
			!have.CustomMetadataMode.Equal(mode) {
			t.Errorf("%s: %s", name, have)
		}
	}
}

// TestPlanned: the effective object is planned as it will be, and is unknown only while it cannot be said.
func TestPlanned(t *testing.T) {
	t.Parallel()
	one := func(value string) Value { return FromObject(Object{"a": json.Number(value)}) }
	known := Owned{Object{"a": json.Number("1")}}
	for name, c := range map[string]struct {
		owned           Owned
		config          Value
		effective       string
		defaultsUnknown bool
		want            basetypes.StringValue
		says            bool
	}{
		"no change":        {known, one("1.0"), `{"a":1,"x":9}`, false, basetypes.NewStringValue(`{"a":1,"x":9}`), false},
		"another value":    {known, one("2"), `{"a":1,"x":9}`, false, basetypes.NewStringValue(`{"a":2,"x":9}`), false},
		"unknown value":    {known, Unknown(), `{"a":1}`, false, basetypes.NewStringUnknown(), false},
		"unknown defaults": {known, one("1"), `{"a":1}`, true, basetypes.NewStringUnknown(), false},
		"after an import": {Owned{}, one("2"), `{"a":1,"y":8,"x":9}`, false,
			basetypes.NewStringValue(`{"a":2,"x":9,"y":8}`), true},
		"no object": {known, Value{DynamicValue: basetypes.NewDynamicValue(basetypes.NewStringValue("text"))},
			`{"a":1}`, false, basetypes.NewStringValue(`{"a":1}`), true},
		"unreadable state": {known, one("1"), `[]`, false, basetypes.NewStringValue(`[]`), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			mode := basetypes.NewStringValue(ModeMerge)
			planned := Attributes{CustomMetadataMode: mode}
			planned.Plan(Attributes{CustomMetadata: c.config}, Attributes{one("1"), mode, basetypes.NewStringValue(c.effective)},
				c.owned, Defaults{Unknown: c.defaultsUnknown}, `thing "A"`, &diags)
			if !planned.EffectiveCustomMetadata.Equal(c.want) {
				t.Errorf("planned %s, want %s", planned, c.want)
			}
			if (len(diags) == 1) != c.says {
				t.Errorf("says %v", diags)
			}
		})
	}
}

// TestDefaults_Under: a creation sends the configuration over the defaults, and what it sends is owned.
func TestDefaults_Under(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	defaults := Defaults{Object: Object{"by": "terraform"}}
	if desired, ok := defaults.Under(FromObject(Object{"a": "1"}), &diags); !ok || len(diags) != 0 ||
		Text(desired.Object) != `{"a":"1","by":"terraform"}` {
		t.Errorf("desired %v, %v", desired, diags)
	}
	if desired, ok := (Defaults{}).Under(Null(), &diags); !ok || desired.Object == nil {
		t.Errorf("nothing configured: %v", desired)
	}
	if _, ok := defaults.Under(Unknown(), &diags); ok || diags.ErrorsCount() != 1 {
		t.Errorf("an unknown object is desired: %v", diags)
	}
}
