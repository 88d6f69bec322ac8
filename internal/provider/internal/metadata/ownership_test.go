package metadata

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// valueOf is the Terraform value of a JSON text; "" is null.
func valueOf(t *testing.T, text string) Value {
	t.Helper()
	return FromObject(parsed(t, text))
}

func TestDesired(t *testing.T) {
	t.Parallel()
	owner := Ownership{Defaults: parsed(t, `{"managed_by":"terraform","limits":{"calls":1}}`)}
	for config, want := range map[string]string{
		``:   `{"limits":{"calls":1},"managed_by":"terraform"}`,
		`{}`: `{"limits":{"calls":1},"managed_by":"terraform"}`,
		`{"limits":{"calls":2,"seats":3},"team":"x"}`: `{"limits":{"calls":2,"seats":3},"managed_by":"terraform","team":"x"}`,
		`{"managed_by":null}`:                         `{"limits":{"calls":1},"managed_by":null}`,
	} {
		desired, err := owner.Desired(valueOf(t, config))
		if have := Text(desired); err != nil || have != want {
			t.Errorf("Desired(%s) = %s, %v, want %s", config, have, err, want)
		}
	}
	if _, err := owner.Desired(Unknown()); !errors.Is(err, ErrUnknown) {
		t.Errorf("Desired of an unknown: error %v", err)
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ mode, owned, remote, desired, want string }{
		"merge, imported: nothing goes":   {ModeMerge, ``, `{"a":1,"x":2}`, `{"a":3}`, `{"a":3,"x":2}`},
		"merge, owned key goes":           {ModeMerge, `{"a":1,"b":2}`, `{"a":1,"b":2,"x":3}`, `{"a":1}`, `{"a":1,"x":3}`},
		"merge, nothing owned":            {ModeMerge, `{}`, `{"x":3}`, `{"a":1}`, `{"a":1,"x":3}`},
		"merge, object becomes text":      {ModeMerge, `{"a":{"b":1}}`, `{"a":{"b":1,"x":2}}`, `{"a":"t"}`, `{"a":"t"}`},
		"merge, null stays a key":         {ModeMerge, `{"a":1}`, `{"a":1}`, `{"a":null}`, `{"a":null}`},
		"replace, imported: nothing goes": {ModeReplace, ``, `{"a":1,"x":2}`, `{"a":3}`, `{"a":3,"x":2}`},
		"replace, the whole is owned":     {ModeReplace, `{}`, `{"a":1,"x":2}`, `{"a":3}`, `{"a":3}`},
		"replace by nothing":              {ModeReplace, `{"a":1}`, `{"a":1,"x":2}`, `{}`, `{}`},
	} {
		owner := Ownership{Mode: c.mode, Owned: parsed(t, c.owned)}
		if have := Text(owner.Result(parsed(t, c.remote), parsed(t, c.desired), parsed(t, c.desired))); have != c.want {
			t.Errorf("%s: %s, want %s", name, have, c.want)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	type in struct{ mode, owned, config, state, remote string }
	for name, c := range map[string]struct {
		in      in
		planned string
		differs bool
		foreign []string
	}{
		"same": {in: in{ModeMerge, `{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1}`},
			planned: `{"a":1}`},
		"others' keys are no difference": {in: in{ModeMerge, `{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1,"x":2}`},
			planned: `{"a":1}`},
		"drift": {in: in{ModeMerge, `{"a":1}`, `{"a":1}`, `{"a":9}`, `{"a":9}`},
			planned: `{"a":1}`, differs: true},
		"key taken out": {in: in{ModeMerge, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2}`, `{"a":1,"b":2}`},
			planned: `{"a":1}`, differs: true},
		"taken out wholly": {in: in{ModeMerge, `{"a":1}`, ``, `{"a":1}`, `{"a":1,"x":2}`},
			planned: ``, differs: true},
		"imported, fewer keys named": {in: in{ModeMerge, ``, `{"a":1}`, `{"a":1,"x":2}`, `{"a":1,"x":2}`},
			planned: `{"a":1,"x":2}`},
		"imported, changed": {in: in{ModeMerge, ``, `{"a":3}`, `{"a":1,"x":2,"y":3}`, `{"a":1,"x":2,"y":3}`},
			planned: `{"a":3}`, differs: true, foreign: []string{"x", "y"}},
		"first object":              {in: in{ModeMerge, `{}`, `{"a":1}`, ``, `{}`}, planned: `{"a":1}`, differs: true},
		"an empty object over none": {in: in{ModeMerge, `{}`, `{}`, ``, `{}`}, planned: `{}`},
		"null that the service has lost": {in: in{ModeMerge, `{"a":null}`, `{"a":null}`, `{"a":null}`, `{}`},
			planned: `{"a":null}`},
		"null taken out": {in: in{ModeMerge, `{"a":1,"n":null}`, `{"a":1}`, `{"a":1,"n":null}`, `{"a":1,"n":null}`},
			planned: `{"a":1}`, differs: true},
		"nulls taken out wholly": {in: in{ModeMerge, `{"n":null}`, ``, `{"n":null}`, `{"n":null,"x":2}`},
			planned: ``, differs: true},
		"null taken out that was lost": {in: in{ModeMerge, `{"a":1,"n":null}`, `{"a":1}`, `{"a":1}`, `{"a":1}`},
			planned: `{"a":1}`},
		"replace: null taken out": {in: in{ModeReplace, `{"n":null}`, `{}`, `{"n":null}`, `{"n":null}`},
			planned: `{}`, differs: true},
		"named with the value that is there": {in: in{ModeMerge, `{"a":1}`, `{"a":1,"b":{"c":2}}`, `{"a":1}`,
			`{"a":1,"b":{"c":2,"d":3}}`}, planned: `{"a":1,"b":{"c":2}}`},
		"named below with the value that is there": {in: in{ModeMerge, `{"b":{"d":3}}`, `{"b":{"c":2,"d":3}}`,
			`{"b":{"d":3}}`, `{"b":{"c":2,"d":3}}`}, planned: `{"b":{"c":2,"d":3}}`},
		"a new null": {in: in{ModeMerge, `{}`, `{"a":null}`, `{}`, `{}`},
			planned: `{"a":null}`, differs: true},
		"replace: others' keys are drift": {in: in{ModeReplace, `{"a":1}`, `{"a":1}`, `{"a":1,"x":2}`, `{"a":1,"x":2}`},
			planned: `{"a":1}`, differs: true},
		"replace: same": {in: in{ModeReplace, `{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1}`}, planned: `{"a":1}`},
	} {
		owner := Ownership{Mode: c.in.mode, Owned: parsed(t, c.in.owned)}
		change, err := owner.Plan(valueOf(t, c.in.config), valueOf(t, c.in.state), parsed(t, c.in.remote))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		slices.Sort(change.Foreign)
		if change.Differs != c.differs || !change.Planned.Equal(valueOf(t, c.planned)) ||
			!slices.Equal(change.Foreign, c.foreign) {
			t.Errorf("%s: differs %v, planned %s, foreign %v", name, change.Differs, change.Planned, change.Foreign)
		}
	}
}

// TestPlan_notation: what the state says stays in the plan where the configuration only writes it differently.
func TestPlan_notation(t *testing.T) {
	t.Parallel()
	state := valueOf(t, `{"list":["a"],"map":{"k":"v"}}`)
	config := objectOf(map[string]attr.Value{
		"list": types.ListValueMust(types.StringType, []attr.Value{types.StringValue("a")}),
		"map":  types.MapValueMust(types.StringType, map[string]attr.Value{"k": types.StringValue("v")}),
	})
	owned := parsed(t, `{"list":["a"],"map":{"k":"v"}}`)
	for name, remote := range map[string]string{"same": `{"list":["a"],"map":{"k":"v"}}`,
		"service differs": `{"list":["b"]}`} {
		change, err := Ownership{Mode: ModeMerge, Owned: owned}.Plan(config, state, parsed(t, remote))
		if err != nil || !change.Planned.Equal(state) || change.Differs != (name == "service differs") {
			t.Errorf("%s: planned %s, differs %v, %v", name, change.Planned, change.Differs, err)
		}
	}
}

// TestPlan_unknown: what is not known yet is planned as configured, and as a difference.
func TestPlan_unknown(t *testing.T) {
	t.Parallel()
	part := objectOf(map[string]attr.Value{"a": types.StringUnknown(), "b": types.BoolValue(true)})
	for name, config := range map[string]Value{"whole": Unknown(), "part": part} {
		change, err := Ownership{Mode: ModeMerge, Owned: Object{}}.Plan(config, valueOf(t, `{"b":true}`),
			parsed(t, `{"b":true}`))
		if err != nil || !change.Differs || !change.Planned.Equal(config) {
			t.Errorf("%s: %+v, %v", name, change, err)
		}
	}
	if _, err := (Ownership{}).Plan(Value{DynamicValue: types.DynamicValue(types.StringValue("x"))}, Null(),
		nil); err == nil {
		t.Error("text instead of an object is planned")
	}
}

// TestPlan_unknownMode: as long as the mode is not known, the object is a difference where it matters, and nothing is
// owned by the plan.
func TestPlan_unknownMode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		owned, remote string
		matters       bool
	}{
		"a key of others":              {`{"a":1}`, `{"a":1,"x":2}`, true},
		"own keys only":                {`{"a":1}`, `{"a":1}`, false},
		"imported, nothing is removed": {``, `{"a":1,"x":2}`, false},
	} {
		change, err := Ownership{Owned: parsed(t, c.owned)}.Plan(valueOf(t, `{"a":1}`), valueOf(t, `{"a":1}`),
			parsed(t, c.remote))
		if err != nil || change.Differs != c.matters || (change.Desired == nil) != c.matters || change.Result != nil {
			t.Errorf("%s: %+v, %v", name, change, err)
		}
	}
}

func TestSeen(t *testing.T) {
	t.Parallel()
	type in struct{ mode, owned, prior, remote string }
	for name, c := range map[string]struct {
		in   in
		want string
	}{
		"own keys only":                 {in{ModeMerge, `{"a":1}`, `{"a":1}`, `{"a":1,"x":2}`}, `{"a":1}`},
		"drift":                         {in{ModeMerge, `{"a":1}`, `{"a":1}`, `{"a":9,"x":2}`}, `{"a":9}`},
		"own key is gone":               {in{ModeMerge, `{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"b":2}`}, `{"b":2}`},
		"nothing configured":            {in{ModeMerge, `{}`, ``, `{"x":2}`}, ``},
		"empty stays empty":             {in{ModeMerge, `{}`, `{}`, `{"x":2}`}, `{}`},
		"replace shows own keys":        {in{ModeReplace, `{"a":1}`, `{"a":1}`, `{"a":1}`}, `{"a":1}`},
		"null that service has dropped": {in{ModeMerge, `{"a":null}`, `{"a":null}`, `{}`}, `{"a":null}`},
	} {
		owner := Ownership{Mode: c.in.mode, Owned: parsed(t, c.in.owned)}
		seen := owner.Seen(valueOf(t, c.in.prior), parsed(t, c.in.remote))
		if !seen.Equal(valueOf(t, c.want)) {
			t.Errorf("%s: %s, want %s", name, seen, c.want)
		}
	}
}

// TestSeen_keepsTheNotation: a refresh that finds nothing new leaves the value as it was written.
func TestSeen_keepsTheNotation(t *testing.T) {
	t.Parallel()
	prior := objectOf(map[string]attr.Value{"list": types.ListValueMust(types.StringType,
		[]attr.Value{types.StringValue("a")})})
	if seen := (Ownership{Mode: ModeMerge}).Seen(prior, parsed(t, `{"list":["a"],"x":1}`)); !seen.Equal(prior) {
		t.Errorf("seen %s", seen)
	}
}

func TestPayload(t *testing.T) {
	t.Parallel()
	if have := Payload(parsed(t, `{"b":9007199254740993,"a":null}`)); !reflect.DeepEqual(have,
		json.RawMessage(`{"a":null,"b":9007199254740993}`)) {
		t.Errorf("payload %s", have)
	}
	if have := Payload(nil); strings.TrimSpace(string(have)) != "{}" {
		t.Errorf("payload of nothing: %s", have)
	}
}

// TestOwned: what is noted is read again, numbers exact; that nothing was applied yet differs from an applied empty
// object.
func TestOwned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		owned Owned
		want  string
	}{
		"nothing applied": {Owned{}, `null`},
		"nothing asked":   {Owned{Object{}}, `{}`},
		"an exact number": {Owned{Object{"n": json.Number("9007199254740993")}}, `{"n":9007199254740993}`},
		"a null is a wish": {Owned{Object{"gone": nil, "deep": Object{"list": []any{"a", true}}}},
			`{"deep":{"list":["a",true]},"gone":null}`},
	} {
		raw, err := json.Marshal(c.owned)
		if err != nil || string(raw) != c.want {
			t.Errorf("%s: noted as %s, %v", name, raw, err)
		}
		var read Owned
		if err := json.Unmarshal(raw, &read); err != nil || !same.JSON(read.Object, c.owned.Object) ||
			(read.Object == nil) != (c.owned.Object == nil) {
			t.Errorf("%s: read %v, %v", name, read, err)
		}
	}
	if err := json.Unmarshal([]byte(`["a"]`), new(Owned)); err == nil {
		t.Error("a list is read as an object")
	}
}

func TestOwned_Under(t *testing.T) {
	t.Parallel()
	have := Owned{Object{"a": "1"}}.Under(basetypes.NewStringValue(ModeReplace))
	if have.Mode != ModeReplace || !same.JSON(have.Owned, Object{"a": "1"}) {
		t.Errorf("ownership %+v", have)
	}
	if unknown := (Owned{}).Under(basetypes.NewStringUnknown()); unknown.Mode != "" {
		t.Errorf("an unknown mode: %+v", unknown)
	}
}

// TestOwned_Payload: a creation sends numbers as they are written, and no empty object.
func TestOwned_Payload(t *testing.T) {
	t.Parallel()
	if have := (Owned{Object{"n": json.Number("9007199254740993")}}).Payload(); string(have) != `{"n":9007199254740993}` {
		t.Errorf("sends %s", have)
	}
	for _, empty := range []Owned{{}, {Object{}}} {
		if have := empty.Payload(); have != nil {
			t.Errorf("%v sends %s", empty, have)
		}
	}
}
