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
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// ModifyPlan decides the value of every computed attribute, and puts the state's value back where configuration and
// state mean the same.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, nil, r.planCreate, r.planUpdate)
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	p.Planned = p.Planned.plannedCreate(p.Config)
	r.warnDuplicate(ctx, p)
	p.Planned.noteCreation(p.Run)
}

func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	own := private.Owned[ownership](ctx, p.Private, p.Diags)
	if p.Diags.HasError() {
		return
	}
	id := p.State.ID.ValueString()
	var next ownership
	p.Planned, next = p.Planned.plannedUpdate(p.Config, p.State, own, r.Defaults(), p.Diags)
	p.Update(ctx, id)
	p.Run.Belongs("billing_account", p.State.BillingAccountID.ValueString(), typeName, id)
	p.Run.Note(typeName, id, p.Planned.forAccounts(p.State, p.Config))
	private.Plan(ctx, p.Private, next, p.Diags)
}

// plannedCreate leaves to apply what only the service can say.
func (m model) plannedCreate(config model) model {
	none := pair{Main: types.StringNull(), List: types.ListNull(contact.ItemType)}
	m.Email, m.Emails = pair{config.Email, config.Emails}.planned(none, ownedPair{}).split()
	m.Phone, m.Phones = pair{config.Phone, config.Phones}.planned(none, ownedPair{}).split()
	m.Addresses, m.Websites, m.Tags = config.Addresses, config.Websites, config.Tags
	m.CustomMetadata = config.CustomMetadata
	if config.CreateBillingAccount.IsNull() {
		m.CreateBillingAccount = types.BoolValue(true)
	}
	if m.CreateBillingAccount.Equal(types.BoolValue(false)) {
		m.BillingAccountID, m.BillingEmail = types.StringNull(), types.StringNull()
		m.PaymentTermsDays, m.AutoCollection = types.Int64Null(), types.BoolNull()
	}
	if config.DocumentNumber.IsNull() {
		m.DocumentType = types.StringNull()
	}
	return m
}

// plannedUpdate makes unknown only what this change can touch; the schema keeps the other computed values:
//
//	any change at the service   updated_at
//	document_number             document_type
//
// The second result is what the configuration owns once the plan is applied.
func (m model) plannedUpdate(config, state model, own ownership, defaults metadata.Defaults,
	diags *diag.Diagnostics) (model, ownership) {
	m.keepCreateOnly(config, state, diags)

	m.DocumentNumber = m.DocumentNumber.Or(state.DocumentNumber)
	m.Addresses = plannedList(config.Addresses, state.Addresses, !own.Addresses)
	m.Websites = plannedList(config.Websites, state.Websites, false)
	if m.Tags = config.Tags; config.Tags.IsNull() && len(state.Tags.Elements()) == 0 {
		m.Tags = state.Tags
	}
	next := ownedBy(config)
	emails, phones := pair{config.Email, config.Emails}, pair{config.Phone, config.Phones}
	stored, storedPhones := pair{state.Email, state.Emails}, pair{state.Phone, state.Phones}
	for name, undecided := range map[string]bool{"email": emails.undecided(stored),
		"phone": phones.undecided(storedPhones)} {
		if undecided {
			diags.AddAttributeError(path.Root(name), name+" must be known before the apply, this once",
				fmt.Sprintf("%s has one more entry in %ss than the configuration lists, and %s, which may be that "+
					"entry, is only known in the apply. Import and apply with a value that the plan knows, or remove "+
					"%s from the configuration until then.",
					apidiag.Capitalize(state.displayName()), name, name, name))
		}
	}
	m.Email, m.Emails = emails.plannedOwn(stored, own.Email, &next.Email).split()
	m.Phone, m.Phones = phones.plannedOwn(storedPhones, own.Phone, &next.Phone).split()
	m.CustomMetadata, m.EffectiveCustomMetadata, next.Metadata = own.Metadata.Plan(metadata.Planning{
		Config: config.CustomMetadata, State: state.CustomMetadata, Effective: state.EffectiveCustomMetadata,
		Mode: m.CustomMetadataMode, Defaults: defaults, Object: state.displayName()}, diags)
	update := m.owning(next).toUpdate(state.owning(next))
	if !update.DocumentNumber.IsZero() {
		m.DocumentType = types.StringUnknown()
	}
	if !m.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata) || !update.IsEmpty() {
		m.UpdatedAt = types.StringUnknown()
	}
	return m, next
}

// plannedList is what a list becomes. Without the argument it is emptied, or stays as it is where keep says so. An
// empty list and none are the same to the service: the one in the state stays. Terraform lets a null in the state give
// way to a configured list only.
func plannedList(config, state types.List, keep bool) types.List {
	switch {
	case config.IsNull() && (keep || len(state.Elements()) == 0):
		return state
	case config.IsNull() || state.IsNull():
		return config
	default:
		return contact.KeepOrder(state, config)
	}
}

// keepCreateOnly holds what only a creation uses to its first value, and warns when the configuration asks for another
// one.
func (m *model) keepCreateOnly(config, state model, diags *diag.Diagnostics) {
	warn := func(differs bool, name string) {
		if differs {
			diags.AddAttributeWarning(path.Root(name), name+" is only used when the customer is created",
				fmt.Sprintf("Customer %q exists already, so %s has no effect. Change it on the billing account (a "+
					"billing_account resource), or take the argument back to what it was.", state.Name.ValueString(),
					name))
		}
	}
	warn(object.CreateOnly(&m.CreateBillingAccount, config.CreateBillingAccount, state.CreateBillingAccount),
		"create_billing_account")
	warn(object.CreateOnly(&m.BillingEmail, config.BillingEmail, state.BillingEmail), "billing_email")
	warn(object.CreateOnly(&m.PaymentTermsDays, config.PaymentTermsDays, state.PaymentTermsDays), "payment_terms_days")
	warn(object.CreateOnly(&m.AutoCollection, config.AutoCollection, state.AutoCollection), "auto_collection")
}

// ownership is what the configuration owned of the customer when it was last applied, see private.Owned.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata,omitzero"`
	Email    ownedPair      `json:"email,omitzero"`
	Phone    ownedPair      `json:"phone,omitzero"`
	// Addresses says that the configuration named addresses.
	Addresses bool `json:"addresses,omitempty"`
}

// ownedBy is the ownership that applying config establishes, without its custom_metadata.
func ownedBy(config model) ownership {
	return ownership{
		Email: ownedPair{Main: !config.Email.IsNull(), List: !config.Emails.IsNull()},
		Phone: ownedPair{Main: !config.Phone.IsNull(), List: !config.Phones.IsNull()},

		Addresses: !config.Addresses.IsNull(),
	}
}

// owning is m without a main value that only repeats the state, as it is sent.
func (m model) owning(o ownership) model {
	if o.Email.Repeats {
		m.Email = types.StringNull()
	}
	if o.Phone.Repeats {
		m.Phone = types.StringNull()
	}
	return m
}

// within leaves of the planned ownership what the bare configuration names. Terraform gives an argument under
// ignore_changes the value of the state, also where the configuration does not have it; what was never configured is
// not owned.
func (o ownership) within(config ownership) ownership {
	o.Email, o.Phone = o.Email.and(config.Email), o.Phone.and(config.Phone)
	o.Addresses = o.Addresses && config.Addresses
	return o
}

// forAccounts is what the plan m says to the plans of the customer's billing accounts.
func (m model) forAccounts(state, config model) contact.Planned {
	update := m.toUpdate(state)
	emails, phones := pair{m.Email, m.Emails}, pair{m.Phone, m.Phones}
	return contact.Planned{
		Name: m.Name, NameChanges: !update.Name.IsZero(),
		Emails: contact.PlannedList[contact.Item]{Items: emails.all(), Known: emails.known(),
			Changes: !update.Emails.IsZero(), Owned: !config.Emails.IsNull()},
		Phones: contact.PlannedList[contact.Item]{Items: phones.all(), Known: phones.known(),
			Changes: !update.Phones.IsZero(), Owned: !config.Phones.IsNull()},
		Addresses:  plannedAddresses(m.Addresses, !update.Addresses.IsZero(), !config.Addresses.IsNull()),
		ExternalID: m.ExternalID, DocumentNumber: m.DocumentNumber,
	}
}

func plannedAddresses(list types.List, changes, owned bool) contact.PlannedList[types.Object] {
	planned := contact.PlannedList[types.Object]{Known: !list.IsUnknown(), Changes: changes, Owned: owned}
	for _, element := range list.Elements() {
		object, isObject := element.(types.Object)
		planned.Known = planned.Known && isObject && known(object)
		planned.Items = append(planned.Items, object)
	}
	return planned
}

func known(object types.Object) bool {
	if object.IsUnknown() {
		return false
	}
	for _, field := range object.Attributes() {
		if field.IsUnknown() {
			return false
		}
	}
	return true
}

// noteCreation notes for the plans of billing accounts by which codes the new customer will be found: the service does
// not have it yet.
func (m model) noteCreation(record *run.Record) {
	for _, code := range []string{contact.ByExternalID(m.ExternalID.ValueString()),
		contact.ByDocument(same.PlainDocument(m.DocumentNumber.ValueString()))} {
		record.Note(typeName, code, contact.Created{})
	}
}

// warnDuplicate warns about customers with the same document number. The service rejects a second
// customer with the same external_id itself.
func (r *Resource) warnDuplicate(ctx context.Context, p *object.Plan[model]) {
	plan, number := p.Planned, p.Planned.DocumentNumber.ValueString()
	client, ready := r.Client()
	if !ready || number == "" || plan.ExternalID.IsUnknown() || plan.ExternalID.ValueString() != "" {
		return
	}
	r.WarnExisting(ctx, p, object.Existing[billing.Customer]{
		At: path.Root("document_number"), What: fmt.Sprintf("customer with the document number %q", number),
		List: func(ctx context.Context) iter.Seq2[billing.Customer, error] {
			return client.ListCustomers(ctx, billing.CustomerQuery{})
		},
		Same: func(c billing.Customer) bool {
			return c.DocumentNumber != nil && same.Document(*c.DocumentNumber, number)
		},
		Line: func(c billing.Customer) string {
			return fmt.Sprintf("%q (created %s, last changed %s)", c.Name, c.CreatedAt, c.UpdatedAt)
		},
		More: "With an external_id the service rejects a second customer.",
	})
}
