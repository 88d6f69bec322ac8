package front

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Configured stores the data that the provider passes to its resources. deferred is true if the provider defers all
// resources, which the framework handles.
func (s *Server) Configured(data any, deferred bool) {
	s.configured.Store(true)
	if !deferred {
		s.data.Store(&data)
	}
}

// start returns a configured resource; nil if the framework has to handle the call.
func (s *Server) start(ctx context.Context, typeName string) (*kind, object.Managed) {
	data := s.data.Load()
	if data == nil {
		return nil, nil
	}
	k := s.kind(ctx, typeName)
	if k == nil || !k.simple {
		return nil, nil
	}
	r, _ := k.make().(object.Managed)
	var resp resource.ConfigureResponse
	r.Configure(ctx, resource.ConfigureRequest{ProviderData: *data}, &resp)
	if len(resp.Diagnostics) > 0 {
		return nil, nil
	}
	return k, r
}

// read refreshes an object without the framework, which compares every attribute with the state. If the object has
// changed, or there is more than a new state, such as a warning, it passes the result to the framework.
func (s *Server) read(ctx context.Context,
	req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	k, r := s.start(ctx, req.TypeName)
	if r == nil || req.ProviderMeta != nil {
		return s.Framework.ReadResource(ctx, req)
	}
	state, ok := k.decode(req.CurrentState)
	notes, readable := notesOf(req.Private)
	identity, known := k.identityOf(req.CurrentIdentity)
	if !ok || state.IsNull() || !readable || !known {
		return s.Framework.ReadResource(ctx, req)
	}
	a := &result{had: notes, notes: maps.Clone(notes), readRequest: resource.ReadRequest{
		State: tfsdk.State{Raw: state, Schema: k.schema}, Identity: k.identityData(identity)}}
	if c := req.ClientCapabilities; c != nil {
		a.readRequest.ClientCapabilities.DeferralAllowed = c.DeferralAllowed
	}
	a.read = &resource.ReadResponse{State: a.readRequest.State, Identity: k.identityData(identity)}
	r.Read(private.With(ctx, a.notes), a.readRequest, a.read)

	newIdentity, keeps := k.keepsIdentity(req.CurrentIdentity, identity, a.read.Identity)
	if len(a.read.Diagnostics) > 0 || a.read.Deferred != nil || !a.read.State.Raw.Equal(state) || !keeps ||
		a.read.Identity.Raw.IsFullyNull() {
		return s.Framework.ReadResource(s.with(ctx, req.TypeName, a), req)
	}
	ours := &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, NewIdentity: newIdentity,
		Private: encoded(a.notes)}
	if s.compare != nil {
		theirs, err := s.Framework.ReadResource(s.with(ctx, req.TypeName, a), req)
		s.compare(req.TypeName, ours, theirs, err)
	}
	return ours, nil
}

// plan plans an object without the framework: it passes the same request to the resource. If the result has more than a
// new state, such as a warning or a replacement, it passes the result to the framework.
func (s *Server) plan(ctx context.Context,
	req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	k, r := s.start(ctx, req.TypeName)
	if r == nil || req.ProviderMeta != nil {
		return s.Framework.PlanResourceChange(ctx, req)
	}
	proposal, ok := k.proposal(ctx, req)
	notes, readable := notesOf(req.PriorPrivate)
	identity, known := k.identityOf(req.PriorIdentity)
	if !ok || !readable || !known {
		return s.Framework.PlanResourceChange(ctx, req)
	}
	proposal.Identity = k.identityData(identity)
	if c := req.ClientCapabilities; c != nil {
		proposal.ClientCapabilities.DeferralAllowed = c.DeferralAllowed
	}
	a := &result{had: notes, notes: maps.Clone(notes), planRequest: proposal,
		plan: &resource.ModifyPlanResponse{Plan: proposal.Plan, Identity: k.identityData(identity)}}
	r.ModifyPlan(private.With(ctx, a.notes), a.planRequest, a.plan)

	newIdentity, keeps := k.keepsIdentity(req.PriorIdentity, identity, a.plan.Identity)
	planned, err := req.PriorState, error(nil)
	if !a.plan.Plan.Raw.Equal(proposal.State.Raw) {
		var value tfprotov6.DynamicValue
		value, err = tfprotov6.NewDynamicValue(k.object, a.plan.Plan.Raw)
		planned = &value
	}
	if len(a.plan.Diagnostics) > 0 || a.plan.Deferred != nil || len(a.plan.RequiresReplace) > 0 || !keeps || err != nil {
		return s.Framework.PlanResourceChange(s.with(ctx, req.TypeName, a), req)
	}
	ours := &tfprotov6.PlanResourceChangeResponse{PlannedState: planned, PlannedIdentity: newIdentity,
		PlannedPrivate: encoded(a.notes)}
	if s.compare != nil {
		theirs, err := s.Framework.PlanResourceChange(s.with(ctx, req.TypeName, a), req)
		s.compare(req.TypeName, ours, theirs, err)
	}
	return ours, nil
}

// notesOf decodes a private state; it returns false if the framework itself has data in it.
func notesOf(raw []byte) (private.Map, bool) {
	notes := private.Map{}
	if len(raw) > 0 && json.Unmarshal(raw, &notes) != nil {
		return nil, false
	}
	for key := range notes {
		if strings.HasPrefix(key, ".") {
			return nil, false
		}
	}
	return notes, true
}

// encoded encodes a private state as the framework does.
func encoded(notes private.Map) []byte {
	if len(notes) == 0 {
		return nil
	}
	raw, _ := json.Marshal(notes) //nolint:errchkjson // bytes under names
	return raw
}

// identityOf returns the identity in the request, or null.
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

// keepsIdentity returns the identity for the response; false if it differs from that of the request.
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
