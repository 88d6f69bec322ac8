package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const everyCustomerField = `{
	"name": "Ana Souza", "external_id": "crm-1", "nickname": "Ana", "legal_name": "Ana Souza ME",
	"document_number": "529.982.247-25", "kind": "natural", "birthday": "1990-12-31",
	"notes": "prefers mail", "tags": ["vip", "a<b>"],
	"addresses": [{"kind": "billing", "street": "Rua A", "number": "10", "complement": null,
		"neighborhood": "Centro", "city": "Recife", "state": "PE", "postal_code": "50000-000", "country": "BR"}],
	"phones": [{"kind": "mobile", "value": "+5581999990000"}],
	"emails": [{"value": "ana@exemplo.com.br"}],
	"websites": [{"kind": "shop", "value": "https://exemplo.com.br"}],
	"custom_metadata": {"n": 9007199254740993, "f": 1.50, "deep": {"list": [1, null]}}
}`

// Recurring billing §2 Customer: every field is returned, as sent; §4: the
// account that comes with it.
func TestCreateCustomerReturnsEveryField(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: time.Date(2026, 5, 4, 12, 0, 0, 123_456_789, time.UTC)})
	c := call(t, server)
	created := c.do("POST", "/v1/customers", everyCustomerField).want(201)
	want := map[string]string{
		"external_id": `"crm-1"`, "name": `"Ana Souza"`, "nickname": `"Ana"`, "legal_name": `"Ana Souza ME"`,
		"document_type": `"cpf"`, "document_number": `"529.982.247-25"`, "kind": `"natural"`,
		"birthday": `"1990-12-31"`, "notes": `"prefers mail"`, "tags": `["vip","a\u003cb\u003e"]`,
		"addresses": `[{"city":"Recife","complement":null,"country":"BR","kind":"billing","neighborhood":"Centro",` +
			`"number":"10","postal_code":"50000-000","state":"PE","street":"Rua A"}]`,
		"phones": `[{"kind":"mobile","value":"+5581999990000"}]`, "emails": `[{"value":"ana@exemplo.com.br"}]`,
		"websites":        `[{"kind":"shop","value":"https://exemplo.com.br"}]`,
		"metadata":        `{}`,
		"custom_metadata": `{"deep":{"list":[1,null]},"f":1.50,"n":9007199254740993}`,
		"created_at":      `"2026-05-04T12:00:00.123Z"`, "updated_at": `"2026-05-04T12:00:00.123Z"`,
	}
	for field, value := range want {
		if got := created.json("data", "customer", field); got != value {
			t.Errorf("%s: %s, want %s", field, got, value)
		}
	}
	id, publicID := created.text("data", "customer", "id"), created.text("data", "customer", "public_id")
	if !anUUID.MatchString(id) || !anUUID.MatchString(publicID) || id == publicID {
		t.Errorf("id %q, public_id %q", id, publicID)
	}
	if read := c.do("GET", "/v1/customers/"+id, "").want(200); read.json("data") != created.json("data", "customer") {
		t.Errorf("read %s, created %s", read.body, created.body)
	}
}

// A customer with a name alone has every other field, as null.
func TestUnsetFieldsAreNull(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	created := c.do("POST", "/v1/customers", `{"name":"Ana"}`).want(201)
	for field := range strings.FieldsSeq("external_id nickname legal_name document_type document_number kind birthday " +
		"notes addresses phones emails websites tags custom_metadata") {
		if !strings.Contains(string(created.body), `"`+field+`":null`) {
			t.Errorf("%s is not null in %s", field, created.body)
		}
	}
}

// Recurring billing §4 Customer create: the account fields and their defaults.
func TestCreateCustomerOpensAccount(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	tests := []struct{ name, body, email, terms, auto string }{
		{"defaults", `{"name":"Ana","email":"ana@exemplo.com.br"}`, `"ana@exemplo.com.br"`, "10", "true"},
		{"no email", `{"name":"Ana"}`, `null`, "10", "true"},
		{"all given",
			`{"name":"Ana","email":"ana@exemplo.com.br","create_billing_account":true,"billing_email":"nf@exemplo.com.br",
			"payment_terms_days":0,"auto_collection":false}`, `"nf@exemplo.com.br"`, "0", "false"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := c
			c.t = t
			created := c.do("POST", "/v1/customers", test.body).want(201)
			for field, want := range map[string]string{
				"billing_email": test.email, "payment_terms_days": test.terms, "auto_collection": test.auto,
				"currency": `"BRL"`, "status": `"active"`, "balance_cents": "0", "tax_exempt": "false",
				"external_id": "null", "suspended_at": "null", "suspension_reason": "null",
				"tax_exemption_certificate": "null", "customer_tax_type": "null", "custom_metadata": "null",
			} {
				if got := created.json("data", "billing_account", field); got != want {
					t.Errorf("%s: %s, want %s", field, got, want)
				}
			}
			account := c.do("GET", "/v1/billing-accounts/"+created.text("data", "billing_account", "id"), "").want(200)
			if account.json("data") != created.json("data", "billing_account") {
				t.Errorf("read %s, created %s", account.body, created.body)
			}
			if account.json("data", "customer", "id") != created.json("data", "customer", "id") {
				t.Errorf("customer %s", account.json("data", "customer"))
			}
		})
	}
	none := c.do("POST", "/v1/customers", `{"name":"Bia","create_billing_account":false}`).want(201)
	if got := none.json("data", "billing_account"); got != "null" {
		t.Errorf("billing_account %s, want null", got)
	}
}

// Recurring billing §2: the customer inside an account has its own words.
func TestEmbeddedCustomerKind(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	for kind, word := range map[string]string{`"natural"`: `"individual"`, `"juridical"`: `"company"`, `null`: `null`} {
		created := c.do("POST", "/v1/customers", `{"name":"Ana","kind":`+kind+`}`).want(201)
		if got := created.json("data", "billing_account", "customer", "kind"); got != word {
			t.Errorf("kind %s is %s in the account, want %s", kind, got, word)
		}
	}
}

// Recurring billing §2: document_type follows from the digits.
func TestDocumentType(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	id := c.create(`{"name":"Ana"}`)
	for number, kind := range map[string]string{
		`"52998224725"`: `"cpf"`, `"529.982.247-25"`: `"cpf"`, `"5299822472"`: `"cpf"`,
		`"11222333000181"`: `"cnpj"`, `"11.222.333/0001-81"`: `"cnpj"`, `"529982247251"`: `"cnpj"`, `null`: `null`,
	} {
		r := c.do("PATCH", "/v1/customers/"+id, `{"document_number":`+number+`}`).want(200)
		if r.json("data", "document_type") != kind || r.json("data", "document_number") != number {
			t.Errorf("%s: %s, want %s", number, r.body, kind)
		}
	}
}

// wire contract: clearing a customer's field.
func TestUpdateChangesAndClears(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)})
	c := call(t, server)
	path := "/v1/customers/" + c.create(everyCustomerField)
	before := c.do("GET", path, "").want(200)

	if same := c.do("PATCH", path, `{"name":"Ana Souza"}`).want(200); same.json("data") != before.json("data") {
		t.Errorf("an update without a change changed %s", same.body)
	}
	changed := c.do("PATCH", path, `{"nickname":"Aninha"}`).want(200)
	if changed.text("data", "nickname") != "Aninha" || changed.text("data", "notes") != "prefers mail" {
		t.Errorf("update returns %s", changed.body)
	}
	if changed.text("data", "updated_at") <= before.text("data", "updated_at") ||
		changed.text("data", "created_at") != before.text("data", "created_at") ||
		changed.text("data", "public_id") != before.text("data", "public_id") {
		t.Errorf("moments and ids: %s", changed.body)
	}
	for field := range strings.FieldsSeq("external_id nickname legal_name document_number kind birthday notes addresses " +
		"phones emails websites tags") {
		if got := c.do("PATCH", path, `{"`+field+`":null}`).want(200).json("data", field); got != "null" {
			t.Errorf("%s: %s after null", field, got)
		}
	}
	for field := range strings.FieldsSeq("addresses phones emails websites tags") {
		if got := c.do("PATCH", path, `{"`+field+`":[]}`).want(200).json("data", field); got != "[]" {
			t.Errorf("%s: %s after []", field, got)
		}
	}
}

// wire contract: customer email, phone on create and update.
func TestEmailAndPhoneBecomeFirst(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	created := c.do("POST", "/v1/customers", `{"name":"Ana","email":"a@exemplo.com.br","phone":"1",
		"emails":[{"kind":"work","value":"b@exemplo.com.br"}],"phones":[{"kind":"home","value":"1"}]}`).want(201)
	if got := created.json("data", "customer",
		"emails"); got != `[{"value":"a@exemplo.com.br"},{"kind":"work","value":"b@exemplo.com.br"}]` {
		t.Errorf("emails %s", got)
	}
	if got := created.json("data", "customer", "phones"); got != `[{"kind":"home","value":"1"}]` {
		t.Errorf("phones %s", got)
	}
	path := "/v1/customers/" + created.text("data", "customer", "id")
	again := c.do("PATCH", path, `{"email":"b@exemplo.com.br","phone":"2"}`).want(200)
	if got := again.json("data", "emails"); got != created.json("data", "customer", "emails") {
		t.Errorf("emails after an update with one of them: %s", got)
	}
	if got := again.json("data", "phones"); got != `[{"value":"2"},{"kind":"home","value":"1"}]` {
		t.Errorf("phones after an update: %s", got)
	}
}

// wire contract: same external_id twice in one resource type.
func TestExternalIDIsTakenOnce(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	first := c.create(`{"name":"Ana","external_id":"x"}`)
	second := c.create(`{"name":"Bia","external_id":"y"}`)
	taken := func(r result) {
		t.Helper()
		r.want(422)
		if r.text("error", "code") != "external_id_taken" || r.json("error", "details") != `{"field":"external_id","id":"`+
			first+`"}` {
			t.Errorf("refusal %s", r.body)
		}
	}
	taken(c.do("POST", "/v1/customers", `{"name":"Caio","external_id":"x"}`))
	taken(c.do("PATCH", "/v1/customers/"+second, `{"external_id":"x"}`))
	c.do("PATCH", "/v1/customers/"+first, `{"external_id":"x"}`).want(200)
	c.do("DELETE", "/v1/customers/"+first, "").want(200)
	c.do("PATCH", "/v1/customers/"+second, `{"external_id":"x"}`).want(200)
}

// wire contract: deleting a customer.
func TestDeleteCustomer(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	created := c.do("POST", "/v1/customers", `{"name":"Ana"}`).want(201)
	id := created.text("data", "customer", "id")
	path := "/v1/customers/" + id
	if got := c.do("DELETE", path, "").want(200).json(); got != `{"data":{"deleted":true}}` {
		t.Errorf("deletion returns %s", got)
	}
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		if r := c.do(method, path, "{}").want(404); r.text("error", "code") != "not_found" {
			t.Errorf("%s returns %s", method, r.body)
		}
	}
	if got := c.do("GET", "/v1/customers", "").json("meta", "total"); got != "0" {
		t.Errorf("listed total %s", got)
	}
	account := c.do("GET", "/v1/billing-accounts/"+created.text("data", "billing_account", "id"), "").want(200)
	if account.text("data", "status") != "closed" || account.text("data", "customer", "id") != id {
		t.Errorf("account %s", account.body)
	}
	if account.text("data", "updated_at") <= account.text("data", "created_at") {
		t.Errorf("closing did not move updated_at: %s", account.body)
	}
}
