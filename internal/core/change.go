package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// change plans one object. planned is the change of the first plan if this is the second plan, inside the apply. forced
// is -replace.
func (w *Workspace) change(block Block, config cty.Value, prior *held, planned *Change,
	forced bool) (*Change, []*tfprotov6.Diagnostic) {
	schema := w.schema(block.Address)
	known, as := schema.Block.Attributes, w.schemas.typeOf(schema)
	var validated []*tfprotov6.Diagnostic
	if block.Type() != builtinType {
		request := validation(block, encode(config, as))
		validated = w.validate(block.Type(), request.Config, func() []*tfprotov6.Diagnostic {
			return call(w, w.server.ValidateResourceConfig, request).Diagnostics
		})
	}
	if Errors(validated) != "" {
		return nil, validated
	}
	none := &held{value: cty.NullVal(as)}
	if prior == nil {
		prior = none
	}
	change := &Change{Address: block.Address, block: block, config: config, prior: prior.value,
		Before: view(prior.value)}
	from := prior
	if prior.tainted {
		from = none // Terraform plans a creation and a replacement.
	}
	wanted := ignoring(known, from.value, config, block.Ignore)
	response := w.planResource(block, from, wanted, from.private, planned != nil)
	diags := slices.Concat(validated, response.Diagnostics)
	if Errors(diags) != "" {
		return nil, diags
	}
	change.planned, change.private = decode(response.PlannedState, as), response.PlannedPrivate
	if problems := invalid(known, from.value, wanted, change.planned, ""); len(problems) > 0 {
		return nil, append(diags, bug("Provider produced invalid plan", problems)...)
	}
	change.Replaces = differing(response.RequiresReplace, from.value, change.planned)
	switch {
	case prior.tainted:
		change.Action = Replace
	case prior.value.IsNull():
		change.Action = Create
	case len(change.Replaces) > 0 || forced:
		change.Action = Replace
		// Plan again without ignore_changes: the new object has no prior values to keep.
		again := w.planResource(block, none, config, change.private, planned != nil)
		if Errors(again.Diagnostics) != "" {
			return nil, append(diags, again.Diagnostics...)
		}
		// Terraform does not repeat the warnings of the first plan.
		change.planned, change.private = decode(again.PlannedState, as), again.PlannedPrivate
	case change.planned.RawEquals(prior.value):
		change.Action = NoOp
	default:
		change.Action = Update
	}
	if change.Action == Replace && block.PreventDestroy {
		diags = append(diags, trouble("Instance cannot be destroyed", block.Address+" has lifecycle.prevent_destroy set")...)
	}
	change.After = view(change.planned)
	return change, diags
}

// planResource returns the provider's plan of one object. Terraform allows deferral only in the plan of an apply.
func (w *Workspace) planResource(block Block, prior *held, config cty.Value, private []byte,
	applying bool) *tfprotov6.PlanResourceChangeResponse {
	schema := w.schema(block.Address)
	as := w.schemas.typeOf(schema)
	request := &tfprotov6.PlanResourceChangeRequest{TypeName: block.Type(),
		Config: encode(config, as), PriorState: prior.encode(as),
		ProposedNewState: encode(propose(schema.Block.Attributes, prior.value, config), as),
		PriorPrivate:     private, PriorIdentity: prior.identity,
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: applying}}
	if block.Type() == builtinType {
		return builtinPlan(prior.value, config, as)
	}
	return call(w, w.server.PlanResourceChange, request)
}

// destruction plans the deletion of an object.
func (w *Workspace) destruction(address string, prior *held) (*Change, []*tfprotov6.Diagnostic) {
	block, as := Block{Address: address}, w.schemas.typeOf(w.schema(address))
	none := cty.NullVal(as)
	change := &Change{Address: address, Action: Delete, Before: view(prior.value), block: block, config: none,
		prior: prior.value, planned: none}
	if block.Type() == builtinType {
		return change, nil
	}
	response := call(w, w.server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{TypeName: block.Type(),
		Config: encode(none, as), PriorState: prior.encode(as), ProposedNewState: encode(none, as),
		PriorPrivate: prior.private, PriorIdentity: prior.identity})
	change.private = response.PlannedPrivate
	return change, response.Diagnostics
}

// differing returns the attributes that force a replacement and differ.
func differing(paths []*tftypes.AttributePath, prior, planned cty.Value) []string {
	var names []string
	if prior.IsNull() {
		return nil
	}
	for _, path := range paths {
		var steps cty.Path
		for _, step := range path.Steps() {
			switch step := step.(type) {
			case tftypes.AttributeName:
				steps = steps.GetAttr(string(step))
			case tftypes.ElementKeyString:
				steps = steps.IndexString(string(step))
			case tftypes.ElementKeyInt:
				steps = steps.IndexInt(int(step))
			}
		}
		had, errBefore := steps.Apply(prior)
		now, errNow := steps.Apply(planned)
		if errBefore == nil && errNow == nil && had.RawEquals(now) {
			continue
		}
		if name, isName := path.Steps()[0].(tftypes.AttributeName); isName {
			names = append(names, string(name))
		}
	}
	return names
}

// bug returns Terraform's error for a bug in the provider.
func bug(summary string, problems []string) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary,
		Detail: fmt.Sprintf("%v. This is a bug in the provider", problems)}}
}

// trouble returns an error that Terraform detects itself.
func trouble(summary, detail string) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail}}
}

// writeOnlyHeld returns an error if an object has the value of a write-only argument.
func writeOnlyHeld(schema *tfprotov6.Schema, v cty.Value) []*tfprotov6.Diagnostic {
	if withoutWriteOnly(schema.Block.Attributes, v).RawEquals(v) {
		return nil
	}
	return bug("Provider produced invalid object", []string{"a write-only argument is not null"})
}

// evaluate returns the configuration of a block: attributes of objects that do not exist yet are unknown.
func (w *Workspace) evaluate(block Block, objects map[string]Object) (cty.Value, []*tfprotov6.Diagnostic) {
	values, schema := block.Values, w.schema(block.Address)
	if block.Evaluate != nil {
		evaluated, err := block.Evaluate(objects)
		if err != nil {
			return cty.Value{}, trouble("Invalid configuration", err.Error())
		}
		values = evaluated
	}
	if problems := misspelled(schema.Block.Attributes, values, ""); len(problems) > 0 {
		return cty.Value{}, problems
	}
	config, err := w.schemas.converted(values, schema)
	if err != nil {
		return cty.Value{}, trouble("Incorrect attribute value type", err.Error())
	}
	return config, nil
}

// misspelled returns Terraform's errors about arguments that are not in a schema, that are read-only, or that are
// required and missing.
func misspelled(known attributes, values Object, at string) (problems []*tfprotov6.Diagnostic) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		attribute := slices.IndexFunc(known, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == name })
		switch {
		case attribute < 0:
			problems = append(problems, trouble("Unsupported argument",
				fmt.Sprintf("An argument named %q is not expected here.", at+name))...)
		case !known[attribute].Optional && !known[attribute].Required && values[name] != nil:
			problems = append(problems, trouble("Invalid Configuration for Read-Only Attribute",
				fmt.Sprintf("Cannot set a value for %q.", at+name))...)
		}
	}
	for _, attribute := range known {
		if _, written := values[attribute.Name]; attribute.Required && !written { // the provider rejects null
			summary, detail := "Missing required argument",
				fmt.Sprintf("The argument %q is required, but no definition was found.", attribute.Name)
			if outer := strings.TrimSuffix(at, "."); outer != "" {
				summary = "Incorrect attribute value type"
				detail = fmt.Sprintf("Inappropriate value for attribute %q: attribute %q is required.", outer, attribute.Name)
			}
			problems = append(problems, trouble(summary, detail)...)
		}
		if attribute.NestedType == nil {
			continue
		}
		inner, _ := values[attribute.Name].([]any)
		if single, isObject := values[attribute.Name].(Object); isObject &&
			attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
			inner = []any{single}
		}
		for _, element := range inner {
			if fields, isObject := element.(Object); isObject {
				problems = append(problems, misspelled(attribute.NestedType.Attributes, fields, at+attribute.Name+".")...)
			}
		}
	}
	return problems
}
