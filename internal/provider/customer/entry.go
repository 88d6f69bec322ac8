package customer

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// entry is the entry of emails or phones that email or phone owns; zero if none. Other entries belong to other systems.
type entry struct {
	// Value is the configured value, and Shown the service's wording of it.
	Value string `json:"value,omitempty"`
	Shown string `json:"shown,omitempty"`
}

// in returns the index of the entry in a list; -1 if the list does not contain it.
func (e entry) in(list []billing.Contact) int {
	return slices.IndexFunc(list, func(c billing.Contact) bool {
		return e.Value != "" && (same.Contact(c.Value, e.Value) || c.Value == e.Shown)
	})
}

// seen returns email or phone after a response with a list: null if the entry is not in it.
func (e entry) seen(list []billing.Contact) types.String {
	if e.in(list) < 0 {
		return types.StringNull()
	}
	return types.StringValue(e.Value)
}

// put returns a list with a value instead of the entry, and whether that changes it. If the list already contains the
// value, the entry is removed; without an entry, the value is added.
func (e entry) put(list []billing.Contact, value string) (changed []billing.Contact, changes bool) {
	old, now := e.in(list), entry{Value: value}.in(list)
	switch {
	case now >= 0 && (old < 0 || old == now):
		return list, false
	case now >= 0:
		return slices.Delete(slices.Clone(list), old, old+1), true
	case old < 0:
		return slices.Insert(slices.Clone(list), 0, billing.Contact{Value: value}), true
	}
	list = slices.Clone(list)
	list[old].Value = value
	return list, true
}

// sent returns the entry of a value, as in the response to the request that contained it and others.
func sent(value types.String, response, others []billing.Contact) entry {
	e := entry{Value: value.ValueString()}
	if e.Value == "" || e.in(response) >= 0 {
		return e
	}
	others = slices.Clone(others)
	for _, c := range response {
		if i := slices.IndexFunc(others, func(other billing.Contact) bool { return other.Value == c.Value }); i >= 0 {
			others = slices.Delete(others, i, i+1)
		} else if same.Wording(e.Value, c.Value) {
			e.Shown = c.Value
		}
	}
	return e
}

// owning is the update of a customer that replaces the entries of email and phone in the lists that are there then.
type owning struct {
	email, phone types.String // as planned
	before       ownership
	// lists of the customer before the request, once read
	current *billing.Customer
	// whether email and phone change, with their lists not configured
	changesEmail, changesPhone bool
}

// change adds the changed lists to body.
func (o *owning) change(body *billing.CustomerBody) {
	if list, changes := o.before.Email.put(o.current.Emails, o.email.ValueString()); o.changesEmail && changes {
		body.Emails = api.Set(list)
	}
	if list, changes := o.before.Phone.put(o.current.Phones, o.phone.ValueString()); o.changesPhone && changes {
		body.Phones = api.Set(list)
	}
}

// after returns the entries that the configuration owns after a response; nil if nothing was sent.
func (o *owning) after(c *billing.Customer) (email, phone entry) {
	email, phone = o.before.Email, o.before.Phone
	none := &billing.Customer{}
	current, c := cmp.Or(o.current, none), cmp.Or(c, none)
	if email.Value != o.email.ValueString() || o.changesEmail {
		email = sent(o.email, c.Emails, email.without(current.Emails))
	}
	if phone.Value != o.phone.ValueString() || o.changesPhone {
		phone = sent(o.phone, c.Phones, phone.without(current.Phones))
	}
	return email, phone
}

// without returns a list without the entry.
func (e entry) without(list []billing.Contact) []billing.Contact {
	if i := e.in(list); i >= 0 {
		return slices.Delete(slices.Clone(list), i, i+1)
	}
	return list
}
