// Package private accesses the private state of an object, which stores data that is not in the state. Terraform keeps
// it in clear text, so it must not contain secrets.
package private

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// State is the private state of a request or a response.
type State interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Map is a private state in a plain map. The framework does not export its type.
type Map map[string][]byte

// GetKey implements State.
func (n Map) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return n[key], nil
}

// SetKey implements State.
func (n Map) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	if n[key] = value; len(value) == 0 {
		delete(n, key)
	}
	return nil
}

type notesKey struct{}

// With makes Get, Set and Remove use notes, whatever store they are given: for calls that do not come from the
// framework.
func With(ctx context.Context, notes Map) context.Context {
	return context.WithValue(ctx, notesKey{}, notes)
}

func storeOf(ctx context.Context, given State) State {
	if notes, ok := ctx.Value(notesKey{}).(Map); ok {
		return notes
	}
	return given
}

// Get reads the value under key; the zero value if there is none.
func Get[T any](ctx context.Context, store State, key string, diags *diag.Diagnostics) T {
	var value T
	raw, found := storeOf(ctx, store).GetKey(ctx, key)
	diags.Append(found...)
	if len(raw) == 0 {
		return value
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		diags.AddError("Unreadable private state", fmt.Sprintf("The value under %q that this provider stored in the state "+
			"cannot be read: %s. Remove the object from the state and import it again.", key, err))
	}
	return value
}

// Set writes the value under key.
func Set[T any](ctx context.Context, store State, key string, value T, diags *diag.Diagnostics) {
	raw, err := json.Marshal(value)
	if err != nil {
		diags.AddError("Could not write the private state", err.Error())
		return
	}
	diags.Append(storeOf(ctx, store).SetKey(ctx, key, raw)...)
}

// Remove removes the value under key, if there is one.
func Remove(ctx context.Context, store State, key string, diags *diag.Diagnostics) {
	if raw, found := storeOf(ctx, store).GetKey(ctx, key); len(raw) > 0 || found.HasError() {
		diags.Append(storeOf(ctx, store).SetKey(ctx, key, nil)...)
	}
}

var keys []string

// Key declares a key of an object's private state.
func Key(name string) string {
	keys = append(keys, name)
	return name
}

// Clear removes everything. Terraform passes the private state of an object that a refresh has not found to the plan
// of the next one.
func Clear(ctx context.Context, store State, diags *diag.Diagnostics) {
	for _, key := range keys {
		Remove(ctx, store, key, diags)
	}
}

// keyPlanned is the key of the data that a plan passes to its apply.
var keyPlanned = Key("planned")

// SetPlanned passes value from a plan to its apply: Terraform passes the private state of a plan to the update that
// applies it. store is ModifyPlanResponse.Private.
//
// An apply cannot derive that from the configuration: Terraform applies ignore_changes to the configuration of a plan,
// but not to that of the apply.
func SetPlanned[T any](ctx context.Context, store State, value T, diags *diag.Diagnostics) {
	Set(ctx, store, keyPlanned, value, diags)
}

// Planned reads the value that the plan has stored. store is UpdateRequest.Private.
func Planned[T any](ctx context.Context, store State, diags *diag.Diagnostics) T {
	return Get[T](ctx, store, keyPlanned, diags)
}

// keyOwned is the key of the parts of the object that the configuration owns.
var keyOwned = Key("owned")

// Owned reads which parts of the object the configuration owned when it was last applied. The private state stores it,
// because the state shows the service's values. Before the first apply it is the zero value: the configuration owns and
// removes nothing.
func Owned[T any](ctx context.Context, store State, diags *diag.Diagnostics) T {
	return Get[T](ctx, store, keyOwned, diags)
}

// SetOwned stores which parts of the object the configuration owns.
func SetOwned[T any](ctx context.Context, store State, owned T, diags *diag.Diagnostics) {
	Set(ctx, store, keyOwned, owned, diags)
}
