package apikey

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// ModifyPlan decides whether there is a new key, whether the key is rotated, and the value of every computed attribute.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(_ context.Context, p *object.Plan[model]) {
	r.refuseOwn(p.State, p.State.AllowOwnKey, "destroy", p.State.all(), p.Diags)
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	r.refusePast(ctx, p.Planned, p.Diags)
	r.warnDuplicate(ctx, p)
	p.Planned = p.Planned.plannedCreate()
}

func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	plan, state := p.Planned, p.State
	imported, found := readPhase(ctx, p.Private, p.Diags), readSeen(ctx, p.Private, p.Diags)
	d := decide(plan, state, imported, found, func() time.Time { return r.now(ctx) })
	d.refuseImport(p.Diags)
	differs := d.differs
	if d.creates {
		differs = nil
	}
	late := found.Expired && len(differs) > 0 && p.Run.Applying(typeName, state.ID.ValueString(), p.DeferralAllowed)
	if late {
		// The first plan has kept what an expired key has, as its new expiry was not known. Update refuses the new one.
		d.fulfilled, d.rotates = true, false
	}
	if p.Update(ctx, state.ID.ValueString(), differs...) {
		// The old key is destroyed with what its state allows. What becomes of the new one is planned without a state.
		r.refuseOwn(state, state.AllowOwnKey, "replace", state.all(), p.Diags)
		r.refusePast(ctx, plan, p.Diags)
		return
	}
	if d.creates {
		r.refusePast(ctx, plan, p.Diags)
	}
	p.Planned = d.plannedUpdate(p.Diags)
	if late {
		p.Planned.ExpiresAt = plan.ExpiresAt
	}
	r.refuseOwnInUpdate(state, p.Planned, d.rotates && !d.creates, p.Diags)
}

// plannedCreate leaves the token to the apply.
func (m model) plannedCreate() model {
	m.RotatedAt, m.PreviousKeys = types.StringNull(), predecessorList(nil)
	m.RotationDueAt = m.dueAt()
	m.setSecret(encrypt.Secret{}.Planned(m.AgeRecipients, true))
	return m
}

// now is the service's time, or zero as long as it is not known.
func (r *Resource) now(ctx context.Context) time.Time {
	client, ready := r.Client()
	if !ready {
		return time.Time{}
	}
	now, _ := client.Now(ctx)
	return now
}

// refusePast refuses to plan a key that the service would not create. A replacement would have revoked the old key
// before that shows.
func (r *Resource) refusePast(ctx context.Context, plan model, diags *diag.Diagnostics) {
	if plan.ExpiresAt.IsNull() || plan.ExpiresAt.IsUnknown() {
		return
	}
	if now := r.now(ctx); passed(plan.ExpiresAt.ValueString(), now) {
		diags.AddAttributeError(path.Root("expires_at"), "The expiry of a new API key has passed",
			fmt.Sprintf("The plan creates %s, which is to expire at %q. The clock of the service shows %s already, "+
				"so the API would reject it. Set a later expires_at, or remove the argument. To end a key, remove "+
				"the resource.",
				plan.displayName(), plan.ExpiresAt.ValueString(), now.Format(time.RFC3339)))
	}
}

// planRevocation plans previous_keys where revoke_previous_keys ends them, or may.
func (m *model) planRevocation() {
	switch {
	case !m.PreviousKeys.IsUnknown() && len(m.PreviousKeys.Elements()) == 0:
	case m.RevokePreviousKeys.IsUnknown():
		m.PreviousKeys = types.ListUnknown(predecessorType)
	case m.RevokePreviousKeys.ValueBool():
		m.PreviousKeys = predecessorList(nil)
	}
}

// planning is the plan of a key that exists.
type planning struct {
	plan, state model
	phase       phase
	seen        seen
	// fulfilled says that the key has ended when the configuration says: then there is nothing left to do.
	fulfilled bool
	// differs are the arguments that can only become what they are to be by a new key (wire contract: there is no
	// update of a key). What is not known yet is not among them, as it may turn out to be what the key has.
	differs path.Paths
	// creates says that a key is created in place of one that another system has rotated: that key cannot be rotated
	// again, and replacing it would revoke it in its grace period. An argument that is not known yet may ask for that:
	// the plan shows the id as known after apply then, as the apply cannot create a key that the plan did not show.
	creates bool
	// takes says that instead of that the successor of the other rotation is rotated: a run was killed in the middle of
	// it.
	takes bool
	// rotates says that the key gets a successor, by a rotation or by a creation.
	rotates bool
}

// decide decides what becomes of the key. now is asked for the service's time only where that cannot change the
// decision in the apply.
func decide(plan, state model, p phase, s seen, now func() time.Time) planning {
	d := planning{plan: plan, state: state, phase: p, seen: s}
	moved := !plan.ExpiresAt.Means(state.ExpiresAt)
	switch {
	case !s.Expired || plan.ExpiresAt.IsNull():
	case !moved || plan.ExpiresAt.IsUnknown():
		// A date that is not known yet plans no new key.
		d.fulfilled = true
	case s.Superseded:
		// The key ended earlier than configured, which does not matter any more once the configured date has passed
		// too.
		d.fulfilled = passed(plan.ExpiresAt.ValueString(), now())
	}
	if d.fulfilled {
		return d
	}
	d.differs = plan.unlike(state)
	due := d.due()
	d.takes = d.takesOver()
	d.creates = s.Superseded && (len(d.differs) > 0 || !plan.known() || moved || due || d.takes)
	d.rotates = d.creates || due
	return d
}

// unlike lists the arguments of a new key that are known and mean something else than in the state.
func (m model) unlike(state model) path.Paths {
	var changed path.Paths
	for _, argument := range []struct {
		name  string
		value attr.Value
		same  bool
	}{
		{"name", m.Name, m.Name.Equal(state.Name)},
		{"description", m.Description, m.Description.Equal(state.Description)},
		{"scopes", m.Scopes, m.Scopes.Equal(state.Scopes)},
		{"expires_at", m.ExpiresAt, m.ExpiresAt.Means(state.ExpiresAt)},
	} {
		if known(argument.value) && !argument.same {
			changed = append(changed, path.Root(argument.name))
		}
	}
	return changed
}

// known reports whether all arguments of a new key are known.
func (m model) known() bool {
	return known(m.Name) && known(m.Description) && known(m.Scopes) && known(m.ExpiresAt)
}

// known reports whether a value, or a set with all of its elements, is known.
func known(v attr.Value) bool {
	if set, ok := v.(types.Set); ok {
		for _, element := range set.Elements() {
			if element.IsUnknown() {
				return false
			}
		}
	}
	return !v.IsUnknown()
}

// due reports whether a rotation is due. A key that has expired cannot be rotated.
func (p planning) due() bool { return !p.seen.Expired && p.asked() }

// asked reports whether the configuration asks for a rotation: the trigger had values and they change, or the key was
// too old at the refresh. A key that was imported is not rotated by the first plan.
func (p planning) asked() bool {
	if p.phase != phaseManaged {
		return false
	}
	return object.Triggered(p.state.RotateWhenChanged, p.plan.RotateWhenChanged) || p.seen.overdue(p.plan)
}

// refuseImport refuses to make a new key in the first plan after an import: whoever uses the old one would be locked
// out. An expiry that another system has moved since is no reason to refuse, as nothing is revoked for it.
func (p planning) refuseImport(diags *diag.Diagnostics) {
	if p.phase == phaseManaged {
		return
	}
	for _, at := range p.differs {
		if p.seen.Superseded && at.Equal(path.Root("expires_at")) {
			continue
		}
		diags.AddAttributeError(at, "An import replaces nothing",
			fmt.Sprintf("%s has another %s than the configuration, which only a new key can have: this one would be "+
				"revoked. Set what the key has (%s). A replacement can be planned after the first apply that changes "+
				"this resource; where nothing is left to change, apply rotate_when_changed = { imported = \"done\" } "+
				"first, which rotates nothing.", p.state.displayName(), at, p.state.configured()))
	}
}

// plannedUpdate makes unknown only what this change can touch; the schema keeps the other computed values:
//
//	a rotation, or a creation in its place   id, key_prefix, rotated_at, previous_keys, the token
//	a creation                               source
//	revoke_previous_keys                     previous_keys
func (p *planning) plannedUpdate(diags *diag.Diagnostics) model {
	p.plan.ExpiresAt = p.plan.ExpiresAt.Or(p.state.ExpiresAt)
	if p.fulfilled {
		p.keepEnded(diags)
	}
	if p.rotates {
		p.plan.ID, p.plan.KeyPrefix, p.plan.RotatedAt = types.StringUnknown(), types.StringUnknown(),
			types.StringUnknown()
		p.plan.PreviousKeys = types.ListUnknown(predecessorType)
	}
	if p.creates {
		p.plan.Source = types.StringUnknown()
	}
	p.plan.setSecret(p.state.secret().Planned(p.plan.AgeRecipients, p.rotates))
	if !p.rotates {
		p.state.secret().Warn(p.state.AgeRecipients, p.plan.AgeRecipients, encrypt.Names{Object: "the " +
			p.state.displayName(),
			Clear: "token", Encrypted: "encrypted_token", Trigger: "rotate_when_changed"}, diags)
	}
	p.plan.RotationDueAt = p.plan.dueAt()
	p.plan.planRevocation()
	return p.plan
}

// keepEnded plans nothing for a key that has ended as configured. A value that Terraform does not let a plan keep,
// because it is added or removed, is recorded in the state and sent nowhere.
func (p *planning) keepEnded(diags *diag.Diagnostics) {
	var ignored []string
	keep := func(name string, planned, had attr.Value) bool {
		if planned.Equal(had) {
			return false
		}
		ignored = append(ignored, name)
		return !planned.IsNull() && !had.IsNull()
	}
	plan, state := &p.plan, p.state
	if keep("name", plan.Name, state.Name) {
		plan.Name = state.Name
	}
	if keep("description", plan.Description, state.Description) {
		plan.Description = state.Description
	}
	if keep("scopes", plan.Scopes, state.Scopes) {
		plan.Scopes = state.Scopes
	}
	if !plan.ExpiresAt.IsUnknown() {
		plan.ExpiresAt = state.ExpiresAt
	}
	if len(ignored) > 0 {
		diags.AddAttributeWarning(path.Root("expires_at"), "An expired API key does not change",
			fmt.Sprintf("The %s has expired, so the change of %s has no effect at the service. To get a new key with "+
				"it, set a later expires_at or remove the argument.", state.displayName(), strings.Join(ignored, ", ")))
	}
}

// configured is what an import of the key needs in the configuration.
func (m model) configured() string {
	return fmt.Sprintf("name = %s, description = %s, scopes = %s, expires_at = %s",
		m.Name, m.Description, m.Scopes, m.ExpiresAt.StringValue)
}

// warnDuplicate warns about working keys of the same name.
func (r *Resource) warnDuplicate(ctx context.Context, p *object.Plan[model]) {
	plan := p.Planned
	client, ready := r.Client()
	if !ready || plan.Name.IsUnknown() {
		return
	}
	r.WarnExisting(ctx, p, object.Existing[collections.APIKey]{
		At: path.Root("name"), What: fmt.Sprintf("API key with the name %q", plan.Name.ValueString()),
		List: client.ListAPIKeys,
		Same: func(k collections.APIKey) bool {
			return k.Name == plan.Name.ValueString() && ended(&k, r.now(ctx)) == ""
		},
		Line: func(k collections.APIKey) string {
			used := "never used"
			if k.LastUsedAt != nil {
				used = "last used " + *k.LastUsedAt
			}
			return fmt.Sprintf("(created %s, %s)", k.CreatedAt, used)
		},
		More: "A key that was never used may be left from an interrupted run: nobody has its token.",
	})
}

// ownID is the id of the key that the provider itself uses, where that is the current key or one of its predecessors;
// else empty.
func (r *Resource) ownID(m model) string {
	if r.Conn.IsOwnKey(m.Token.ValueString(), m.KeyPrefix.ValueString()) {
		return m.ID.ValueString()
	}
	for _, p := range predecessorsOf(m.PreviousKeys) {
		if r.Conn.IsOwnKey("", p.prefix.ValueString()) {
			return p.id.ValueString()
		}
	}
	return ""
}

// refuseOwn reports an error when verb would end the key that the provider itself uses, which is one of ends. As long
// as it is not known whether that is allowed, nothing is refused: the question is asked again before the call.
func (r *Resource) refuseOwn(state model, allowed types.Bool, verb string, ends []predecessor,
	diags *diag.Diagnostics) {
	own := r.ownID(state)
	if allowed.ValueBool() || allowed.IsUnknown() || !slices.ContainsFunc(ends,
		func(p predecessor) bool { return p.id.ValueString() == own }) {
		return
	}
	diags.AddAttributeError(path.Root("allow_own_key"), "This is the key that the provider itself uses",
		fmt.Sprintf("To %s %s would end the key %s, with which the provider authenticates. The provider would lose "+
			"access to the collections service, in this run or when the grace period ends. Configure another key for "+
			"the provider (collections_api_key). If you replace the provider's key after this apply, set "+
			"allow_own_key = true; to destroy or replace the key, apply that first.", verb, state.displayName(), own))
}

// refuseOwnInUpdate is refuseOwn for what an update does.
func (r *Resource) refuseOwnInUpdate(state, plan model, rotates bool, diags *diag.Diagnostics) {
	if rotates {
		r.refuseOwn(state, plan.AllowOwnKey, "rotate", []predecessor{state.current()}, diags)
	}
	if plan.RevokePreviousKeys.ValueBool() {
		r.refuseOwn(state, plan.AllowOwnKey, "revoke the predecessors of", predecessorsOf(state.PreviousKeys), diags)
	}
}

// ownLast puts the provider's own key behind all others: nothing can be revoked after it.
func (r *Resource) ownLast(m model, keys []predecessor) []predecessor {
	own := r.ownID(m)
	isOwn := func(p predecessor) bool { return p.id.ValueString() == own }
	others := slices.DeleteFunc(slices.Clone(keys), isOwn)
	if i := slices.IndexFunc(keys, isOwn); i >= 0 {
		return append(others, keys[i])
	}
	return others
}
