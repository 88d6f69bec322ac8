package billingaccount

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// waysOut are the policies that let an account go.
const waysOut = `"close" or "delete"`

// ModifyPlan decides the value of every computed attribute, and puts the state's value back where configuration and state mean the
// same. What cannot change stays known.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var p planning
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &p.state)...)
	}
	if req.Plan.Raw.IsNull() {
		policy.Refuse(p.state.DeletionPolicy, p.state.displayName(), waysOut, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &p.config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		r.planCreate(ctx, p, req, resp)
		return
	}
	p.own = readOwned(ctx, req.Private, &resp.Diagnostics)
	p.facts = private.Get[facts](ctx, req.Private, keyFacts, &resp.Diagnostics)
	if p.facts.ID == "" {
		p.facts.ID = p.state.CustomerID.ValueString()
	}
	if r.Conn != nil {
		p.defaults = r.Conn.Defaults
	}
	p.imported = private.Get[imported](ctx, req.Private, keyImported, &resp.Diagnostics)
	if private.Get[bool](ctx, req.Private, keyFollows, &resp.Diagnostics) {
		p.customer, p.customerPlanned = run.Noted[contact.Planned](r.Run(), customerTypeName, p.facts.ID)
	}
	p.update(&resp.Diagnostics)
	at := r.moves(ctx, &p, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	wanted := len(at) > 0
	switch replaced := r.Run().PlanUpdate(ctx, typeName, p.state.ID.ValueString(), wanted, req.ClientCapabilities.DeferralAllowed, resp.Private, &resp.Diagnostics); {
	case replaced:
		resp.RequiresReplace = append(resp.RequiresReplace, at...)
		policy.Refuse(p.state.DeletionPolicy, p.state.displayName(), waysOut, &resp.Diagnostics)
	case wanted:
		resp.Diagnostics.AddAttributeError(path.Root("customer"), "The customer is another one than planned",
			fmt.Sprintf("%s belongs to customer %s, and customer has turned out to name another one, which was not known when the plan was made. "+
				"Only a new account can belong to it, and the plan has shown none. Nothing was sent for this account. Plan again: the plan then shows the replacement.",
				apidiag.Capitalize(p.state.displayName()), p.facts.ID))
		return
	}
	r.Run().Note(typeName, p.state.ID.ValueString(), run.Status{Configured: p.config.Status, Changes: !p.planned.Status.Equal(p.state.Status)})
	private.Plan(ctx, resp.Private, p.next, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.planned)...)
	if c, err := customerOf(ctx, p.config.Customer); err == nil && !c.refers() && !p.own.applied() && !resp.Plan.Raw.Equal(req.State.Raw) {
		// From its first apply on, the data of a new customer is in the state in the configuration's words: later plans compare with these.
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("customer"), p.config.Customer)...)
	}
}

// planCreate plans an account that does not exist, or the new one of a replacement.
func (r *Resource) planCreate(ctx context.Context, p planning, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	replaces := r.Run().PlanCreate(ctx, typeName, req.Private, &resp.Diagnostics)
	p.planned.CustomMetadata = p.config.CustomMetadata
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.planned)...)
	c, err := customerOf(ctx, p.config.Customer)
	if err == nil && replaces {
		r.refuseNobody(ctx, c, p.planned, &resp.Diagnostics)
	}
	if err != nil || c.refers() {
		return
	}
	if old, found := run.Noted[opened](r.Run(), typeName, c.code()); found && r.Run().Replaces(typeName, old.Account) {
		resp.Diagnostics.AddAttributeWarning(path.Root("customer"), "Another customer of the same name",
			fmt.Sprintf("The account is opened again, and customer describes a new customer: the service creates another one named %q. The customer of the old "+
				"account stays. To use it again, write customer = { id = %q }.", c.Name.ValueString(), old.Customer))
	}
}

// refuseNobody rejects a replacement whose new account cannot be opened, because its customer does not exist: the old one would be closed
// first.
func (r *Resource) refuseNobody(ctx context.Context, c customer, planned model, diags *diag.Diagnostics) {
	if !c.refers() || c.ID.IsNull() && !c.Name.IsNull() {
		return // a customer that is not found is created by its name
	}
	meant, err := reference{client: r.client(diags), run: r.Run()}.of(ctx, c, blank(ctx))
	if err != nil {
		apidiag.Add(diags, err, apidiag.Doing{Verb: "find", Object: "the customer of " + planned.displayName(), TypeName: typeName, Attributes: arguments})
	}
	if meant != nobody {
		return
	}
	diags.AddAttributeError(path.Root("customer"), "No such customer",
		fmt.Sprintf("The organization of this token has no customer with the id %s, external_id %s or document_number %s, so the "+
			"new account could not be opened. An account that it replaces would be closed before that. Nothing was changed. Correct customer.", c.ID, c.ExternalID, c.DocumentNumber))
}

// client returns the service for as long as it is known.
func (r *Resource) client(diags *diag.Diagnostics) func() (*billing.Service, bool) {
	return func() (*billing.Service, bool) {
		if r.Conn == nil {
			return nil, false
		}
		return r.Conn.Billing.For(typeName, diags)
	}
}

// planning is the plan of a change in the making.
type planning struct {
	config, state, planned model
	own                    owned
	// next is what the plan leaves for its apply.
	next  forApply
	facts facts
	// imported is what the customer had when the account was imported.
	imported imported
	// follows are the arguments that the configuration names and does not set; see followsCustomer.
	follows []string
	// customer is what the plan of the customer says, where the same run plans it.
	customer        contact.Planned
	customerPlanned bool
	defaults        conn.Defaults
}

// moves decides about the argument customer: it keeps the state's words when they mean the same customer, and returns the attributes
// that ask for a new account where the account would belong to another one.
func (r *Resource) moves(ctx context.Context, p *planning, diags *diag.Diagnostics) path.Paths {
	meant, config, state := r.whose(ctx, p, diags)
	imported := !p.own.applied()
	switch {
	case diags.HasError():
		return nil
	case !imported && meant != another && r.Run().Replaces(customerTypeName, p.facts.ID):
		// The customer is replaced in the same run, and takes its accounts along.
		p.planned.CustomerID = types.StringUnknown()
		return path.Paths{path.Root("customer"), path.Root("customer_id")}
	case meant == open && config.refers() && !imported && sameData(ctx, config, state):
		// Where the reference turns out to mean the same customer, the plan of the apply keeps the state's words; where not, it fails.
		p.planned.Customer = p.state.Customer
		return nil
	case meant == open:
		return nil
	case imported && meant != hers && (meant == nobody || config.refers()):
		diags.AddAttributeError(path.Root("customer"), "The imported account belongs to another customer",
			fmt.Sprintf("%s belongs to customer %s (%s), and the configuration names another one. An import never replaces an account: write "+
				"customer = { id = %q }, or import the account you mean. To open an account for the other customer instead, remove this one from the "+
				"configuration and apply first.", apidiag.Capitalize(p.state.displayName()), p.facts.ID, p.facts.Name, p.facts.ID))
		return nil
	case meant == nobody && !config.ID.IsNull():
		diags.AddAttributeError(path.Root("customer").AtName("id"), "No such customer",
			fmt.Sprintf("The organization of this token has no customer with the id or external_id %q. %s stays as it is: a replacement would close it first, "+
				"and then fail. Correct the id.", config.ID.ValueString(), apidiag.Capitalize(p.state.displayName())))
		return nil
	case meant == another && !imported:
		p.planned.CustomerID = types.StringUnknown()
		return path.Paths{path.Root("customer")}
	}
	p.planned.Customer = p.state.Customer
	switch {
	case meant == nobody:
		diags.AddAttributeWarning(path.Root("customer"), "The reference finds no customer",
			fmt.Sprintf("No customer has the external_id or document_number in customer. %s stays with the customer it has, %s (%s). Correct the reference, or write "+
				"customer = { id = %q }.", apidiag.Capitalize(p.state.displayName()), p.facts.ID, p.facts.Name, p.facts.ID))
	case !imported && !sameData(ctx, config, state):
		p.planned.Customer = p.config.Customer
		diags.AddAttributeWarning(path.Root("customer"), "The customer's data is only used when the account is opened",
			fmt.Sprintf("%s exists already, so changes inside customer have no effect at the service. Use name, email, phone and address of the account, "+
				"or a billing_customer resource.", apidiag.Capitalize(p.state.displayName())))
	}
	return nil
}

// whose is whom the argument customer means, and the argument in configuration and state.
func (r *Resource) whose(ctx context.Context, p *planning, diags *diag.Diagnostics) (meant whose, config, state customer) {
	if p.config.Customer.IsUnknown() {
		return open, config, state
	}
	config, errConfig := customerOf(ctx, p.config.Customer)
	state, errState := customerOf(ctx, p.state.Customer)
	if err := errors.Join(errConfig, errState); err != nil {
		diags.AddAttributeError(path.Root("customer"), "Invalid customer", err.Error())
		return open, config, state
	}
	meant, err := reference{client: r.client(diags), run: r.Run(), has: p.facts, planned: p.customer}.of(ctx, config, state)
	if err != nil {
		apidiag.Add(diags, err, apidiag.Doing{Verb: "find", Object: "the customer of " + p.state.displayName(), TypeName: typeName, Attributes: arguments})
	}
	return meant, config, state
}

// update makes unknown only what this change can touch, see touches; the schema keeps the other computed values.
func (p *planning) update(diags *diag.Diagnostics) {
	m, state := &p.planned, p.state
	p.keepUnconfigured()
	p.followImported(diags)
	customerChanges := p.followCustomer(diags)

	m.CustomMetadata, m.EffectiveCustomMetadata, p.next.Owned.Metadata = p.own.Metadata.Under(m.CustomMetadataMode, p.defaults.Object).
		PlanAttribute(p.config.CustomMetadata, state.CustomMetadata, state.EffectiveCustomMetadata, p.defaults.Unknown, state.displayName(), diags)
	changes := map[change]bool{
		changeFields:   customerChanges || !m.toUpdate(state).IsEmpty(),
		changeStatus:   !m.Status.Equal(state.Status),
		changeMetadata: !m.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata),
	}
	for change, made := range changes {
		if made {
			touches[change](m)
		}
	}
}

// keepUnconfigured leaves as it is what the configuration does not name.
func (p *planning) keepUnconfigured() {
	m, config, state := &p.planned, p.config, p.state
	for _, field := range []struct {
		name   string
		config attr.Value
		keep   func()
	}{
		{"billing_email", config.BillingEmail, func() { m.BillingEmail = state.BillingEmail }},
		{"payment_terms_days", config.PaymentTermsDays, func() { m.PaymentTermsDays = state.PaymentTermsDays }},
		{"auto_collection", config.AutoCollection, func() { m.AutoCollection = state.AutoCollection }},
		{"name", config.Name, func() { m.Name = state.Name }},
		{"email", config.Email, func() { m.Email = state.Email }},
		{"phone", config.Phone, func() { m.Phone = state.Phone }},
		{"address", config.Address, func() { m.Address = state.Address }},
		{"status", config.Status, func() { m.Status = state.Status }},
	} {
		if field.config.IsNull() {
			field.keep()
			p.next.Shown = append(p.next.Shown, field.name)
		}
	}
}

// followImported leaves to the customer those of name, email, phone and address that the configuration only repeats: an argument that was
// never set by this configuration and has the value of the state, as ignore_changes gives it, or that of the import, as generated
// configuration gives it.
func (p *planning) followImported(diags *diag.Diagnostics) {
	configured, stored := p.config.showing(), p.state.showing()
	for i, planned := range p.planned.showing() {
		name, config, state := planned.name, configured[i].value, stored[i].value
		repeats := config.Equal(p.imported.value(name))
		switch {
		case config.IsNull():
			continue
		case state.IsNull() || p.own.sets(name) || !repeats && !config.Equal(state):
			p.next.Owned.Customer = append(p.next.Owned.Customer, name)
			continue
		case repeats && !config.Equal(state):
			diags.AddAttributeWarning(path.Root(name), "The argument still has the imported value",
				fmt.Sprintf("%s was imported with %s = %s, and its customer has %s since. The import did not set %s, so this plan does not revert the change. "+
					"Remove %s from the configuration, or write the value that the customer is to have.", apidiag.Capitalize(p.state.displayName()), name, config, state, name, name))
		}
		planned.take(p.state)
		p.follows = append(p.follows, name)
		p.next.Shown = append(p.next.Shown, name)
	}
}

// change is a kind of change to an account.
type change int

const (
	changeFields change = iota
	changeStatus
	changeMetadata
)

// touches says which computed attributes each kind of change can change at the service; a plan shows these as known after apply, and
// no others.
var touches = map[change]func(*model){
	changeFields: func(m *model) { m.UpdatedAt = types.StringUnknown() },
	changeStatus: func(m *model) {
		m.UpdatedAt, m.SuspendedAt, m.SuspensionReason = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	},
	changeMetadata: func(m *model) { m.UpdatedAt = types.StringUnknown() },
}

// displayName names the account inside a sentence.
func (m model) displayName() string {
	name := m.Name.ValueString()
	if name == "" {
		name = m.ExternalID.ValueString()
	}
	if id := m.ID.ValueString(); id != "" {
		return fmt.Sprintf("billing account %s of %q", id, name)
	}
	return "the billing account"
}

// Keys of the private state.
const (
	keyOwned    = "owned"
	keyFacts    = "customer"
	keyImported = "imported"
	keyFollows  = "follows_customer"
)

// owned is what the configuration owned of the account when it was last applied; the zero value is that of an account that no
// configuration was applied to yet.
type owned struct {
	Metadata metadata.Owned `json:"custom_metadata"`
	// Customer are those of name, email, phone and address that the configuration sets at the customer.
	Customer []string `json:"customer,omitempty"`
}

// sets reports whether the configuration set the argument at the customer when it was last applied.
func (o owned) sets(name string) bool { return slices.Contains(o.Customer, name) }

// applied reports whether a configuration was applied to the account since it was imported.
func (o owned) applied() bool { return o.Metadata.Object != nil }

func readOwned(ctx context.Context, store private.Store, diags *diag.Diagnostics) owned {
	return private.Get[owned](ctx, store, keyOwned, diags)
}

// imported is what the customer of an account had when the account was imported. Generated configuration repeats it. As long as an
// argument still says so, it does not set anything: otherwise it would revert the next change of the customer.
type imported struct {
	Name    *string          `json:"name,omitempty"`
	Email   *string          `json:"email,omitempty"`
	Phone   *string          `json:"phone,omitempty"`
	Address *billing.Address `json:"address,omitempty"`
}

func importedFrom(m model) imported {
	i := imported{Name: m.Name.ValueStringPointer(), Email: m.Email.ValueStringPointer(), Phone: m.Phone.ValueStringPointer()}
	if !m.Address.IsNull() {
		address := contact.ToAddress(m.Address)
		i.Address = &address
	}
	return i
}

// value is the imported value of the argument; null for none.
func (i imported) value(name string) attr.Value {
	switch name {
	case "name":
		return types.StringPointerValue(i.Name)
	case "email":
		return types.StringPointerValue(i.Email)
	case "phone":
		return types.StringPointerValue(i.Phone)
	}
	if i.Address == nil {
		return types.ObjectNull(contact.AddressType.AttrTypes)
	}
	return contact.Address(*i.Address)
}

// forApply is what a plan leaves for its apply.
type forApply struct {
	// Owned is what the configuration owns once the plan is applied.
	Owned owned `json:"owned"`
	// Shown are the arguments that the configuration does not name: they only show what the service has.
	Shown []string `json:"shown,omitempty"`
	// Reads says that the customer changes in the same run, so that the account has to be read before it is changed.
	Reads bool `json:"reads,omitempty"`
}
