package run

import "github.com/hashicorp/terraform-plugin-framework/types"

// Status is what the plan of an object notes of its status, for the plans of objects that only an active one takes.
type Status struct {
	// Configured is null where the configuration does not name the status.
	Configured types.String
	// Changes says that the plan changes the status of the object that exists.
	Changes bool
}

// Note keeps what the plan of an object says, for the plan of another object that shows the same data. id is the
// object's id, or what else another object can know it by. Terraform plans an object before those that refer to it.
func (r *Record) Note(typeName, id string, plan any) {
	if r == nil || id == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.notes == nil {
		r.notes = map[object]any{}
	}
	r.notes[key(typeName, id)] = plan
}

// Noted returns what Note has kept under the id; false where this run has planned no such object so far.
func Noted[T any](r *Record, typeName, id string) (plan T, ok bool) {
	if r == nil || id == "" {
		return plan, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	plan, ok = r.notes[key(typeName, id)].(T)
	return plan, ok
}
