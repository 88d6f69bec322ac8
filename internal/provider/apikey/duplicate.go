package apikey

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// warnDuplicate reports working keys of the same name that are not in the state, such as one that an interrupted run has
// created: nobody has its token, and it never ends.
func (r *Resource) warnDuplicate(ctx context.Context, plan model, deferralAllowed bool, diags *diag.Diagnostics) {
	if r.Conn == nil || !r.Conn.Collections.Ready || plan.Name.IsUnknown() {
		return
	}
	found := run.Outside(ctx, r.Run(), deferralAllowed, run.Search[collections.APIKey]{
		TypeName: typeName, List: r.Conn.Collections.Client.ListAPIKeys,
		ID: func(k collections.APIKey) string { return k.ID },
		Same: func(k collections.APIKey) bool {
			return k.Name == plan.Name.ValueString() && ended(&k, r.now(ctx)) == ""
		},
	})
	if len(found) == 0 {
		return
	}
	lines, ids := make([]string, len(found)), make([]string, len(found))
	for i, k := range found {
		used := "never used"
		if k.LastUsedAt != nil {
			used = "last used " + *k.LastUsedAt
		}
		ids[i] = k.ID
		lines[i] = fmt.Sprintf("  %s (created %s, %s)", k.ID, k.CreatedAt, used)
	}
	diags.AddAttributeWarning(path.Root("name"), "An API key with this name exists already",
		fmt.Sprintf("The plan creates %s, and the service has a working key with the same name that is not part of this state:\n\n%s\n\n"+
			"One that was never used may be left from an interrupted run: nobody has its token. Revoke it, or import it and rotate it. "+
			"It may as well belong to another workspace. %s", plan.displayName(), strings.Join(lines, "\n"), apidiag.TakeOver(typeName, ids...)))
}

// ids are those of the key and of its predecessors.
func (m model) ids() []string {
	all := m.all()
	ids := make([]string, len(all))
	for i, key := range all {
		ids[i] = key.id.ValueString()
	}
	return ids
}
