package billingaccount

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// scheme is how billing accounts are named and found.
var scheme = object.Scheme[*billing.Service, billing.BillingAccount]{
	TypeName: typeName, Noun: "billing account", Key: "external_id",
	Service: conn.Billing,
	ID:      func(a *billing.BillingAccount) string { return a.ID },
	Get:     (*billing.Service).GetBillingAccount,
	Listed:  (*billing.Service).RefreshBillingAccount,
	Find:    find,
	Line: func(a *billing.BillingAccount) string {
		return fmt.Sprintf("%s  %s (created %s)", a.ID, a.Status, a.CreatedAt)
	},
	Refuse: func(_ context.Context, _ *billing.Service, a *billing.BillingAccount, _ object.Selector,
		diags *diag.Diagnostics) {
		if a.Status == statusClosed {
			diags.AddError(fmt.Sprintf("Billing account %s is closed", a.ID), "That is final, so there is nothing to manage. "+
				"Remove the import and let a new account be created.")
		}
	},
}

// find lists the accounts with the external_id. Where the list leaves the customer out, the one match is read by its
// id.
func find(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.BillingAccount, error) {
	found, err := client.FindBillingAccounts(ctx, billing.BillingAccountQuery{ExternalID: by.Value})
	if err != nil || len(found) != 1 || found[0].Customer != nil {
		return found, err
	}
	whole, err := client.GetBillingAccount(ctx, found[0].ID)
	if api.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []billing.BillingAccount{*whole}, nil
}

// Read refreshes the state. A closed account is final, so it counts as gone.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	own := private.Owned[ownership](ctx, req.Private, &resp.Diagnostics)
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	prior, client, ok := r.BeginRead(ctx, req, resp)
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	const again = "creates a new account with a new id; subscriptions of the old one do not move"
	client.Wrote(prior.ID.ValueString(), prior.CreatedAt.ValueString(), prior.UpdatedAt.ValueString())
	account := r.Refresh(ctx, client, prior.ID, operation("read", prior), again, resp)
	if account == nil {
		return
	}
	if account.Status == statusClosed {
		r.Gone(ctx, prior.ID, prior.displayName(), "was closed, which is final,", again, resp)
		return
	}
	state, ok := prior.read(account, own, importing, &resp.Diagnostics)
	if !ok {
		return
	}
	scheme.Save(ctx, state.ID, state, &resp.State, resp.Identity, &resp.Diagnostics)
	object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
	if importing || private.Get[bool](ctx, req.Private, keyImports, &resp.Diagnostics) {
		private.Set(ctx, resp.Private, keyImports, importing, &resp.Diagnostics)
	}
}

// read is the state m after a refresh, or the whole account where it is imported.
func (m model) read(account *billing.BillingAccount, own ownership, importing bool,
	diags *diag.Diagnostics) (model, bool) {
	if !importing {
		return m.after(account, own, diags)
	}
	whole, err := fromAPI(account)
	if err != nil {
		apidiag.Unreadable(diags, err)
		return m, false
	}
	whole.CustomMetadata = whole.CustomMetadata.OrEmpty()
	return whole, true
}

type lists = object.ListResource[*billing.Service, billing.BillingAccount, filters]

// ListResource lists billing accounts for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme, Describe: describe,
		About: "Lists the billing accounts of the organization that are not closed, oldest first, so that " +
			"`terraform query` can write their configuration and import them." + object.Filtered +
			object.ListNeeds("billing_accounts"),
		Filters: map[string]schema.Attribute{
			"external_id": object.ListFilter("Only the account with this `external_id`."),
			"customer_id": object.ListFilterByID("Only accounts of the customer with this id."),
			"status": object.ListFilter("Only accounts with this status: `active` or `suspended`.",
				validate.KnownStatus(statusActive, statusSuspended, statusClosed)),
			"updated_at_gte": object.ListUpdatedSince("accounts"),
		},
		Query: func(ctx context.Context, client *billing.Service, m filters) iter.Seq2[billing.BillingAccount, error] {
			return client.ListWholeAccounts(ctx, m.query())
		}}}
}

// describe is an account in a listing. Closed ones cannot be managed, so they are left out.
func describe(_ context.Context, _ *billing.Service, a *billing.BillingAccount) (object.Item, bool) {
	if a.Status == statusClosed {
		return object.Item{}, false
	}
	m, err := fromAPI(a)
	name := "account " + a.ID
	if a.Customer != nil && a.Customer.Name != "" {
		name = a.Customer.Name
	}
	if a.ExternalID != nil {
		name += " (" + *a.ExternalID + ")"
	}
	return object.Item{Name: name, Resource: m, Err: err}, true
}
