// Package billingaccount is the billing account of the recurring-billing service: the resource, the data sources and the list resource.
//
// schema.go says what a user writes, model.go and customer.go convert, plan.go decides what a plan shows, resource.go and steps.go
// talk to the service.
package billingaccount

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/imports"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// Resource is billing_account.
type Resource struct{ conn.Resource }

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource makes the resource.
func NewResource() resource.Resource { return &Resource{} }

// Metadata names the type.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

// ValidateConfig asks for a customer that can be located or created.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Customer.IsUnknown() || config.Customer.IsNull() {
		return
	}
	c, err := customerOf(ctx, config.Customer)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("customer"), "Invalid customer", err.Error())
		return
	}
	if !c.refers() && c.Name.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("customer").AtName("name"), "The customer cannot be located or created",
			"customer needs an id, an external_id or a document_number of an existing customer, or a name for a new one.")
	}
	if !c.ID.IsNull() && !sameData(ctx, c, blank(ctx)) {
		resp.Diagnostics.AddAttributeWarning(path.Root("customer"), "Fields beside a reference are ignored",
			"customer.id refers to an existing customer, so the service ignores the other fields. Remove them, or change the customer with a billing_customer resource.")
	}
}

// Create opens the account as planned and writes it to the state before anything else is done.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	desired, ok := owned{}.of(plan.CustomMetadataMode, r.Conn.Defaults.Object).DesiredAttribute(plan.CustomMetadata, &resp.Diagnostics)
	if !ok {
		return
	}
	body, err := plan.known().toCreate(ctx, desired)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("customer"), "Invalid customer", err.Error())
		return
	}
	r.Run().Applies()
	created, err := client.CreateBillingAccount(ctx, body)
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, doing("open", plan))
		return
	}
	if created.Adopted {
		resp.Diagnostics.AddWarning("Found the billing account instead of opening it twice",
			fmt.Sprintf("The answer to the creation was lost. A billing account with the same external_id and data exists (id %s), so it was taken over.", created.ID))
	}
	work := work{client: client, state: &resp.State, identity: resp.Identity, private: resp.Private, diags: &resp.Diagnostics,
		own: owned{Metadata: metadata.OwnedBy(desired)}}
	work.create(ctx, plan, &created.BillingAccount)
}

// Read refreshes the state. Only the service's own not-found, or a closed account, drops it; a bare 404 of a wrong address is an error.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	own := readOwned(ctx, req.Private, &resp.Diagnostics)
	importing := imports.Marked(ctx, req.Private, &resp.Diagnostics)
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready || resp.Diagnostics.HasError() {
		return
	}
	scheme.Identify(ctx, state.ID, resp.Identity, &resp.Diagnostics)
	account, err := client.GetBillingAccount(ctx, state.ID.ValueString())
	switch {
	case api.IsNotFound(err):
		r.gone(ctx, state, "was deleted", resp)
	case err != nil:
		apidiag.Add(&resp.Diagnostics, err, doing("read", state))
	case account.Status == statusClosed:
		r.gone(ctx, state, "was closed, which is final,", resp)
	default:
		r.Run().Refreshed(typeName, state.ID.ValueString())
		r.noteOpened(ctx, state)
		prior := state
		state, err = fromAPI(account)
		switch {
		case err == nil && importing:
			state = state.unnamed()
			state.CustomMetadata = state.CustomMetadata.OrEmpty()
		case err == nil:
			state, err = state.keeping(prior, account, own)
		}
		if err != nil {
			resp.Diagnostics.AddError("Unreadable answer of the service", err.Error())
			return
		}
		save(ctx, state, account, &resp.State, resp.Identity, resp.Private, &resp.Diagnostics)
		imports.Mark(ctx, resp.Private, false, &resp.Diagnostics)
	}
}

func (r *Resource) gone(ctx context.Context, state model, how string, resp *resource.ReadResponse) {
	r.Run().Gone(typeName, state.ID.ValueString())
	r.noteOpened(ctx, state)
	resp.Diagnostics.AddWarning("A billing account is gone",
		fmt.Sprintf("%s %s outside of Terraform. If it is still configured, the plan opens a new account with a new id; subscriptions of the old one do not move.", state.words(), how))
	resp.State.RemoveResource(ctx)
}

// Delete does what deletion_policy says.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	policy.Refuse(state.DeletionPolicy, state.words(), waysOut, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || policy.Abandoned(state.DeletionPolicy, state.words(), &resp.Diagnostics) {
		return
	}
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	r.Run().Applies()
	if state.DeletionPolicy.ValueString() == policy.Delete {
		if err := client.DeleteBillingAccount(ctx, state.ID.ValueString()); err != nil {
			apidiag.Add(&resp.Diagnostics, err, doing("delete", state))
		}
		return
	}
	account, err := client.GetBillingAccount(ctx, state.ID.ValueString())
	if err == nil && account.Status != statusClosed {
		_, err = client.CloseBillingAccount(ctx, state.ID.ValueString(), state.StatusReason.ValueString())
	}
	if err != nil && !api.IsNotFound(err) {
		apidiag.Add(&resp.Diagnostics, err, doing("close", state))
	}
}

// ImportState finds the account by its id, or by external_id=<value>, and notes its id; the refresh that follows fills the rest.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	selector := scheme.Select(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	client, ready := r.Conn.Billing.For(typeName, &resp.Diagnostics)
	if !ready {
		return
	}
	account := finder(client, selector.Value).One(ctx, selector.ID, selector, &resp.Diagnostics)
	switch {
	case account == nil:
	case account.Status == statusClosed:
		resp.Diagnostics.AddError("The billing account is closed",
			fmt.Sprintf("Billing account %s is closed, which is final, so there is nothing to manage. Remove the import and let a new account be opened.", account.ID))
	default:
		scheme.Imported(ctx, account.ID, resp)
	}
}

func finder(client *billing.Service, externalID string) imports.Finder[billing.BillingAccount] {
	return imports.Finder[billing.BillingAccount]{
		Noun: "billing account",
		Get:  client.GetBillingAccount,
		Find: func(ctx context.Context) ([]billing.BillingAccount, error) {
			return client.FindBillingAccounts(ctx, billing.BillingAccountQuery{ExternalID: externalID})
		},
		Line: func(a *billing.BillingAccount) string {
			return fmt.Sprintf("%s  %s (opened %s)", a.ID, a.Status, a.CreatedAt)
		},
	}
}

// save writes state, identity and what a later plan must know of the customer.
func save(ctx context.Context, m model, account *billing.BillingAccount, state *tfsdk.State, identity *tfsdk.ResourceIdentity, store private.Store, diags *diag.Diagnostics) {
	diags.Append(state.Set(ctx, m)...)
	scheme.Identify(ctx, m.ID, identity, diags)
	if f, err := factsOf(account.Customer); err == nil {
		private.Set(ctx, store, keyFacts, f, diags)
	}
}

// scheme is how it is named for import.
var scheme = imports.ByExternalID("billing account")

// doing describes an operation on the account for an error.
func doing(verb string, m model) apidiag.Doing {
	return apidiag.Doing{Verb: verb, Object: lower(m.words()), TypeName: typeName, Attributes: arguments}
}

// lower is words inside a sentence.
func lower(words string) string { return strings.ToLower(words[:1]) + words[1:] }
