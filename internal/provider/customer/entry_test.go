package customer

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// contactsOf reads a list such as "a b".
func contactsOf(text string) (list []billing.Contact) {
	for _, value := range strings.Fields(text) {
		list = append(list, billing.Contact{Value: value})
	}
	return list
}

func valuesOf(list []billing.Contact) string {
	var values []string
	for _, c := range list {
		values = append(values, c.Value)
	}
	return strings.Join(values, " ")
}

// TestEntry_put: only the entry that email owns is replaced in the list that is there, and another mailbox with the
// same letters is another mailbox.
func TestEntry_put(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		owns        entry
		list, value string
		want        string
	}{
		{entry{Value: "a@x.com"}, "a@x.com crm@x.com", "c@x.com", "c@x.com crm@x.com"},
		{entry{Value: "a@x.com"}, "crm@x.com a@x.com", "c@x.com", "crm@x.com c@x.com"},
		{entry{Value: "a@x.com"}, "crm@x.com", "c@x.com", "c@x.com crm@x.com"},
		{entry{Value: "a@x.com"}, "a@x.com c@x.com", "c@x.com", "c@x.com"},
		{entry{Value: "a@x.com"}, "a@x.com", "a@X.com", ""},
		{entry{Value: "A@x.com", Shown: "a@x.com"}, "a@x.com crm@x.com", "c@x.com", "c@x.com crm@x.com"},
		{entry{}, "crm@x.com", "c@x.com", "c@x.com crm@x.com"},
		{entry{}, "c@X.COM crm@x.com", "c@x.com", ""},
		{entry{}, "anasilva@x.com", "ana.silva@x.com", "ana.silva@x.com anasilva@x.com"},
		{entry{}, "Ana@x.com", "ana@x.com", "ana@x.com Ana@x.com"},
		{entry{}, "", "c@x.com", "c@x.com"},
	} {
		list := contactsOf(c.list)
		have, changes := c.owns.put(list, c.value)
		if changes != (c.want != "") || changes && valuesOf(have) != c.want || valuesOf(list) != c.list {
			t.Errorf("%+v, %q in %q: %q, %v", c.owns, c.value, c.list, valuesOf(have), changes)
		}
	}
}

// TestSent: the service's wording of the value that was sent is learned only from an entry that was not there before.
func TestSent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, response, others string
		want                    entry
		seen                    bool
	}{
		{"a@x.com", "a@x.com b@x.com", "b@x.com", entry{Value: "a@x.com"}, true},
		{"A.B@x.com", "a.b@x.com b@x.com", "b@x.com", entry{Value: "A.B@x.com", Shown: "a.b@x.com"}, true},
		{"a.b@x.com", "ab@x.com", "ab@x.com", entry{Value: "a.b@x.com"}, false},
		{"A.B@x.com", "a.b@x.com a.b@x.com", "a.b@x.com", entry{Value: "A.B@x.com", Shown: "a.b@x.com"}, true},
		{"a@x.com", "b@x.com", "", entry{Value: "a@x.com"}, false},
		{"a@x.com", "", "", entry{Value: "a@x.com"}, false},
	} {
		response := contactsOf(c.response)
		have := sent(types.StringValue(c.value), response, contactsOf(c.others))
		if have != c.want || have.seen(response).IsNull() == c.seen {
			t.Errorf("%s in %s: %+v, seen as %s", c.value, c.response, have, have.seen(response))
		}
	}
	if none := sent(types.StringNull(), contactsOf("a"), nil); none != (entry{}) || !none.seen(contactsOf("a")).IsNull() {
		t.Errorf("unset: %+v", none)
	}
}

// TestOwning: each of email and phone changes its own list, and only if it changes itself.
func TestOwning(t *testing.T) {
	t.Parallel()
	o := owning{email: types.StringValue("b@x.com"), phone: types.StringValue("1"), changesEmail: true,
		before:  ownership{Email: entry{Value: "a@x.com"}, Phone: entry{Value: "1", Shown: "+1"}},
		current: &billing.Customer{Emails: contactsOf("a@x.com c@x.com"), Phones: contactsOf("2")}}
	var body billing.CustomerBody
	o.change(&body)
	emails, _ := body.Emails.Get()
	if valuesOf(emails) != "b@x.com c@x.com" || !body.Phones.IsZero() {
		t.Errorf("sends %q, %+v", valuesOf(emails), body.Phones)
	}
	email, phone := o.after(&billing.Customer{Emails: emails, Phones: contactsOf("2")})
	if email != (entry{Value: "b@x.com"}) || phone != o.before.Phone {
		t.Errorf("owns %+v, %+v", email, phone)
	}
	o.phone = types.StringNull()
	if _, phone := o.after(&billing.Customer{}); phone != (entry{}) || slices.Contains(emails, billing.Contact{}) {
		t.Errorf("a phone that is not configured: %+v", phone)
	}
}
