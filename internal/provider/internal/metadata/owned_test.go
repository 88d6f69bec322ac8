package metadata

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

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
