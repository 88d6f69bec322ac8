package customer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/accounts"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
)

// scheme is how customers are named for import.
var scheme = imports.ByExternalID("customer")

// ImportState finds the customer by its id, or by external_id=<value>, and notes its id; the refresh that follows fills the rest.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	selector := scheme.Select(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	found := finder(client, billing.CustomerQuery{ExternalID: selector.Value}).One(ctx, selector.ID, selector, &resp.Diagnostics)
	if found == nil {
		return
	}
	scheme.Imported(ctx, found.ID, resp)
}

// finder looks one customer up, by its id or by what query asks for.
func finder(client *billing.Service, query billing.CustomerQuery) imports.Finder[billing.Customer] {
	return imports.Finder[billing.Customer]{
		Noun: "customer",
		Get:  client.GetCustomer,
		Find: func(ctx context.Context) ([]billing.Customer, error) { return client.FindCustomers(ctx, query) },
		Line: func(c *billing.Customer) string { return fmt.Sprintf("%s  %s (created %s)", c.ID, c.Name, c.CreatedAt) },
	}
}

// importedState is the whole customer with the billing account that most likely came with it. When that cannot be found out, the
// import goes on without it and says so.
func importedState(ctx context.Context, client *billing.Service, c *billing.Customer, diags *diag.Diagnostics) model {
	state, err := fromAPI(c)
	if err != nil {
		diags.AddError("Unreadable answer of the service", err.Error())
		return state
	}
	state = state.emptied()
	account, err := oldestAccount(ctx, client, c)
	if err != nil {
		diags.AddAttributeWarning(path.Root("billing_account_id"), "The billing account is not known",
			fmt.Sprintf("Customer %q (id %s) was imported, but its billing accounts could not be listed, so billing_account_id stays null: %s.", c.Name, c.ID, err))
		return state
	}
	return state.withAccount(account)
}

// emptied has an empty list where the service has none. A configuration that says [] and one that leaves the argument out then both plan
// nothing: Terraform does not let a null in the state stand for a configured list.
func (m model) emptied() model {
	for _, list := range []*types.List{&m.Addresses, &m.Websites, &m.Emails, &m.Phones} {
		if list.IsNull() {
			*list = types.ListValueMust(list.ElementType(context.Background()), nil)
		}
	}
	if m.Tags.IsNull() {
		m.Tags = types.SetValueMust(types.StringType, nil)
	}
	m.CustomMetadata = m.CustomMetadata.OrEmpty()
	return m
}

// oldestAccount is the customer's oldest billing account that is not closed: one opened together with the customer is older than any
// opened later.
func oldestAccount(ctx context.Context, client *billing.Service, c *billing.Customer) (*billing.BillingAccount, error) {
	found := c.BillingAccounts
	if len(found) == 0 {
		for account, err := range accounts.Whole(ctx, client, billing.BillingAccountQuery{CustomerID: c.ID}) {
			if err != nil {
				return nil, err
			}
			found = append(found, account)
		}
	}
	found = slices.DeleteFunc(slices.Clone(found), func(a billing.BillingAccount) bool { return a.Status == "closed" })
	if len(found) == 0 {
		return nil, nil
	}
	oldest := slices.MinFunc(found, func(a, b billing.BillingAccount) int { return strings.Compare(a.CreatedAt, b.CreatedAt) })
	return &oldest, nil
}
