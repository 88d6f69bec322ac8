package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// claim is the plan of an object that is to have an external_id.
type claim struct{ id, object string }

// ClaimExternalID notes that a plan gives an external_id to an object, and reports an error where the same plan gives
// it to another one: the service accepts it once. id is "" for a new object, object names it in messages, and store is
// ModifyPlanRequest.Private: the new object of a replacement has the external_id of the old one.
func (r *Record) ClaimExternalID(ctx context.Context, typeName string, externalID types.String, id, object string,
	store private.Store,
	diags *diag.Diagnostics) {
	if r == nil || externalID.ValueString() == "" {
		return
	}
	if id == "" {
		id = Replaced(ctx, store, diags)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.claims == nil {
		r.claims = map[string][]claim{}
	}
	// An external_id compares as it is written.
	name := typeName + "/" + externalID.ValueString()
	same := func(other claim) bool { return id != "" && key(typeName, other.id) == key(typeName, id) }
	if slices.ContainsFunc(r.claims[name], same) {
		return
	}
	if others := r.claims[name]; len(others) > 0 {
		diags.AddAttributeError(path.Root("external_id"), "Two objects with the same external_id",
			fmt.Sprintf("This plan gives the external_id %q to %s and to %s. The service accepts it once for each type of "+
				"object. Give one of them another external_id; if they are meant to be one object, remove one of the blocks.",
				externalID.ValueString(), others[0].object, object))
		return
	}
	r.claims[name] = append(r.claims[name], claim{id, object})
}
