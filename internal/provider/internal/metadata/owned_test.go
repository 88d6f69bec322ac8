package metadata

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
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
		"nothing asked":   {OwnedBy(nil), `{}`},
		"an exact number": {OwnedBy(Object{"n": json.Number("9007199254740993")}), `{"n":9007199254740993}`},
		"a null is a wish": {OwnedBy(Object{"gone": nil, "deep": Object{"list": []any{"a", true}}}),
			`{"deep":{"list":["a",true]},"gone":null}`},
	} {
		raw, err := json.Marshal(c.owned)
		if err != nil || string(raw) != c.want {
			t.Errorf("%s: noted as %s, %v", name, raw, err)
		}
		var read Owned
		if err := json.Unmarshal(raw, &read); err != nil || !Equal(read.Object, c.owned.Object) ||
			(read.Object == nil) != (c.owned.Object == nil) {
			t.Errorf("%s: read %v, %v", name, read, err)
		}
	}
	if err := json.Unmarshal([]byte(`["a"]`), new(Owned)); err == nil {
		t.Error("a list is read as an object")
	}
}

func TestOwned_under(t *testing.T) {
	t.Parallel()
	have := OwnedBy(Object{"a": "1"}).Under(basetypes.NewStringValue(ModeReplace), Object{"b": "2"})
	if have.Mode != ModeReplace || !Equal(have.Owned, Object{"a": "1"}) || !Equal(have.Defaults, Object{"b": "2"}) {
		t.Errorf("ownership %+v", have)
	}
}
