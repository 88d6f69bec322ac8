package front

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Configured notes what the provider hands to its resources. deferred says that it defers everything, which is left to
// the framework.
func (s *Server) Configured(data any, deferred bool) {
	if !deferred {
		s.data.Store(&data)
	}
}

// start makes a configured resource; nil where the framework has to respond.
func (s *Server) start(ctx context.Context, k *kind) resource.ResourceWithModifyPlan {
	data := s.data.Load()
	if k == nil || !k.simple || data == nil {
		return nil
	}
	r, _ := k.make().(resource.ResourceWithModifyPlan)
	var resp resource.ConfigureResponse
	if configured, ok := r.(resource.ResourceWithConfigure); ok {
		configured.Configure(ctx, resource.ConfigureRequest{ProviderData: *data}, &resp)
	}
	if len(resp.Diagnostics) > 0 {
		return nil
	}
	return r
}

// read responds to a refresh that changes nothing with the state that Terraform has sent. The resource does what it
// does under the framework; what is left out is the comparison of every attribute with what it was, which has no effect
// on equal values. Everything else goes through the framework, with what the resource has returned. An object that a
// list shows with other values, but without a later change, is read once more, by its id.
func (s *Server) read(ctx context.Context,
	req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	k := s.kinds.of(ctx, req.TypeName)
	r := s.start(ctx, k)
	if r == nil || req.ProviderMeta != nil {
		return s.Framework.ReadResource(ctx, req)
	}
	state, ok := k.decode(req.CurrentState)
	ok = ok && !state.IsNull()
	private, before, readable := readNotes(ctx, resource.ReadRequest{}.Private, req.Private)
	identity, known := k.identityOf(req.CurrentIdentity)
	if !ok || !readable || !known {
		return s.Framework.ReadResource(ctx, req)
	}
	a := &result{check: s.check, readRequest: resource.ReadRequest{State: tfsdk.State{Raw: state, Schema: k.schema}}}
	if c := req.ClientCapabilities; c != nil {
		a.readRequest.ClientCapabilities.DeferralAllowed = c.DeferralAllowed
	}
	read := func(ctx context.Context) (settled bool) {
		a.readRequest.Private, a.readRequest.Identity = private, k.identityData(identity)
		a.read = &resource.ReadResponse{State: a.readRequest.State, Private: private, Identity: k.identityData(identity)}
		r.Read(ctx, a.readRequest, a.read)
		return len(a.read.Diagnostics) == 0 && a.read.Deferred == nil && a.read.State.Raw.Equal(state)
	}
	verifiable, unchanged := api.Verifiable(ctx)
	settled := read(verifiable)
	if !settled && unchanged() {
		// A list that leaves out fields looks like this. Only the object itself shows what it is.
		private, _, _ = readNotes(ctx, private, req.Private)
		settled = read(api.ByID(ctx))
	}
	newIdentity, keeps := k.keepsIdentity(req.CurrentIdentity, identity, a.read.Identity)
	raw, complete := []byte(nil), false
	if settled && keeps && !a.read.Identity.Raw.IsFullyNull() {
		raw, complete = writeNotes(ctx, a.read.Private, before, &s.names)
	}
	if !complete || s.check {
		theirs, err := s.Framework.ReadResource(context.WithValue(ctx, resultKey{}, a), req)
		if err == nil {
			s.names.learn(theirs.Private)
		}
		if !complete || err != nil {
			return theirs, err
		}
		mustEqual("the state", k.object, req.CurrentState, theirs.NewState)
		mustEqual("the identity", k.identity, newIdentity.IdentityData, theirs.NewIdentity.IdentityData)
		mustBe("the private state", notesIn(raw), notesIn(theirs.Private))
		mustBe("the rest of a read", []any{0, false}, []any{len(theirs.Diagnostics), theirs.Deferred != nil})
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, NewIdentity: newIdentity, Private: raw}, nil
}

// plan responds to a plan without the framework: the resource plans what the framework would hand to it. Everything
// that is not a plain new state, such as a warning or a replacement, goes through the framework, with what the resource
// has planned.
func (s *Server) plan(ctx context.Context,
	req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	k := s.kinds.of(ctx, req.TypeName)
	r := s.start(ctx, k)
	if r == nil || req.ProviderMeta != nil {
		return s.Framework.PlanResourceChange(ctx, req)
	}
	proposal, ok := k.proposal(ctx, req)
	private, before, readable := readNotes(ctx, proposal.Private, req.PriorPrivate)
	identity, known := k.identityOf(req.PriorIdentity)
	if !ok || !readable || !known {
		theirs, err := s.Framework.PlanResourceChange(ctx, req)
		if err == nil {
			s.names.learn(theirs.PlannedPrivate)
		}
		return theirs, err
	}
	proposal.Private, proposal.Identity = private, k.identityData(identity)
	if c := req.ClientCapabilities; c != nil {
		proposal.ClientCapabilities.DeferralAllowed = c.DeferralAllowed
	}
	a := &result{check: s.check, planRequest: proposal,
		plan: &resource.ModifyPlanResponse{Plan: proposal.Plan, Private: private, Identity: k.identityData(identity)}}
	r.ModifyPlan(ctx, a.planRequest, a.plan)

	plain := len(a.plan.Diagnostics) == 0 && a.plan.Deferred == nil && len(a.plan.RequiresReplace) == 0
	newIdentity, keeps := k.keepsIdentity(req.PriorIdentity, identity, a.plan.Identity)
	raw, complete := []byte(nil), false
	planned := req.PriorState
	if plain && keeps {
		raw, complete = writeNotes(ctx, a.plan.Private, before, &s.names)
	}
	if complete && !a.plan.Plan.Raw.Equal(proposal.State.Raw) {
		encoded, err := tfprotov6.NewDynamicValue(k.object, a.plan.Plan.Raw)
		planned, complete = &encoded, err == nil
	}
	if !complete || s.check {
		theirs, err := s.Framework.PlanResourceChange(context.WithValue(ctx, resultKey{}, a), req)
		if err == nil {
			s.names.learn(theirs.PlannedPrivate)
		}
		if !complete || err != nil {
			return theirs, err
		}
		mustEqual("the planned state", k.object, planned, theirs.PlannedState)
		mustEqual("the planned identity", k.identity, newIdentity.IdentityData, theirs.PlannedIdentity.IdentityData)
		mustBe("the planned private state", notesIn(raw), notesIn(theirs.PlannedPrivate))
		mustBe("the rest of a plan", []any{0, 0, false},
			[]any{len(theirs.Diagnostics), len(theirs.RequiresReplace), theirs.Deferred != nil})
	}
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: planned, PlannedIdentity: newIdentity,
		PlannedPrivate: raw}, nil
}

// identityOf is the identity that Terraform has sent, or null without one.
func (k *kind) identityOf(data *tfprotov6.ResourceIdentityData) (tftypes.Value, bool) {
	if data == nil || data.IdentityData == nil {
		return tftypes.NewValue(k.identity, nil), true
	}
	value, err := data.IdentityData.Unmarshal(k.identity)
	return value, err == nil
}

func (k *kind) identityData(raw tftypes.Value) *tfsdk.ResourceIdentity {
	return &tfsdk.ResourceIdentity{Raw: raw, Schema: k.identitySchema}
}

// keepsIdentity is the identity of a response; false where it is another than that of the request.
func (k *kind) keepsIdentity(sent *tfprotov6.ResourceIdentityData, before tftypes.Value, now *tfsdk.ResourceIdentity) (
	*tfprotov6.ResourceIdentityData, bool) {
	switch {
	case now == nil:
		return nil, false
	case sent != nil && sent.IdentityData != nil && now.Raw.Equal(before):
		return sent, true
	case !before.IsFullyNull():
		return nil, false
	}
	data, err := tfprotov6.NewDynamicValue(k.identity, now.Raw)
	return &tfprotov6.ResourceIdentityData{IdentityData: &data}, err == nil
}

// notesIn are the values of a private state.
func notesIn(raw []byte) map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal(raw, &values) != nil {
		return nil
	}
	return values
}

func mustBe(what string, ours, theirs any) {
	if !reflect.DeepEqual(ours, theirs) {
		panic(fmt.Sprintf("front: %s is %v here and %v in the framework", what, ours, theirs))
	}
}
