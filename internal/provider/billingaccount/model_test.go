package billingaccount

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

func plain() billing.BillingAccount {
	return billing.BillingAccount{ID: "a", Status: "active", PaymentTermsDays: new(int64(10)),
		Customer: &billing.AccountCustomer{ID: "c", Name: "Ana",
			Emails: []billing.Contact{{Value: "first@example.com"}, {Value: "second@example.com"}}, Phones: []billing.Contact{},
			Addresses: []billing.Address{{City: new("Natal")}}}}
}

func read(t *testing.T, a billing.BillingAccount) model {
	t.Helper()
	m, err := fromAPI(&a)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestReference: what is known of the account's customer decides without a request. It has the id c, the code ana, the
// document 52998224725 and the name Ana, and the same run changes it to ana-2, 11144477735 and Ana Maria.
func TestReference(t *testing.T) {
	t.Parallel()
	const id = "0b3c6f0e-0000-4000-8000-00000000000c"
	text := types.StringValue
	document := func(number string) fwtype.Document { return fwtype.DocumentPointer(&number) }
	r := reference{client: func() (*billing.Service, bool) { return nil, false },
		has: facts{ID: id, ExternalID: "ana", DocumentNumber: "529.982.247-25", Name: "Ana"},
		planned: contact.Planned{ExternalID: text("ana-2"), DocumentNumber: document("111.444.777-35"),
			Name: text("Ana Maria")}}
	none := customer{}
	for name, c := range map[string]struct {
		config, before customer
		want           whose
	}{
		"by id":                              {customer{ID: text(id)}, none, hers},
		"by id in capitals":                  {customer{ID: text(strings.ToUpper(id))}, none, hers},
		"by code":                            {customer{ID: text("ana")}, none, hers},
		"by the next code":                   {customer{ID: text("ana-2")}, none, hers},
		"another id":                         {customer{ID: text("d")}, none, open},
		"another id in addition to its code": {customer{ID: text("d"), ExternalID: text("ana")}, none, open},
		"by external_id":                     {customer{ExternalID: text("ana")}, none, hers},
		"by the next external_id":            {customer{ExternalID: text("ana-2")}, customer{ExternalID: text("ana")}, hers},
		"another external_id":                {customer{ExternalID: text("bea")}, none, open},
		"by document":                        {customer{DocumentNumber: document("52998224725")}, none, hers},
		"by the next document":               {customer{DocumentNumber: document("11144477735")}, none, hers},
		"another document":                   {customer{DocumentNumber: document("11222333000181")}, none, open},
		"a code it had before, in old words": {customer{ID: text("old")}, customer{ID: text("old")}, hers},
		"a document it had before": {customer{DocumentNumber: document("11222333000181")},
			customer{DocumentNumber: document("11.222.333/0001-81")}, hers},
		"words after words":                 {customer{Name: text("Somebody")}, customer{Name: text("Ana")}, hers},
		"its name after a reference":        {customer{Name: text("Ana")}, customer{ID: text("c")}, hers},
		"its next name after a reference":   {customer{Name: text("Ana Maria")}, customer{ID: text("c")}, hers},
		"another name after a reference":    {customer{Name: text("Bea")}, customer{ID: text("c")}, another},
		"an unknown name after a reference": {customer{Name: types.StringUnknown()}, customer{ID: text("c")}, open},
		"an id not known yet":               {customer{ID: types.StringUnknown()}, customer{ID: types.StringUnknown()}, open},
		"a code not known yet": {customer{ExternalID: types.StringUnknown(),
			DocumentNumber: document("52998224725")}, none, open},
		"a document not known yet": {customer{ExternalID: text("ana"),
			DocumentNumber: fwtype.Document{StringValue: types.StringUnknown()}}, none, hers},
	} {
		if have, err := r.of(t.Context(), c.config, c.before); have != c.want || err != nil {
			t.Errorf("%s: %v, %v", name, have, err)
		}
	}
}

// TestKeeping: what the service does not return stays as it was, and what it does return wins.
func TestKeeping(t *testing.T) {
	t.Parallel()
	prior := read(t, plain())
	prior.StatusReason, prior.DeletionPolicy, prior.Email = types.StringValue("why"), types.StringValue("abandon"),
		types.StringValue("second@example.com")
	for name, c := range map[string]struct {
		change func(*billing.BillingAccount)
		holds  func(model) bool
	}{
		"what is never returned": {func(*billing.BillingAccount) {}, func(m model) bool {
			return m.StatusReason.ValueString() == "why" && m.DeletionPolicy.ValueString() == "abandon" &&
				m.Customer.Equal(prior.Customer)
		}},
		"an address that is still listed": {func(*billing.BillingAccount) {},
			func(m model) bool { return m.Email.ValueString() == "second@example.com" }},
		"one that is not": {func(a *billing.BillingAccount) { a.Customer.Emails = a.Customer.Emails[:1] },
			func(m model) bool { return m.Email.ValueString() == "first@example.com" }},
		"no list": {func(a *billing.BillingAccount) { a.Customer.Emails, a.Customer.Addresses = nil, nil },
			func(m model) bool { return m.Email.Equal(prior.Email) && m.Address.Equal(prior.Address) }},
		"an empty list": {func(a *billing.BillingAccount) { a.Customer.Addresses = []billing.Address{} },
			func(m model) bool { return m.Address.IsNull() }},
		"no customer": {func(a *billing.BillingAccount) { a.Customer = nil }, func(m model) bool {
			return m.CustomerID.ValueString() == "c" && m.Name.ValueString() == "Ana" && m.Email.Equal(prior.Email)
		}},
		"another name": {func(a *billing.BillingAccount) { a.Customer.Name = "Bea" },
			func(m model) bool { return m.Name.ValueString() == "Bea" }},
		"a status": {func(a *billing.BillingAccount) { a.Status = "frozen" },
			func(m model) bool { return m.Status.ValueString() == "frozen" }},
	} {
		a := plain()
		c.change(&a)
		if m := read(t, a).preserve(prior, &a, ownership{}); !c.holds(m) {
			t.Errorf("%s: %+v", name, m)
		}
	}
	// After a creation nothing may stay unknown.
	planned := prior
	planned.Name, planned.Email, planned.CustomerID, planned.Address = types.StringUnknown(), types.StringUnknown(),
		types.StringUnknown(), types.ObjectUnknown(contact.AddressType.AttrTypes)
	lean := plain()
	lean.Customer = nil
	m := read(t, lean).preserve(planned, &lean, ownership{})
	if !m.Name.IsNull() || !m.Email.IsNull() || !m.CustomerID.IsNull() || !m.Address.IsNull() {
		t.Errorf("%+v", m)
	}
}

// TestBodies: what is sent on creation and update, and nothing else.
func TestBodies(t *testing.T) {
	t.Parallel()
	state := read(t, plain())
	config := model{Customer: referenceTo("c"), shared: shared{PaymentTermsDays: types.Int64Value(5),
		AutoCollection: types.BoolValue(false), Status: types.StringValue("suspended"), Name: types.StringValue("B")}}
	create, err := config.toCreate(t.Context(), metadata.Owned{Object: metadata.Object{"k": "v"}})
	if err != nil {
		t.Fatal(err)
	}
	plan := state
	plan.Name, plan.PaymentTermsDays, plan.Status = types.StringValue("B"), types.Int64Value(20),
		types.StringValue("suspended")
	was := state
	was.ExternalID = types.StringValue("x")
	for name, c := range map[string]struct {
		body any
		want string
	}{
		"creation": {create,
			`{"customer":{"id":"c"},"payment_terms_days":5,"auto_collection":false,"custom_metadata":{"k":"v"}}`},
		"update":   {plan.toUpdate(state), `{"name":"B","payment_terms_days":20}`},
		"clearing": {state.toUpdate(was), `{"external_id":null}`},
		"nothing":  {state.toUpdate(state), `{}`},
	} {
		if have, err := json.Marshal(c.body); err != nil || string(have) != c.want {
			t.Errorf("%s: %s %v, want %s", name, have, err, c.want)
		}
	}
}

// TestCustomerData: what the customer of a new account is to become is sent where the service does not show it done.
func TestCustomerData(t *testing.T) {
	t.Parallel()
	config := func(change func(*model)) model {
		m := model{Address: types.ObjectNull(contact.AddressType.AttrTypes)}
		change(&m)
		return m
	}
	natal := contact.Address(billing.Address{City: new("Natal")})
	hidden, lean := plain(), plain()
	hidden.Customer.Emails, hidden.Customer.Addresses, lean.Customer = nil, nil, nil
	for name, c := range map[string]struct {
		config model
		shown  billing.BillingAccount
		want   string
	}{
		"nothing":        {config(func(*model) {}), plain(), `{}`},
		"as it is":       {config(func(m *model) { m.Name, m.Address = types.StringValue("Ana"), natal }), plain(), `{}`},
		"already listed": {config(func(m *model) { m.Email = types.StringValue("second@example.com") }), plain(), `{}`},
		"new": {config(func(m *model) {
			m.Email, m.Phone = types.StringValue("third@example.com"),
				types.StringValue("1")
		}), plain(), `{"email":"third@example.com","phone":"1"}`},
		"lists not shown": {config(func(m *model) { m.Email, m.Address = types.StringValue("x@example.com"), natal }),
			hidden, `{"email":"x@example.com","address":{"city":"Natal"}}`},
		"nothing is shown": {config(func(m *model) { m.Name = types.StringValue("Ana") }), lean, `{"name":"Ana"}`},
	} {
		body, err := c.config.customerData(&c.shown)
		have, marshalErr := json.Marshal(body)
		if err != nil || marshalErr != nil || string(have) != c.want {
			t.Errorf("%s: %s %v %v, want %s", name, have, err, marshalErr, c.want)
		}
	}
}
