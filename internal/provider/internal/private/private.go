// Package private is the private state of an object: what the provider must remember of it and the state does not show.
// Terraform keeps it in clear text, so no secret belongs there.
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

// Map is a private state of its own, a plain map. The framework's type is internal to it.
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

// With makes what reads and writes a private state use the notes, whatever store they are given: for a call that
// does not come from the framework.
func With(ctx context.Context, notes Map) context.Context {
	return context.WithValue(ctx, notesKey{}, notes)
}

func storeOf(ctx context.Context, given State) State {
	if notes, ok := ctx.Value(notesKey{}).(Map); ok {
		return notes
	}
	return given
}

// Get reads the value under key; the zero value when there is none.
func Get[T any](ctx context.Context, store State, key string, diags *diag.Diagnostics) T {
	var value T
	raw, found := storeOf(ctx, store).GetKey(ctx, key)
	diags.Append(found...)
	if len(raw) == 0 {
		return value
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		diags.AddError("Unreadable private state", fmt.Sprintf("What this provider noted under %q in the state "+
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

// keyPlanned is where a plan leaves what its apply has to know.
const keyPlanned = "planned"

// SetPlanned hands value from a plan to its apply: Terraform carries the private state of a plan to the update that
// applies it. store is ModifyPlanResponse.Private.
//
// An apply cannot find out what was planned where the configuration counts: Terraform applies ignore_changes
// to the configuration of a plan, and hands the bare configuration to the apply.
func SetPlanned[T any](ctx context.Context, store State, value T, diags *diag.Diagnostics) {
	Set(ctx, store, keyPlanned, value, diags)
}

// Planned reads what the plan has left. store is UpdateRequest.Private.
func Planned[T any](ctx context.Context, store State, diags *diag.Diagnostics) T {
	return Get[T](ctx, store, keyPlanned, diags)
}

// keyOwned is where an apply leaves what the configuration owns of the object.
const keyOwned = "owned"

// Owned reads what the configuration owned of the object when it was last applied. It is kept here, because the state
// itself shows what the service has. The zero value is that of an object that no configuration was applied to yet:
// nothing is owned, so nothing is removed.
func Owned[T any](ctx context.Context, store State, diags *diag.Diagnostics) T {
	return Get[T](ctx, store, keyOwned, diags)
}

// SetOwned writes what the configuration owns from now on.
func SetOwned[T any](ctx context.Context, store State, owned T, diags *diag.Diagnostics) {
	Set(ctx, store, keyOwned, owned, diags)
}
