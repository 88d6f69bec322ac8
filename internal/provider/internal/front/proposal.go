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

// proposal is what the resource is asked to plan: what Terraform proposes, with defaults, unknown values, and the plan
// modifiers of the schema, which the framework finds by a walk from the root for each attribute, several times. False
// for an object whose changes reach into nested attributes of which the schema says more than their types, and for one
// that a plan modifier rejects or replaces.
func (k *kind) proposal(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (
	_ resource.ModifyPlanRequest, ok bool) {
	var before, configured, planned map[string]tftypes.Value
	var none resource.ModifyPlanRequest
	prior, priorRead := k.decode(req.PriorState)
	proposed := prior
	// Terraform writes equal values in equal bytes.
	if priorRead && (req.ProposedNewState == nil || !bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack)) {
		if proposed, ok = k.decode(req.ProposedNewState); !ok {
			return none, false
		}
	}
	config, configRead := k.decode(req.Config)
	if !priorRead || !configRead || config.IsNull() || proposed.IsNull() || prior.As(&before) != nil ||
		config.As(&configured) != nil || proposed.As(&planned) != nil {
		return none, false
	}
	planned = maps.Clone(planned) // it belongs to proposed
	changed := prior.IsNull()
	for name, a := range k.attributes {
		if !a.byDefault.IsNull() && configured[name].IsNull() {
			planned[name] = a.byDefault
		}
		if a.inside.defaults && !planned[name].IsNull() {
			return none, false
		}
		changed = changed || !equal(planned[name], before[name])
	}
	to := resource.ModifyPlanRequest{Config: tfsdk.Config{Raw: config, Schema: k.schema},
		Plan: tfsdk.Plan{Raw: prior, Schema: k.schema}, State: tfsdk.State{Raw: prior, Schema: k.schema}}
	if !changed { // plan modifiers leave a value alone that is known and that of the state
		return to, true
	}
	for name, a := range k.attributes {
		switch {
		case a.computed && configured[name].IsNull():
			planned[name] = tftypes.NewValue(k.object.AttributeTypes[name], tftypes.UnknownValue)
		case a.inside.computed && !planned[name].IsNull():
			return none, false
		}
	}
	to.Plan.Raw = tftypes.NewValue(k.object, planned)
	modified := maps.Clone(planned)
	for name, a := range k.attributes {
		state, has := before[name]
		if !has {
			state = tftypes.NewValue(planned[name].Type(), nil)
		}
		if a.modify != nil {
			if modified[name], ok = a.modify(ctx, path.Root(name), to, configured[name], planned[name], state); !ok {
				return none, false
			}
		}
		if value := modified[name]; a.inside.modifiers && value.IsKnown() && !value.IsNull() && !value.Equal(state) {
			return none, false
		}
	}
	to.Plan.Raw = tftypes.NewValue(k.object, modified)
	return to, true
}

// equal compares values as the framework does, inside of an object: there the types that a dynamic value names of its
// parts do not count, such as that of a null which ignore_changes has replaced.
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

// modify runs the plan modifiers of an attribute, and returns the value that they plan; false where they say more.
type modify func(ctx context.Context, at path.Path, of resource.ModifyPlanRequest, config, plan, state tftypes.Value) (
	_ tftypes.Value, ok bool)

// modifierOf is nil for an attribute without plan modifiers, and false for one whose modifiers this server cannot run.
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
	case interface{ SetPlanModifiers() []planmodifier.Set }:
		return modifying(a.SetPlanModifiers(), a.(schema.Attribute).GetType(), func(ctx context.Context, m planmodifier.Set,
			at path.Path, of resource.ModifyPlanRequest, config, plan, state types.Set) (types.Set, bool) {
			resp := planmodifier.SetResponse{PlanValue: plan}
			m.PlanModifySet(ctx, planmodifier.SetRequest{Path: at, Config: of.Config, ConfigValue: config, Plan: of.Plan,
				PlanValue: plan, State: of.State, StateValue: state}, &resp)
			return resp.PlanValue, len(resp.Diagnostics) == 0 && !resp.RequiresReplace
		}), true
	}
	return nil, !has(a, "PlanModifiers")
}

// modifying runs plan modifiers one after the other, with the framework's own types of values, as the framework does
// where an attribute has another one.
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
