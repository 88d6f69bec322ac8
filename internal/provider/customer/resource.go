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
	Texts: []string{"external_id", "name", "nickname", "legal_name", "notes", "emails", "phones", "websites",
		"addresses", "tags", "billing_email", "custom_metadata"},
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

type step = object.Step[billing.Customer]

// Resource is billing_customer.
type Resource struct{ base }

var (
	_ object.Managed                      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource returns the resource.
func NewResource() resource.Resource {
	return &Resource{base{Scheme: scheme, OnCreation: []object.OnCreation[model]{
		{Argument: "create_billing_account", Instead: model.hasAccount},
		{Argument: "billing_email", Instead: model.accountStays},
		{Argument: "payment_terms_days", Instead: model.accountStays},
		{Argument: "auto_collection", Instead: model.accountStays},
	}}}
}

// accountStays says where the terms of the billing account are changed. They are not read: the account may be managed
// by another resource, which has changed them.
func (m model) accountStays() string {
	return fmt.Sprintf("To change its billing account, manage that with a billing_account resource: import it by its id "+
		"(%s).", cmp.Or(m.BillingAccountID.ValueString(), "not known"))
}

func (m model) hasAccount() string {
	if m.CreateBillingAccount.ValueBool() {
		return m.accountStays()
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
	w, ok := r.BeginCreate(ctx, req, resp)
	if !ok {
		return
	}
	desired, ok := r.Defaults().Under(w.Config.CustomMetadata, w.Diags)
	if !ok {
		return
	}
	own := ownership{Metadata: desired, Addresses: !w.Config.Addresses.IsNull()}
	var created *billing.CustomerCreated
	w.After = func(c *billing.Customer, prior model) model {
		own.Email, own.Phone = sent(w.Config.Email, c.Emails, nil), sent(w.Config.Phone, c.Phones, nil)
		state := prior.after(c, own, w.Diags).withAccount(created.BillingAccount)
		state.CreateBillingAccount = w.Plan.CreateBillingAccount
		return state.orPlanned(w.Plan)
	}
	body := w.Config.body(model{})
	body.CustomMetadata = value.ChangedMetadata(desired)
	if !w.Do(ctx, step{Verb: "create", Send: func(ctx context.Context) (_ *billing.Customer, err error) {
		if created, err = w.Client.CreateCustomer(ctx, body); err != nil {
			return nil, err
		}
		return &created.Customer, nil
	}}) {
		return
	}
	w.Finish(ctx)
	private.SetOwned(ctx, w.Private, own, w.Diags)
	if created.Adopted {
		w.Diags.AddWarning(fmt.Sprintf("Found %s instead of creating it twice", w.State.displayName()),
			"The response to the creation was lost. A lookup found the created customer.")
	}
	r.Run().Creates("billing_account of "+typeName, w.State.ID.ValueString(), w.State.BillingAccountID.ValueString())
	if created.BillingAccount == nil && w.Plan.CreateBillingAccount.ValueBool() {
		warnUnknownAccount(w.State, created.AccountError, w.Diags)
	}
}

// Read refreshes the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	g, ok := r.BeginRead(ctx, req, resp)
	if !ok {
		return
	}
	r.Run().Belongs("billing_account", g.Prior.BillingAccountID.ValueString(), typeName, g.Prior.ID.ValueString())
	own := private.Owned[ownership](ctx, g.Private, g.Diags)
	g.After = func(c *billing.Customer, prior model) model { return prior.read(c, own, g.Importing, g.Diags) }
	if !g.Get(ctx) {
		return
	}
	g.State = withAccountFound(ctx, g.Client, g.State, g.Last, g.Diags)
	g.Save(ctx)
}

// read returns the state m after a refresh, or the whole customer if it is being imported.
func (m model) read(c *billing.Customer, own ownership, importing bool, diags *diag.Diagnostics) model {
	if !importing {
		return m.after(c, own, diags)
	}
	whole, err := fromAPI(c)
	if err != nil {
		apidiag.Unreadable(diags, err)
	}
	return whole.emptied()
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

// emptied replaces null lists with empty ones. Then neither [] nor an unset argument causes a diff: Terraform does not
// accept a null in the state for a configured list.
func (m model) emptied() model {
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
	w, ok := r.BeginUpdate(ctx, req, resp)
	own := private.Owned[ownership](ctx, w.Private, w.Diags)
	next := private.Planned[ownership](ctx, w.Private, w.Diags).within(w.Config)
	if !ok || w.Diags.HasError() {
		return
	}
	plan, state := w.Plan, w.State
	entries := owning{email: plan.Email, phone: plan.Phone, before: own,
		changesEmail: w.Config.Emails.IsNull() && changesEntry(plan.Email, state.Email),
		changesPhone: w.Config.Phones.IsNull() && changesEntry(plan.Phone, state.Phone)}
	// Also after the first of two requests: arguments that only this provider uses are as planned.
	w.After = func(c *billing.Customer, _ model) model {
		next.Email, next.Phone = entries.after(c)
		return plan.after(c, next, w.Diags)
	}
	body := plan.body(state)
	change := func() step {
		return object.MetadataStep(customMetadata, w.Client, state.ID, body,
			object.MetadataChangeOf(state.Attributes, plan.Attributes, own.Metadata, next.Metadata))
	}
	only := change()
	if entries.changesEmail || entries.changesPhone {
		// Entries that other systems have added since the plan stay.
		only = step{Verb: "update", Send: func(ctx context.Context) (current *billing.Customer, err error) {
			if current, err = w.Client.GetCustomer(ctx, state.ID.ValueString()); err != nil {
				return nil, err
			}
			entries.current = current
			entries.change(&body)
			if whole := change(); whole.Send != nil {
				return whole.Send(ctx)
			}
			return current, nil
		}}
	}
	if w.Do(ctx, only) {
		w.Finish(ctx)
	}
	if w.Last == nil { // nothing was sent
		next.Email, next.Phone = entries.after(&billing.Customer{})
	}
	if w.Last != nil || !w.Diags.HasError() {
		private.SetOwned(ctx, w.Private, next, w.Diags)
	}
}

// Delete applies deletion_policy.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	w, ok := r.BeginDelete(ctx, req, resp, nil)
	if !ok {
		return
	}
	w.Do(ctx, object.Delete[billing.Customer](w.State.ID, w.Client.DeleteCustomer))
}

// Policy is the deletion_policy of the object.
func (m model) Policy() object.Policy {
	return object.Policy{Value: m.DeletionPolicy, Object: m.displayName(), Own: object.PolicyDelete,
		Stays: "The billing accounts that this configuration does not close stay open, and their subscriptions charge for " +
			"as long as they run."}
}
