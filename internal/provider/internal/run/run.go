// Package run is what one run of the provider knows of its objects.
package run

import (
	"context"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Run is what a configured provider has refreshed and planned so far. Terraform configures a provider once for the plan
// and once more for the apply, so a Run covers exactly one of the two.
//
// Terraform gives a resource no information about other resources. A reference to an object that is being replaced and
// a reference that is not known yet for another reason look the same: unknown. The Run distinguishes them.
//
// The zero Run is ready to use, a nil one remembers nothing. It is safe for concurrent use.
type Run struct {
	mu      sync.Mutex
	objects map[ref]*known
	lists   map[string]*listing // by type; see Listed
	applied atomic.Bool
}

type ref struct{ typeName, id string }

// known is what a run knows of an object so far.
type known struct {
	status
	read  bool // it was refreshed
	owner ref  // it goes when its owner goes
	bars  bool // its plan leaves it such that no new object may refer to it
}

// of hands what is known of an object to do, under the lock. UUIDs compare without case.
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

// status is what has happened to an object last.
type status int

const (
	unseen status = iota
	// refreshed: it was read, and not planned since.
	refreshed
	// gone: the refresh found that it does not exist any more, so a configured resource plans a new one.
	gone
	// kept: its plan leaves it in place.
	kept
	// replaced: its plan creates another object instead.
	replaced
	// removed: its plan removes it, and nothing takes its place.
	removed
)

// keyPlannedID is the key of the private state under which the plan of an object hands its id on. Terraform passes the
// private state of the first plan to the second one that it makes for a replacement, and nothing else that links the
// two.
const keyPlannedID = "planned_id"

// Refreshed notes that the object was read.
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

// Gone notes that a refresh found the object deleted, closed or revoked.
func (r *Run) Gone(typeName, id string) {
	r.of(typeName, id, func(k *known) {
		if k.status != removed {
			k.status = gone
		}
	})
}

// PlanCreate notes the plan of an object without a state: a new object, or the new one of a replacement. store is
// ModifyPlanRequest.Private. It notes also a replacement that the configuration did not cause, such as terraform plan
// -replace.
//
// It returns whether the new object replaces one that exists, which the apply removes first. Of a tainted object no
// plan can know that.
func (r *Run) PlanCreate(ctx context.Context, typeName string, store private.State, diags *diag.Diagnostics) bool {
	id := Replaced(ctx, store, diags)
	r.of(typeName, id, func(k *known) { k.status = replaced })
	return r != nil && id != ""
}

// Replaced returns the id that PlanUpdate has noted for the object that a planned creation replaces; "" where it
// replaces none, or a tainted one. store is ModifyPlanRequest.Private.
func Replaced(ctx context.Context, store private.State, diags *diag.Diagnostics) string {
	return private.Get[string](ctx, store, keyPlannedID, diags)
}

// PlanUpdate notes the plan of an object that exists, and returns whether the plan may ask for its replacement. wanted
// says that only a new object can have what the configuration asks for. It returns false in the second plan that
// Terraform makes inside the apply, see Applying: there the update has to fail before it sends anything. store is
// ModifyPlanResponse.Private.
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

// PlanDestroy notes the plan of the removal of an object. Terraform refreshes the object after it, which changes
// nothing about that.
func (r *Run) PlanDestroy(typeName, id string) {
	r.of(typeName, id, func(k *known) { k.status = removed })
}

// Bars notes that the plan of an object leaves it such that the service takes no new object for it, as a suspended
// account takes no subscription. Terraform plans an object before those that refer to it.
func (r *Run) Bars(typeName, id string) { r.of(typeName, id, func(k *known) { k.bars = true }) }

// Barred reports whether the plan of an object has noted that.
func (r *Run) Barred(typeName, id string) (is bool) {
	r.of(typeName, id, func(k *known) { is = k.bars })
	return is
}

// Applies notes that an object is being created, updated or deleted: the provider was configured for an apply.
func (r *Run) Applies() {
	if r != nil {
		r.applied.Store(true)
	}
}

// Applied reports whether this run has begun to apply.
func (r *Run) Applied() bool { return r != nil && r.applied.Load() }

// Belongs notes that the object goes when its owner goes: the service closes the accounts of a customer that is
// deleted.
func (r *Run) Belongs(typeName, id, ownerType, ownerID string) {
	if ownerID != "" {
		r.of(typeName, id, func(k *known) { k.owner = key(ownerType, ownerID) })
	}
}

// Replaces reports whether the plan of the object has said in this run that it is replaced, or its refresh that it is
// gone: a reference to it will get another value. An object that the run does not manage itself is replaced with its
// owner.
//
// Terraform plans a tainted object as a creation, without its state and its private state. Nothing shows which object
// that replaces, so it counts as kept. The update of an object that turns out to refer to another one than planned
// fails.
func (r *Run) Replaces(typeName, id string) bool {
	at := r.statusOf(typeName, id)
	return at == gone || at == replaced
}

// Removes reports whether this run removes the object, or its owner, and nothing takes its place, as far as it has
// come.
func (r *Run) Removes(typeName, id string) bool { return r.statusOf(typeName, id) == removed }

// statusOf is what has happened to the object, or to its owner where the run does not manage it itself.
func (r *Run) statusOf(typeName, id string) (at status) {
	r.of(typeName, id, func(k *known) {
		if k.status == unseen && k.owner != (ref{}) {
			k = r.at(k.owner)
		}
		at = k.status
	})
	return at
}

// Applying reports whether a plan is the second one, which Terraform makes inside the apply when all values are known.
// It must not ask for a replacement that the first one did not show; Terraform would call that a mistake of the
// provider. Where the plan is the first one, the object was refreshed before, in the same run.
//
// A plan without a refresh (-refresh=false) is distinguished by deferral: Terraform allows a provider to defer in every
// apply, and in no plan. OpenTofu never allows it, so there only an apply that has begun is proof. deferralAllowed is
// ModifyPlanRequest.ClientCapabilities.DeferralAllowed. It has to be asked before PlanUpdate, which notes the plan.
func (r *Run) Applying(typeName, id string, deferralAllowed bool) bool {
	seen := false
	r.of(typeName, id, func(k *known) { seen = k.status != unseen })
	return !seen && (deferralAllowed || r.Applied())
}

// listing is a listing that is read once in a run.
type listing struct {
	once  sync.Once
	items any // []T
	err   error
}

// Listed returns all objects of a type. They are listed once in a run.
func Listed[T any](ctx context.Context, r *Run, typeName string, all func(context.Context) iter.Seq2[T, error]) (
	[]T, error) {
	r.mu.Lock()
	if r.lists == nil {
		r.lists = map[string]*listing{}
	}
	if r.lists[typeName] == nil {
		r.lists[typeName] = &listing{}
	}
	l := r.lists[typeName]
	r.mu.Unlock()
	l.once.Do(func() {
		var items []T
		for item, err := range all(ctx) {
			if l.err = err; err != nil {
				return
			}
			items = append(items, item)
		}
		l.items = items
	})
	items, _ := l.items.([]T)
	return items, l.err
}
