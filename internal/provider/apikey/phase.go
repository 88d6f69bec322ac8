package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

const keyPhase = "phase"

// phase is how far the import of a key has come. It is stored in the private state.
//
// What an import must not do, replace and rotate, it must not do until the first apply that changes the resource: any
// number of refreshes may come before it, as terraform import has one of its own. A configuration that says exactly
// what the key has leaves nothing to apply, so such a key keeps the guard. Its triggers work all the same: the first
// value is such an apply. Only a replacement has to wait for one, and the refusal says so.
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
