package customer

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// warnDuplicate reports customers with the same document number that are not in the state. The service rejects a second
// customer with the same external_id itself.
func (r *Resource) warnDuplicate(ctx context.Context, plan model, deferralAllowed bool, diags *diag.Diagnostics) {
	number := plan.DocumentNumber.ValueString()
	if r.Conn == nil || !r.Conn.Billing.Ready || number == "" || plan.ExternalID.IsUnknown() || plan.ExternalID.ValueString() != "" {
		return
	}
	found := run.Outside(ctx, r.Run(), deferralAllowed, run.Search[billing.Customer]{
		TypeName: typeName,
		List: func(ctx context.Context) iter.Seq2[billing.Customer, error] {
			return r.Conn.Billing.Client.ListCustomers(ctx, billing.CustomerQuery{})
		},
		ID: func(c billing.Customer) string { return c.ID },
		Same: func(c billing.Customer) bool {
			return c.DocumentNumber != nil && same.Document(*c.DocumentNumber, number)
		},
	})
	if len(found) == 0 {
		return
	}
	lines, ids := make([]string, len(found)), make([]string, len(found))
	for i, c := range found {
		ids[i] = c.ID
		lines[i] = fmt.Sprintf("  %s %q (created %s, last changed %s)", c.ID, c.Name, c.CreatedAt, c.UpdatedAt)
	}
	diags.AddAttributeWarning(path.Root("document_number"), "A customer with this document number exists already",
		fmt.Sprintf("The plan creates %s without an external_id, and the service has a customer with the same document number that is not part of this state:\n\n%s\n\n"+
			"It may be left from an interrupted run, or another workspace may manage it. %s\n\nWith an external_id the service rejects a second customer.",
			plan.displayName(), strings.Join(lines, "\n"), apidiag.TakeOver(typeName, ids...)))
}
