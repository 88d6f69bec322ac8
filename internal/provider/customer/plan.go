package customer

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// ModifyPlan plans every computed attribute, and keeps the value in state if the configuration is semantically equal.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

// planDestroy reports the balance of the billing account that was created with the customer and is closed with it.
func (r *Resource) planDestroy(ctx context.Context, p *object.Plan[model]) {
	client, ends := r.Ending(p)
	id := p.State.BillingAccountID.ValueString()
	if !ends || id == "" {
		return
	}
	if balance := client.OpenBalance(ctx, id); balance != "" {
		p.Diags.AddWarning(apidiag.Capitalize(p.State.displayName())+" is deleted with a balance of "+balance,
			fmt.Sprintf("Its billing account %s is closed with it. This is final. To keep both, set deletion_policy = "+
				"\"abandon\" and apply that first.", id))
	}
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	p.Planned = p.Planned.plannedCreate(p.Config)
	p.Planned.EffectiveCustomMetadata = r.Defaults().Effective(p.Config.CustomMetadata)
	r.warnDuplicate(ctx, p)
}

func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	own := private.Owned[ownership](ctx, p.Private, p.Diags)
	if p.Diags.HasError() {
		return
	}
	id := p.State.ID.ValueString()
	var next ownership
	p.Planned, next = p.Planned.plannedUpdate(p.Config, p.State, own, r.Defaults(), p.Diags)
	p.Update(ctx)
	p.Run.Belongs("billing_account", p.State.BillingAccountID.ValueString(), typeName, id)
	private.SetPlanned(ctx, p.Private, next, p.Diags)
}

// plannedCreate plans a creation. The documented defaults of the billing account and the type of the document are
// known; other computed values are unknown.
func (m model) plannedCreate(config model) model {
	none := types.ListNull(itemType)
	m.Emails = plannedContacts(config.Emails, none, config.Email, types.StringNull())
	m.Phones = plannedContacts(config.Phones, none, config.Phone, types.StringNull())
	m.Addresses, m.Websites, m.Tags = config.Addresses, config.Websites, config.Tags
	m.CustomMetadata = config.CustomMetadata
	if config.CreateBillingAccount.IsNull() {
		m.CreateBillingAccount = types.BoolValue(true)
	}
	switch {
	case m.CreateBillingAccount.IsUnknown():
	case m.CreateBillingAccount.ValueBool():
		m = m.withDefaults(config)
	default:
		m = m.withAccount(nil)
	}
	m.DocumentType = value.DocumentKind(config.DocumentNumber)
	return m
}

// withDefaults sets the documented defaults of the billing account that is created with the customer, unless
// configured.
func (m model) withDefaults(config model) model {
	if config.PaymentTermsDays.IsNull() {
		m.PaymentTermsDays = types.Int64Value(value.DefaultPaymentTerms)
	}
	if config.AutoCollection.IsNull() {
		m.AutoCollection = types.BoolValue(true)
	}
	if config.BillingEmail.IsNull() && !config.Email.IsNull() {
		m.BillingEmail = config.Email
	}
	return m
}

// plannedUpdate marks only those values unknown that this change may affect; the schema keeps the other computed
// values:
//
//	any change at the service   updated_at
//
// The second result is the ownership after the apply.
func (m model) plannedUpdate(config, state model, own ownership, defaults metadata.Defaults,
	diags *diag.Diagnostics) (model, ownership) {
	m.DocumentNumber, m.Birthday = m.DocumentNumber.Or(state.DocumentNumber), m.Birthday.Or(state.Birthday)
	m.Addresses = plannedList(config.Addresses, state.Addresses, !own.Addresses)
	m.Websites = plannedList(config.Websites, state.Websites, false)
	if m.Tags = config.Tags; config.Tags.IsNull() && len(state.Tags.Elements()) == 0 {
		m.Tags = state.Tags
	}
	next := ownership{Addresses: !config.Addresses.IsNull()}
	m.Emails = plannedContacts(config.Emails, state.Emails, m.Email, state.Email)
	m.Phones = plannedContacts(config.Phones, state.Phones, m.Phone, state.Phone)
	next.Metadata = m.Plan(config.Attributes, state.Attributes, own.Metadata, defaults, state.displayName(), diags)
	body := m.body(state)
	if !body.DocumentNumber.IsZero() {
		m.DocumentType = value.DocumentKind(m.DocumentNumber)
	}
	contacts := changesEntry(m.Email, state.Email) || changesEntry(m.Phone, state.Phone) ||
		m.Emails.IsUnknown() || m.Phones.IsUnknown() // body leaves these out
	if contacts || !m.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata) || !body.IsEmpty() {
		m.UpdatedAt = types.StringUnknown()
	}
	return m, next
}

// changesEntry reports whether email or phone changes its entry. Without a value, the entry stays.
func changesEntry(main, had types.String) bool { return !main.IsNull() && !main.Equal(had) }

// plannedContacts plans emails or phones. If email or phone changes its entry, the list is known after the apply, which
// changes the list that is there then.
func plannedContacts(config, state types.List, main, had types.String) types.List {
	switch {
	case !config.IsNull():
		return plannedList(config, state, true)
	case changesEntry(main, had):
		return types.ListUnknown(itemType)
	}
	return state
}

// plannedList plans a list. If unset, it is emptied, or kept if keep is true. For the service, an empty list and null
// are equal: the one in state is kept. A null in state must change to a configured list, because Terraform allows no
// other result.
func plannedList(config, state types.List, keep bool) types.List {
	switch {
	case config.IsNull() && (keep || len(state.Elements()) == 0):
		return state
	case config.IsNull() || state.IsNull():
		return config
	default:
		return keepOrder(state, config)
	}
}

// ownership is the part of the customer that the configuration owned when it was last applied, see private.Owned.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata,omitzero"`
	Email    entry          `json:"email,omitzero"`
	Phone    entry          `json:"phone,omitzero"`
	// Addresses is true if addresses was configured.
	Addresses bool `json:"addresses,omitempty"`
}

// within removes arguments that are not in the bare configuration from the planned ownership. Under ignore_changes,
// Terraform uses the value of the state, even if the argument is unset; a value that was never configured is not owned.
func (o ownership) within(config model) ownership {
	o.Addresses = o.Addresses && !config.Addresses.IsNull()
	return o
}

// warnDuplicate warns about customers with the same document number. The service rejects a second
// customer with the same external_id itself.
func (r *Resource) warnDuplicate(ctx context.Context, p *object.Plan[model]) {
	plan, number := p.Planned, p.Planned.DocumentNumber.ValueString()
	client, ready := r.Client()
	if !ready || number == "" || plan.ExternalID.IsUnknown() || plan.ExternalID.ValueString() != "" {
		return
	}
	list := func(query billing.CustomerQuery) func(context.Context) iter.Seq2[billing.Customer, error] {
		return func(ctx context.Context) iter.Seq2[billing.Customer, error] { return client.ListCustomers(ctx, query) }
	}
	r.WarnDuplicates(ctx, p, object.Duplicates[billing.Customer]{
		At: path.Root("document_number"), What: "customer with this document_number",
		List: list(billing.CustomerQuery{}), Filtered: list(billing.CustomerQuery{DocumentNumber: number}),
		Same: func(c billing.Customer) bool {
			return c.DocumentNumber != nil && same.Document(*c.DocumentNumber, number)
		},
		Summary: func(c billing.Customer) string {
			return fmt.Sprintf("%q (created %s, last changed %s)", c.Name, c.CreatedAt, c.UpdatedAt)
		},
		More: "With an external_id, the service rejects a second customer. ",
	})
}
