package sandbox_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// deed is a request with what its response has to hold: texts such as `data.status=paused`, and `name:=data.id`, which
// keeps a value for the {name} of the deeds that follow. A service is named in front of a request but for billing.
type deed struct {
	request, body string
	status        int
	holds         string
}

const (
	billingAccount = `POST /v1/billing-accounts`
	number, masked = "52998224725", "529.982.247-25"
)

// beyond is what the sandbox does as described although the provider does not rely on it, so that no claim says it.
var beyond = map[string][]deed{
	"document types": {
		{"POST /v1/customers", `"name":"a","document_number":"` + number + `"`, 201, `data.customer.document_type=cpf`},
		{"POST /v1/customers", `"name":"a","document_number":"` + masked + `"`, 201,
			`data.customer.document_type=cpf id:=data.customer.id`},
		{"PATCH /v1/customers/{id}", `"document_number":"12.345.678/0001-95"`, 200, `data.document_type=cnpj`},
		{"POST /v1/customers", `"name":"a","document_number":"12ABC34501DE35"`, 201, `data.customer.document_type=cnpj`},
	},
	"email and phone of an update come first, once": {
		{"POST /v1/customers", `"name":"a","email":"a@exemplo.com.br","phone":"1"`, 201, `id:=data.customer.id`},
		{"PATCH /v1/customers/{id}", `"email":"b@exemplo.com.br","phone":"2"`, 200,
			`data.emails.0.value=b@exemplo.com.br data.emails.1.value=a@exemplo.com.br data.phones.0.value=2 ` +
				`data.phones.1.value=1`},
		{"PATCH /v1/customers/{id}", `"email":"a@exemplo.com.br"`, 200, `data.emails.0.value=b@exemplo.com.br`},
		{"PATCH /v1/customers/{id}", ``, 200, `data.name=a data.emails.1.value=a@exemplo.com.br`},
	},
	"an account's defaults": {
		{"POST /v1/customers", `"name":"a","email":"a@exemplo.com.br"`, 201,
			`data.billing_account.billing_email=a@exemplo.com.br ` +
				`data.billing_account.payment_terms_days=10 data.billing_account.auto_collection=true id:=data.billing_account.id`},
		{"GET /v1/billing-accounts/{id}", ``, 200, `data.balance_cents=0 data.status=active data.suspended_at=null`},
		{"POST /v1/customers", `"name":"a","payment_terms_days":0`, 201, `data.billing_account.payment_terms_days=0 ` +
			`data.billing_account.billing_email=null`},
	},
	"references to a customer": {
		{"POST /v1/customers", `"name":"a","kind":"juridical","external_id":"code","document_number":"` + masked + `"`, 201,
			`id:=data.customer.id`},
		{billingAccount, `"customer":{"id":"code"}`, 201, `data.customer.id={id} data.customer.kind=company`},
		{billingAccount, `"customer":{"external_id":"code","name":"other"}`, 201,
			`data.customer.id={id} data.customer.name=a`},
		{billingAccount, `"customer":{"document_number":"` + number + `"}`, 201, `data.customer.id={id}`},
		{"POST /v1/customers", `"name":"b","document_number":"12.ABC.345/01DE-35"`, 201, `id:=data.customer.id`},
		{billingAccount, `"customer":{"document_number":"12abc34501de35"}`, 201, `data.customer.id={id}`},
		{billingAccount, `"customer":{"id":"9d3a1f04-5b6c-4e7d-8a90-1b2c3d4e5f60"}`, 422, `error.code=validation_error`},
		{billingAccount, `"customer":{"name":"n","kind":"individual","notes":"x"}`, 201,
			`data.customer.kind=individual data.customer.notes=x id:=data.customer.id`},
		{"GET /v1/customers/{id}", ``, 200, `data.kind=natural`},
	},
	"an account changes its customer": {
		{billingAccount, `"customer":{"name":"a","email":"a@exemplo.com.br"}`, 201, `id:=data.id customer:=data.customer.id`},
		{"PATCH /v1/billing-accounts/{id}", `"name":"b","email":"b@exemplo.com.br","phone":"2"`, 200, `data.customer.name=b`},
		{"PATCH /v1/billing-accounts/{id}", `"address":{"street":"Rua Sergipe"}`, 200,
			`data.customer.addresses.0.street=Rua+Sergipe`},
		{"GET /v1/customers/{customer}", ``, 200, `data.name=b data.emails.0.value=b@exemplo.com.br data.phones.0.value=2 ` +
			`data.addresses.0.street=Rua+Sergipe`},
	},
	"what a status does not allow": {
		{"POST /v1/customers", `"name":"a"`, 201, `account:=data.billing_account.id`},
		{"POST /v1/billing-accounts/{account}/suspend", ``, 200, `data.status=suspended`},
		{"POST /v1/billing-accounts/{account}/suspend", ``, 422, `error.code=invalid_transition`},
		{"POST /v1/subscriptions", `"billing_account_id":"{account}","plan_id":"` + plan + `"`, 422,
			`error.code=invalid_transition`},
		{"POST /v1/billing-accounts/{account}/reactivate", ``, 200, `data.status=active`},
		{"POST /v1/subscriptions", `"billing_account_id":"{account}","plan_id":"` + plan + `"`, 201, `id:=data.id`},
		{"PATCH /v1/subscriptions/{id}", `"allow_pause":false,"allow_cancel":false`, 200, `data.allow_pause=false`},
		{"POST /v1/subscriptions/{id}/pause", ``, 422, `error.code=invalid_transition`},
		{"POST /v1/subscriptions/{id}/cancel", ``, 422, `error.code=invalid_transition`},
		{"POST /v1/subscriptions/{id}/cancel", `"cancel_at_period_end":true`, 422, `error.code=invalid_transition`},
		{"PATCH /v1/subscriptions/{id}", `"allow_pause":true,"allow_cancel":true`, 200, `data.status=active`},
		{"POST /v1/subscriptions/{id}/cancel", ``, 200, `data.status=canceled`},
		{"POST /v1/subscriptions/{id}/cancel", ``, 422, `error.code=invalid_transition`},
		{"POST /v1/subscriptions/{id}/pause", ``, 422, `error.code=invalid_transition`},
		{"DELETE /v1/subscriptions/{id}", ``, 200, `data.deleted=true`},
		{"GET /v1/subscriptions/{id}", ``, 404, `error.code=not_found`},
	},
	"numbers of pages": {
		{"GET /v1/customers", ``, 200, `meta.page=1 meta.per_page=20`},
		{"GET /v1/customers?page=-3&per_page=0", ``, 200, `meta.page=1 meta.per_page=1`},
	},
	"metadata": {
		{"POST /v1/customers", `"name":"a","custom_metadata":{"a":{"b":1}}`, 201, `id:=data.customer.id`},
		{"PATCH /v1/customers/{id}", `"custom_metadata":{"a":{}},"custom_metadata_mode":"merge"`, 200,
			`data.custom_metadata.a.b=1`},
		{"PATCH /v1/customers/{id}", `"custom_metadata":{"c":2}`, 200,
			`data.custom_metadata.a=null data.custom_metadata.c=2`},
	},
	"scopes of a key": {
		{"collections POST /api/v1/api-keys", `"name":"k","scopes":["charges:read"]`, 201, `token:=data.token id:=data.id`},
		{"{token} GET /api/v1/webhook-endpoints", ``, 403, `error.code=insufficient_scope`},
		{"{token} POST /api/v1/api-keys/{id}/rotate", ``, 403, `error.code=insufficient_scope`},
		{"collections PATCH /api/v1/api-keys/{id}", `"name":"x"`, 405, `error.code=method_not_allowed`},
	},
	"records apart": {
		{"finance POST /v1/notes", `"name":"a","company_id":"` + plan + `"`, 201, `id:=data.id`},
		{"finance POST /v1/notes", `"name":"b","occurred_at":"2026-03-10"`, 201, ``},
		{"finance GET /v1/notes?company_id=" + plan + "&occurred_at[gte]=2026-01-01", ``, 200,
			`data=[] meta.next_cursor=null`},
		{"finance GET /v1/notes?occurred_at[lt]=2027-01-01", ``, 200, `data.0.name=b meta.next_cursor=null`},
		{"finance GET /v1/notes?name[gte]=5", ``, 200, `data=[]`}, // a text is not compared with a number
		{"finance GET /v1/notes?limit=1", ``, 200, `data.0.name=a cursor:=meta.next_cursor`},
		{"finance GET /v1/notes?limit=1&cursor={cursor}x", ``, 400, `error.code=invalid_cursor`},
		{"finance GET /v1/notes?limit=1&cursor={cursor}&company_id=" + plan, ``, 400, `error.code=invalid_cursor`},
		{"finance GET /v1/other?limit=1&cursor={cursor}", ``, 400, `error.code=invalid_cursor`},
		{"finance GET /v1/other/{id}", ``, 404, `error.code=not_found`},
		{"finance DELETE /v1/other/{id}", ``, 404, `error.code=not_found`},
	},
}

func TestBeyondTheClaims(t *testing.T) {
	t.Parallel()
	for name, deeds := range beyond {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, sandbox.Options{NoExampleData: true})
			services := map[string]caller{"": call(t, server), "collections": collect(t, server), "finance": book(t, server)}
			kept := map[string]string{}
			filled := func(text string) string {
				for name, value := range kept {
					text = strings.ReplaceAll(text, "{"+name+"}", value)
				}
				return text
			}
			for _, d := range deeds {
				words := strings.Fields(filled(d.request))
				service := ""
				if len(words) == 3 {
					service, words = words[0], words[1:]
				}
				c, known := services[service]
				if !known {
					c = services["collections"].with(service)
				}
				body := ""
				if words[0] != "GET" && words[0] != "DELETE" {
					body = "{" + filled(d.body) + "}"
				}
				r := c.do(words[0], words[1], body).want(d.status)
				for _, part := range strings.Fields(filled(d.holds)) {
					if name, path, keeps := strings.Cut(part, ":="); keeps {
						kept[name] = strings.Trim(r.json(keysOf(path)...), `"`)
						continue
					}
					path, wanted, _ := strings.Cut(part, "=")
					wanted = strings.ReplaceAll(wanted, "+", " ")
					if got := strings.Trim(r.json(keysOf(path)...), `"`); got != wanted {
						t.Errorf("%s %s: %s is %s, want %s", d.request, d.body, path, got, wanted)
					}
				}
			}
		})
	}
}

// keysOf is a path such as data.emails.0.value as result.at takes it.
func keysOf(path string) (keys []any) {
	for key := range strings.SplitSeq(path, ".") {
		if i, err := strconv.Atoi(key); err == nil {
			keys = append(keys, i)
		} else {
			keys = append(keys, key)
		}
	}
	return keys
}
