package finance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// readOwnership reads which keys of a record the configuration owns: those that it has set and that m shows. One that m
// lacks was removed, so whoever sets it again owns it. After an import, and before the next apply, it owns none.
func readOwnership(ctx context.Context, store private.State, m model, diags *diag.Diagnostics) metadata.Ownership {
	owned := private.Owned[metadata.Owned](ctx, store, diags).Object
	if shown, ok := m.object(diags); ok && owned != nil {
		owned = metadata.Project(shown, owned)
	}
	return metadata.Ownership{Mode: metadata.ModeMerge, Owned: owned}
}

// ModifyPlan sets the idempotency key of a creation, and decides whether an existing record must change.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(_ context.Context, p *object.Plan[model]) {
	if !p.State.Policy().Abandons() {
		r.claim(p, p.State, run.Claim{ID: p.State.ID.ValueString(), Destroyed: true})
	}
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	body, err := p.Planned.Body.Object()
	if err == nil && p.Config.IdempotencyKey.IsNull() && !p.Planned.Collection.IsUnknown() {
		// Terraform plans a creation again during apply, perhaps days later on another machine. It rejects a different plan,
		// and passes no data from the first one. So the key cannot be random: it is derived from the new record.
		p.Planned.IdempotencyKey = types.StringValue(finance.KeyFor(p.Planned.Collection.ValueString(),
			metadata.Payload(body)))
	}
	if err == nil && len(body) == 0 {
		p.Diags.AddAttributeError(path.Root(attrBody), "Empty body of the "+p.Planned.displayName(),
			"body is {}, but a record needs at least one field. Write the record as an object, such as "+exampleBody+".")
	}
	warnCollection(p.Planned.Collection, p.Diags)
	r.claim(p, p.Planned, run.Claim{Given: !p.Config.IdempotencyKey.IsNull(),
		Replaces: run.Replaced(ctx, p.Private, p.Diags)})
}

func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	own := readOwnership(ctx, p.Private, p.State, p.Diags)
	if p.Diags.HasError() {
		return
	}
	r.claim(p, p.State, run.Claim{ID: p.State.ID.ValueString()})
	private.SetPlanned(ctx, p.Private, p.Planned.planBody(p.Config, p.State, own, p.Diags), p.Diags)
	if record, err := p.State.lastResponse(); err == nil && p.Planned.Response.IsUnknown() {
		change, _ := own.Plan(p.Config.Body, p.State.Body, record) // ignored keys too
		change.WarnLost(path.Root(attrBody), "the "+p.State.displayName(), p.Diags)
	}
	var at path.Paths
	if !p.Planned.Collection.IsUnknown() && !p.Planned.Collection.Equal(p.State.Collection) {
		at = path.Paths{path.Root(attrCollection)}
	}
	p.Update(ctx, at...)
}

var documented = []string{"accounts", "payables", "receivables"}

// warnCollection warns about a name that resembles a documented collection: the service may accept any name.
func warnCollection(collection types.String, diags *diag.Diagnostics) {
	name := collection.ValueString()
	if meant := check.NearMiss(name, documented); meant != "" {
		diags.AddAttributeWarning(path.Root(attrCollection), fmt.Sprintf("collection: did you mean %q?", meant),
			fmt.Sprintf("The service documents this collection. It may accept any other name, so the similar one in the "+
				"configuration may be correct. If it is a typo, its records are not among the %s.", meant))
	}
}

// planBody compares the configuration with the record in the state, as [metadata.Ownership.Plan] does. It returns the
// ownership after the apply, which is empty while a part of it is unknown.
func (m *model) planBody(config, state model, own metadata.Ownership, diags *diag.Diagnostics) metadata.Owned {
	desired, err := config.Body.Partly()
	if err != nil {
		desired = nil // unknown, or rejected below
	}
	plan := func(ignores bool) (change metadata.Change, stored, record metadata.Object, ok bool) {
		if stored, record, ok = state.stored(desired, ignores, diags); !ok {
			return metadata.Change{}, nil, nil, false
		}
		change, err := own.Plan(config.Body, state.Body, withoutAdditions(desired, stored))
		if err != nil {
			diags.AddAttributeError(path.Root(attrBody), "Invalid body", fmt.Sprintf("The body cannot be sent: %s.", err))
		}
		return change, stored, record, err == nil
	}
	ignored, now := state.IgnoreRemoteChanges.ValueBool(), m.IgnoreRemoteChanges
	change, stored, record, ok := plan(now.ValueBool())
	if !ok {
		return metadata.Owned{}
	}
	if m.Body = change.Planned; now.IsUnknown() || ignored && !now.ValueBool() {
		// The body of the state lacks what it has ignored, so only the configuration decides whether the body changes.
		other, _, _, _ := plan(true)
		m.Body, change.Differs = other.Planned, change.Differs || now.IsUnknown() && other.Differs
	}
	if m.Response = state.Response; change.Differs {
		m.Response = types.StringUnknown()
	}
	if change.Differs && ignored && desired != nil {
		state.warnReverts(changes(own, stored, record, desired), withoutAdditions(desired, record), now, diags)
	}
	change.WarnForeign(path.Root(attrBody), "the "+state.displayName(), "", diags)
	return metadata.Owned{Object: change.Desired}
}

// warnReverts reports which changes of other systems the apply reverts, because the state, which has ignored them, does
// not show them. send is what the apply sends, record the last response.
func (m model) warnReverts(send, record metadata.Object, ignores types.Bool, diags *diag.Diagnostics) {
	before, _ := m.object(diags)
	equal := same.JSON
	if ignores.ValueBool() {
		equal = worded // the service's wording of a text is sent only when its changes are no longer ignored
	}
	var lines []string
	for key, value := range send {
		if reverts(before[key], value, record[key], equal) {
			lines = append(lines, "  "+key+"\n")
		}
	}
	if len(lines) == 0 {
		return
	}
	slices.Sort(lines)
	because := "ignore_remote_changes is no longer true, so"
	switch {
	case ignores.IsUnknown():
		because = "If ignore_remote_changes turns out not to be true,"
	case ignores.ValueBool():
		because = "The service replaces a key as a whole, and the configuration changes a part of it, so"
	}
	diags.AddAttributeWarning(path.Root("ignore_remote_changes"), "The apply reverts changes by other systems to the "+
		m.displayName(), fmt.Sprintf("%s these keys of body are sent as configured:\n\n%s\nresponse shows the values of the "+
		"service. To keep one, write it in body.", because, strings.Join(lines, "")))
}

// rejectReplacement rejects an update that requires a new record. The plan did not show a replacement, so the apply
// sends nothing.
func rejectReplacement(plan, state model, diags *diag.Diagnostics) {
	if plan.Collection.Equal(state.Collection) {
		return
	}
	diags.AddAttributeError(path.Root(attrCollection),
		"The plan did not show this replacement of the "+state.displayName(),
		fmt.Sprintf("collection was unknown in the plan, and turned out to be another one than that of the %s. Changing it "+
			"requires a new record, which the plan did not show, so nothing was sent. Plan again: the new plan shows the "+
			"replacement.", state.displayName()))
}

// claim reports conflicts of this plan with another plan for the same key: the service creates one record per key.
// Conflicts during apply are reported by the apply itself.
func (r *Resource) claim(p *object.Plan[model], m model, c run.Claim) {
	key, collection := m.IdempotencyKey, m.Collection.ValueString()
	if key.IsNull() || key.IsUnknown() || m.Collection.IsUnknown() || p.InApply() {
		return
	}
	for _, other := range p.Run.Claim(typeName, place(collection, strings.ToLower(key.ValueString())), c) {
		summary, detail := conflict(collection, key.ValueString(), c, other)
		if summary != "" {
			p.Diags.AddAttributeError(path.Root(attrIdempotencyKey), summary, detail)
		}
	}
}

// conflict describes the conflict of two plans for one key, in either order; "" if there is none.
func conflict(collection, key string, a, b run.Claim) (summary, detail string) {
	if a.ID == "" {
		a, b = b, a // b is the creation, if there is one
	}
	const another = "another UUID of version 4, for example from a random_uuid resource"
	old := fmt.Sprintf("record %s in %s", a.ID, collection)
	switch {
	case a.ID == "":
		because := "their bodies are the same"
		if a.Given || b.Given {
			because = "their idempotency_key is the same (keys are not case-sensitive)"
		}
		return fmt.Sprintf("Two new records in %s have the key %s", collection, key), fmt.Sprintf("Two resources of this "+
			"plan create a record with this key, because %s. The service creates one record per key. Set "+
			"idempotency_key on one of them to %s.", because, another)
	case b.ID == "" && a.Destroyed:
		return fmt.Sprintf("The %s is deleted and created again with the same key", old), fmt.Sprintf("One address in this "+
			"plan destroys the %s, and another one creates a record with its key (%s): the resource was "+
			"probably renamed. The service creates one record per key. To keep the record, add a moved block from the old "+
			"address to the new one. To replace it, set idempotency_key on the new one to %s.", old, key, another)
	case b.ID == "" && b.Replaces != place(collection, a.ID):
		return fmt.Sprintf("The %s has the key of a new record", old), fmt.Sprintf("Another resource of this plan manages "+
			"the %s. It was created with the key (%s) of the new record. The service creates one record per "+
			"key, so both resources would manage that record. Set idempotency_key on the new one to %s.", old, key, another)
	case a.ID == b.ID && a.Destroyed != b.Destroyed:
		return fmt.Sprintf("The %s is deleted at one address and kept at another", old), fmt.Sprintf("Two addresses of the "+
			"state manage the %s (key %s), and this plan destroys one of them, which deletes the record. To keep it, remove "+
			"that address from the state only: with terraform state rm, a removed block with destroy = false, or by first "+
			"applying deletion_policy = \"abandon\".", old, key)
	}
	return "", ""
}
