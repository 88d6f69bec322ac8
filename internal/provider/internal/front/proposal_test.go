package front

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestEqual: what a dynamic value says of the type of a null makes no difference, as ignore_changes leaves another one
// in the proposal than the state has. Anything else does.
func TestEqual(t *testing.T) {
	t.Parallel()
	object := func(of tftypes.Type, v any) tftypes.Value {
		as := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"k": of}}
		return tftypes.NewValue(as, map[string]tftypes.Value{"k": tftypes.NewValue(of, v)})
	}
	null := object(tftypes.String, nil)
	for name, c := range map[string]struct {
		a, b tftypes.Value
		want bool
	}{
		"one":                    {null, object(tftypes.String, nil), true},
		"null of another type":   {null, object(tftypes.DynamicPseudoType, nil), true},
		"another value":          {object(tftypes.String, "a"), object(tftypes.String, "b"), false},
		"value and untyped null": {object(tftypes.String, "a"), object(tftypes.DynamicPseudoType, nil), false},
		"value of another type":  {object(tftypes.String, "1"), object(tftypes.Number, 1), false},
		"nothing":                {tftypes.Value{}, tftypes.Value{}, true},
		"nothing and something":  {tftypes.Value{}, null, false},
		"something and nothing":  {null, tftypes.Value{}, false},
	} {
		if have := equal(c.a, c.b); have != c.want {
			t.Errorf("%s: %t", name, have)
		}
	}
}
