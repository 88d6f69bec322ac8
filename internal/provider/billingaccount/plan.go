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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/policy"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// ModifyPlan decides the value of every computed attribute, and puts the state's value back where configuration and
// state mean the same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(_ context.Context, p *object.Plan[model]) {
	warnClosing(p.State, p.Diags)
}

// planCreate plans an account that does not exist, or the new one of a replacement.
func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	p.Planned = p.Planned.plannedCreate(p.Config)
	c, err := customerOf(ctx, p.Config.Customer)
	if err == nil && p.Replaces {
		r.refuseNobody(ctx, c, p.Planned, p.Diags)
	}
	if err != nil || c.refers() {
		return
	}
	if old, found := run.Noted[opened](p.Run, typeName, c.code()); found && p.Run.Replaces(typeName, old.Account) {
		p.Diags.AddAttributeWarning(path.Root("customer"), "Another customer of the same name",
			fmt.Sprintf("The account is opened again, and customer describes a new customer: the service creates "+
				"another one named %q. The customer of the old account stays. To use it again, write customer = { "+
				"id = %q }.",
				c.Name.ValueString(), old.Customer))
	}
}

func (r *Resource) planUpdate(ctx context.Context, plan *object.Plan[model]) {
	p := planning{Plan: plan, defaults: r.Defaults(),
		own:      private.Owned[ownership](ctx, plan.Private, plan.Diags),
		facts:    private.Get[facts](ctx, plan.Private, keyFacts, plan.Diags),
		imported: private.Get[imported](ctx, plan.Private, keyImported, plan.Diags)}
	id := p.State.ID.ValueString()
	if p.facts.ID == "" {
		p.facts.ID = p.State.CustomerID.ValueString()
	}
	if private.Get[bool](ctx, p.Private, keyFollows, p.Diags) {
		p.customer, p.customerPlanned = run.Noted[contact.Planned](p.Run, customerTypeName, p.facts.ID)
	}
	p.plannedUpdate()
	at := r.moves(ctx, &p)
	if p.Diags.HasError() {
		return
	}
	switch replaced := p.Update(ctx, id, at...); {
	case replaced:
	case len(at) > 0:
		p.Diags.AddAttributeError(path.Root("customer"), "The customer is another one than planned",
			fmt.Sprintf("%s belongs to customer %s, and customer has turned out to name another one, which was not "+
				"known when the plan was made. Only a new account can belong to it, and the plan has shown none. "+
				"Nothing was sent for this account. Plan again: the plan then shows the replacement.",
				apidiag.Capitalize(p.State.displayName()), p.facts.ID))
		return
	}
	p.Run.Note(typeName, id, run.Status{Configured: p.Config.Status, Changes: !p.Planned.Status.Equal(p.State.Status)})
	private.Plan(ctx, p.Private, p.next, p.Diags)
	c, err := customerOf(ctx, p.Config.Customer)
	if err == nil && !c.refers() && !p.own.applied() && p.Changes(ctx, p.Planned) {
		// From its first apply on, the data of a new customer is in the state as the configuration writes it: later
		// plans compare with these.
		p.Planned.Customer = p.Config.Customer
	}
}

// planning is the plan of a change in the making.
type planning struct {
	*object.Plan[model]
	own ownership
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
	defaults        metadata.Defaults
}

// moves decides about the argument customer: it keeps the value of the state when that means the same customer, and
// returns the attributes that ask for a new account where the account would belong to another one.
func (r *Resource) moves(ctx context.Context, p *planning) path.Paths {
	diags := p.Diags
	meant, config, state := r.whose(ctx, p)
	imported := !p.own.applied()
	switch {
	case diags.HasError():
		return nil
	case !imported && meant != another && r.Run().Replaces(customerTypeName, p.facts.ID):
		// The customer is replaced in the same run, and takes its accounts along.
		p.Planned.CustomerID = types.StringUnknown()
		return path.Paths{path.Root("customer"), path.Root("customer_id")}
	case meant == open && config.refers() && !imported && sameData(ctx, config, state):
		// Where the reference turns out to mean the same customer, the plan of the apply keeps the value of the state;
		// where not, it fails.
		p.Planned.Customer = p.State.Customer
		return nil
	case meant == open:
		return nil
	case imported && meant != hers && (meant == nobody || config.refers()):
		diags.AddAttributeError(path.Root("customer"), "The imported account belongs to another customer",
			fmt.Sprintf("%s belongs to customer %s (%s), and the configuration names another one. An import never "+
				"replaces an account: write customer = { id = %q }, or import the account you mean. To open an "+
				"account for the other customer instead, remove this one from the configuration and apply first.",
				apidiag.Capitalize(p.State.displayName()), p.facts.ID, p.facts.Name, p.facts.ID))
		return nil
	case meant == nobody && !config.ID.IsNull():
		diags.AddAttributeError(path.Root("customer").AtName("id"), "No such customer",
			fmt.Sprintf("The organization of this token has no customer with the id or external_id %q. %s stays as "+
				"it is: a replacement would close it first, and then fail. Correct the id.", config.ID.ValueString(),
				apidiag.Capitalize(p.State.displayName())))
		return nil
	case meant == another && !imported:
		p.Planned.CustomerID = types.StringUnknown()
		return path.Paths{path.Root("customer")}
	}
	p.Planned.Customer = p.State.Customer
	switch {
	case meant == nobody:
		diags.AddAttributeWarning(path.Root("customer"), "The reference finds no customer",
			fmt.Sprintf("No customer has the external_id or document_number in customer. %s stays with the customer "+
				"it has, %s (%s). Correct the reference, or write customer = { id = %q }.",
				apidiag.Capitalize(p.State.displayName()), p.facts.ID, p.facts.Name,
				p.facts.ID))
	case !imported && !sameData(ctx, config, state):
		p.Planned.Customer = p.Config.Customer
		diags.AddAttributeWarning(path.Root("customer"), "The customer's data is only used when the account is opened",
			fmt.Sprintf("%s exists already, so changes inside customer have no effect at the service. Use name, "+
				"email, phone and address of the account, or a billing_customer resource.",
				apidiag.Capitalize(p.State.displayName())))
	}
	return nil
}

// whose is whom the argument customer means, and the argument in configuration and state.
func (r *Resource) whose(ctx context.Context, p *planning) (meant whose, config, state customer) {
	if p.Config.Customer.IsUnknown() {
		return open, config, state
	}
	config, errConfig := customerOf(ctx, p.Config.Customer)
	state, errState := customerOf(ctx, p.State.Customer)
	if err := errors.Join(errConfig, errState); err != nil {
		p.Diags.AddAttributeError(path.Root("customer"), "Invalid customer", err.Error())
		return open, config, state
	}
	meant, err := reference{client: r.connect(p.Diags), run: r.Run(), has: p.facts, planned: p.customer}.of(ctx, config,
		state)
	if err != nil {
		apidiag.Add(p.Diags, err, apidiag.Operation{Verb: "find", Object: "the customer of " + p.State.displayName(),
			TypeName: typeName, Attributes: arguments})
	}
	return meant, config, state
}

// plannedCreate leaves to the apply what only the service can say.
func (m model) plannedCreate(config model) model {
	m.CustomMetadata = config.CustomMetadata
	return m
}

// plannedUpdate makes unknown only what this change can touch; the schema keeps the other computed values:
//
//	any change at the service   updated_at
//	status                      suspended_at, suspension_reason
func (p *planning) plannedUpdate() {
	m, config, state := &p.Planned, p.Config, p.State
	for _, argument := range []struct {
		name   string
		config attr.Value
	}{
		{"billing_email", config.BillingEmail}, {"payment_terms_days", config.PaymentTermsDays},
		{"auto_collection", config.AutoCollection}, {"name", config.Name}, {"email", config.Email}, {"phone",
			config.Phone},
		{"address", config.Address}, {"status", config.Status},
	} {
		if argument.config.IsNull() {
			p.next.Shown = append(p.next.Shown, argument.name)
		}
	}
	p.followImported()
	customerChanges := p.followCustomer()
	m.CustomMetadata, m.EffectiveCustomMetadata, p.next.Owned.Metadata = p.own.Metadata.Plan(metadata.Planning{
		Config: config.CustomMetadata, State: state.CustomMetadata, Effective: state.EffectiveCustomMetadata,
		Mode: m.CustomMetadataMode, Defaults: p.defaults, Object: state.displayName()}, p.Diags)
	changesStatus := !m.Status.Equal(state.Status)
	if changesStatus {
		m.SuspendedAt, m.SuspensionReason = types.StringUnknown(), types.StringUnknown()
	}
	if changesStatus || customerChanges || !m.toUpdate(state).IsEmpty() ||
		!m.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata) {
		m.UpdatedAt = types.StringUnknown()
	}
}

// refuseNobody rejects a replacement whose new account cannot be opened, because its customer does not exist: the old
// one would be closed first.
func (r *Resource) refuseNobody(ctx context.Context, c customer, planned model, diags *diag.Diagnostics) {
	if !c.refers() || c.ID.IsNull() && !c.Name.IsNull() {
		return // a customer that is not found is created by its name
	}
	meant, err := reference{client: r.connect(diags), run: r.Run()}.of(ctx, c, blank(ctx))
	if err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "find", Object: "the customer of " + planned.displayName(),
			TypeName: typeName, Attributes: arguments})
	}
	if meant != nobody {
		return
	}
	diags.AddAttributeError(path.Root("customer"), "No such customer",
		fmt.Sprintf("The organization of this token has no customer with the id %s, external_id %s or "+
			"document_number %s, so the new account could not be opened. An account that it replaces would be closed "+
			"before that. Nothing was changed. Correct customer.", c.ID, c.ExternalID, c.DocumentNumber))
}

// connect returns the service, as long as the provider is configured.
func (r *Resource) connect(diags *diag.Diagnostics) func() (*billing.Service, bool) {
	return func() (*billing.Service, bool) {
		if r.Conn == nil {
			return nil, false
		}
		return r.Conn.Billing.For(typeName, diags)
	}
}

// Keys of the private state.
const (
	keyFacts    = "customer"
	keyImported = "imported"
	keyFollows  = "follows_customer"
)

// ownership is what the configuration owned of the account when it was last applied, see private.Owned.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata"`
	// Customer are those of name, email, phone and address that the configuration sets at the customer.
	Customer []string `json:"customer,omitempty"`
}

// sets reports whether the configuration set the argument at the customer when it was last applied.
func (o ownership) sets(name string) bool { return slices.Contains(o.Customer, name) }

// applied reports whether a configuration was applied to the account since it was imported.
func (o ownership) applied() bool { return o.Metadata.Object != nil }

// forApply is what a plan leaves for its apply.
type forApply struct {
	// Owned is what the configuration owns once the plan is applied.
	Owned ownership `json:"owned"`
	// Shown are the arguments that the configuration does not name: they only show what the service has.
	Shown []string `json:"shown,omitempty"`
	// Reads says that the customer changes in the same run, so that the account has to be read before it is changed.
	Reads bool `json:"reads,omitempty"`
}

// warnClosing reports what closing an account does not end.
func warnClosing(state model, diags *diag.Diagnostics) {
	if state.DeletionPolicy.ValueString() != policyClose {
		return
	}
	diags.AddAttributeWarning(path.Root(policy.Name), "Closing an account cancels no subscription",
		fmt.Sprintf("%s is closed for good%s. Subscriptions of it that this plan does not cancel continue to charge: "+
			"cancel them first, in this configuration or at the service.",
			apidiag.Capitalize(state.displayName()), state.balance()))
}

// balance is the open balance as the state knows it, for the end of a clause; "" for none.
func (m model) balance() string {
	const centsPerUnit = 100
	cents := m.BalanceCents.ValueInt64()
	if cents == 0 {
		return ""
	}
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf(" with a balance of %s%d.%02d %s", sign, cents/centsPerUnit, cents%centsPerUnit,
		m.Currency.ValueString())
}
