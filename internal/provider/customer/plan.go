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
	r.Plan(ctx, req, resp, nil, r.planCreate, r.planUpdate)
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
	if own.Metadata.Object == nil {
		keepImported(ctx, p)
	}
	warnUnshown(p, own)
	p.Update(ctx)
	p.Run.Belongs("billing_account", p.State.BillingAccountID.ValueString(), typeName, id)
	private.SetPlanned(ctx, p.Private, next, p.Diags)
}

// keepImported keeps email and phone of an imported customer if nothing else changes: an import shows the first
// entries, and a configuration with another entry is equally correct. If unknown values decide whether something else
// changes, it reports an error: the plan inside the apply cannot know what the first one decided.
func keepImported(ctx context.Context, p *object.Plan[model]) {
	kept := p.Planned
	if hasValue(itemsOf(p.State.Emails), kept.Email) {
		kept.Email = p.State.Email
	}
	if hasValue(itemsOf(p.State.Phones), kept.Phone) {
		kept.Phone = p.State.Phone
	}
	if !p.Changes(ctx, kept) {
		p.Planned = kept
		return
	}
	another := func(planned, shown types.String, entries types.List) bool {
		return !planned.Equal(shown) && hasValue(itemsOf(entries), planned)
	}
	if p.ConfigKnown() || !another(p.Planned.Email, p.State.Email, p.State.Emails) &&
		!another(p.Planned.Phone, p.State.Phone, p.State.Phones) {
		return
	}
	p.Diags.AddError(fmt.Sprintf("The plan cannot show whether the imported %s changes", p.State.displayName()),
		"The import shows the first entries of emails and phones as email and phone, but the configuration has another "+
			"entry. Whether that is the only difference depends on values that are known only after apply. Apply their "+
			"resources first, or configure the first entries.")
}

// warnUnshown warns about effects of a change of email or phone that the plan does not show.
func warnUnshown(p *object.Plan[model], own ownership) {
	for _, c := range []struct {
		name                   string
		config, planned, state pair
		owned                  ownedPair
	}{
		{"email", pair{p.Config.Email, p.Config.Emails}, pair{List: p.Planned.Emails},
			pair{p.State.Email, p.State.Emails}, own.Email},
		{"phone", pair{p.Config.Phone, p.Config.Phones}, pair{List: p.Planned.Phones},
			pair{p.State.Phone, p.State.Phones}, own.Phone},
	} {
		switch {
		// Whether the first entry was configured before the import is unknown.
		case c.config.List.IsNull() && own.Metadata.Object == nil && !c.state.Main.IsNull() &&
			len(itemsOf(c.planned.List)) > len(itemsOf(c.state.List)):
			p.Diags.AddAttributeWarning(path.Root(c.name), fmt.Sprintf("%s of an imported customer is added to its %[1]ss",
				c.name), fmt.Sprintf("%s was imported, and its %s has not been set since. So the one that it has is kept in "+
				"addition. To remove that entry, set %[2]ss.", apidiag.Capitalize(p.State.displayName()), c.name))
		// Terraform requires the plan of a list under ignore_changes to equal the state.
		case c.config.Main.IsUnknown() && !c.config.List.IsNull() && c.planned.List.Equal(c.state.List):
			does := "is added to " + c.name + "s"
			if hasValue(itemsOf(c.state.List), types.StringValue(c.owned.Main)) {
				does = fmt.Sprintf("replaces the previous one in %ss", c.name)
			}
			p.Diags.AddAttributeWarning(path.Root(c.name), fmt.Sprintf("%s may change %[1]ss, which the plan cannot show",
				c.name), fmt.Sprintf("%s of %s is known only after apply. If %[1]ss is under ignore_changes and does not contain "+
				"it, it %[3]s; other entries are kept.", c.name, p.State.displayName(), does))
		}
	}
}

// plannedCreate plans a creation. The documented defaults of the billing account and the type of the document are
// known; other computed values are unknown.
func (m model) plannedCreate(config model) model {
	none := pair{types.StringNull(), types.ListNull(itemType)}
	m.Email, m.Emails = pair{config.Email, config.Emails}.planned(none, ownedPair{}).split()
	m.Phone, m.Phones = pair{config.Phone, config.Phones}.planned(none, ownedPair{}).split()
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
	next := ownedBy(config)
	m.Email, m.Emails = pair{config.Email, config.Emails}.planned(pair{state.Email, state.Emails}, own.Email).split()
	m.Phone, m.Phones = pair{config.Phone, config.Phones}.planned(pair{state.Phone, state.Phones}, own.Phone).split()
	next.Metadata = m.Plan(config.Attributes, state.Attributes, own.Metadata, defaults, state.displayName(), diags)
	body := m.body(state, own)
	if !body.DocumentNumber.IsZero() {
		m.DocumentType = value.DocumentKind(m.DocumentNumber)
	}
	if !m.EffectiveCustomMetadata.Equal(state.EffectiveCustomMetadata) || !body.IsEmpty() ||
		config.Email.IsUnknown() || config.Phone.IsUnknown() {
		m.UpdatedAt = types.StringUnknown()
	}
	return m, next
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
	Email    ownedPair      `json:"email,omitzero"`
	Phone    ownedPair      `json:"phone,omitzero"`
	// Addresses is true if addresses was configured.
	Addresses bool `json:"addresses,omitempty"`
}

// ownedBy returns the ownership after applying config, without custom_metadata.
func ownedBy(config model) ownership {
	return ownership{Email: pair{config.Email, config.Emails}.owned(), Phone: pair{config.Phone, config.Phones}.owned(),
		Addresses: !config.Addresses.IsNull()}
}

// within removes arguments that are not in the bare configuration from the planned ownership. Under ignore_changes,
// Terraform uses the value of the state, even if the argument is unset; a value that was never configured is not owned.
func (o ownership) within(config ownership) ownership {
	o.Email, o.Phone = o.Email.within(config.Email), o.Phone.within(config.Phone)
	o.Addresses = o.Addresses && config.Addresses
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
		More: "With an external_id, the service rejects a second customer.",
	})
}
