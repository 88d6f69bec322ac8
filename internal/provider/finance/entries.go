package finance

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

const (
	// keyEntry is the key of the private state that tells two resources apart which manage one record: an import, or a
	// creation with the same key, may put a record into the state twice.
	keyEntry = "entry"
	// keyOthers is the key under which the plan of a removal hands the other resources that manage the record on to
	// Delete: an apply without a change of theirs shows them to nobody.
	keyOthers = "other_entries"
)

// entry names this resource among those that manage the record. A state that lacks the name gets one.
func entry(ctx context.Context, store private.Store, diags *diag.Diagnostics) string {
	name := private.Get[string](ctx, store, keyEntry, diags)
	if name == "" {
		name = rand.Text()
		private.Set(ctx, store, keyEntry, name, diags)
	}
	return name
}

// planRemoval decides whether the removal of the resource deletes the record: not while another resource manages it.
func (r *Resource) planRemoval(ctx context.Context, m model, store private.Store, diags *diag.Diagnostics) {
	client, ready := r.Client()
	if !ready {
		return
	}
	others := client.PlanRemoval(ctx, m.Collection.ValueString(), m.ID.ValueString(), entry(ctx, store, diags))
	private.Set(ctx, store, keyOthers, others, diags)
	if len(others) > 0 {
		diags.AddWarning("Two resources manage one record", fmt.Sprintf("The %s is in the state more than once. This "+
			"plan removes it from the state here and sends nothing: the record stays for the other resource. It is "+
			"deleted only if this plan removes all of them.", m.displayName()))
	}
}

// planKept reports that another resource manages the record too. Where the removal of that one was planned before this
// resource was known, it would delete the record.
func (r *Resource) planKept(ctx context.Context, m model, store private.Store, diags *diag.Diagnostics) {
	client, ready := r.Client()
	if !ready {
		return
	}
	others, unaware := client.Shown(m.Collection.ValueString(), m.ID.ValueString(), entry(ctx, store, diags))
	switch {
	case unaware:
		diags.AddError("The plan deletes a record that another resource manages", fmt.Sprintf("The %s is in the "+
			"state more than once. This plan deletes it for a resource that is removed, and it was planned before "+
			"this resource was read. Nothing was changed. Plan again, or remove the other resource from the state "+
			"alone (terraform state rm, or a removed block with destroy = false).", m.displayName()))
	case len(others) > 0:
		diags.AddWarning("Two resources manage one record", fmt.Sprintf("The %s is in the state more than once: what "+
			"one of the resources changes, the other one changes back. Remove one of them; the record stays.",
			m.displayName()))
	}
}

// removes reports whether the removal of the resource deletes the record, as its plan has decided.
func removes(ctx context.Context, client *finance.Service, m model, store private.Store, diags *diag.Diagnostics) bool {
	others := private.Get[[]string](ctx, store, keyOthers, diags)
	return client.Remove(m.Collection.ValueString(), m.ID.ValueString(), entry(ctx, store, diags), others)
}
