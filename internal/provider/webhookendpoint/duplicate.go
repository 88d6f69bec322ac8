package webhookendpoint

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

// refuseDuplicate reports an error where the service has an endpoint with the same url that is not in the state, such as one that an
// interrupted run has registered: its consumer would get every event twice. It is a warning with allow_duplicate, and as
// long as that is not known.
func (r *Resource) refuseDuplicate(ctx context.Context, plan model, deferralAllowed bool, diags *diag.Diagnostics) {
	if r.Conn == nil || !r.Conn.Collections.Ready || plan.URL.IsUnknown() {
		return
	}
	found := run.Outside(ctx, r.Run(), deferralAllowed, run.Search[collections.WebhookEndpoint]{
		TypeName: typeName, List: r.Conn.Collections.Client.ListWebhookEndpoints,
		ID:   func(e collections.WebhookEndpoint) string { return e.ID },
		Same: func(e collections.WebhookEndpoint) bool { return collections.SameURL(e.URL, plan.URL.ValueString()) },
		// An error that is wrong would block the plan.
		Certain: !plan.AllowDuplicate.ValueBool() && !plan.AllowDuplicate.IsUnknown(),
	})
	if len(found) == 0 {
		return
	}
	lines, ids := make([]string, len(found)), make([]string, len(found))
	for i, e := range found {
		ids[i] = e.ID
		lines[i] = fmt.Sprintf("  %s (created %s, last changed %s)", e.ID, e.CreatedAt, e.UpdatedAt)
	}
	const summary = "A webhook endpoint with this url exists already"
	detail := fmt.Sprintf("The plan creates %s, and the service has an endpoint with the same url that is not part of this state:\n\n%s\n\n"+
		"The consumer would get every event twice. It may be left from an interrupted run, or another workspace may manage it. %s\n\n"+
		"To create another one with the same url, set allow_duplicate = true. An endpoint that another provider configuration manages, or that -target "+
		"leaves out of the plan, counts as well. terraform destroy makes this plan too: run it with -refresh=false.", plan.displayName(), strings.Join(lines, "\n"), apidiag.TakeOver(typeName, ids...))
	if plan.AllowDuplicate.IsUnknown() || plan.AllowDuplicate.ValueBool() {
		diags.AddAttributeWarning(path.Root("url"), summary, detail)
		return
	}
	diags.AddAttributeError(path.Root("url"), summary, detail)
}
