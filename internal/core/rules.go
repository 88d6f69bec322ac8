package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

type attributes = []*tfprotov6.SchemaAttribute

// set reports whether a value is known and not null.
func set(v cty.Value) bool { return v.IsKnown() && !v.IsNull() }

// elements returns the elements of a list or set.
func elements(v cty.Value) []cty.Value {
	if !set(v) {
		return nil
	}
	return v.AsValueSlice()
}

// propose returns Terraform's proposed new object: the configuration, and prior values where the configuration has null
// and the attribute is computed, at any depth.
func propose(known attributes, prior, config cty.Value) cty.Value {
	if !set(config) {
		return config
	}
	before, values := fields(prior), fields(config)
	for _, attribute := range known {
		wanted := values[attribute.Name]
		had, there := before[attribute.Name]
		if !there {
			had = cty.NullVal(wanted.Type())
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
	return cty.ObjectVal(values)
}

func proposeNested(nested *tfprotov6.SchemaObject, prior, config cty.Value) cty.Value {
	if !set(config) {
		return config
	}
	if nested.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
		return propose(nested.Attributes, prior, config)
	}
	before, wanted := elements(prior), elements(config)
	used := make([]bool, len(before))
	for i, element := range wanted {
		had := cty.NullVal(element.Type())
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
	return ok(convert.Convert(cty.TupleVal(wanted), config.Type()))
}

// couldBe reports whether an element of a set may come from the configuration: it differs only in computed attributes.
func couldBe(known attributes, prior, config cty.Value) bool {
	before, wanted := fields(prior), fields(config)
	for _, attribute := range known {
		if !before[attribute.Name].RawEquals(wanted[attribute.Name]) &&
			(!attribute.Computed || !wanted[attribute.Name].IsNull()) {
			return false
		}
	}
	return true
}

// configuredWithin reports whether a nested value contains a value that only a configuration can set.
func configuredWithin(attribute *tfprotov6.SchemaAttribute, v cty.Value) bool {
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

func elementsOf(nested *tfprotov6.SchemaObject, v cty.Value) []cty.Value {
	if nested.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
		return []cty.Value{v}
	}
	return elements(v)
}

// invalid lists violations of Terraform's first rule: the plan has the configured value or the prior one, and null for
// an attribute that is neither configured nor computed.
func invalid(known attributes, prior, config, planned cty.Value, at string) []string {
	var problems []string
	before, wanted, got := fields(prior), fields(config), fields(planned)
	for _, attribute := range known {
		had, want, now := before[attribute.Name], wanted[attribute.Name], got[attribute.Name]
		kept := !prior.IsNull() && !had.IsNull() && now.RawEquals(had)
		path := at + attribute.Name
		switch {
		case attribute.WriteOnly:
			if !now.IsNull() {
				problems = append(problems, path+" is write-only and planned")
			}
		case now.RawEquals(want), kept && !want.IsNull(), attribute.Computed && want.IsNull():
		case attribute.NestedType != nil && set(want) && set(now):
			problems = append(problems, invalidNested(attribute.NestedType, had, want, now, path)...)
		default:
			problems = append(problems, fmt.Sprintf("%s is configured as %s and planned as %s", path, text(want), text(now)))
		}
	}
	return problems
}

func invalidNested(nested *tfprotov6.SchemaObject, prior, config, planned cty.Value,
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
		had := cty.NullVal(wanted[i].Type())
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
			problems = append(problems, fmt.Sprintf("%s has no element for %s", at, text(wanted[i])))
		}
	}
	return problems
}

// broken lists violations of Terraform's second rule: a later value equals the known planned one.
func broken(planned, later cty.Value, at string) []string {
	if !planned.IsKnown() || planned.RawEquals(later) {
		return nil
	}
	differs := []string{fmt.Sprintf("%s: was %s, but now %s", strings.TrimPrefix(at, "."), text(planned), text(later))}
	isObject := planned.Type().IsObjectType()
	switch {
	case !later.IsKnown(), planned.IsNull(), later.IsNull(), planned.IsWhollyKnown() && !isObject:
		return differs
	case isObject && later.Type().IsObjectType(), planned.Type().IsMapType() && later.Type().IsMapType():
		return brokenFields(fields(planned), fields(later), at, differs)
	case planned.Type().IsSetType():
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

func brokenFields(before, now map[string]cty.Value, at string, differs []string) []string {
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

func brokenSet(before, now []cty.Value, differs []string) []string {
	for _, one := range before {
		if !slices.ContainsFunc(now, func(other cty.Value) bool { return len(broken(one, other, "")) == 0 }) {
			return differs
		}
	}
	return nil
}

// ignoring returns the configuration after ignore_changes, which Terraform passes only to the plan.
func ignoring(known attributes, prior, config cty.Value, ignore []string) cty.Value {
	if prior.IsNull() {
		return config
	}
	result := config
	for _, path := range ignore {
		if path == "all" {
			return decided(known, prior)
		}
		var steps cty.Path
		for name := range strings.SplitSeq(path, ".") {
			steps = steps.GetAttr(name)
		}
		had, errBefore := steps.Apply(prior)
		wants, errNow := steps.Apply(config)
		if errBefore != nil || errNow != nil || had.RawEquals(wants) || wants.Type().IsMapType() && !wants.IsKnown() {
			continue // Terraform does not ignore an unknown map
		}
		result = ok(cty.Transform(result, func(at cty.Path, v cty.Value) (cty.Value, error) {
			if at.Equals(steps) {
				return had, nil
			}
			return v, nil
		}))
	}
	return result
}

// decided removes from a state the values that only the provider sets.
func decided(known attributes, state cty.Value) cty.Value {
	values := fields(state)
	for _, attribute := range known {
		v := values[attribute.Name]
		switch {
		case attribute.Computed && !attribute.Optional:
			values[attribute.Name] = cty.NullVal(v.Type())
		case attribute.NestedType != nil && set(v) && v.Type().IsObjectType():
			values[attribute.Name] = decided(attribute.NestedType.Attributes, v)
		}
	}
	return cty.ObjectVal(values)
}
