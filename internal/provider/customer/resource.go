// Package customer implements customers of the recurring-billing service: the resource, the data sources and the list
// resource. contacts.go converts lists of contacts and addresses; entry.go finds the entry that email owns.
package customer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

var scheme = object.Scheme[*billing.Service, billing.Customer]{
	TypeName: typeName, Noun: "customer", Key: "external_id", MoreKeys: []string{"document_number"},
	Service:    conn.Billing,
	ID:         func(c *billing.Customer) string { return c.ID },
	Get:        (*billing.Service).GetCustomer,
	Refresh:    (*billing.Service).RefreshCustomer,
	Wrote:      (*billing.Service).Wrote,
	Recreation: "creates it again, as a new customer with a new id",
	Find: func(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.Customer, error) {
		if by.Field == "document_number" {
			return client.FindCustomers(ctx, billing.CustomerQuery{DocumentNumber: by.Value})
		}
		return client.FindCustomers(ctx, billing.CustomerQuery{ExternalID: by.Value})
	},
	Summary: func(c *billing.Customer) string { return fmt.Sprintf("%s  %s (created %s)", c.ID, c.Name, c.CreatedAt) },
}

type base = object.Resource[*billing.Service, billing.Customer, model]

// Resource is billing_customer.
type Resource struct{ base }

var (
	_ object.Managed                      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource returns the resource.
func NewResource() resource.Resource {
	r := &Resource{base{Scheme: scheme, OnCreation: []object.OnCreation[model]{
		{Argument: "create_billing_account", Instead: model.hasAccount},
		{Argument: "billing_email", Instead: model.changeAccountInstead},
		{Argument: "payment_terms_days", Instead: model.changeAccountInstead},
		{Argument: "auto_collection", Instead: model.changeAccountInstead},
	}}}
	r.Refresh = r.Read
	return r
}

// changeAccountInstead says where the terms of the billing account are changed. They are not read: the account may be
// managed by another resource, which has changed them.
func (m model) changeAccountInstead() string {
	return fmt.Sprintf("To change its billing account, manage that with a billing_account resource: import it by its id "+
		"(%s).", cmp.Or(m.BillingAccountID.ValueString(), "not known"))
}

func (m model) hasAccount() string {
	if m.CreateBillingAccount.ValueBool() {
		return m.changeAccountInstead()
	}
	return "To give it a billing account, write a billing_account resource."
}

// ValidateConfig rejects arguments for a billing account if none is created, and email together with emails.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(value.Get(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.checkContacts(&resp.Diagnostics)
	if !config.CreateBillingAccount.Equal(types.BoolValue(false)) {
		return
	}
	for _, argument := range []struct {
		name  string
		given bool
	}{{"billing_email", !config.BillingEmail.IsNull()}, {"payment_terms_days", !config.PaymentTermsDays.IsNull()},
		{"auto_collection", !config.AutoCollection.IsNull()}} {
		if argument.given {
			resp.Diagnostics.AddAttributeError(path.Root(argument.name), fmt.Sprintf("%s of %s needs a billing account",
				argument.name, config.displayName()), fmt.Sprintf("It belongs to the billing account that is created with the "+
				"customer, but create_billing_account is false. Remove %s, or let the account be created.", argument.name))
		}
	}
}

func (m model) checkContacts(diags *diag.Diagnostics) {
	for _, c := range []struct {
		name string
		main types.String
		list types.List
	}{{"email", m.Email, m.Emails}, {"phone", m.Phone, m.Phones}} {
		if !c.main.IsNull() && !c.main.IsUnknown() && !c.list.IsNull() && !c.list.IsUnknown() {
			diags.AddAttributeError(path.Root(c.name), fmt.Sprintf("%s and %[1]ss of %s are set", c.name, m.displayName()),
				fmt.Sprintf("%s owns one entry of %[1]ss, and leaves the others to other systems; %[1]ss is the whole list. "+
					"Remove one of the two.", c.name))
		}
	}
}

// Create creates the customer and saves it to the state immediately.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	op, ok := r.BeginCreate(ctx, req, resp)
	if !ok {
		return
	}
	desired, ok := r.Defaults().Under(op.Config.CustomMetadata, op.Diags)
	if !ok {
		return
	}
	body := op.Config.body(model{})
	body.CustomMetadata = value.ChangedMetadata(desired)
	created, err := op.Client.CreateCustomer(ctx, body)
	if op.Failed(ctx, "create", err) {
		return
	}
	own := ownership{Metadata: desired, Addresses: !op.Config.Addresses.IsNull(),
		Email: sent(op.Config.Email, created.Customer.Emails, nil),
		Phone: sent(op.Config.Phone, created.Customer.Phones, nil)}
	// Saved before anything else: a customer that the state lacks would be created again by the next apply.
	op.Finish(ctx, &created.Customer, func(c *billing.Customer) model {
		state := op.Plan.keep(c, own, op.Diags).withAccount(created.BillingAccount)
		// The response may have no billing account, or only a part of it.
		state.CreateBillingAccount = op.Plan.CreateBillingAccount
		state.BillingEmail = value.OrPlanned(state.BillingEmail, op.Plan.BillingEmail)
		state.PaymentTermsDays = value.OrPlanned(state.PaymentTermsDays, op.Plan.PaymentTermsDays)
		state.AutoCollection = value.OrPlanned(state.AutoCollection, op.Plan.AutoCollection)
		return state
	})
	private.SetOwned(ctx, op.Private, own, op.Diags)
	if created.Adopted {
		op.Diags.AddWarning(fmt.Sprintf("Found %s instead of creating it twice", op.State.displayName()),
			"The response to the creation was lost. A lookup found the created customer.")
	}
	r.Run().Creates("billing_account of "+typeName, op.State.ID.ValueString(), op.State.BillingAccountID.ValueString())
	if created.BillingAccount == nil && op.Plan.CreateBillingAccount.ValueBool() {
		warnUnknownAccount(op.State, created.AccountError, op.Diags)
	}
}

// Read refreshes the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	op, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	r.Run().Belongs("billing_account", op.State.BillingAccountID.ValueString(), typeName, op.State.ID.ValueString())
	own := private.Owned[ownership](ctx, op.Private, op.Diags)
	customer, state, ok := op.Get(ctx, func(c *billing.Customer) model {
		if op.Importing {
			return imported(c, op.Diags)
		}
		return op.State.keep(c, own, op.Diags)
	})
	if ok {
		op.Save(ctx, withAccountFound(ctx, op.Client, state, customer, op.Diags))
	}
}

// imported returns the state after an import: the whole customer, with empty lists instead of null ones. Then neither
// [] nor an unset argument causes a diff: Terraform does not accept a null in the state for a configured list.
func imported(c *billing.Customer, diags *diag.Diagnostics) model {
	m, err := fromAPI(c)
	if err != nil {
		apidiag.Unreadable(diags, err)
	}
	for _, list := range []*types.List{&m.Addresses, &m.Websites, &m.Emails, &m.Phones} {
		if list.IsNull() {
			*list = types.ListValueMust(list.ElementType(context.Background()), nil)
		}
	}
	if m.Tags.IsNull() {
		m.Tags = value.SetOrEmpty(nil)
	}
	m.CustomMetadata = m.CustomMetadata.OrEmpty()
	return m
}

// withAccountFound finds the billing account of the customer if it is unknown since a lost response to the creation, or
// since the import. Each refresh looks for it until it is found, because objects that refer to billing_account_id
// cannot be created without it.
func withAccountFound(ctx context.Context, client *billing.Service, m model, c *billing.Customer,
	diags *diag.Diagnostics) model {
	if !m.BillingAccountID.IsNull() || m.CreateBillingAccount.Equal(types.BoolValue(false)) {
		return m
	}
	if m.CreateBillingAccount.IsNull() { // imported
		// The list is sorted by creation: no account is older than the one that was created with the customer.
		accounts, err := client.OpenAccounts(ctx, c.ID)
		switch {
		case err != nil:
			warnUnknownAccount(m, err, diags)
			return m
		case len(accounts) == 0:
			return m.withAccount(nil)
		}
		return m.withAccount(&accounts[0])
	}
	account, err := client.FirstAccount(ctx, c.ID)
	if account == nil {
		warnUnknownAccount(m, err, diags)
		return m
	}
	m.BillingAccountID = types.StringValue(account.ID)
	return m
}

// warnUnknownAccount reports that billing_account_id stays null for now.
func warnUnknownAccount(m model, err error, diags *diag.Diagnostics) {
	reason := "The service does not list one."
	if err != nil {
		reason = "Its billing accounts could not be listed: " + apidiag.Text(err)
	}
	diags.AddAttributeWarning(path.Root("billing_account_id"), "The billing account of a customer is unknown",
		fmt.Sprintf("billing_account_id of %s is null for now; each refresh looks for the account again. %s", m.displayName(),
			reason))
}

var customMetadata = object.CustomMetadataOf[*billing.Service, billing.Customer, billing.CustomerBody]{
	Get: (*billing.Service).GetCustomer, Update: (*billing.Service).UpdateCustomer,
	Of: func(c *billing.Customer) json.RawMessage { return c.CustomMetadata },
	Put: func(body *billing.CustomerBody, payload json.RawMessage, mode string) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
	},
}

// Update sends the planned changes, in one request if possible. Arguments that only this provider uses
// (deletion_policy, custom_metadata_mode) change without a request.
//
// It sends only values of the plan, because the configuration of an apply does not respect ignore_changes. Decisions
// about ownership are in the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	op, ok := r.BeginUpdate(ctx, req, resp)
	own := private.Owned[ownership](ctx, op.Private, op.Diags)
	next := private.Planned[ownership](ctx, op.Private, op.Diags).within(op.Config)
	if !ok || op.Diags.HasError() {
		return
	}
	plan, state := op.Plan, op.State
	body := plan.body(state)
	entries := owning{email: plan.Email, phone: plan.Phone, before: own,
		changesEmail: op.Config.Emails.IsNull() && changesEntry(plan.Email, state.Email),
		changesPhone: op.Config.Phones.IsNull() && changesEntry(plan.Phone, state.Phone)}
	var current *billing.Customer
	if entries.changesEmail || entries.changesPhone { // entries that other systems have added since the plan stay
		var err error
		if current, err = op.Client.GetCustomer(ctx, state.ID.ValueString()); op.Failed(ctx, "update", err) {
			return
		}
		entries.current = current
		entries.change(&body)
	}
	updated, err := customMetadata.Send(ctx, op.Client, state.ID, body,
		object.MetadataChangeOf(state.Attributes, plan.Attributes, own.Metadata, next.Metadata))
	if updated == nil && err == nil { // nothing was sent
		updated = current
	}
	next.Email, next.Phone = entries.after(updated)
	convert := func(c *billing.Customer) model { return plan.keep(c, next, op.Diags) }
	if updated != nil && err != nil { // the first of two requests has succeeded
		op.Save(ctx, convert(updated))
	}
	if updated != nil || err == nil {
		private.SetOwned(ctx, op.Private, next, op.Diags)
	}
	if !op.Failed(ctx, "update", err) {
		op.Finish(ctx, updated, convert)
	}
}

// Delete applies deletion_policy.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if op, ok := r.BeginDelete(ctx, req, resp, nil); ok {
		op.Failed(ctx, "delete", op.Client.DeleteCustomer(ctx, op.State.ID.ValueString()))
	}
}

// Policy is the deletion_policy of the object.
func (m model) Policy() object.Policy {
	return object.Policy{Value: m.DeletionPolicy, Object: m.displayName(), Own: object.PolicyDelete,
		AfterAbandon: "The billing accounts that this configuration does not close stay open, and their subscriptions " +
			"charge for as long as they run."}
}
