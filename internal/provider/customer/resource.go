// Package customer is the customer of the recurring-billing service: the resource, the data sources and the list
// resource. contacts.go converts lists of contacts and addresses; pair.go knows how email and emails belong together.
package customer

import (
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

// scheme is how customers are named and found.
var scheme = object.Scheme[*billing.Service, billing.Customer]{
	TypeName: typeName, Noun: "customer", Key: "external_id", MoreKeys: []string{"document_number"},
	Service: conn.Billing,
	ID:      func(c *billing.Customer) string { return c.ID },
	Get:     (*billing.Service).GetCustomer,
	Listed:  (*billing.Service).RefreshCustomer,
	Wrote:   (*billing.Service).Wrote,
	Again:   "creates it again, as a new customer with a new id",
	Find: func(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.Customer, error) {
		if by.Field == "document_number" {
			return client.FindCustomers(ctx, billing.CustomerQuery{DocumentNumber: by.Value})
		}
		return client.FindCustomers(ctx, billing.CustomerQuery{ExternalID: by.Value})
	},
	Line: func(c *billing.Customer) string { return fmt.Sprintf("%s  %s (created %s)", c.ID, c.Name, c.CreatedAt) },
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
func NewResource() resource.Resource { return &Resource{base{Scheme: scheme}} }

// ValidateConfig rejects arguments for a billing account that is not to be created, and an email outside of emails.
// What is not known yet is rejected in the plans, for which Terraform validates again. All of these are of the bare
// configuration: where a plan has an email outside of emails, one of them is under ignore_changes.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest,
	resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(value.Get(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.refuseOutside(&resp.Diagnostics)
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
				argument.name, config.displayName()), fmt.Sprintf("It belongs to the billing account that is created together "+
				"with the customer, and create_billing_account is false. Remove %s, or let the account be created.", argument.name))
		}
	}
}

func (m model) refuseOutside(diags *diag.Diagnostics) {
	for _, c := range []struct {
		name string
		pair
	}{{"email", pair{m.Email, m.Emails}}, {"phone", pair{m.Phone, m.Phones}}} {
		if c.contradicts() {
			diags.AddAttributeError(path.Root(c.name), fmt.Sprintf("%s of %s is not one of its %[1]ss", c.name,
				m.displayName()), fmt.Sprintf("%s is %s, and %[1]ss is configured without it. A configured list is "+
				"authoritative: add { value = %[2]s } to %[1]ss, or remove %[1]s or %[1]ss.", c.name, c.Main))
		}
	}
}

// Create creates the customer and writes it to the state before anything else is done.
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
			"The response to the creation was lost. A lookup found the customer that it had created.")
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

// read is the state m after a refresh, or the whole customer where it is imported.
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

// withOldestAccount is the imported customer m with the billing account that most likely came with it. When that cannot
// be found out, the import continues without it and says so.
func withOldestAccount(ctx context.Context, client *billing.Service, m model, c *billing.Customer,
	diags *diag.Diagnostics) model {
	account, err := oldestAccount(ctx, client, c)
	if err != nil {
		warnUnknownAccount(m, err, diags)
		return m
	}
	return m.withAccount(account)
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

// warnUnknownAccount reports that billing_account_id stays null for now.
func warnUnknownAccount(m model, err error, diags *diag.Diagnostics) {
	reason := "The service does not list one."
	if err != nil {
		reason = "Its billing accounts could not be listed: " + apidiag.Text(err)
	}
	diags.AddAttributeWarning(path.Root("billing_account_id"), "The billing account of a customer is not known",
		fmt.Sprintf("billing_account_id of %s is null for now; each refresh looks for the account again. %s", m.displayName(),
			reason))
}

// customMetadata reads and writes custom_metadata.
var customMetadata = object.CustomMetadataOf[*billing.Service, billing.Customer, billing.CustomerBody]{
	Get: (*billing.Service).GetCustomer, Update: (*billing.Service).UpdateCustomer,
	Of: func(c *billing.Customer) json.RawMessage { return c.CustomMetadata },
	Put: func(body *billing.CustomerBody, payload json.RawMessage, mode string) {
		body.CustomMetadata, body.CustomMetadataMode = api.Set(payload), api.Set(mode)
	},
}

// Update sends what the plan shows as changing, in one request where the service can do it in one. What only this
// provider knows (deletion_policy, custom_metadata_mode) changes without any request.
//
// What it sends comes from the plan alone: at apply the configuration does not respect ignore_changes. What the plan
// decided about ownership comes with the private state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	w, ok := r.BeginUpdate(ctx, req, resp)
	own := private.Owned[ownership](ctx, w.Private, w.Diags)
	next := private.Planned[ownership](ctx, w.Private, w.Diags).within(ownedBy(w.Config))
	if !ok || w.Diags.HasError() {
		return
	}
	plan, state := w.Plan, w.State
	// Also after the first of two requests: what only this provider knows is as planned.
	w.After = func(c *billing.Customer, _ model) model { return plan.after(c, next, w.Diags) }
	change := object.MetadataStep(customMetadata, w.Client, state.ID, plan.body(state, own), object.MetadataChange{
		From: state.EffectiveCustomMetadata, To: plan.EffectiveCustomMetadata,
		Owner: own.Metadata.Under(plan.CustomMetadataMode), Desired: next.Metadata.Object})
	shown := plan.shown()
	w.State.Email, w.State.Phone = shown.Email, shown.Phone // where nothing is sent
	if w.Do(ctx, change) {
		w.Finish(ctx)
	}
	if w.Last != nil || !w.Diags.HasError() {
		private.SetOwned(ctx, w.Private, next, w.Diags)
	}
}

// shown is the plan m without a request: a main value that is given up shows the first entry.
func (m model) shown() model {
	if m.Email.IsUnknown() {
		m.Email = pair{List: m.Emails}.first()
	}
	if m.Phone.IsUnknown() {
		m.Phone = pair{List: m.Phones}.first()
	}
	return m
}

// Delete does what deletion_policy says.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	w, ok := r.BeginDelete(ctx, req, resp, nil)
	if !ok {
		return
	}
	w.Do(ctx, object.Delete[billing.Customer](w.State.ID, w.Client.DeleteCustomer))
}

// Policy implements object.HasPolicy.
func (m model) Policy() object.Policy {
	return object.Policy{Value: m.DeletionPolicy, Object: m.displayName(), Own: object.PolicyDelete,
		Stays: "Its billing accounts stay open, and their subscriptions charge for as long as they run."}
}
