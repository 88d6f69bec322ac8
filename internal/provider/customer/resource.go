// Package customer implements customers of the recurring-billing service: the resource, the data sources and the list
// resource. contacts.go converts lists of contacts and addresses; pair.go plans email together with emails.
package customer

import (
	"cmp"
	"context"
	"encoding/json"
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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

var scheme = object.Scheme[*billing.Service, billing.Customer]{
	TypeName: typeName, Noun: "customer", Key: "external_id", MoreKeys: []string{"document_number"},
	Texts: []string{"external_id", "name", "nickname", "legal_name", "notes", "email", "phone", "emails", "phones",
		"websites", "addresses", "tags", "billing_email", "custom_metadata"},
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

// ValidateConfig rejects arguments for a billing account if none is created, and an email that is not in emails.
// Terraform validates again before a plan, with more known values. These checks need the bare configuration: if a plan
// has an email that is not in emails, one of them is under ignore_changes.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(value.Get(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.checkMainEntries(&resp.Diagnostics)
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

func (m model) checkMainEntries(diags *diag.Diagnostics) {
	for _, c := range []struct {
		name string
		pair
	}{{"email", pair{m.Email, m.Emails}}, {"phone", pair{m.Phone, m.Phones}}} {
		if c.contradicts() {
			diags.AddAttributeError(path.Root(c.name), fmt.Sprintf("%s of %s is not one of its %[1]ss", c.name,
				m.displayName()), fmt.Sprintf("%ss does not contain the value of %[1]s. A configured list is "+
				"authoritative: add { value = … } with it to %[1]ss, or remove %[1]s or %[1]ss.", c.name))
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
	own := ownedBy(w.Config)
	own.Metadata = desired
	var created *billing.CustomerCreated
	w.After = func(c *billing.Customer, prior model) model {
		state := prior.after(c, own, w.Diags).withAccount(created.BillingAccount)
		state.CreateBillingAccount = w.Plan.CreateBillingAccount
		return state.orPlanned(w.Plan)
	}
	body := w.Config.body(model{}, ownership{})
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
	if g.Importing {
		g.State = withOldestAccount(ctx, g.Client, g.State, g.Last, g.Diags)
	} else {
		g.State = withLostAccount(ctx, g.Client, g.State, g.Last, g.Diags)
	}
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

// withLostAccount finds the billing account of the customer if it is unknown since the creation or the import. Each
// refresh looks for it until it is found, because objects that refer to billing_account_id cannot be created without
// it.
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

// withOldestAccount adds the billing account that was most likely created with the imported customer m. If that cannot
// be determined, it warns and the import continues.
func withOldestAccount(ctx context.Context, client *billing.Service, m model, c *billing.Customer,
	diags *diag.Diagnostics) model {
	account, err := oldestAccount(ctx, client, c)
	if err != nil {
		warnUnknownAccount(m, err, diags)
		return m
	}
	return m.withAccount(account)
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

// oldestAccount returns the customer's oldest billing account that is not closed. The one created with the customer is
// older than any other.
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
	next := private.Planned[ownership](ctx, w.Private, w.Diags).within(ownedBy(w.Config))
	if !ok || w.Diags.HasError() {
		return
	}
	plan, state := w.Plan, w.State
	// Also after the first of two requests: arguments that only this provider uses are as planned.
	w.After = func(c *billing.Customer, _ model) model { return plan.after(c, next, w.Diags) }
	change := object.MetadataStep(customMetadata, w.Client, state.ID, plan.body(state, own),
		object.MetadataChangeOf(state.Attributes, plan.Attributes, own.Metadata, next.Metadata))
	shown := plan.shown()
	w.State.Email, w.State.Phone = shown.Email, shown.Phone // if nothing is sent
	if w.Do(ctx, change) {
		w.Finish(ctx)
	}
	if w.Last != nil || !w.Diags.HasError() {
		private.SetOwned(ctx, w.Private, next, w.Diags)
	}
}

// shown returns the plan m for an update without a request: a removed main value shows the first entry.
func (m model) shown() model {
	if m.Email.IsUnknown() {
		m.Email = pair{List: m.Emails}.first()
	}
	if m.Phone.IsUnknown() {
		m.Phone = pair{List: m.Phones}.first()
	}
	return m
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
		Stays: "Its billing accounts stay open, and their subscriptions charge for as long as they run."}
}
