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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
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
		return fmt.Sprintf("%s  %s (opened %s)", a.ID, a.Status, a.CreatedAt)
	},
	Refuse: func(_ context.Context, _ *billing.Service, a *billing.BillingAccount, _ object.Selector,
		diags *diag.Diagnostics) {
		if a.Status == statusClosed {
			diags.AddError("The billing account is closed", fmt.Sprintf("Billing account %s is closed, which is final, so "+
				"there is nothing to manage. Remove the import and let a new account be opened.", a.ID))
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

// Read refreshes the state. Only the service's own not-found, or a closed account, drops it; a bare 404 of a wrong
// address is an error.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	own := private.Owned[ownership](ctx, req.Private, &resp.Diagnostics)
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	state, client, ok := r.BeginRead(ctx, req, resp)
	scheme.Identify(ctx, state.ID, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	client.Wrote(state.ID.ValueString(), state.CreatedAt.ValueString(), state.UpdatedAt.ValueString())
	account, err := scheme.Reread(ctx, client, state.ID.ValueString(), importing)
	switch {
	case api.IsNotFound(err):
		r.gone(ctx, state, "was deleted", resp)
	case err != nil:
		apidiag.AddRead(&resp.Diagnostics, err, operation("read", state), !importing)
	case account.Status == statusClosed:
		r.gone(ctx, state, "was closed, which is final,", resp)
	default:
		r.Run().Refreshed(typeName, state.ID.ValueString())
		r.noteOpened(ctx, state)
		prior := state
		state, err = fromAPI(account)
		switch {
		case err == nil && importing:
			private.Set(ctx, resp.Private, keyImported, importedFrom(state), &resp.Diagnostics)
			state.CustomMetadata = state.CustomMetadata.OrEmpty()
		case err == nil:
			state = state.preserve(prior, account, own)
		}
		if err != nil {
			apidiag.Unreadable(&resp.Diagnostics, err)
			return
		}
		scheme.Save(ctx, state.ID, state, &resp.State, resp.Identity, &resp.Diagnostics)
		saveFacts(ctx, account, resp.Private, &resp.Diagnostics)
		object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
		// Terraform refreshes an account right before it plans it, and hands the private state of the refresh to both of
		// its plans. Decided in a plan, the second one could decide otherwise: without a reference the order of the plans
		// is open.
		_, follows := run.Noted[contact.Planned](r.Run(), customerTypeName, state.CustomerID.ValueString())
		private.Set(ctx, resp.Private, keyFollows, follows, &resp.Diagnostics)
	}
}

func (r *Resource) gone(ctx context.Context, state model, how string, resp *resource.ReadResponse) {
	r.Run().Gone(typeName, state.ID.ValueString())
	r.noteOpened(ctx, state)
	resp.Diagnostics.AddWarning("A billing account is gone",
		fmt.Sprintf("%s %s outside of Terraform. If it is still configured, the plan opens a new account with a new id; "+
			"subscriptions of the old one do not move.", apidiag.Capitalize(state.displayName()), how))
	resp.State.RemoveResource(ctx)
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
	name := m.Name.ValueString()
	if a.ExternalID != nil {
		name += " (" + *a.ExternalID + ")"
	}
	return object.Item{Name: name, Resource: m, Err: err}, true
}
