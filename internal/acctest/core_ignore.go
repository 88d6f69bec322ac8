package acctest

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// ignoring is the configuration after ignore_changes, as Terraform gives it to the plan and to nothing else.
func ignoring(t *testing.T, known attributes, prior, config tftypes.Value, ignore []string) tftypes.Value {
	t.Helper()
	if prior.IsNull() {
		return config
	}
	result := config
	for _, path := range ignore {
		if path == "all" {
			return decided(t, known, prior)
		}
		steps, key := ignored(path)
		had, before := at(t, prior, steps)
		wants, now := at(t, config, steps)
		if !before || !now || had.Equal(wants) {
			continue
		}
		if key != "" && wants.Type().Is(tftypes.Map{}) && wants.IsKnown() {
			had = withKey(t, had, wants, key)
		}
		result = replaced(t, result, steps, had)
	}
	return result
}

// ignored splits a path of ignore_changes; a key at its end is one of a map.
func ignored(path string) (steps []string, key string) {
	path, key, _ = strings.Cut(path, `["`)
	return strings.Split(path, "."), strings.TrimSuffix(key, `"]`)
}

// decided is the state less what the provider alone decides.
func decided(t *testing.T, known attributes, state tftypes.Value) tftypes.Value {
	t.Helper()
	values := fields(t, state)
	for _, attribute := range known {
		v := values[attribute.Name]
		switch {
		case attribute.Computed && !attribute.Optional:
			values[attribute.Name] = nothing(v.Type())
		case attribute.NestedType != nil && set(v) && v.Type().Is(tftypes.Object{}):
			values[attribute.Name] = decided(t, attribute.NestedType.Attributes, v)
		}
	}
	return tftypes.NewValue(state.Type(), values)
}

// at is the value at a path of attributes. Below null and unknown there is none.
func at(t *testing.T, v tftypes.Value, steps []string) (tftypes.Value, bool) {
	t.Helper()
	for _, name := range steps {
		if !set(v) || !v.Type().Is(tftypes.Object{}) {
			return v, false
		}
		below, there := fields(t, v)[name]
		if !there {
			return v, false
		}
		v = below
	}
	return v, true
}

func replaced(t *testing.T, v tftypes.Value, steps []string, by tftypes.Value) tftypes.Value {
	t.Helper()
	if len(steps) == 0 {
		return by
	}
	values := fields(t, v)
	values[steps[0]] = replaced(t, values[steps[0]], steps[1:], by)
	as, ok := v.Type().(tftypes.Object)
	if !ok {
		t.Fatalf("%s is not an object", v)
	}
	declared := as.AttributeTypes[steps[0]]
	if declared.Is(tftypes.DynamicPseudoType) || declared.Equal(values[steps[0]].Type()) {
		return tftypes.NewValue(as, values)
	}
	return objectOf(values)
}

// objectOf is a free-form object: its type follows from the values.
func objectOf(values map[string]tftypes.Value) tftypes.Value {
	types := map[string]tftypes.Type{}
	for name, value := range values {
		types[name] = value.Type()
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, values)
}

// withKey is a configured map in which one key is as it was.
func withKey(t *testing.T, prior, config tftypes.Value, key string) tftypes.Value {
	t.Helper()
	had, values := fields(t, prior), fields(t, config)
	if before, there := had[key]; there {
		values[key] = before
	} else {
		delete(values, key)
	}
	if len(values) == 0 && config.IsNull() {
		return config
	}
	return tftypes.NewValue(config.Type(), values)
}
