package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Strict bodies: 422 validation_error blames the field
// (wire contract: validation failure).
func TestInvalidFields(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	id := c.create(`{"name":"Ana"}`)
	both := []struct{ field, fragment string }{
		{"nam", `"nam":"x"`}, {"Nickname", `"Nickname":"x"`}, {"name", `"name":null`}, {"name", `"name":" "`},
		{"name", `"name":1`}, {"kind", `"kind":"individual"`}, {"birthday", `"birthday":"31/12/1990"`},
		{"birthday", `"birthday":"1990-02-30"`}, {"email", `"email":"ana"`}, {"email", `"email":"Ana <ana@exemplo.com.br>"`},
		{"email", `"email":null`}, {"phone", `"phone":null`}, {"external_id", `"external_id":""`},
		{"document_number", `"document_number":"none"`}, {"document_number", `"document_number":52998224725`},
		{"tags", `"tags":"vip"`}, {"tags[1]", `"tags":["vip",1]`}, {"addresses", `"addresses":{}`},
		{"addresses[0]", `"addresses":[null]`}, {"addresses[0].zip", `"addresses":[{"zip":"1"}]`},
		{"addresses[0].country", `"addresses":[{"country":"Brazil"}]`}, {"emails[0].value", `"emails":[{"kind":"x"}]`},
		{"emails[0].value", `"emails":[{"value":"ana"}]`}, {"phones[0].value", `"phones":[{"value":""}]`},
		{"websites[0].url", `"websites":[{"value":"x","url":"x"}]`}, {"custom_metadata", `"custom_metadata":[]`},
		{"custom_metadata", `"custom_metadata":null`}, {"id", `"id":"x"`}, {"document_type", `"document_type":"cpf"`},
	}
	refusals := func(method, path, fragments, field string) {
		t.Helper()
		r := c.do(method, path, "{"+fragments+"}")
		if r.status != 422 || r.text("error", "code") != "validation_error" {
			t.Errorf("%s %s: %d %s", method, fragments, r.status, r.body)
			return
		}
		fields, _ := r.at("error", "details", "fields").(map[string]any)
		if _, blamed := fields[field]; !blamed || len(fields) != 1 {
			t.Errorf("%s %s blames %v, want %s alone", method, fragments, fields, field)
		}
	}
	for _, test := range both {
		named := test.fragment
		if !strings.HasPrefix(named, `"name":`) {
			named = `"name":"Ana",` + named
		}
		refusals("POST", "/v1/customers", named, test.field)
		refusals("PATCH", "/v1/customers/"+id, test.fragment, test.field)
	}
	refusals("POST", "/v1/customers", "", "name")
	for field, value := range map[string]string{
		"custom_metadata_mode": `"merge"`, "create_billing_account": `"yes"`, "billing_email": `null`,
		"payment_terms_days": `-1`, "auto_collection": `1`,
	} {
		refusals("POST", "/v1/customers", fmt.Sprintf(`"name":"Ana",%q:%s`, field, value), field)
	}
	refusals("POST", "/v1/customers", `"name":"Ana","payment_terms_days":1.5`, "payment_terms_days")
	refusals("POST", "/v1/customers", `"name":"Ana","payment_terms_days":"10"`, "payment_terms_days")
	for field, value := range map[string]string{
		"create_billing_account": `true`, "billing_email": `"nf@exemplo.com.br"`, "payment_terms_days": `10`,
		"auto_collection": `true`, "custom_metadata_mode": `"deep"`,
	} {
		refusals("PATCH", "/v1/customers/"+id, fmt.Sprintf(`%q:%s`, field, value), field)
	}
}

// Every problem is reported together, in words that do not repeat what was sent
// (Recurring billing §7).
func TestRefusalNamesAllAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	r := c.do("POST", "/v1/customers", `{"kind":"s3cret-a","birthday":"s3cret-b","emails":[{"value":"s3cret-c"}]}`).
		want(422)
	if fields, _ := r.at("error", "details", "fields").(map[string]any); len(fields) != 4 {
		t.Errorf("fields %v, want name, kind, birthday and emails[0].value", fields)
	}
	if strings.Contains(string(r.body), "s3cret") {
		t.Errorf("the response repeats what was sent: %s", r.body)
	}
}
