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

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

const byExternalID = "external_id="

// identityModel is the resource identity.
type identityModel struct {
	ID         types.String `tfsdk:"id"`
	ExternalID types.String `tfsdk:"external_id"`
}

// ImportState finds the customer by its id, or by external_id=<value>, and notes its id; the refresh that follows fills the rest.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	wanted := selector(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	found := find(ctx, client, wanted, &resp.Diagnostics)
	if found == nil {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityModel{ID: types.StringValue(found.ID), ExternalID: types.StringNull()})...)
	}
	markImporting(ctx, resp.Private, true, &resp.Diagnostics)
}

// wanted selects one customer: by one of its fields.
type wanted struct{ id, externalID, documentNumber string }

func (w wanted) String() string {
	switch {
	case w.id != "":
		return "id " + w.id
	case w.externalID != "":
		return fmt.Sprintf("external_id %q", w.externalID)
	default:
		return fmt.Sprintf("document_number %q", w.documentNumber)
	}
}

// selector reads the import id or the identity. Terraform accepts an identity without any value, so that is checked here.
func selector(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) wanted {
	const how = "Write either the id of the customer, or external_id=<value> with the customer's external_id."
	if req.ID != "" {
		externalID, given := strings.CutPrefix(req.ID, byExternalID)
		switch {
		case !given:
			return wanted{id: strings.TrimPrefix(req.ID, "id=")}
		case externalID == "":
			diags.AddError("Invalid import id", how)
		}
		return wanted{externalID: externalID}
	}
	var identity identityModel
	if req.Identity != nil && !req.Identity.Raw.IsNull() {
		diags.Append(req.Identity.Get(ctx, &identity)...)
	}
	id, externalID := identity.ID.ValueString(), identity.ExternalID.ValueString()
	if (id == "") == (externalID == "") {
		diags.AddError("Invalid import identity", "Give exactly one of id and external_id. "+how)
	}
	return wanted{id: id, externalID: externalID}
}

// find looks the one customer up and reports when there is none, or more than one.
func find(ctx context.Context, client *billing.Service, w wanted, diags *diag.Diagnostics) *billing.Customer {
	reading := apidiag.Doing{Verb: "find", Object: "the customer with " + w.String()}
	if w.id != "" {
		customer, err := client.GetCustomer(ctx, w.id)
		if err == nil {
			return customer
		}
		if api.IsNotFound(err) {
			diags.AddError("No such customer", fmt.Sprintf("The organization of this token has no customer with %s. "+
				"Check the id and the token; a customer known by its external_id is found with external_id=<value>.", w))
			return nil
		}
		apidiag.Add(diags, err, reading)
		return nil
	}
	found, err := client.FindCustomers(ctx, billing.CustomerQuery{ExternalID: w.externalID, DocumentNumber: w.documentNumber})
	if err != nil {
		apidiag.Add(diags, err, reading)
		return nil
	}
	switch len(found) {
	case 1:
		return &found[0]
	case 0:
		diags.AddError("No such customer", fmt.Sprintf("The organization of this token has no customer with %s. Check the value, upper and lower case included, and the token.", w))
	default:
		diags.AddError("More than one customer", fmt.Sprintf("%d customers have %s:\n\n%s\n\nUse the id of the one you mean.", len(found), w, listed(found)))
	}
	return nil
}

func listed(customers []billing.Customer) string {
	lines := make([]string, len(customers))
	for i, c := range customers {
		lines[i] = fmt.Sprintf("  %s  %s (created %s)", c.ID, c.Name, c.CreatedAt)
	}
	return strings.Join(lines, "\n")
}

// importedState is the whole customer with the billing account that most likely came with it. When that cannot be found out, the
// import goes on without it and says so.
func importedState(ctx context.Context, client *billing.Service, c *billing.Customer, diags *diag.Diagnostics) model {
	state, err := fromAPI(c)
	if err != nil {
		diags.AddError("Unreadable answer of the service", err.Error())
		return state
	}
	account, err := oldestAccount(ctx, client, c)
	if err != nil {
		diags.AddAttributeWarning(path.Root("billing_account_id"), "The billing account is not known",
			fmt.Sprintf("Customer %q (id %s) was imported, but its billing accounts could not be listed, so billing_account_id stays null: %s.", c.Name, c.ID, err))
		return state
	}
	return state.withAccount(account)
}

// oldestAccount is the customer's oldest billing account that is not closed: one opened together with the customer is older than any
// opened later.
func oldestAccount(ctx context.Context, client *billing.Service, c *billing.Customer) (*billing.BillingAccount, error) {
	accounts := c.BillingAccounts
	if len(accounts) == 0 {
		for account, err := range client.ListBillingAccounts(ctx, billing.BillingAccountQuery{CustomerID: c.ID}) {
			if err != nil {
				return nil, err
			}
			accounts = append(accounts, account)
		}
	}
	accounts = slices.DeleteFunc(slices.Clone(accounts), func(a billing.BillingAccount) bool { return a.Status == "closed" })
	if len(accounts) == 0 {
		return nil, nil
	}
	oldest := slices.MinFunc(accounts, func(a, b billing.BillingAccount) int { return strings.Compare(a.CreatedAt, b.CreatedAt) })
	return &oldest, nil
}
