package object

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestCreateOnly: an argument of a creation stays as it is; a configured value takes the place of a null only, which
// Terraform demands.
func TestCreateOnly(t *testing.T) {
	t.Parallel()
	a, b, null, unknown := types.StringValue("a"), types.StringValue("b"), types.StringNull(), types.StringUnknown()
	for name, c := range map[string]struct{ config, state, want types.String }{
		"the same":             {a, a, a},
		"removed":              {null, a, a},
		"never named":          {null, null, null},
		"another":              {b, a, a},
		"where there was none": {b, null, b},
		"not known":            {unknown, a, a},
	} {
		planned := c.config
		if CreateOnly(&planned, c.config, c.state); !planned.Equal(c.want) {
			t.Errorf("%s: planned %s", name, planned)
		}
	}
}

// TestTriggered: a rotation needs a trigger that had values and gets others.
func TestTriggered(t *testing.T) {
	t.Parallel()
	of := func(value string) types.Map {
		return types.MapValueMust(types.StringType, map[string]attr.Value{"on": types.StringValue(value)})
	}
	none := types.MapValueMust(types.StringType, map[string]attr.Value{})
	for name, c := range map[string]struct {
		had, has types.Map
		want     bool
	}{
		"no trigger":   {none, none, false},
		"first values": {none, of("1"), false},
		"the same":     {of("1"), of("1"), false},
		"others":       {of("1"), of("2"), true},
		"removed":      {of("1"), none, false},
		"not known":    {of("1"), types.MapUnknown(types.StringType), true},
		"null before":  {types.MapNull(types.StringType), of("1"), false},
	} {
		if have := Triggered(c.had, c.has); have != c.want {
			t.Errorf("%s: %v", name, have)
		}
	}
}
