package apikey

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ownID is the id of the key that the provider itself uses, where that is the current key or one of its predecessors; else empty.
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

// refuseOwn reports an error when verb would end the key that the provider itself uses, which is one of ends. As long as it is not known
// whether that is allowed, nothing is refused: the question is asked again before the call.
func (r *Resource) refuseOwn(state model, allowed types.Bool, verb string, ends []predecessor, diags *diag.Diagnostics) {
	own := r.ownID(state)
	if allowed.ValueBool() || allowed.IsUnknown() || !slices.ContainsFunc(ends, func(p predecessor) bool { return p.id.ValueString() == own }) {
		return
	}
	diags.AddAttributeError(path.Root("allow_own_key"), "This is the key that the provider itself uses",
		fmt.Sprintf("To %s %s would end the key %s, with which the provider authenticates, and lock it out of the collections service: in the middle of the run, or when "+
			"the grace is over. Let the provider use another key (collections_api_key). If you will replace the provider's key right after, set allow_own_key = true; "+
			"to destroy or replace the key, apply that first.", verb, state.displayName(), own))
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
