package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const accounts = "/v1/billing-accounts"

// wire contract: a customer reference. Each finds the one customer there is.
func TestAccountOfAnExistingCustomer(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	id := c.create(everyCustomerField)
	before := c.do("GET", "/v1/customers/"+id, "").want(200)
	for name, reference := range map[string]string{
		"uuid":               `{"id":"` + id + `"}`,
		"external code":      `{"id":"crm-1"}`,
		"external_id":        `{"external_id":"crm-1"}`,
		"masked document":    `{"document_number":"529.982.247-25"}`,
		"bare document":      `{"document_number":"52998224725"}`,
		"further fields":     `{"id":"crm-1","name":"Bia","notes":"other","kind":"company","email":"bia@exemplo.com.br"}`,
		"document and name":  `{"document_number":"52998224725","name":"Bia","external_id":"crm-2"}`,
		"code over document": `{"external_id":"crm-1","document_number":"11222333000181","name":"Bia"}`,
	} {
		r := c.do("POST", accounts, `{"customer":`+reference+`}`).want(201)
		if r.text("data", "customer", "id") != id || r.text("data", "billing_email") != "ana@exemplo.com.br" {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	if after := c.do("GET", "/v1/customers/"+id, ""); after.json() != before.json() {
		t.Errorf("a reference changed the customer: %s", after.body)
	}
	c.do("DELETE", "/v1/customers/"+id, "").want(200)
	for _, unknown := range []string{id, "crm-1", "1cbb0a9a-e7a8-482f-be41-4f0ed6c2a002"} {
		c.do("POST", accounts, `{"customer":{"id":"`+unknown+`","name":"Ana"}}`).blames("customer.id")
	}
}

// Another organization's customers are not there to be referred to.
func TestReferencesStayInTheirOrganization(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	id := c.create(everyCustomerField)
	other, err := server.NewOrganization(sandbox.Organization{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := server.NewToken(sandbox.Token{Organization: other.ID})
	if err != nil {
		t.Fatal(err)
	}
	stranger := c.with(token)
	stranger.do("POST", accounts, `{"customer":{"id":"`+id+`"}}`).blames("customer.id")
	stranger.do("POST", accounts, `{"customer":{"id":"crm-1"}}`).blames("customer.id")
	stranger.do("POST", accounts, `{"customer":{"external_id":"crm-1"}}`).blames("customer.name")
	stranger.do("POST", accounts, `{"customer":{"document_number":"52998224725"}}`).blames("customer.name")
	stranger.do("POST", "/v1/subscriptions", `{"billing_account_id":"`+c.account()+`","plan_id":"`+plan+
		`"}`).blames("billing_account_id")
	path, _ := c.subscribe("")
	stranger.do("GET", path, "").want(404)
	stranger.do("POST", path+"/cancel", "").want(404)
	c.do("POST", path+"/invoices", "").want(201)
	if got := stranger.do("GET", "/v1/invoices", "").want(200).json("meta", "total"); got != "0" {
		t.Errorf("a stranger sees %s invoices", got)
	}
}

// Recurring billing §4 Billing account create: what is not found is made, with
// the kind in the words of each resource.
func TestAccountOfANewCustomer(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	r := c.do("POST", accounts,
		`{"customer":{"name":"Oficina","external_id":"erp-1","document_number":"11222333000181","kind":"company",
		"email":"caixa@exemplo.com.br","emails":[{"value":"nf@exemplo.com.br"}],"tags":["x"],"custom_metadata":{"n":1.50}},
		"external_id":"conta-1","payment_terms_days":90,"auto_collection":false,"custom_metadata":{"a":1}}`).want(201)
	r.holds(map[string]string{
		"external_id": `"conta-1"`, "payment_terms_days": "90", "auto_collection": "false",
		"billing_email": `"caixa@exemplo.com.br"`, "currency": `"BRL"`, "status": `"active"`, "custom_metadata": `{"a":1}`,
		"balance_cents": "0",
	})
	if r.text("data", "customer", "kind") != "company" || r.json("data", "customer", "custom_metadata") != `{"n":1.50}` {
		t.Errorf("customer %s", r.json("data", "customer"))
	}
	path := "/v1/customers/" + r.text("data", "customer", "id")
	c.do("GET", path, "").want(200).holds(map[string]string{"kind": `"juridical"`, "external_id": `"erp-1"`,
		"document_type": `"cnpj"`})
	c.do("POST", accounts,
		`{"customer":{"name":"Ana","email":"b@exemplo.com.br","emails":[{"value":"a@exemplo.com.br"},{"value":"b@exemplo.com.br"}]}}`).
		want(201).holds(map[string]string{"billing_email": `"b@exemplo.com.br"`})
	c.do("POST", accounts, `{"customer":{"name":"Ana","emails":[{"value":"a@exemplo.com.br"}]}}`).
		want(201).holds(map[string]string{"billing_email": `"a@exemplo.com.br"`})
	c.do("POST", accounts, `{"customer":{"document_number":"529.982.247-25"}}`).blames("customer.name")
	c.do("POST", accounts, `{"customer":{}}`).blames("customer.name")
	c.do("POST", accounts, `{"customer":{"name":"Ana"}}`).want(201).holds(map[string]string{
		"payment_terms_days": "10", "auto_collection": "true", "billing_email": "null", "external_id": "null",
		"custom_metadata": "null",
	})
	c.do("POST", accounts, `{"customer":{"name":"Ana"},"external_id":"conta-1"}`).refuses("external_id_taken")
}

// Strict bodies of accounts (wire contract: validation failure).
func TestInvalidAccountFields(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	c.do("POST", accounts, `{}`).blames("customer")
	for _, test := range []struct{ field, fragment string }{
		{"customer", `"customer":null`}, {"customer.kind", `"customer":{"name":"A","kind":"natural"}`},
		{"customer.vat", `"customer":{"name":"A","vat":"1"}`}, {"customer.id", `"customer":{"id":""}`},
		{"customer.emails[0].value", `"customer":{"name":"A","emails":[{}]}`},
		{"custom_metadata_mode", `"custom_metadata_mode":"merge"`}, {"name", `"name":"A"`}, {"status", `"status":"active"`},
		{"external_id", `"external_id":null`},
	} {
		body := test.fragment
		if !strings.HasPrefix(body, `"customer"`) {
			body = `"customer":{"name":"A"},` + body
		}
		c.do("POST", accounts, "{"+body+"}").blames(test.field)
	}
	path := accounts + "/" + c.account()
	for _, test := range []struct{ field, fragment string }{
		{"customer", `"customer":{"name":"A"}`}, {"name", `"name":null`}, {"name", `"name":""`},
		{"name", `"name":"` + strings.Repeat("ã", 256) + `"`}, {"email", `"email":null`}, {"phone", `"phone":""`},
		{"address", `"address":null`}, {"address.zip", `"address":{"zip":"1"}`}, {"status", `"status":"suspended"`},
		{"custom_metadata_mode", `"custom_metadata_mode":"deep"`},
	} {
		c.do("PATCH", path, "{"+test.fragment+"}").blames(test.field)
	}
	for _, days := range []string{"0", "91", "-1", "1.5", `"10"`, "null", "1e1"} {
		c.do("POST", accounts, `{"customer":{"name":"A"},"payment_terms_days":`+days+`}`).blames("payment_terms_days")
		c.do("PATCH", path, `{"payment_terms_days":`+days+`}`).blames("payment_terms_days")
	}
	for _, email := range []string{"null", `"ana"`, "1"} {
		c.do("PATCH", path, `{"billing_email":`+email+`}`).blames("billing_email")
	}
}

// Recurring billing §4 Billing account update; wire contract: address in an
// account update.
func TestUpdateAccount(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)})
	c := call(t, server)
	made := c.do("POST", accounts,
		`{"customer":{"name":"Ana","email":"a@exemplo.com.br","addresses":[{"street":"Rua A"},{"street":"Rua B"}]},"external_id":"x"}`).want(201)
	path := accounts + "/" + made.text("data", "id")
	if same := c.do("PATCH", path, `{}`).want(200); same.json() != made.json() {
		t.Errorf("an empty update changed %s", same.body)
	}
	c.do("PATCH", path,
		`{"external_id":null,"billing_email":"nf@exemplo.com.br","payment_terms_days":1,"auto_collection":false,
		"custom_metadata":{"a":{"b":1}}}`).want(200).holds(map[string]string{
		"external_id": "null", "billing_email": `"nf@exemplo.com.br"`, "payment_terms_days": "1", "auto_collection": "false",
		"custom_metadata": `{"a":{"b":1}}`,
	})
	before := c.do("PATCH", path, `{"custom_metadata":{"a":{"c":null}},"custom_metadata_mode":"merge"}`).want(200).
		holds(map[string]string{"custom_metadata": `{"a":{"b":1,"c":null}}`})
	for range 2 { // the second time there is nothing left to do
		r := c.do("PATCH", path, `{"name":"Bia","email":"b@exemplo.com.br","phone":"1","address":{"street":"Rua B"}}`).
			want(200)
		street := func(i int) string { return r.text("data", "customer", "addresses", i, "street") }
		if r.text("data", "customer", "name") != "Bia" ||
			r.json("data", "customer", "emails") != `[{"value":"b@exemplo.com.br"},{"value":"a@exemplo.com.br"}]` ||
			r.json("data", "customer", "phones") != `[{"value":"1"}]` || street(0) != "Rua B" || street(1) != "Rua A" {
			t.Errorf("customer %s", r.json("data", "customer"))
		}
		if r.text("data", "billing_email") != "nf@exemplo.com.br" ||
			r.text("data", "updated_at") <= before.text("data", "updated_at") {
			t.Errorf("account %s", r.body)
		}
	}
	customer := c.do("GET", "/v1/customers/"+made.text("data", "customer", "id"), "").want(200)
	if customer.text("data", "name") != "Bia" || customer.text("data", "addresses", 0, "street") != "Rua B" {
		t.Errorf("customer %s", customer.body)
	}
}

// Billing account status, arrow by arrow: where each step leads, 422 where it
// leads nowhere (Recurring billing §3; wire contract: second suspend,
// reactivate of an active one, closed billing account).
func TestAccountArrows(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	reach := map[string][]string{"active": nil, "suspended": {"suspend"}, "closed": {"close"}}
	for from, leads := range map[string]map[string]string{
		"active":    {"suspend": "suspended", "reactivate": "", "close": "closed"},
		"suspended": {"suspend": "", "reactivate": "active", "close": "closed"},
		"closed":    {"suspend": "", "reactivate": "", "close": ""},
	} {
		for step, to := range leads {
			path := accounts + "/" + c.account()
			for _, before := range reach[from] {
				c.do("POST", path+"/"+before, `{"reason":"first"}`).want(200)
			}
			r := c.do("POST", path+"/"+step, `{"reason":"second"}`)
			if to == "" {
				r.refuses("invalid_transition")
				to = from
			}
			if got := c.do("GET", path, "").want(200).text("data", "status"); got != to {
				t.Errorf("%s from %s leads to %s, want %s", step, from, got, to)
			}
		}
	}
}

func TestAccountStatusFields(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}))
	made := c.do("POST", accounts, `{"customer":{"name":"Ana"},"external_id":"x"}`).want(201)
	path := accounts + "/" + made.text("data", "id")
	c.do("POST", path+"/suspend", `{"reason":"late"}`).want(200).holds(map[string]string{
		"status": `"suspended"`, "suspended_at": `"2026-05-04T12:00:00.000Z"`, "suspension_reason": `"late"`})
	c.do("POST", path+"/reactivate", "").want(200).holds(map[string]string{"status": `"active"`, "suspended_at": "null",
		"suspension_reason": "null"})
	c.do("POST", path+"/suspend", "").want(200).holds(map[string]string{"suspension_reason": "null"})
	c.do("POST", path+"/close", `{"why":"x"}`).blames("why")
	c.do("POST", path+"/close", `{"reason":7}`).blames("reason")
	c.do("POST", path+"/close", "{}").want(200)
	c.do("PATCH", path, `{"payment_terms_days":20}`).refuses("invalid_transition")
	again := c.do("POST", accounts, `{"customer":{"name":"Bia"},"external_id":"x"}`).want(201)
	c.do("DELETE", path, "").want(200)
	c.do("GET", path, "").want(404)
	c.do("POST", accounts, `{"customer":{"name":"Caio"},"external_id":"x"}`).refuses("external_id_taken")
	c.do("DELETE", accounts+"/"+again.text("data", "id"), "").want(200)
	c.do("POST", accounts, `{"customer":{"name":"Caio"},"external_id":"x"}`).want(201)
}

// An account with a live subscription can be closed, and not deleted.
func TestAccountWithSubscription(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	subscription, made := c.subscribe("")
	path := accounts + "/" + made.text("data", "billing_account_id")
	c.do("DELETE", path, "").refuses("billing_account_has_active_subscriptions")
	c.do("POST", path+"/close", "").want(200)
	c.do("GET", subscription, "").want(200).holds(map[string]string{"status": `"active"`})
	again := `{"billing_account_id":"` + made.text("data", "billing_account_id") + `","plan_id":"` + plan + `"}`
	c.do("POST", "/v1/subscriptions", again).refuses("invalid_transition")
	c.do("POST", subscription+"/cancel", "").want(200)
	c.do("DELETE", path, "").want(200)
	c.do("GET", subscription, "").want(200)
}
