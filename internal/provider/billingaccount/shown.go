package billingaccount

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
)

// follow is one of name, email, phone and address, with what the plan of the customer makes of it in the same run.
type follow struct {
	// name is the attribute here, theirs the one of billing_customer.
	name, theirs string
	config       attr.Value
	// changes says that the customer's plan changes it; stays, that what is shown or configured here holds all the
	// same.
	changes, stays bool
	// fights says that the customer's configuration takes away what is configured here.
	fights bool
	// open marks the attribute unknown.
	open func()
}

// followCustomer plans name, email, phone and address by the plan of the customer, which the same run has made before:
// what the customer changes is known after apply here, and what is configured here is set again where the customer's
// change takes it away. It reports whether the account has to be read in the apply, after the customer has changed.
func (p *planning) followCustomer() bool {
	if !p.customerPlanned {
		return false
	}
	m, c := &p.Planned, p.customer
	sameName := c.Name.Equal(p.Config.Name)
	for _, f := range []follow{
		{name: "name", theirs: "name", config: p.Config.Name, changes: c.NameChanges, stays: sameName,
			fights: !sameName && !c.Name.IsUnknown(), open: func() { m.Name = types.StringUnknown() }},
		followItem("email", "emails", p.Config.Email, p.State.Email, c.Emails,
			func() { m.Email = types.StringUnknown() }),
		followItem("phone", "phones", p.Config.Phone, p.State.Phone, c.Phones,
			func() { m.Phone = types.StringUnknown() }),
		p.followAddress(),
	} {
		if !slices.Contains(p.follows, f.name) && f.plan(p.State.displayName(), p.Diags) {
			p.next.Reads = true
		}
	}
	return p.next.Reads
}

func followItem(name, theirs string, config, state types.String, list contact.PlannedList[contact.Item],
	open func()) follow {
	value := config
	if config.IsNull() {
		value = state
	}
	is := func(item contact.Item) bool { return item.Value.Equal(value) }
	return follow{name: name, theirs: theirs, config: config, changes: list.Changes, stays: list.Has(is),
		fights: list.Owned && list.Lacks(is), open: open}
}

// followAddress is follow for the address, which is the first of the customer's.
func (p *planning) followAddress() follow {
	list, value := p.customer.Addresses, p.Config.Address
	if value.IsNull() {
		value = p.State.Address
	}
	is := func(address types.Object) bool { return address.Equal(value) }
	return follow{name: "address", theirs: "addresses", config: p.Config.Address, changes: list.Changes,
		fights: list.Owned && list.Lacks(is),
		stays: list.Known && len(list.Items) > 0 &&
			is(list.Items[0]), open: func() { p.Planned.Address = types.ObjectUnknown(contact.AddressType.AttrTypes) }}
}

func (f follow) plan(account string, diags *diag.Diagnostics) (reads bool) {
	switch {
	case f.config.IsNull():
		if f.changes && !f.stays {
			f.open()
		}
	case f.fights && !f.config.IsUnknown():
		diags.AddAttributeWarning(path.Root(f.name), "Customer and account contradict each other",
			fmt.Sprintf("%s sets its customer's %s to %s, and the billing_customer has %s without it: each apply of "+
				"one takes back what the other has done. Remove %s from the billing_account, or make both say the "+
				"same. Where the billing_customer has %s under ignore_changes, the next plan no longer warns.",
				apidiag.Capitalize(account), f.name, f.config, f.theirs, f.name, f.theirs))
	}
	return f.changes && !f.stays
}

// shown is an attribute that shows the customer, and sets it where the configuration says so.
type shown struct {
	name  string
	value attr.Value
	// take gives the attribute the value that it has in another model.
	take func(from model)
}

// showing are the attributes of m that show the customer, always in the same order.
func (m *model) showing() []shown {
	return []shown{
		{"name", m.Name, func(from model) { m.Name = from.Name }},
		{"email", m.Email, func(from model) { m.Email = from.Email }},
		{"phone", m.Phone, func(from model) { m.Phone = from.Phone }},
		{"address", m.Address, func(from model) { m.Address = from.Address }},
	}
}

// orShown is the plan m with the state's value for those of names that only show the customer.
func (m model) orShown(state model, names []string) model {
	for _, attribute := range m.showing() {
		if slices.Contains(names, attribute.name) {
			attribute.take(state)
		}
	}
	return m
}

// setsAtCustomer are those of name, email, phone and address that a creation sets at the customer.
func (m model) setsAtCustomer() (names []string) {
	for _, attribute := range m.showing() {
		if !attribute.value.IsNull() && !attribute.value.IsUnknown() {
			names = append(names, attribute.name)
		}
	}
	return names
}

// followImported leaves to the customer those of name, email, phone and address that the configuration only repeats: an
// argument that was never set by this configuration and has the value of the state, as ignore_changes gives it, or that
// of the import, as generated configuration gives it.
func (p *planning) followImported() {
	configured, stored := p.Config.showing(), p.State.showing()
	for i, planned := range p.Planned.showing() {
		name, config, state := planned.name, configured[i].value, stored[i].value
		repeats := config.Equal(p.imported.value(name))
		switch {
		case config.IsNull():
			continue
		case state.IsNull() || p.own.sets(name) || !repeats && !config.Equal(state):
			p.next.Owned.Customer = append(p.next.Owned.Customer, name)
			continue
		case repeats && !config.Equal(state):
			p.Diags.AddAttributeWarning(path.Root(name), "The argument still has the imported value",
				fmt.Sprintf("%s was imported with %s = %s, and its customer has %s since. The import did not set %s, "+
					"so this plan does not revert the change. Remove %s from the configuration, or write the value "+
					"that the customer is to have.", apidiag.Capitalize(p.State.displayName()), name, config, state,
					name, name))
		}
		planned.take(p.State)
		p.follows = append(p.follows, name)
		p.next.Shown = append(p.next.Shown, name)
	}
}

// imported is what the customer of an account had when the account was imported. Generated configuration repeats it. As
// long as an argument still says so, it does not set anything: otherwise it would revert the next change of the
// customer.
type imported struct {
	Name    *string          `json:"name,omitempty"`
	Email   *string          `json:"email,omitempty"`
	Phone   *string          `json:"phone,omitempty"`
	Address *billing.Address `json:"address,omitempty"`
}

func importedFrom(m model) imported {
	i := imported{Name: m.Name.ValueStringPointer(), Email: m.Email.ValueStringPointer(),
		Phone: m.Phone.ValueStringPointer()}
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

// customerData is the update that changes the customer of the new account, as far as m asks for it and the service
// does not show it done.
func (m model) customerData(account *billing.BillingAccount) (billing.BillingAccountUpdate, error) {
	shown, err := fromAPI(account)
	if err != nil {
		return billing.BillingAccountUpdate{}, err
	}
	if c := account.Customer; c != nil {
		shown.Email, shown.Phone = listed(m.Email, c.Emails, shown.Email), listed(m.Phone, c.Phones, shown.Phone)
	}
	asked := m.toUpdate(shown)
	var body billing.BillingAccountUpdate
	if !m.Name.IsNull() {
		body.Name = asked.Name
	}
	if !m.Email.IsNull() {
		body.Email = asked.Email
	}
	if !m.Phone.IsNull() {
		body.Phone = asked.Phone
	}
	if !m.Address.IsNull() {
		body.Address = asked.Address
	}
	return body, nil
}

// listed prefers the value that is asked for where the service lists it, be it first or not.
func listed(asked types.String, contacts []billing.Contact, first types.String) types.String {
	if len(contacts) == 0 {
		return first
	}
	return stillThere(asked, contacts, first)
}
