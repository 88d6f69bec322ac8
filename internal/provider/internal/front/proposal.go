package front

import (
	"bytes"
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// proposal returns the request for the resource's plan: Terraform's proposal with defaults, unknown values, and plan
// modifiers applied. The framework finds these by several walks from the root per attribute. It returns false for
// changes of nested attributes with defaults or computed values, and if a plan modifier rejects or replaces the object.
func (k *kind) proposal(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (
	_ resource.ModifyPlanRequest, ok bool) {
	of, ok := k.decoded(req)
	if !ok {
		return resource.ModifyPlanRequest{}, false
	}
	to := resource.ModifyPlanRequest{Config: tfsdk.Config{Raw: of.config, Schema: k.schema},
		Plan: tfsdk.Plan{Raw: of.prior, Schema: k.schema}, State: tfsdk.State{Raw: of.prior, Schema: k.schema}}
	changes, ok := k.addDefaults(of)
	if !changes || !ok { // plan modifiers do not change a known value that equals the state
		return to, ok
	}
	if !k.addUnknowns(of) {
		return to, false
	}
	to.Plan.Raw = tftypes.NewValue(k.object, of.planned)
	modified, ok := k.modified(ctx, of, to)
	if ok {
		to.Plan.Raw = tftypes.NewValue(k.object, modified)
	}
	return to, ok
}

// decodedPlan is the request for a plan.
type decodedPlan struct {
	prior, config tftypes.Value
	// before, configured and planned are the attributes of the state, the configuration and the plan so far. before is
	// nil for a creation.
	before, configured, planned map[string]tftypes.Value
}

// decoded decodes a request; it returns false for a removal, and for values that only the framework can decode.
func (k *kind) decoded(req *tfprotov6.PlanResourceChangeRequest) (of *decodedPlan, ok bool) {
	of = &decodedPlan{}
	if of.prior, ok = k.decode(req.PriorState); !ok {
		return nil, false
	}
	if of.config, ok = k.decode(req.Config); !ok || of.config.IsNull() {
		return nil, false
	}
	proposed := of.prior
	// Terraform encodes equal values as equal bytes.
	if req.ProposedNewState == nil || !bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) {
		if proposed, ok = k.decode(req.ProposedNewState); !ok {
			return nil, false
		}
	}
	if proposed.IsNull() || of.prior.As(&of.before) != nil || of.config.As(&of.configured) != nil ||
		proposed.As(&of.planned) != nil {
		return nil, false
	}
	of.planned = maps.Clone(of.planned) // proposed shares the original
	return of, true
}

// addDefaults applies the defaults of the schema, and reports whether the plan differs from the state. ok is false for
// an object with defaults of nested attributes.
func (k *kind) addDefaults(of *decodedPlan) (changes, ok bool) {
	changes = of.prior.IsNull()
	for name, a := range k.attributes {
		if !a.byDefault.IsNull() && of.configured[name].IsNull() {
			of.planned[name] = a.byDefault
		}
		if a.inside.defaults && !of.planned[name].IsNull() {
			return false, false
		}
		changes = changes || !equal(of.planned[name], of.before[name])
	}
	return changes, true
}

// addUnknowns plans each computed value that is not configured as unknown; it returns false for an object with computed
// nested attributes.
func (k *kind) addUnknowns(of *decodedPlan) bool {
	for name, a := range k.attributes {
		switch {
		case a.computed && of.configured[name].IsNull():
			of.planned[name] = tftypes.NewValue(k.object.AttributeTypes[name], tftypes.UnknownValue)
		case a.inside.computed && !of.planned[name].IsNull():
			return false
		}
	}
	return true
}

// modified returns the attributes after the plan modifiers; false if a plan modifier returns more than a value.
func (k *kind) modified(ctx context.Context, of *decodedPlan, to resource.ModifyPlanRequest) (
	_ map[string]tftypes.Value, ok bool) {
	modified := maps.Clone(of.planned)
	for name, a := range k.attributes {
		state, has := of.before[name]
		if !has {
			state = tftypes.NewValue(of.planned[name].Type(), nil)
		}
		if a.modify != nil {
			modified[name], ok = a.modify(ctx, path.Root(name), to, of.configured[name], of.planned[name], state)
			if !ok {
				return nil, false
			}
		}
	}
	return modified, true
}

// equal compares values as the framework does inside an object. There, the types inside a dynamic value are ignored,
// such as that of a null written by ignore_changes.
func equal(a, b tftypes.Value) bool {
	if a.Type() == nil || b.Type() == nil || a.Type().Equal(b.Type()) {
		return a.Equal(b)
	}
	of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"": tftypes.DynamicPseudoType}}
	within := func(v tftypes.Value) tftypes.Value {
		return tftypes.NewValue(of, map[string]tftypes.Value{"": v})
	}
	return within(a).Equal(within(b))
}

// modify runs the plan modifiers of an attribute and returns the planned value; false if they return more than a value.
type modify func(ctx context.Context, at path.Path, of resource.ModifyPlanRequest, config, plan, state tftypes.Value) (
	_ tftypes.Value, ok bool)

// modifierOf returns nil for an attribute without plan modifiers, and false if this server cannot run them.
func modifierOf(a schema.Attribute) (_ modify, known bool) {
	switch a := a.(type) {
	case interface{ StringPlanModifiers() []planmodifier.String }:
		return modifying(a.StringPlanModifiers(), types.StringType, func(ctx context.Context, m planmodifier.String,
			at path.Path, of resource.ModifyPlanRequest, config, plan, state types.String) (types.String, bool) {
			resp := planmodifier.StringResponse{PlanValue: plan}
			m.PlanModifyString(ctx, planmodifier.StringRequest{Path: at, Config: of.Config, ConfigValue: config, Plan: of.Plan,
				PlanValue: plan, State: of.State, StateValue: state}, &resp)
			return resp.PlanValue, len(resp.Diagnostics) == 0 && !resp.RequiresReplace
		}), true
	case interface{ BoolPlanModifiers() []planmodifier.Bool }:
		return modifying(a.BoolPlanModifiers(), types.BoolType, func(ctx context.Context, m planmodifier.Bool,
			at path.Path, of resource.ModifyPlanRequest, config, plan, state types.Bool) (types.Bool, bool) {
			resp := planmodifier.BoolResponse{PlanValue: plan}
			m.PlanModifyBool(ctx, planmodifier.BoolRequest{Path: at, Config: of.Config, ConfigValue: config, Plan: of.Plan,
				PlanValue: plan, State: of.State, StateValue: state}, &resp)
			return resp.PlanValue, len(resp.Diagnostics) == 0 && !resp.RequiresReplace
		}), true
	case interface{ Int64PlanModifiers() []planmodifier.Int64 }:
		return modifying(a.Int64PlanModifiers(), types.Int64Type, func(ctx context.Context, m planmodifier.Int64,
			at path.Path, of resource.ModifyPlanRequest, config, plan, state types.Int64) (types.Int64, bool) {
			resp := planmodifier.Int64Response{PlanValue: plan}
			m.PlanModifyInt64(ctx, planmodifier.Int64Request{Path: at, Config: of.Config, ConfigValue: config, Plan: of.Plan,
				PlanValue: plan, State: of.State, StateValue: state}, &resp)
			return resp.PlanValue, len(resp.Diagnostics) == 0 && !resp.RequiresReplace
		}), true
	case interface{ ListPlanModifiers() []planmodifier.List }:
		return modifying(a.ListPlanModifiers(), a.(schema.Attribute).GetType(), func(ctx context.Context, m planmodifier.List,
			at path.Path, of resource.ModifyPlanRequest, config, plan, state types.List) (types.List, bool) {
			resp := planmodifier.ListResponse{PlanValue: plan}
			m.PlanModifyList(ctx, planmodifier.ListRequest{Path: at, Config: of.Config, ConfigValue: config, Plan: of.Plan,
				PlanValue: plan, State: of.State, StateValue: state}, &resp)
			return resp.PlanValue, len(resp.Diagnostics) == 0 && !resp.RequiresReplace
		}), true
	}
	return nil, !has(a, "PlanModifiers")
}

// modifying runs plan modifiers in order. They get the framework's own value types, as in the framework, even if the
// attribute has a custom type.
func modifying[M any, V attr.Value](all []M, as attr.Type, run func(ctx context.Context, m M, at path.Path,
	of resource.ModifyPlanRequest, config, plan, state V) (V, bool)) modify {
	if len(all) == 0 {
		return nil
	}
	return func(ctx context.Context, at path.Path, of resource.ModifyPlanRequest, config, plan, state tftypes.Value) (
		tftypes.Value, bool) {
		var values [3]V
		for i, value := range []tftypes.Value{config, plan, state} {
			typed, err := as.ValueFromTerraform(ctx, value)
			own, ok := typed.(V)
			if err != nil || !ok {
				return plan, false
			}
			values[i] = own
		}
		for _, m := range all {
			var ok bool
			if values[1], ok = run(ctx, m, at, of, values[0], values[1], values[2]); !ok {
				return plan, false
			}
		}
		planned, err := values[1].ToTerraformValue(ctx)
		return planned, err == nil
	}
}
