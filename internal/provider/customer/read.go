package customer

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// scheme is how customers are named and found.
var scheme = object.Scheme[*billing.Service, billing.Customer]{
	TypeName: typeName, Noun: "customer", Key: "external_id", MoreKeys: []string{"document_number"},
	Service: conn.Billing,
	ID:      func(c *billing.Customer) string { return c.ID },
	Get:     (*billing.Service).GetCustomer,
	Listed:  (*billing.Service).RefreshCustomer,
	Find: func(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.Customer, error) {
		if by.Field == "document_number" {
			return client.FindCustomers(ctx, billing.CustomerQuery{DocumentNumber: by.Value})
		}
		return client.FindCustomers(ctx, billing.CustomerQuery{ExternalID: by.Value})
	},
	Line: func(c *billing.Customer) string { return fmt.Sprintf("%s  %s (created %s)", c.ID, c.Name, c.CreatedAt) },
}

// Read refreshes the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	own := private.Owned[ownership](ctx, req.Private, &resp.Diagnostics)
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	state, client, ok := r.BeginRead(ctx, req, resp)
	// Also without a response, and for a customer that is gone: the framework requires an identity from every refresh,
	// and a state that an older Terraform wrote has none.
	scheme.Identify(ctx, state.ID, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	r.Run().Belongs("billing_account", state.BillingAccountID.ValueString(), typeName, state.ID.ValueString())
	client.Wrote(state.ID.ValueString(), state.CreatedAt.ValueString(), state.UpdatedAt.ValueString())
	customer := r.Refresh(ctx, client, state.ID, operation("read", state),
		"creates it again, as a new customer with a new id", resp)
	if customer == nil {
		return
	}
	if importing {
		state = importedState(ctx, client, customer, &resp.Diagnostics)
		object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
	} else {
		state = state.after(customer, own, &resp.Diagnostics)
		state = withLostAccount(ctx, client, state, customer, &resp.Diagnostics)
	}
	scheme.Save(ctx, state.ID, state, &resp.State, resp.Identity, &resp.Diagnostics)
}

// withLostAccount finds the billing account of the customer, where that is not known since the creation or the
// import. It is asked for at each refresh until it is found: without it, nothing that refers to billing_account_id
// can be created.
func withLostAccount(ctx context.Context, client *billing.Service, m model, c *billing.Customer,
	diags *diag.Diagnostics) model {
	if !m.BillingAccountID.IsNull() || m.CreateBillingAccount.Equal(types.BoolValue(false)) {
		return m
	}
	imported := m.CreateBillingAccount.IsNull()
	find := client.FirstAccount
	if imported {
		find = func(ctx context.Context, _ string) (*billing.BillingAccount, error) {
			return oldestAccount(ctx, client, c)
		}
	}
	account, err := find(ctx, c.ID)
	switch {
	case imported && err == nil:
		return m.withAccount(account)
	case account == nil:
		warnUnknownAccount(m, err, diags)
		return m
	}
	m.BillingAccountID = types.StringValue(account.ID)
	return m
}

// importedState is the whole customer with the billing account that most likely came with it. When that cannot be
// found out, the import continues without it and says so.
func importedState(ctx context.Context, client *billing.Service, c *billing.Customer, diags *diag.Diagnostics) model {
	state, err := fromAPI(c)
	if err != nil {
		apidiag.Unreadable(diags, err)
		return state
	}
	state = state.emptied()
	account, err := oldestAccount(ctx, client, c)
	if err != nil {
		warnUnknownAccount(state, err, diags)
		return state
	}
	return state.withAccount(account)
}

// emptied has an empty list where the service has none. A configuration that says [] and one that leaves the argument
// out then both plan nothing: Terraform does not accept a null in the state for a configured list.
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

// oldestAccount is the customer's oldest billing account that is not closed: one created together with the customer is
// older than any created later.
func oldestAccount(ctx context.Context, client *billing.Service, c *billing.Customer) (*billing.BillingAccount, error) {
	found := c.BillingAccounts
	if len(found) == 0 {
		for account, err := range client.ListWholeAccounts(ctx, billing.BillingAccountQuery{CustomerID: c.ID}) {
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
	oldest := slices.MinFunc(found, func(a, b billing.BillingAccount) int {
		return strings.Compare(a.CreatedAt, b.CreatedAt)
	})
	return &oldest, nil
}

// listModel are the filters of the list resource.
type listModel struct {
	filters
	ExternalID     types.String `tfsdk:"external_id"`
	DocumentNumber types.String `tfsdk:"document_number"`
}

type lists = object.ListResource[*billing.Service, billing.Customer, listModel]

// ListResource lists customers for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme, Describe: describe,
		About: "Lists the customers of the organization, oldest first, so that `terraform query` can write " +
			"their configuration and import them." + object.Filtered + object.ListNeeds("billing_customers"),
		Filters: map[string]schema.Attribute{
			"search":          object.ListFilter(object.AboutSearch("customers")),
			"external_id":     object.ListFilter("Only the customer with this `external_id`."),
			"document_number": object.ListFilter("Only customers with this tax number, whatever its mask."),
			"updated_at_gte":  object.ListUpdatedSince("customers"),
		},
		Query: func(ctx context.Context, client *billing.Service, m listModel) iter.Seq2[billing.Customer, error] {
			query := m.query()
			query.ExternalID, query.DocumentNumber = m.ExternalID.ValueString(), m.DocumentNumber.ValueString()
			return client.ListCustomers(ctx, query)
		}}}
}

// describe is a customer in a listing. Generated configuration writes every optional argument, and email and phone
// only repeat an item of emails and phones, so they are left out.
func describe(_ context.Context, _ *billing.Service, c *billing.Customer) (object.Item, bool) {
	m, err := fromAPI(c)
	m.Email, m.Phone = types.StringNull(), types.StringNull()
	name := c.Name
	if c.ExternalID != nil {
		name += " (" + *c.ExternalID + ")"
	}
	return object.Item{Name: name, Resource: m, Err: err}, true
}
