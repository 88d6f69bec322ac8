package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

type attributes = []*tfprotov6.SchemaAttribute

func nothing(as tftypes.Type) tftypes.Value { return tftypes.NewValue(as, nil) }

// set reports whether a value is known and not null.
func set(v tftypes.Value) bool { return v.IsKnown() && !v.IsNull() }

// elements returns the elements of a list or set.
func elements(v tftypes.Value) []tftypes.Value {
	var all []tftypes.Value
	if !set(v) {
		return nil
	}
	unpack(v, &all)
	return slices.Clone(all) // As does not copy
}

// propose returns Terraform's proposed new object: the configuration, and prior values where the configuration has null
// and the attribute is computed, at any depth.
func propose(known attributes, prior, config tftypes.Value) tftypes.Value {
	if !set(config) {
		return config
	}
	before, values := fields(prior), fields(config)
	for _, attribute := range known {
		wanted := values[attribute.Name]
		had, there := before[attribute.Name]
		if !there {
			had = nothing(wanted.Type())
		}
		switch {
		case attribute.Computed && wanted.IsNull():
			if !attribute.Optional || !configuredWithin(attribute, had) {
				values[attribute.Name] = had
			}
		case attribute.NestedType != nil:
			values[attribute.Name] = proposeNested(attribute.NestedType, had, wanted)
		}
	}
	return tftypes.NewValue(config.Type(), values)
}

func proposeNested(nested *tfprotov6.SchemaObject, prior, config tftypes.Value) tftypes.Value {
	if !set(config) {
		return config
	}
	if nested.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
		return propose(nested.Attributes, prior, config)
	}
	before, wanted := elements(prior), elements(config)
	used := make([]bool, len(before))
	for i, element := range wanted {
		had := nothing(element.Type())
		if nested.Nesting == tfprotov6.SchemaObjectNestingModeList {
			if i < len(before) {
				had = before[i]
			}
		} else {
			for j := range before {
				if !used[j] && couldBe(nested.Attributes, before[j], element) {
					had, used[j] = before[j], true
					break
				}
			}
		}
		wanted[i] = propose(nested.Attributes, had, element)
	}
	return tftypes.NewValue(config.Type(), wanted)
}

// couldBe reports whether an element of a set may come from the configuration: it differs only in computed attributes.
func couldBe(known attributes, prior, config tftypes.Value) bool {
	before, wanted := fields(prior), fields(config)
	for _, attribute := range known {
		if !before[attribute.Name].Equal(wanted[attribute.Name]) &&
			(!attribute.Computed || !wanted[attribute.Name].IsNull()) {
			return false
		}
	}
	return true
}

// configuredWithin reports whether a nested value contains a value that only a configuration can set.
func configuredWithin(attribute *tfprotov6.SchemaAttribute, v tftypes.Value) bool {
	if attribute.NestedType == nil || !set(v) {
		return false
	}
	objects := elementsOf(attribute.NestedType, v)
	for _, o := range objects {
		values := fields(o)
		for _, inner := range attribute.NestedType.Attributes {
			if !inner.Computed && !values[inner.Name].IsNull() {
				return true
			}
		}
	}
	return false
}

func elementsOf(nested *tfprotov6.SchemaObject, v tftypes.Value) []tftypes.Value {
	if nested.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
		return []tftypes.Value{v}
	}
	return elements(v)
}

// invalid lists violations of Terraform's first rule: the plan has the configured value or the prior one, and null for
// an attribute that is neither configured nor computed.
func invalid(known attributes, prior, config, planned tftypes.Value, at string) []string {
	var problems []string
	before, wanted, got := fields(prior), fields(config), fields(planned)
	for _, attribute := range known {
		had, want, now := before[attribute.Name], wanted[attribute.Name], got[attribute.Name]
		kept := !prior.IsNull() && !had.IsNull() && now.Equal(had)
		path := at + attribute.Name
		switch {
		case attribute.WriteOnly:
			if !now.IsNull() {
				problems = append(problems, path+" is write-only and planned")
			}
		case now.Equal(want), kept && !want.IsNull(), attribute.Computed && want.IsNull():
		case attribute.NestedType != nil && set(want) && set(now):
			problems = append(problems, invalidNested(attribute.NestedType, had, want, now, path)...)
		default:
			problems = append(problems, fmt.Sprintf("%s is configured as %s and planned as %s", path, want, now))
		}
	}
	return problems
}

func invalidNested(nested *tfprotov6.SchemaObject, prior, config, planned tftypes.Value,
	at string) []string {
	if nested.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
		return invalid(nested.Attributes, prior, config, planned, at+".")
	}
	before, wanted, got := elements(prior), elements(config), elements(planned)
	if len(wanted) != len(got) {
		return []string{fmt.Sprintf("%s has %d elements in the configuration and %d in the plan", at, len(wanted), len(got))}
	}
	var problems []string
	for i := range wanted {
		had := nothing(wanted[i].Type())
		if nested.Nesting == tfprotov6.SchemaObjectNestingModeList {
			if i < len(before) {
				had = before[i]
			}
			problems = append(problems, invalid(nested.Attributes, had, wanted[i], got[i], fmt.Sprintf("%s[%d].", at, i))...)
			continue
		}
		fits := false
		for _, now := range got {
			fits = fits || len(invalid(nested.Attributes, had, wanted[i], now, "")) == 0
		}
		if !fits {
			problems = append(problems, fmt.Sprintf("%s has no element for %s", at, wanted[i]))
		}
	}
	return problems
}

// broken lists violations of Terraform's second rule: a later value equals the known planned one.
func broken(planned, later tftypes.Value, at string) []string {
	if !planned.IsKnown() || planned.Equal(later) {
		return nil
	}
	differs := []string{fmt.Sprintf("%s: was %s, but now %s", strings.TrimPrefix(at, "."), planned, later)}
	isObject := planned.Type().Is(tftypes.Object{})
	switch {
	case !later.IsKnown(), planned.IsNull(), later.IsNull(), planned.IsFullyKnown() && !isObject:
		return differs
	case isObject && later.Type().Is(tftypes.Object{}), planned.Type().Is(tftypes.Map{}) && later.Type().Is(tftypes.Map{}):
		return brokenFields(fields(planned), fields(later), at, differs)
	case planned.Type().Is(tftypes.Set{}):
		return brokenSet(elements(planned), elements(later), differs)
	}
	before, now := elements(planned), elements(later)
	if len(before) != len(now) {
		return differs
	}
	var problems []string
	for i := range before {
		problems = append(problems, broken(before[i], now[i], fmt.Sprintf("%s[%d]", at, i))...)
	}
	return problems
}

func brokenFields(before, now map[string]tftypes.Value, at string, differs []string) []string {
	if len(before) != len(now) {
		return differs
	}
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		other, there := now[name]
		if !there {
			return differs
		}
		problems = append(problems, broken(before[name], other, at+"."+name)...)
	}
	return problems
}

func brokenSet(before, now []tftypes.Value, differs []string) []string {
	for _, one := range before {
		if !slices.ContainsFunc(now, func(other tftypes.Value) bool { return len(broken(one, other, "")) == 0 }) {
			return differs
		}
	}
	return nil
}

// ignoring returns the configuration after ignore_changes, which Terraform passes only to the plan.
func ignoring(known attributes, prior, config tftypes.Value, ignore []string) tftypes.Value {
	if prior.IsNull() {
		return config
	}
	result := config
	for _, path := range ignore {
		if path == "all" {
			return decided(known, prior)
		}
		steps := strings.Split(path, ".")
		had, before := at(prior, steps)
		wants, now := at(config, steps)
		if !before || !now || had.Equal(wants) {
			continue
		}
		result = replaced(result, steps, had)
	}
	return result
}

// decided removes from a state the values that only the provider sets.
func decided(known attributes, state tftypes.Value) tftypes.Value {
	values := fields(state)
	for _, attribute := range known {
		v := values[attribute.Name]
		switch {
		case attribute.Computed && !attribute.Optional:
			values[attribute.Name] = nothing(v.Type())
		case attribute.NestedType != nil && set(v) && v.Type().Is(tftypes.Object{}):
			values[attribute.Name] = decided(attribute.NestedType.Attributes, v)
		}
	}
	return tftypes.NewValue(state.Type(), values)
}

// at returns the value at a path of attributes, and false below null and unknown.
func at(v tftypes.Value, steps []string) (tftypes.Value, bool) {
	for _, name := range steps {
		if !set(v) || !v.Type().Is(tftypes.Object{}) {
			return v, false
		}
		below, there := fields(v)[name]
		if !there {
			return v, false
		}
		v = below
	}
	return v, true
}

func replaced(v tftypes.Value, steps []string, by tftypes.Value) tftypes.Value {
	if len(steps) == 0 {
		return by
	}
	values := fields(v)
	values[steps[0]] = replaced(values[steps[0]], steps[1:], by)
	typ, _ := v.Type().(tftypes.Object)
	declared := typ.AttributeTypes[steps[0]]
	if declared.Is(tftypes.DynamicPseudoType) || declared.Equal(values[steps[0]].Type()) {
		return tftypes.NewValue(typ, values)
	}
	return objectOf(values)
}

// objectOf returns a free-form object, with a type derived from its values.
func objectOf(values map[string]tftypes.Value) tftypes.Value {
	types := map[string]tftypes.Type{}
	for name, value := range values {
		types[name] = value.Type()
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, values)
}
