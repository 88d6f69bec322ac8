// Package run records what a run of the provider learns about its objects.
package run

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Run records what a configured provider has refreshed and planned so far. Terraform configures a provider once for the
// plan and once for the apply, so a Run covers exactly one of the two.
//
// Terraform gives a resource no information about other resources. A reference to an object that is being replaced and
// a reference that is unknown for another reason look the same. The Run distinguishes them.
//
// The zero Run is ready to use; a nil Run records nothing. It is safe for concurrent use.
type Run struct {
	mu      sync.Mutex
	objects map[ref]*known
	lists   map[string]*sharedList // by type; see Listed
	claims  map[[2]string][]Claim  // by type and key; see Claim
	applied atomic.Bool
}

type ref struct{ typeName, id string }

// known is what a run knows about an object so far.
type known struct {
	status
	read     bool   // it was refreshed
	owner    ref    // the object is deleted with its owner
	unusable bool   // after its plan, no new object may refer to it
	created  string // its name, if this run has created it
}

// of calls do with what is known about an object, under the lock. UUIDs are compared case-insensitively.
func (r *Run) of(typeName, id string, do func(*known)) {
	if r == nil || id == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	do(r.at(key(typeName, id)))
}

func (r *Run) at(object ref) *known {
	if r.objects[object] == nil {
		if r.objects == nil {
			r.objects = map[ref]*known{}
		}
		r.objects[object] = &known{}
	}
	return r.objects[object]
}

func key(typeName, id string) ref { return ref{typeName, strings.ToLower(id)} }

// status is the last event of an object.
type status int

const (
	unseen status = iota
	// refreshed: it was read and has not been planned since.
	refreshed
	// gone: the refresh did not find it, so a configured resource plans a new one.
	gone
	// kept: its plan leaves it in place.
	kept
	// replaced: its plan creates another object instead.
	replaced
	// removed: its plan removes it without a replacement.
	removed
)

// keyPlannedID is the key of the private state under which the plan of an object stores its id. For a replacement,
// Terraform plans twice, and the private state of the first plan is the only link to the second.
var keyPlannedID = private.Key("planned_id")

// Refreshed records that the object was read.
func (r *Run) Refreshed(typeName, id string) {
	r.of(typeName, id, func(k *known) {
		if k.read = true; k.status != removed {
			k.status = refreshed
		}
	})
}

// WasRefreshed reports whether the object was read in this run, and exists.
func (r *Run) WasRefreshed(typeName, id string) (was bool) {
	r.of(typeName, id, func(k *known) { was = k.read })
	return was
}

// Gone records that a refresh found the object deleted, closed or revoked.
func (r *Run) Gone(typeName, id string) {
	r.of(typeName, id, func(k *known) {
		if k.status != removed {
			k.status = gone
		}
	})
}

// PlanCreate records the plan of an object without a state: a new object, or the new one of a replacement. store is
// ModifyPlanRequest.Private. It also records replacements that the configuration did not cause, such as terraform plan
// -replace.
//
// It returns whether the new object replaces an existing one, which the apply removes first. The plan of a tainted
// object cannot know that.
func (r *Run) PlanCreate(ctx context.Context, typeName string, store private.State, diags *diag.Diagnostics) bool {
	id := Replaced(ctx, store, diags)
	r.of(typeName, id, func(k *known) { k.status = replaced })
	return r != nil && id != ""
}

// Replaced returns the id, recorded by PlanUpdate, of the object that a planned creation replaces; "" if it replaces
// none, or a tainted one. store is ModifyPlanRequest.Private.
func Replaced(ctx context.Context, store private.State, diags *diag.Diagnostics) string {
	return private.Get[string](ctx, store, keyPlannedID, diags)
}

// PlanUpdate records the plan of an existing object, and returns whether the plan may request its replacement. wanted
// is true if the configuration requires a replacement. In the second plan, inside the apply (see Applying), it returns
// false: there the update must fail before it sends anything. store is ModifyPlanResponse.Private.
func (r *Run) PlanUpdate(ctx context.Context, typeName, id string, wanted, deferralAllowed bool, store private.State,
	diags *diag.Diagnostics) bool {
	private.Set(ctx, store, keyPlannedID, id, diags)
	if r.Applying(typeName, id, deferralAllowed) {
		return false
	}
	r.of(typeName, id, func(k *known) {
		if k.status = kept; wanted {
			k.status = replaced
		}
	})
	return wanted
}

// PlanDestroy records the plan of the removal of an object. A refresh after it does not reset that.
func (r *Run) PlanDestroy(typeName, id string) {
	r.of(typeName, id, func(k *known) { k.status = removed })
}

// MarkUnusable records that an object will reject references from new objects after its plan, as a suspended account
// rejects new subscriptions. Terraform plans an object before those that refer to it.
func (r *Run) MarkUnusable(typeName, id string) {
	r.of(typeName, id, func(k *known) { k.unusable = true })
}

// Unusable reports whether MarkUnusable was called for the object.
func (r *Run) Unusable(typeName, id string) (is bool) {
	r.of(typeName, id, func(k *known) { is = k.unusable })
	return is
}

// Applies records that an object is being created, updated or deleted: the provider was configured for an apply.
func (r *Run) Applies() {
	if r != nil {
		r.applied.Store(true)
	}
}

// Applied reports whether this run has started to apply.
func (r *Run) Applied() bool { return r != nil && r.applied.Load() }

// Creates records that this run has created the object, with its name in messages.
func (r *Run) Creates(typeName, id, name string) {
	r.of(typeName, id, func(k *known) { k.created = name })
}

// Created returns the name of an object that this run has created; "" for others.
func (r *Run) Created(typeName, id string) (name string) {
	r.of(typeName, id, func(k *known) { name = k.created })
	return name
}

// TypeOf returns another type of which this run has read an object with the id; "" if there is none.
func (r *Run) TypeOf(id, except string) string {
	if r == nil || id == "" {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for object, known := range r.objects {
		if object.id == strings.ToLower(id) && object.typeName != except && known.read {
			return object.typeName
		}
	}
	return ""
}

// Belongs records that the object is deleted with its owner: the service closes the accounts of a deleted customer.
func (r *Run) Belongs(typeName, id, ownerType, ownerID string) {
	if ownerID != "" {
		r.of(typeName, id, func(k *known) { k.owner = key(ownerType, ownerID) })
	}
}

// Replaces reports whether, in this run, the object was planned for replacement or found to be gone: a reference to it
// will get another value. An object that the run does not manage itself is replaced with its owner.
//
// Terraform plans a tainted object as a creation, without its state and its private state. The old object is not
// identifiable in that plan, so it counts as kept. If the reference in another object then differs from the plan, the
// update of that object fails.
func (r *Run) Replaces(typeName, id string) bool {
	at := r.statusOf(typeName, id)
	return at == gone || at == replaced
}

// Removes reports whether this run, as far as known, removes the object or its owner without a replacement.
func (r *Run) Removes(typeName, id string) bool { return r.statusOf(typeName, id) == removed }

// statusOf returns the status of the object, or that of its owner if the run does not manage the object itself.
func (r *Run) statusOf(typeName, id string) (at status) {
	r.of(typeName, id, func(k *known) {
		if k.status == unseen && k.owner != (ref{}) {
			k = r.at(k.owner)
		}
		at = k.status
	})
	return at
}

// Applying reports whether a plan is the second one, inside the apply, when all values are known. It must not request a
// replacement that the first one did not show; Terraform would report that as a bug in the provider. Before the first
// plan, the object was refreshed in the same run.
//
// Without a refresh (-refresh=false), deferral distinguishes the two: Terraform allows a provider to defer in every
// apply, but not in a plan. OpenTofu never allows it, so there the only evidence is that the run has started to apply.
// deferralAllowed is ModifyPlanRequest.ClientCapabilities.DeferralAllowed. Call Applying before PlanUpdate, which
// records the plan.
func (r *Run) Applying(typeName, id string, deferralAllowed bool) bool {
	seen := false
	r.of(typeName, id, func(k *known) { seen = k.status != unseen })
	return !seen && (deferralAllowed || r.Applied())
}

// Claim is what a plan does with the object of a key that only one object can have.
type Claim struct {
	ID        string // "": it creates the object
	Name      string // in messages
	Takes     bool   // the object does not have the key yet
	Destroyed bool   // it deletes the object
	Given     bool   // the key is configured; otherwise the provider derives it
	Replaces  string // the id of the object that is replaced by the one it creates
}

// Claim records a claim, and returns earlier ones for the same key of the type.
func (r *Run) Claim(typeName, key string, c Claim) (others []Claim) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.claims == nil {
		r.claims = map[[2]string][]Claim{}
	}
	of := [2]string{typeName, key}
	others = slices.Clone(r.claims[of])
	r.claims[of] = append(others, c)
	return slices.Clip(others)
}

// sharedList is a list that is read once per run.
type sharedList struct {
	lookups int           // the lookups that were made without it
	read    chan struct{} // closed when it was read; nil: nobody reads it yet
	items   any           // []T
	err     error
}

// mostLookups is how many lookups with a filter are made before all objects of a type are listed.
const mostLookups = 4

// Listed returns the objects of a type among which an object is looked up. The first lookups of a run use filtered, a
// list of fewer objects; it may be nil. The others share a list of all objects.
func Listed[T any](ctx context.Context, r *Run, typeName string,
	filtered, all func(context.Context) iter.Seq2[T, error]) ([]T, error) {
	r.mu.Lock()
	if r.lists == nil {
		r.lists = map[string]*sharedList{}
	}
	l := r.lists[typeName]
	if l == nil {
		l = &sharedList{}
		r.lists[typeName] = l
	}
	if filtered != nil && l.lookups < mostLookups {
		l.lookups++
		r.mu.Unlock()
		return api.Collect(filtered(ctx))
	}
	known := l.read != nil
	if !known {
		l.read = make(chan struct{})
	}
	r.mu.Unlock()
	if known {
		select {
		case <-l.read:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		items, _ := l.items.([]T)
		return items, l.err
	}
	defer close(l.read)
	items, err := api.Collect(all(ctx))
	l.items, l.err = items, err
	return items, err
}
