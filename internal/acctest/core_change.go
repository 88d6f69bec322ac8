package acctest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// change plans one object. planned is the change of the plan when this is the second plan, inside the apply.
func (c *Core) change(block Block, config tftypes.Value, prior *held,
	planned *Change) (*Change, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	schema := c.schema(block.Address)
	known := schema.Block.Attributes
	validated := ok(c.server.ValidateResourceConfig(c.ctx(),
		&tfprotov6.ValidateResourceConfigRequest{TypeName: block.Type(), Config: encode(c.t, config),
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true}}))
	if Errors(validated.Diagnostics) != "" {
		return nil, validated.Diagnostics
	}
	if prior == nil {
		prior = &held{value: nothing(schema.ValueType())}
	}
	ignoredConfig := ignoring(c.t, known, prior.value, config, block.Ignore)
	response := c.planResource(block, prior, ignoredConfig, prior.private, planned != nil)
	diags := slices.Concat(validated.Diagnostics, response.Diagnostics)
	if Errors(diags) != "" {
		return nil, diags
	}
	change := &Change{Address: block.Address, block: block, planned: decode(c.t, response.PlannedState,
		schema.ValueType()),
		private: response.PlannedPrivate, Before: view(c.t, prior.value)}
	if problems := invalid(c.t, known, prior.value, ignoredConfig, change.planned, ""); len(problems) > 0 {
		return nil, append(diags, bug("Provider produced invalid plan", problems)...)
	}
	change.Replaces = differing(c.t, response.RequiresReplace, prior.value, change.planned)
	switch {
	case prior.value.IsNull():
		change.Action = Create
	case len(change.Replaces) > 0:
		change.Action = Replace
		// The configuration without ignore_changes: there is nothing left to keep.
		again := c.planResource(block, &held{value: nothing(schema.ValueType())}, config, change.private, planned != nil)
		if Errors(again.Diagnostics) != "" {
			return nil, again.Diagnostics
		}
		change.planned, change.private = decode(c.t, again.PlannedState, schema.ValueType()), again.PlannedPrivate
	case change.planned.Equal(prior.value):
		change.Action = NoOp
	default:
		change.Action = Update
	}
	change.After = view(c.t, change.planned)
	return change, diags
}

func (c *Core) planResource(block Block, prior *held, config tftypes.Value, private []byte,
	applying bool) *tfprotov6.PlanResourceChangeResponse {
	c.t.Helper()
	schema := c.schema(block.Address)
	return ok(c.server.PlanResourceChange(c.ctx(), &tfprotov6.PlanResourceChangeRequest{TypeName: block.Type(),
		Config: encode(c.t, config), PriorState: encode(c.t, prior.value),
		ProposedNewState: encode(c.t, propose(c.t, schema.Block.Attributes, prior.value, config)), PriorPrivate: private,
		PriorIdentity:      prior.identity,
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: applying}}))
}

// destruction plans the end of an object.
func (c *Core) destruction(address string, prior *held) (*Change, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	block, none := Block{Address: address}, nothing(c.schema(address).ValueType())
	response := ok(c.server.PlanResourceChange(c.ctx(), &tfprotov6.PlanResourceChangeRequest{TypeName: block.Type(),
		Config: encode(c.t, none), PriorState: encode(c.t, prior.value), ProposedNewState: encode(c.t, none),
		PriorPrivate: prior.private, PriorIdentity: prior.identity}))
	return &Change{Address: address, Action: Delete, Before: view(c.t, prior.value), block: block, planned: none,
		private: response.PlannedPrivate}, response.Diagnostics
}

// differing are the attributes that force a replacement and really differ.
func differing(t *testing.T, paths []*tftypes.AttributePath, prior, planned tftypes.Value) []string {
	t.Helper()
	var names []string
	if prior.IsNull() {
		return nil
	}
	for _, path := range paths {
		had, _, errBefore := tftypes.WalkAttributePath(prior, path)
		now, _, errNow := tftypes.WalkAttributePath(planned, path)
		before, isValue := had.(tftypes.Value)
		after, isAlso := now.(tftypes.Value)
		if errBefore == nil && errNow == nil && isValue && isAlso && before.Equal(after) {
			continue
		}
		if name, isName := path.Steps()[0].(tftypes.AttributeName); isName {
			names = append(names, string(name))
		}
	}
	return names
}

// bug is what Terraform reports as a bug of the provider.
func bug(summary string, problems []string) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary,
		Detail: fmt.Sprintf("%v. This is a bug in the provider", problems)}}
}

// evaluate is the configuration of a block: references and what comes later are unknown until they are there.
func (c *Core) evaluate(configuration Configuration, block Block, objects map[string]tftypes.Value,
	planning bool) tftypes.Value {
	c.t.Helper()
	values := JSON{}
	for name, v := range block.Values {
		values[name] = c.resolve(v, objects)
		turned, later := configuration.Later[block.Address+"."+name]
		switch {
		case later && planning:
			values[name] = Unknown
		case later && turned != nil:
			values[name] = turned
		}
	}
	return object(c.t, c.schema(block.Address), values)
}

func (c *Core) resolve(v any, objects map[string]tftypes.Value) any {
	c.t.Helper()
	switch v := v.(type) {
	case Ref:
		target := fields(c.t, objects[v.Address])[v.Attribute]
		if !target.IsKnown() {
			return Unknown
		}
		return anyView(c.t, target)
	case JSON:
		values := JSON{}
		for name, inner := range v {
			values[name] = c.resolve(inner, objects)
		}
		return values
	case []any:
		values := make([]any, len(v))
		for i := range v {
			values[i] = c.resolve(v[i], objects)
		}
		return values
	default:
		return v
	}
}

// view is an object as plain JSON values with exact numbers; what is not known is Unknown.
func view(t *testing.T, v tftypes.Value) JSON {
	t.Helper()
	object, isObject := anyView(t, v).(JSON)
	if !isObject {
		return nil
	}
	return object
}

func anyView(t *testing.T, v tftypes.Value) any {
	t.Helper()
	switch {
	case !v.IsKnown():
		return Unknown
	case v.IsNull():
		return nil
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		all := JSON{}
		for name, field := range fields(t, v) {
			all[name] = anyView(t, field)
		}
		return all
	case v.Type().Is(tftypes.List{}), v.Type().Is(tftypes.Set{}), v.Type().Is(tftypes.Tuple{}):
		all := []any{}
		for _, element := range elements(t, v) {
			all = append(all, anyView(t, element))
		}
		return all
	default:
		var decoded any
		decoder := json.NewDecoder(bytes.NewReader([]byte(text(t, v))))
		decoder.UseNumber()
		if err := decoder.Decode(&decoded); err != nil {
			t.Fatal(err)
		}
		return decoded
	}
}
