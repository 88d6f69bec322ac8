package apikey

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
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
			diags.AddError("The API key does not work any more", fmt.Sprintf("API key %s %s, so there is nothing to manage. "+
				"Remove the import and let a new key be created.", k.ID, end))
		}
	},
}

// Read refreshes the state. A key that another system has ended is planned for re-creation; one whose expires_at has
// passed has ended as configured, so it stays in the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	p, before := readPhase(ctx, req.Private, &resp.Diagnostics), readSeen(ctx, req.Private, &resp.Diagnostics)
	prior, client, ok := r.BeginRead(ctx, req, resp)
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	client.Wrote(prior.ID.ValueString(), prior.since().ValueString(), "")
	key, err := scheme.Reread(ctx, client, prior.ID.ValueString(), p == phaseImporting)
	if err != nil && !api.IsNotFound(err) {
		apidiag.AddRead(&resp.Diagnostics, err, operation("read", prior), p != phaseImporting)
		return
	}
	now, _ := client.Now(ctx)
	end := ended(key, now)
	if key != nil && p != phaseImporting && (before.Superseded || earlier(expiryOf(key), prior.ExpiresAt)) {
		before.Superseded = true
		before.Successors = successorsOf(ctx, client, key)
	}
	if revoked(key) && before.unused() == nil && !passed(prior.ExpiresAt.ValueString(), now) {
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
		apidiag.Add(&resp.Diagnostics, err, operation("read a predecessor of", prior))
		return
	}
	state := prior.refreshed(key, end, p)
	state.PreviousKeys = predecessorList(left)
	if p == phaseImporting {
		// An import has nothing to compare with.
		prior.ExpiresAt = state.ExpiresAt
	}
	found := before.of(state, prior, now)
	if found.Superseded && key != nil && revoked(key) {
		// The run that rotated it has revoked it too, and was killed after that.
		state.ExpiresAt, found.Expired = expiryOf(key), true
	}
	warnSeen(found, state, prior, end, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	writePhase(ctx, resp.Private, p.refreshed(), &resp.Diagnostics)
	writeSeen(ctx, resp.Private, found, &resp.Diagnostics)
}

// refreshed is the state m as the service shows it now. end says why the key does not work any more, if it does not.
// Then the arguments stay as they are: nothing at the service can change, and the state may say more than the key
// ever had, see keepEnded. The secret stays in any case: no refresh puts clear text into the state.
func (m model) refreshed(key *collections.APIKey, end string, p phase) model {
	if revoked(key) {
		return m
	}
	state := fromAPI(key)
	state.setSecret(m.secret())
	if p != phaseImporting {
		state = state.preserve(m)
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
			fmt.Sprintf("The expiry of %s was moved earlier, to %s, as a rotation does: the key %s. The plan creates a new "+
				"key, with a new token, and revokes nothing: the old key stays in previous_keys until its grace period is over, "+
				"unless revoke_previous_keys is set. %[4]s To create no new key, set expires_at = %[2]q.",
				prior.displayName(), state.ExpiresAt.ValueString(), works, found.aboutSuccessors()))
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
		resp.Diagnostics.AddAttributeWarning(path.Root("token"), "The token of an imported key is not known",
			fmt.Sprintf("The service shows a token only when a key is created or rotated, so token is null for %q. To get a "+
				"new one, apply once with rotate_when_changed set, and once more with another value in it; the old key works "+
				"for grace_period_days from then on.", found.Name))
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
	m := fromAPI(k)
	m.setSecret(encrypt.Secret{})
	return object.Item{Name: k.Name + " (" + k.KeyPrefix + ")", Resource: m}, ended(k, now) == ""
}

const keySeen = "seen"

// seen is what the last refresh has found that depends on time or on other systems. Plans decide by it and not by a
// clock: so the plan that Terraform makes once more inside the apply, perhaps days later, decides as the one that was
// shown. It is stored in the private state.
type seen struct {
	// AgeDays is how many whole days the key had had its token. It is a number of days, so that the state changes
	// once a day at the most.
	AgeDays int64 `json:"age_days,omitempty"`
	// Expired says that the key's expires_at had passed.
	Expired bool `json:"expired,omitempty"`
	// Superseded says that the key ends earlier than before: another system has rotated it. It stays true for this key.
	Superseded bool `json:"superseded,omitempty"`
	// Successors are the keys that the rotation has created, and rotations of those, the newest last.
	Successors []successor `json:"successors,omitempty"`
}

func readSeen(ctx context.Context, store private.Store, diags *diag.Diagnostics) seen {
	return private.Get[seen](ctx, store, keySeen, diags)
}

func writeSeen(ctx context.Context, store private.Store, s seen, diags *diag.Diagnostics) {
	private.Set(ctx, store, keySeen, s, diags)
}

// of is what a refresh sees of a key that had the state prior and has the state m. Where the service does not show
// its time, the age stays the one that was seen before, and nothing has expired.
func (s seen) of(m, prior model, now time.Time) seen {
	const day = 24 * time.Hour
	if since, ok := fwtype.ParseMoment(m.since().ValueString()); ok && !now.IsZero() {
		s.AgeDays = int64(now.Sub(since) / day)
	}
	s.Expired = passed(m.ExpiresAt.ValueString(), now)
	s.Superseded = s.Superseded || earlier(m.ExpiresAt, prior.ExpiresAt)
	return s
}

// earlier reports whether a key that ends at one time ends before another; none is never.
func earlier(one, other fwtype.DateTime) bool {
	at, ends := fwtype.ParseMoment(one.ValueString())
	before, ended := fwtype.ParseMoment(other.ValueString())
	return ends && !one.Means(other) && (other.IsNull() || ended && at.Before(before))
}

// overdue reports whether the age of the key asks for a rotation, or may ask for one as long as rotate_after_days is
// not known.
func (s seen) overdue(m model) bool {
	switch {
	case m.RotateAfterDays.IsNull():
		return false
	case m.RotateAfterDays.IsUnknown():
		return s.AgeDays >= lowestAgeDays
	}
	return s.AgeDays >= m.RotateAfterDays.ValueInt64()
}

const keyPhase = "phase"

// phase is how far the import of a key has come. It is stored in the private state.
//
// What an import must not do, replace and rotate, it must not do until the first apply that changes the resource: any
// number of refreshes may come before it, as terraform import has one of its own. A configuration that says exactly
// what the key has leaves nothing to apply, so such a key keeps the guard. Its triggers work all the same: the first
// value is such an apply. Only a replacement has to wait for one, and the rejection says so.
type phase string

const (
	// phaseManaged is that of a key that was not imported, or whose import is over.
	phaseManaged phase = ""
	// phaseImporting is that between the import and the first refresh.
	phaseImporting phase = "importing"
	// phaseImported is that from the first refresh to the first apply.
	phaseImported phase = "imported"
)

func readPhase(ctx context.Context, store private.Store, diags *diag.Diagnostics) phase {
	if object.Importing(ctx, store, diags) {
		return phaseImporting
	}
	return private.Get[phase](ctx, store, keyPhase, diags)
}

func writePhase(ctx context.Context, store private.Store, p phase, diags *diag.Diagnostics) {
	object.MarkImport(ctx, store, p == phaseImporting, diags)
	private.Set(ctx, store, keyPhase, p, diags)
}

// refreshed is the phase after a refresh.
func (p phase) refreshed() phase {
	if p == phaseImporting {
		return phaseImported
	}
	return p
}
