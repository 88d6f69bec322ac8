package billingaccount

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
)

// follow is one of name, email, phone and address, beside what the plan of the customer makes of it in the same run.
type follow struct {
	// name is the attribute here, theirs the one of billing_customer.
	name, theirs string
	config       attr.Value
	// changes says that the customer's plan changes it; stays, that what is shown or configured here holds all the same.
	changes, stays bool
	// fights says that the customer's configuration takes away what is configured here.
	fights bool
	// open marks the attribute unknown.
	open func()
}

// followCustomer plans name, email, phone and address by the plan of the customer, which the same run has made before: what the customer
// changes is known after apply here, and what is configured here is set again where the customer's change takes it away. It reports whether
// the account has to be read in the apply, after the customer has changed.
func (p *planning) followCustomer(diags *diag.Diagnostics) bool {
	if !p.customerPlanned {
		return false
	}
	m, c := &p.planned, p.customer
	sameName := c.Name.Equal(p.config.Name)
	for _, f := range []follow{
		{name: "name", theirs: "name", config: p.config.Name, changes: c.NameChanges, stays: sameName,
			fights: !sameName && !c.Name.IsUnknown(), open: func() { m.Name = types.StringUnknown() }},
		followItem("email", "emails", p.config.Email, p.state.Email, c.Emails, func() { m.Email = types.StringUnknown() }),
		followItem("phone", "phones", p.config.Phone, p.state.Phone, c.Phones, func() { m.Phone = types.StringUnknown() }),
		p.followAddress(),
	} {
		if !slices.Contains(p.follows, f.name) && f.plan(p.state.displayName(), diags) {
			p.next.Reads = true
		}
	}
	return p.next.Reads
}

func followItem(name, theirs string, config, state types.String, list contact.PlannedList[contact.Item], open func()) follow {
	value := config
	if config.IsNull() {
		value = state
	}
	is := func(item contact.Item) bool { return item.Value.Equal(value) }
	return follow{name: name, theirs: theirs, config: config, changes: list.Changes, stays: list.Has(is), fights: list.Owned && list.Lacks(is), open: open}
}

// followAddress is follow for the address, which is the first of the customer's.
func (p *planning) followAddress() follow {
	list, value := p.customer.Addresses, p.config.Address
	if value.IsNull() {
		value = p.state.Address
	}
	is := func(address types.Object) bool { return address.Equal(value) }
	return follow{name: "address", theirs: "addresses", config: p.config.Address, changes: list.Changes, fights: list.Owned && list.Lacks(is),
		stays: list.Known && len(list.Items) > 0 && is(list.Items[0]), open: func() { p.planned.Address = types.ObjectUnknown(contact.AddressType.AttrTypes) }}
}

func (f follow) plan(account string, diags *diag.Diagnostics) (reads bool) {
	switch {
	case f.config.IsNull():
		if f.changes && !f.stays {
			f.open()
		}
	case f.fights && !f.config.IsUnknown():
		diags.AddAttributeWarning(path.Root(f.name), "Customer and account contradict each other",
			fmt.Sprintf("%s sets its customer's %s to %s, and the billing_customer has %s without it: each apply of one takes back what the other has done. "+
				"Remove %s from the billing_account, or make both say the same. Where the billing_customer has %s under ignore_changes, the next plan no longer warns.",
				apidiag.Capitalize(account), f.name, f.config, f.theirs, f.name, f.theirs))
	}
	return f.changes && !f.stays
}
