package apikey

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

const keyPhase = "phase"

// phase is how far the import of a key has come. It lives in the private state.
type phase string

const (
	// phaseManaged is that of a key that was not imported, or whose import is over.
	phaseManaged phase = ""
	// phaseImporting is that between the import and the first refresh.
	phaseImporting phase = "importing"
	// phaseImported is that from the first refresh to the next one: the plan that imports the key, and its apply.
	phaseImported phase = "imported"
)

func readPhase(ctx context.Context, store private.Store, diags *diag.Diagnostics) phase {
	return private.Get[phase](ctx, store, keyPhase, diags)
}

func writePhase(ctx context.Context, store private.Store, p phase, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyPhase, p, diags)
}

// refreshed is the phase after a refresh.
func (p phase) refreshed() phase {
	if p == phaseImporting {
		return phaseImported
	}
	return phaseManaged
}
