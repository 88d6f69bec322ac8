package apikey

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// scheme is how keys are named and found.
var scheme = object.Scheme[*collections.Service, collections.APIKey]{
	TypeName: typeName, Noun: "API key", Key: "name", AnyID: true, MutableIdentity: true,
	Service: conn.Collections,
	ID:      func(k *collections.APIKey) string { return k.ID },
	Get:     (*collections.Service).GetAPIKey,
	Listed:  (*collections.Service).RefreshAPIKey,
	Find: func(ctx context.Context, client *collections.Service, by object.Selector) ([]collections.APIKey, error) {
		return client.FindAPIKeys(ctx, by.Value)
	},
	Line: func(k *collections.APIKey) string {
		return fmt.Sprintf("%s  %s (created %s)", k.ID, k.KeyPrefix, k.CreatedAt)
	},
	Refuse: func(ctx context.Context, client *collections.Service, k *collections.APIKey, _ object.Selector,
		diags *diag.Diagnostics) {
		now, _ := client.Now(ctx)
		if end := ended(k, now); end != "" {
			diags.AddError(fmt.Sprintf("API key %q (id %s) does not work any more", k.Name, k.ID), fmt.Sprintf("It %s, so "+
				"there is nothing to manage. Remove the import and let a new key be created.", end))
		}
	},
}

// Read refreshes the state. A key that another system has ended is planned for re-creation; one whose expires_at has
// passed has ended as configured, so it stays in the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	k := readKnown(ctx, req.Private, &resp.Diagnostics)
	prior, client, ok := r.BeginRead(ctx, req, resp)
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	client.Wrote(prior.ID.ValueString(), prior.since().ValueString(), "")
	key, err := scheme.Reread(ctx, client, prior.ID.ValueString(), importing)
	if err != nil && !api.IsNotFound(err) {
		apidiag.AddRead(&resp.Diagnostics, err, operation("read", prior), !importing)
		return
	}
	now, _ := client.Now(ctx)
	if revoked(key) && !passed(prior.ExpiresAt.ValueString(), now) {
		again := "creates a new key, with a new token"
		if left := predecessorsOf(prior.PreviousKeys); len(left) > 0 {
			again += ". These previous_keys leave the state too, and keep working until grace_until, where they have one:\n"
			for _, p := range left {
				again += fmt.Sprintf("\n  %s (%s): %s", p.id.ValueString(), p.prefix.ValueString(), p.graceUntil)
			}
			again += "\n\nTo end one, revoke it at the service"
		}
		r.Gone(ctx, prior.ID, prior.displayName(), gone(key), again, resp)
		return
	}
	r.Run().Refreshed(typeName, prior.ID.ValueString())
	left, err := inGrace(ctx, client, predecessorsOf(prior.PreviousKeys), now)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, operation("read a previous key of", prior))
		return
	}
	state := prior
	if revoked(key) {
		k.Expiry = prior.ExpiresAt.ValueStringPointer() // it has ended before, in any case
	} else {
		end := text(key.ExpiresAt)
		k.Rotated = k.Rotated || !importing && k.Expiry != nil && earlier(end, *k.Expiry)
		k.Expiry = &end
		state = prior.refreshed(key, ended(key, now) != "")
		if importing {
			state = fromAPI(key)
		}
	}
	state.PreviousKeys = predecessorList(left)
	k.Imported = importing
	k = k.at(state, now)
	k.Endings = slices.DeleteFunc(k.Endings, func(e ending) bool {
		return e.Successor == "" && !slices.ContainsFunc(left, func(p predecessor) bool { return p.id.ValueString() == e.ID })
	})
	state.RotationDueAt = state.dueAt(k.end())
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
	k.write(ctx, resp.Private, &resp.Diagnostics)
}

// refreshed is the state m as the service shows it now. Where the key does not work any more, the arguments stay as
// they are: nothing at the service can change, and the state may say more than the key ever had.
func (m model) refreshed(key *collections.APIKey, ended bool) model {
	state := m.shows(key)
	state.CreatedAt = m.CreatedAt
	if ended {
		state.Name, state.Description, state.Scopes = m.Name, m.Description, m.Scopes
	}
	return state
}

// inGrace leaves out the predecessors whose grace period is over, or which were revoked before.
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

// gone words how a key has ended for another system's doing.
func gone(k *collections.APIKey) string {
	if k == nil {
		return "was deleted"
	}
	return "was revoked"
}

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

// ImportState finds the key by its id, or by name=<value>.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest,
	resp *resource.ImportStateResponse) {
	if found := scheme.Import(ctx, r.Conn.Collections, req, resp); found != nil {
		resp.Diagnostics.AddAttributeWarning(path.Root("token"),
			fmt.Sprintf("The token of the imported API key %q (id %s) is not known", found.Name, found.ID),
			"The service shows a token only when a key is created or rotated, so token is null. To get a new one, apply once "+
				"with rotate_when_changed set, and once more with another value in it; the old key works for "+
				"grace_period_days from then on.")
	}
}

type lists = object.ListResource[*collections.Service, collections.APIKey, struct{}]

// ListResource lists keys for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource. The service offers no filters.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme, Describe: describe,
		About: "Lists the API keys of the organization that are neither revoked nor expired, oldest first, " +
			"so that `terraform query` can write their configuration and import them. Tokens are not part of it, and the " +
			"service offers no filters." + object.ListNeeds("billing_api_keys"),
		Query: func(ctx context.Context, client *collections.Service, _ struct{}) iter.Seq2[collections.APIKey, error] {
			return client.ListAPIKeys(ctx)
		}}}
}

// describe is a key in a listing. Revoked and expired ones cannot be managed, so they are left out.
func describe(ctx context.Context, client *collections.Service, k *collections.APIKey) (object.Item, bool) {
	now, _ := client.Now(ctx)
	return object.Item{Name: k.Name + " (" + k.KeyPrefix + ")", Resource: fromAPI(k)}, ended(k, now) == ""
}
