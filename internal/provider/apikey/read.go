package apikey

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

// Read refreshes the state. A key that another system has ended is planned again; one whose expires_at has passed has
// ended as configured, so it stays in the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var prior model
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	p, before := readPhase(ctx, req.Private, &resp.Diagnostics), readSeen(ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Collections.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	key, err := client.GetAPIKey(ctx, prior.ID.ValueString())
	if err != nil && !api.IsNotFound(err) {
		apidiag.Add(&resp.Diagnostics, err, doing("read", prior))
		return
	}
	now, _ := client.Now(ctx)
	end := ended(key, now)
	if revoked(key) && !passed(prior.ExpiresAt.ValueString(), now) {
		r.Run().Gone(typeName, prior.ID.ValueString())
		resp.Diagnostics.AddWarning("An API key is gone",
			fmt.Sprintf("The %s %s. If it is still configured, the plan creates a new key, with a new token.",
				prior.displayName(), end))
		resp.State.RemoveResource(ctx)
		return
	}
	r.Run().Refreshed(typeName, prior.ID.ValueString())
	left, err := inGrace(ctx, client, predecessorsOf(prior.PreviousKeys), now)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("read a predecessor of", prior))
		return
	}
	state := prior.refreshed(key, end, p)
	state.PreviousKeys = predecessorList(left)
	if p == phaseImporting {
		// An import has nothing to compare with.
		prior.ExpiresAt = state.ExpiresAt
	}
	found := before.of(state, prior, now)
	warnSeen(found, state, prior, end, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	writePhase(ctx, resp.Private, p.refreshed(), &resp.Diagnostics)
	writeSeen(ctx, resp.Private, found, &resp.Diagnostics)
}

// refreshed is the state m as the service shows it now. end says why the key does not work any more, if it does not.
// Then the arguments stay as they are: nothing at the service can change, and the state may say more than the key
// ever had, see keepEnded.
func (m model) refreshed(key *collections.APIKey, end string, p phase) model {
	if revoked(key) {
		return m
	}
	state := fromAPI(key)
	if p != phaseImporting {
		state = state.keeping(m)
		state.CreatedAt, state.RotatedAt = m.CreatedAt, m.RotatedAt
		if end != "" {
			state.Name, state.Description, state.Scopes = m.Name, m.Description, m.Scopes
		}
	}
	state.RotationDueAt = state.dueAt()
	return state
}

// warnSeen reports why a key ends, or has ended, otherwise than it was applied, and what the plan makes of that.
func warnSeen(found seen, state, prior model, end string, diags *diag.Diagnostics) {
	at := path.Root("expires_at")
	switch {
	case found.Superseded:
		works := "is in its grace period and works until then"
		if found.Expired {
			works = "does not work any more"
		}
		diags.AddAttributeWarning(at, "An API key was rotated outside of Terraform",
			fmt.Sprintf("The expiry of %s was moved earlier, to %s, as a rotation does: the key %s. The plan creates a new key, "+
				"with a new token, and revokes nothing: the old key stays in previous_keys until its grace period is over, "+
				"unless revoke_previous_keys is set. The successor that the other rotation created is not managed here. To "+
				"create no new key, set expires_at = %[2]q.", prior.displayName(), state.ExpiresAt.ValueString(), works))
	case found.Expired:
		diags.AddAttributeWarning(at, "An API key has expired",
			fmt.Sprintf("The %s %s, and its expires_at has passed. It stays in the state, and nothing is planned for it. To "+
				"get a new key, set a later expires_at or remove the argument. To manage the key no longer, remove the "+
				"resource.", prior.displayName(), end))
	case !state.ExpiresAt.Means(prior.ExpiresAt):
		diags.AddAttributeWarning(at, "An API key expires at another time",
			fmt.Sprintf("The API returned %s as the expiry of %s, and it was %s. Only a new key can have another expiry.",
				state.ExpiresAt, prior.displayName(), prior.ExpiresAt))
	}
}

// inGrace leaves out the predecessors whose grace is over, or which were revoked before.
func inGrace(ctx context.Context, client *collections.Service, all []predecessor, now time.Time) (
	left []predecessor, err error) {
	for _, p := range running(all, now) {
		key, err := client.GetAPIKey(ctx, p.id.ValueString())
		if err != nil && !api.IsNotFound(err) {
			return nil, err
		}
		if ended(key, now) == "" {
			left = append(left, p)
		}
	}
	return left, nil
}

// revoked reports whether another system has ended the key. No key means that the service does not have it.
func revoked(k *collections.APIKey) bool { return k == nil || k.RevokedAt != nil }

// ended words why a key does not work any more by the service's clock; empty while it does.
func ended(k *collections.APIKey, now time.Time) string {
	switch {
	case k == nil:
		return "does not exist any more at the service"
	case k.RevokedAt != nil:
		return "was revoked outside of Terraform at " + *k.RevokedAt
	case k.ExpiresAt != nil && passed(*k.ExpiresAt, now):
		return "has expired at " + *k.ExpiresAt
	}
	return ""
}
