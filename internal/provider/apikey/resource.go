// Package apikey is the API key of the collections service: the resource with its rotation, the ephemeral resource, the
// data sources and the list resource.
package apikey

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fields"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/wire"
)

type base = object.Resource[*collections.Service, collections.APIKey, model]

// Resource is billing_api_key.
type Resource struct{ base }

var _ object.Managed = (*Resource)(nil)

// NewResource returns the resource.
func NewResource() resource.Resource { return &Resource{base{Scheme: scheme}} }

// ValidateConfig reports arguments that cannot be used together.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var m model
	resp.Diagnostics.Append(fields.Get(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !m.ExpiresAt.IsNull() && !m.ExpiresAfterDays.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("expires_after_days"), fmt.Sprintf("API key %q has two expiries",
			m.Name.ValueString()), "expires_at is a fixed time, and expires_after_days a lifetime that every new key gets. "+
			"Remove one of them.")
	}
	m.refuseLifetime(&resp.Diagnostics)
}

// write is a creation, an update or a deletion in progress: what the state and the private state hold.
type write struct {
	*object.Write[*collections.Service, collections.APIKey, model]
	state model
	known known
}

// save writes both. It is called after each response, before the next request.
func (w *write) save(ctx context.Context) {
	w.Save(ctx, w.state.ID, w.state)
	w.known.write(ctx, w.Private, w.Diags)
}

// owns reports whether a key is known, so that it is none that a lost response has left.
func (w *write) owns(key collections.APIKey) bool {
	return owned(w.State, w.known, key) || owned(w.state, w.known, key)
}

// fail reports an error of the service.
func (w *write) fail(err error, verb string) { apidiag.Add(w.Diags, err, operation(verb, w.state)) }

// Create creates the key and writes its token to the state at once, as it is never shown again.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	begun, ok := r.BeginCreate(ctx, req, resp)
	begun.Plan.secret().Reject(begun.Plan.AgeRecipients, begun.Diags)
	if !ok || begun.Diags.HasError() {
		return
	}
	w := &write{Write: begun, state: begun.Plan}
	if key, expiry := w.create(ctx, "A second apply creates another key."); key != nil {
		w.take(ctx, key, expiry, nil)
	}
}

// create sends the creation, and returns the key with its expiry; nil where that has failed.
func (w *write) create(ctx context.Context, next string) (*collections.APIKey, *string) {
	var now time.Time
	if !w.Plan.ExpiresAfterDays.IsNull() {
		var shown bool
		if now, shown = w.Client.Now(ctx); !shown {
			w.Diags.AddAttributeError(path.Root("expires_after_days"), fmt.Sprintf("No time for %s", w.Plan.displayName()),
				"The lifetime begins now by the clock of the service, and no response of it has a Date. Set expires_at.")
			return nil, nil
		}
	}
	body := w.Plan.toCreate(now)
	key, err := w.Client.CreateAPIKey(ctx, body)
	switch {
	case err == nil && key.ExpiresAt != nil:
		return key, key.ExpiresAt
	case err == nil:
		return key, new(wire.FilledOrNull(body.ExpiresAt).ValueString())
	case !lostKey(err, w.Plan.displayName(), next, w.owns, w.Diags):
		apidiag.Add(w.Diags, err, operation("create", w.Plan))
	}
	return nil, nil
}

// take writes a new key to the state, before anything else happens. old are the keys that it replaces.
func (w *write) take(ctx context.Context, key *collections.APIKey, expiry *string, old []predecessor) {
	now, _ := w.Client.Now(ctx)
	next := w.Plan.shows(key)
	next.PreviousKeys, next.RotatedAt = predecessorList(old), types.StringNull()
	if !w.State.ID.IsNull() {
		next.CreatedAt, next.RotatedAt = w.State.CreatedAt, next.CreatedAt
		if next.RotatedAt.IsNull() && !now.IsZero() {
			next.RotatedAt = types.StringValue(now.Format(time.RFC3339))
		}
	}
	next.setSecret(encrypt.Secret{Clear: types.StringPointerValue(key.Token)}.Stored(next.AgeRecipients, w.Diags))
	plan := w.Plan
	plan.PreviousKeys = types.ListUnknown(predecessorType) // those to be revoked are there until they are
	settle.Warn(settle.Onto(ctx, &plan, &next), next.displayName(), arguments, w.Diags)
	w.known = known{Expiry: expiry, Endings: w.known.Endings}.at(next, now)
	next.RotationDueAt = next.dueAt(w.known.end())
	w.state = next
	w.save(ctx)
	if key.Token == nil {
		w.Diags.AddAttributeWarning(path.Root("token"), fmt.Sprintf("The token of %s is not known", next.displayName()),
			"The service has not shown it. Change a value in rotate_when_changed to get a new key.")
	}
}

// Update creates the new key that the plan has shown, writes its token to the state, and then ends the old ones. What a
// failure leaves is in the state, and the next apply continues there.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	begun, ok := r.BeginUpdate(ctx, req, resp)
	begun.Plan.secret().Reject(begun.Plan.AgeRecipients, begun.Diags)
	w := &write{Write: begun, state: begun.State, known: readKnown(ctx, begun.Private, begun.Diags)}
	d := decide(w.Plan, w.State, w.known)
	// The plan decided about the new key; it is not decided again, as time has passed since.
	if d.fresh && !w.Plan.ID.IsUnknown() {
		w.Diags.AddError(fmt.Sprintf("The plan has not shown a new key for %s", w.State.displayName()),
			"A value that was not known has turned out to need one. Nothing was sent. Plan again.")
	}
	r.refuseOwnInUpdate(d, w.Diags)
	if !ok || w.Diags.HasError() {
		return
	}
	if w.known.Imported {
		w.known.Imported, w.known.Owed = false, len(d.differs) > 0
	}
	if !d.fresh {
		w.keep(ctx)
	} else if !w.renew(ctx, d.inherits) {
		return
	}
	if w.finish(ctx) && w.Plan.RevokePreviousKeys.ValueBool() {
		w.revoke(ctx, r.ownLast(w.state, predecessorsOf(w.state.PreviousKeys)))
	}
}

// keep writes the plan to the state where the key stays.
func (w *write) keep(ctx context.Context) {
	next := w.Plan
	next.ID, next.KeyPrefix, next.Source, next.RotatedAt = w.State.ID, w.State.KeyPrefix, w.State.Source, w.State.RotatedAt
	next.PreviousKeys = w.State.PreviousKeys
	next.setSecret(w.State.secret().Stored(next.AgeRecipients, w.Diags))
	next.RotationDueAt = next.dueAt(w.known.end())
	w.state = next
	w.save(ctx)
}

// Delete revokes the predecessors that still work, and then the key. Those that are revoked when it fails are out of
// the state.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	begun, ok := r.BeginDelete(ctx, req, resp, func(m model, diags *diag.Diagnostics) bool {
		r.refuseOwn(m, m.AllowOwnKey, "destroy", m.all(), diags)
		return diags.HasError()
	})
	if !ok {
		return
	}
	w := &write{Write: begun, state: begun.State, known: readKnown(ctx, begun.Private, begun.Diags)}
	for _, e := range w.known.Endings {
		if e.Successor != "" && !w.discard(ctx, e) {
			return
		}
	}
	all := w.state.all()
	w.revoke(ctx, r.ownLast(w.state, append(all[1:], all[0])))
}

// operation describes an operation on the key for an error.
func operation(verb string, m model) apidiag.Operation {
	return apidiag.Operation{Verb: verb, Object: m.displayName(), Model: m, TypeName: typeName, Attributes: arguments}
}

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{"name", "description", "scopes", "expires_at", "grace_period_days"}
