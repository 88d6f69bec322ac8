package apikey

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
)

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
	// again, and replacing it would revoke it in its grace period. An argument that is not known yet may ask for that: the
	// plan shows the id as known after apply then, as the apply cannot create a key that the plan did not show.
	creates bool
	// takes says that instead of that the successor of the other rotation is rotated: a run was killed in the middle of it.
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
	d.creates = s.Superseded && (len(d.differs) > 0 || !plan.settled() || moved || due || d.takes)
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

// settled reports whether all arguments of a new key are known.
func (m model) settled() bool {
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

// asked reports whether the configuration asks for a rotation: the trigger had values and they change, or the key was too
// old at the refresh. A key that was imported is not rotated by the first plan.
func (p planning) asked() bool {
	if p.phase != phaseManaged {
		return false
	}
	had, has := p.state.RotateWhenChanged, p.plan.RotateWhenChanged
	triggered := len(had.Elements()) > 0 && (has.IsUnknown() || len(has.Elements()) > 0) && !has.Equal(had)
	return triggered || p.seen.overdue(p.plan)
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
			fmt.Sprintf("%s has another %s than the configuration, which only a new key can have: this one would be revoked. "+
				"Set what the key has (%s). A replacement can be planned after the first apply that changes this resource; "+
				"where nothing is left to change, apply rotate_when_changed = { imported = \"done\" } first, which rotates "+
				"nothing.", p.state.displayName(), at, p.state.configured()))
	}
}

// update decides the computed values of an update.
func (p *planning) update(diags *diag.Diagnostics) {
	p.plan.ExpiresAt = p.plan.ExpiresAt.Or(p.state.ExpiresAt)
	if p.fulfilled {
		p.keepEnded(diags)
	}
	if p.rotates {
		p.plan.forgetRotated()
	}
	if p.creates {
		p.plan.Source = types.StringUnknown()
	}
	p.plan.setSecret(p.state.secret().Planned(p.plan.AgeRecipients, p.rotates))
	if !p.rotates {
		p.state.secret().Warn(p.state.AgeRecipients, p.plan.AgeRecipients, encrypt.Names{Object: "the " + p.state.displayName(),
			Clear: "token", Encrypted: "encrypted_token", Trigger: "rotate_when_changed"}, diags)
	}
	p.plan.RotationDueAt = p.plan.dueAt()
	p.plan.foreseeRevocation()
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
			fmt.Sprintf("The %s has expired, so the change of %s has no effect at the service. To get a new key with it, set "+
				"a later expires_at or remove the argument.", state.displayName(), strings.Join(ignored, ", ")))
	}
}

// configured is what an import of the key needs in the configuration.
func (m model) configured() string {
	return fmt.Sprintf("name = %s, description = %s, scopes = %s, expires_at = %s",
		m.Name, m.Description, m.Scopes, m.ExpiresAt.StringValue)
}
