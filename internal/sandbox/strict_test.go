package sandbox_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// rejection is one request with something wrong in it. A name in braces in its path or body is the object of that kind.
type rejection struct {
	request string // method and path
	body    string // without the braces around it
	blamed  string // the fields, or the code of an error that blames none
}

// each is a rejection for every one of the bodies, which blames the field that the body begins with unless the body
// says otherwise in front of a colon and a space.
func each(request, start string, bodies ...string) (rows []rejection) {
	for _, body := range bodies {
		blamed, _, _ := strings.Cut(strings.TrimPrefix(body, `"`), `"`)
		if before, after, said := strings.Cut(body, ": "); said && !strings.HasPrefix(body, `"`) {
			blamed, body = before, after
		}
		if start != "" && !strings.HasPrefix(body, start[:strings.Index(start, ":")+1]) {
			body = start + "," + body
		}
		rows = append(rows, rejection{request, body, blamed})
	}
	return rows
}

// customerFields are wrong in a create and in an update alike.
var customerFields = []string{
	`"nam":"x"`, `"Nickname":"x"`, `"name":null`, `"name":" "`, `"name":1`, `"kind":"individual"`,
	`"birthday":"31/12/1990"`, `"birthday":"1990-02-30"`, `"email":"ana"`, `"email":"Ana <ana@exemplo.com.br>"`,
	`"email":null`, `"phone":null`, `"external_id":""`, `"document_number":"none"`, `"document_number":52998224725`,
	`"tags":"vip"`, `tags.1: "tags":["vip",1]`, `"addresses":{}`, `addresses.0: "addresses":[null]`,
	`addresses.0.zip: "addresses":[{"zip":"1"}]`, `addresses.0.country: "addresses":[{"country":"Brazil"}]`,
	`addresses.0.country: "addresses":[{"country":"076"}]`,
	`emails.0.value: "emails":[{"kind":"x"}]`, `emails.0.value: "emails":[{"value":"ana"}]`,
	`phones.0.value: "phones":[{"value":""}]`, `websites.0.url: "websites":[{"value":"x","url":"x"}]`,
	`"custom_metadata":[]`, `"custom_metadata":null`,
	`"custom_metadata":` + strings.Repeat(`{"a":`, 501) + "1" + strings.Repeat("}", 501), `"id":"x"`, `"document_type":"cpf"`,
}

var endpointFields = []string{
	`"url":7`, `"url":null`, `"description":7`, `"events":"charge.paid"`, `events.0: "events":[""]`, `"events":null`,
	`"active":"yes"`, `"secret":"whsec_mine"`, `"authentication":"none"`, `authentication.type: "authentication":{}`,
	`authentication.type: "authentication":{"type":"digest"}`,
	`authentication.token: "authentication":{"type":"none","token":"x"}`,
	`authentication.password: "authentication":{"type":"basic","username":"ana"}`,
	`authentication.username: "authentication":{"type":"basic","username":"a:b","password":"x"}`,
	`authentication.token: "authentication":{"type":"bearer"}`,
	`authentication.token: "authentication":{"type":"bearer","token":"a\nb"}`,
	`authentication.name: "authentication":{"type":"header","name":"X Key","value":"v"}`,
	`authentication.name: "authentication":{"type":"header","name":"x-webhook-signature","value":"v"}`,
	`authentication.name: "authentication":{"type":"header","name":"content-type","value":"v"}`,
	`authentication.value: "authentication":{"type":"header","name":"X-Key","value":""}`,
	`INVALID_WEBHOOK_URL: "url":"http://hooks.example.com/"`, `INVALID_WEBHOOK_URL: "url":"https://127.0.0.1/"`,
	`INVALID_WEBHOOK_URL: "url":"https://[::ffff:10.0.0.1]/"`, `INVALID_WEBHOOK_URL: "url":"https://2130706433/"`,
	`INVALID_WEBHOOK_URL: "url":""`, `INVALID_WEBHOOK_URL: "url":"https://erp.internal/"`,
	`INVALID_WEBHOOK_URL: "url":"https://in.example.com/"`,
}

var recordFields = []string{
	`"amount":10.50`, `"amount":"10.5"`, `"amount":"-10.50"`, `"amount":"0.00"`, `"amount":""`, `"company_id":"1"`,
	`"company_id":1`, `"occurred_at":"2026-02-30"`, `"occurred_at":"01/03/2026"`, `"occurred_at":"2026-03-01T12:00:00"`,
	`"type":"both"`, `"type":{}`, `"name":" "`, `"name":7`, `"id":null`, `"created_at":null`, `"updated_at":"2026-05-04"`,
	`amount type company_id: "amount":"x","type":"y","company_id":"z"`,
}

// rejected are wrong requests of each operation.
var rejected = map[string][]rejection{
	"customers.create": append(each("POST /v1/customers", `"name":"Ana"`, customerFields...), each("POST /v1/customers",
		`"name":"Ana"`, `"custom_metadata_mode":"merge"`, `"create_billing_account":"yes"`, `"billing_email":null`,
		`"payment_terms_days":-1`, `"payment_terms_days":1.5`, `"payment_terms_days":"10"`, `"auto_collection":1`,
		`external_id_taken: "external_id":"ana"`)...),
	"customers.create, several": each("POST /v1/customers", "", `name: `,
		`name kind birthday emails.0.value: "kind":"s3cret","birthday":"s3cret","emails":[{"value":"s3cret"}]`),
	"customers.update": append(each("PATCH /v1/customers/{customer}", "", customerFields...),
		each("PATCH /v1/customers/{customer}", "", `"create_billing_account":true`, `"billing_email":"nf@exemplo.com.br"`,
			`"payment_terms_days":10`, `"auto_collection":true`, `"custom_metadata_mode":"deep"`,
			`external_id_taken: "external_id":"bia"`)...),
	"customers.delete": each("DELETE /v1/customers/{customer}", "", `customer_has_active_subscriptions: `),
	"billing_accounts.create": each("POST /v1/billing-accounts", `"customer":{"name":"A"}`,
		`"customer":null`, `customer.kind: "customer":{"name":"A","kind":"natural"}`,
		`customer.vat: "customer":{"name":"A","vat":"1"}`, `customer.id: "customer":{"id":""}`,
		`customer.id: "customer":{"id":"nobody","name":"A"}`, `customer.name: "customer":{}`,
		`customer.name: "customer":{"document_number":"11222333000181"}`,
		`customer.emails.0.value: "customer":{"name":"A","emails":[{}]}`, `"custom_metadata_mode":"merge"`, `"name":"A"`,
		`"status":"active"`, `"external_id":null`, `external_id_taken: "external_id":"conta"`, `"payment_terms_days":0`,
		`"payment_terms_days":91`, `"payment_terms_days":1.5`, `"payment_terms_days":"10"`, `"payment_terms_days":null`,
		`"payment_terms_days":1e1`),
	"billing_accounts.create, empty": each("POST /v1/billing-accounts", "", `customer: `),
	"billing_accounts.update": each("PATCH /v1/billing-accounts/{account}", "",
		`"customer":{"name":"A"}`, `"name":null`, `"name":""`, `"name":"`+strings.Repeat("ã", 256)+`"`, `"email":null`,
		`"phone":""`, `"address":null`, `address.zip: "address":{"zip":"1"}`, `"status":"suspended"`,
		`"custom_metadata_mode":"deep"`, `"payment_terms_days":0`, `"payment_terms_days":91`, `"billing_email":null`,
		`"billing_email":"ana"`, `"billing_email":1`),
	"billing_accounts.close":      each("POST /v1/billing-accounts/{account}/close", "", `"why":"x"`, `"reason":7`),
	"billing_accounts.delete":     each("DELETE /v1/billing-accounts/{account}", "", `billing_account_has_active_subscriptions: `),
	"billing_accounts.reactivate": each("POST /v1/billing-accounts/{account}/reactivate", "", `invalid_transition: `),
	"closed account": append(each("PATCH /v1/billing-accounts/{closed}", "", `invalid_transition: "payment_terms_days":20`),
		each("POST /v1/billing-accounts/{closed}/suspend", "", `invalid_transition: `)...),
	"subscriptions.create": each("POST /v1/subscriptions", `"billing_account_id":"{account}","plan_id":"`+plan+`"`,
		`trial_end trial_period_days: "trial_end":"2026-09-01","trial_period_days":3`, `"trial_end":"2026-05-04T09:00:00Z"`,
		`"trial_end":"2020-01-01"`, `"trial_end":"9999-12-31T23:59:59-03:00"`, `"trial_end":"soon"`,
		`"trial_period_days":-1`, `"trial_period_days":1.5`, `"trial_period_days":9223372036854775807`,
		`"trial_period_days":null`, `"discount_percent":10`, `"allow_pause":true`, `"allow_cancel":true`,
		`"cancel_at_period_end":true`, `"custom_metadata_mode":"merge"`, `"nfe_issuance_policy":null`, `"external_id":null`,
		`"company_id":"x"`, `"discount_code_id":"{93be6ba2-642f-48a2-8248-7aed201399b6}"`, `"items":null`,
		`"status":"draft"`, `"renewal_settings":{}`, `items.0.quantity: `+items(anItem("aa", `,"quantity":0`)),
		`items.0.unit_amount_subcents: `+items(anItem("aa", `,"unit_amount_subcents":-1`)),
		`items.0.id: `+items(anItem("aa", `,"id":"x"`)), `items.0.price_id: "items":[{"product_id":"`+plan+`"}]`,
		`items.0.product_id: "items":[{"product_id":"x","price_id":"`+plan+`"}]`,
		`billing_account_id: "billing_account_id":"`+plan+`","plan_id":"`+plan+`"`,
		`plan_id: "billing_account_id":"{account}"`, `plan_id: "billing_account_id":"{account}","items":[],"plan_id":null`,
		`invalid_transition: "billing_account_id":"{closed}","plan_id":"`+plan+`"`,
		`external_id_taken: "external_id":"assinatura"`),
	"subscriptions.create, empty": each("POST /v1/subscriptions", "", `billing_account_id: `),
	"subscriptions.update": each("PATCH /v1/subscriptions/{subscription}", "",
		`"billing_account_id":"`+plan+`"`, `"company_id":null`, `"product_group_id":null`, `"trial_end":"2026-09-01"`,
		`"trial_period_days":1`, `"items":[]`, `"discount_percent":"10"`, `"discount_percent":100.01`,
		`"discount_percent":-1`, `"discount_percent":1e999999999`, `"allow_pause":null`, `"allow_cancel":1`,
		`"cancel_at_period_end":null`, `"billing_cycle":null`, `"proration_behavior":null`, `"custom_metadata":null`,
		`"plan_id":null`, `"pause_collection":null`),
	"subscriptions.pause": each("POST /v1/subscriptions/{subscription}/pause", "",
		`"behavior":"skip"`, `"resumes_at":"2026-05-04T09:00:00Z"`, `"resumes_at":null`),
	"subscriptions.resume": each("POST /v1/subscriptions/{subscription}/resume", "", `"reason":"x"`, `invalid_transition: `),
	"subscriptions.change_plan": each("POST /v1/subscriptions/{subscription}/change-plan", "",
		`plan_id: `, `timing: "plan_id":"`+plan+`","timing":"later"`),
	"subscriptions.cancel":         each("POST /v1/subscriptions/{subscription}/cancel", "", `"at":"now"`),
	"subscriptions.delete":         each("DELETE /v1/subscriptions/{subscription}", "", `invalid_transition: `),
	"subscriptions.create_invoice": each("POST /v1/subscriptions/{subscription}/invoices", "", `"amount":1`),
	"subscriptions.items.sync": each("PUT /v1/subscriptions/{subscription}/items", "", `items: `,
		`items.1.quantity: `+items(anItem("aa", ""), anItem("bb", `,"quantity":0`))),
	"webhook_endpoints.create":       each("POST /api/v1/webhook-endpoints", `"url":"https://hooks.example.com/in"`, endpointFields...),
	"webhook_endpoints.create, bare": each("POST /api/v1/webhook-endpoints", "", `url: `),
	"webhook_endpoints.update":       each("PATCH /api/v1/webhook-endpoints/{endpoint}", "", endpointFields...),
	"api_keys.create": each("POST /api/v1/api-keys", `"name":"n"`, `"name":""`, `"name":null`, `"scopes":"all"`,
		`scopes.0: "scopes":["a b"]`, `"expiresAt":"soon"`, `"expiresAt":"2026-05-04T09:00:00Z"`, `"token":"mine"`),
	"api_keys.create, empty": each("POST /api/v1/api-keys", "", `name: `),
	"api_keys.rotate": each("POST /api/v1/api-keys/{key}/rotate", "", `"graceDays":-1`, `"graceDays":31`,
		`"graceDays":1.5`, `"graceDays":"7"`, `"graceDays":null`, `"days":7`),
	"finance.records.create": each("POST /v1/notes", "", recordFields...),
	"finance.records.update": each("PATCH /v1/notes/{note}", "", recordFields...),
	"accounts of finance":    each("POST /v1/accounts", "", `name: `, `"name":null`, `"name":""`),
}

// TestRejected sends each wrong request, which has to be rejected with 422, to blame exactly the fields that are wrong
// without repeating what was sent, and to change nothing.
func TestRejected(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning, Resolver: names{"in.example.com": "10.0.0.1",
		"hooks.example.com": "8.8.8.8"}, NoExampleData: true})
	billing, collections, finance := call(t, server), collect(t, server), book(t, server)
	subscription, made := billing.subscribe(`,"external_id":"assinatura"`)
	account := made.text("data", "billing_account_id")
	customer := billing.do("GET", accounts+"/"+account, "").text("data", "customer", "id")
	billing.do("PATCH", accounts+"/"+account, `{"external_id":"conta"}`).want(200)
	billing.create(`{"name":"Ana","external_id":"ana"}`)
	billing.create(`{"name":"Bia","external_id":"bia"}`)
	closed := billing.account()
	billing.do("POST", accounts+"/"+closed+"/close", "").want(200)
	_, endpoint := collections.endpoint(`{"url":"https://hooks.example.com/in","active":false}`)
	_, key := collections.key(`{"name":"erp"}`)
	note := finance.put("notes", "a")[0]
	known := strings.NewReplacer("{customer}", customer, "{account}", account, "{closed}", closed,
		"{subscription}", strings.TrimPrefix(subscription, subscriptions+"/"), "{endpoint}", endpoint.text("data", "id"),
		"{key}", key.text("data", "id"), "{note}", strings.TrimPrefix(note, "/v1/notes/"))
	everything := func() (all string) {
		for _, path := range []string{"/v1/customers", accounts, subscriptions, "/v1/invoices"} {
			all += billing.do("GET", path+"?sort_by=id&per_page=100", "").want(200).json()
		}
		for _, path := range []string{endpointsPath, keysPath} {
			for _, object := range collections.do("GET", path, "").want(200).names("id") {
				all += collections.do("GET", path+"/"+object, "").want(200).text("data", "createdAt") + object
			}
		}
		return all + collections.do("GET", endpointsPath, "").json() + finance.do("GET", "/v1/notes", "").json() +
			finance.do("GET", "/v1/accounts", "").json()
	}
	before := everything()
	for operation, rows := range rejected {
		for _, row := range rows {
			method, path, _ := strings.Cut(known.Replace(row.request), " ")
			c := billing
			switch {
			case strings.HasPrefix(path, "/api/"):
				c = collections
			case strings.HasPrefix(path, "/v1/notes") || path == "/v1/accounts":
				c = finance
			}
			r := c.do(method, path, "{"+known.Replace(row.body)+"}")
			if r.status != 422 {
				t.Errorf("%s {%s}: %d %s, want 422", operation, row.body, r.status, r.body)
				continue
			}
			if code := r.text("error", "code"); code != "validation_error" {
				if code != row.blamed {
					t.Errorf("%s {%s}: %s, want %s", operation, row.body, r.body, row.blamed)
				}
				continue
			}
			fields, _ := r.at("error", "details", "fields").(map[string]any)
			wanted := strings.Fields(row.blamed)
			missing := len(wanted) != len(fields)
			for _, field := range wanted {
				missing = missing || fields[field] == nil
			}
			if missing || strings.Contains(string(r.body), "s3cret") {
				t.Errorf("%s {%s}: %s, want %s", operation, row.body, r.body, row.blamed)
			}
		}
	}
	if after := everything(); after != before {
		t.Errorf("rejected requests changed\n%s\nto\n%s", before, after)
	}
}

// What is not a request of an operation, and queries.
func TestRejectedRequests(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c, finance := call(t, server), book(t, server)
	untyped, form := c, c
	untyped.contentType, form.contentType = "", "application/x-www-form-urlencoded"
	escaped := func(name string) string { return url.Values{name: {"a"}}.Encode() }
	for name, test := range map[string]struct {
		caller
		request, body string
		status        int
		code, field   string
	}{
		"no content type":    {untyped, "GET /v1/me", "", 400, "unsupported_content_type", ""},
		"other content type": {form, "POST /v1/customers", "name=Ana", 400, "unsupported_content_type", ""},
		"not JSON":           {c, "POST /v1/customers", `{"name":`, 400, "malformed_request", ""},
		"not UTF-8":          {c, "POST /v1/customers", "{\"name\":\"S\xe3o\"}", 400, "malformed_request", ""},
		"a member twice":     {c, "POST /v1/customers", `{"name":"Ana","tags":[{"a":1,"a":2}]}`, 400, "malformed_request", ""},
		"two values":         {c, "POST /v1/customers", `{"name":"Ana"} {}`, 400, "malformed_request", ""},
		"empty body":         {c, "POST /v1/customers", ``, 400, "malformed_request", ""},
		"no object":          {c, "POST /v1/customers", `["Ana"]`, 400, "malformed_request", ""},
		"no object, finance": {finance, "POST /v1/notes", `[]`, 400, "malformed_request", ""},
		"too large": {c, "POST /v1/customers", `{"name":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "body_too_large",
			""},
		"no such route":      {c, "GET /v1/customer", "", 404, "route_not_found", ""},
		"empty id":           {c, "GET /v1/customers/", "", 404, "route_not_found", ""},
		"escaped slash":      {c, "GET /v1/customers/a%2Fb", "", 404, "not_found", ""},
		"no collection":      {finance, "GET /v1/9", "", 404, "route_not_found", ""},
		"long collection":    {finance, "POST /v1/" + strings.Repeat("a", 65), "{}", 404, "route_not_found", ""},
		"no such method":     {c, "PUT /v1/customers", "{}", 405, "method_not_allowed", ""},
		"a changed key":      {collect(t, server), "PATCH " + keysPath + "/x", "{}", 405, "method_not_allowed", ""},
		"no such parameter":  {c, "GET /v1/me?page=1", "", 422, "validation_error", "page"},
		"repeated parameter": {c, "GET /v1/customers?page=1&page=2", "", 422, "validation_error", "page"},
		"malformed query":    {c, "GET /v1/customers?search=%zz", "", 400, "malformed_request", ""},
		"page":               {c, "GET /v1/customers?page=x", "", 400, "malformed_request", "page"},
		"per_page":           {c, "GET /v1/customers?per_page=1.5", "", 400, "malformed_request", "per_page"},
		"empty per_page":     {c, "GET /v1/customers?per_page=", "", 400, "malformed_request", "per_page"},
		"sort_order":         {c, "GET /v1/customers?sort_order=up", "", 422, "validation_error", "sort_order"},
		"sort_by":            {c, "GET /v1/customers?sort_by=shoe_size", "", 422, "validation_error", "sort_by"},
		"updated_at_gte":     {c, "GET /v1/customers?updated_at_gte=soon", "", 422, "validation_error", "updated_at_gte"},
		"unknown filter":     {c, "GET /v1/customers?status=active", "", 422, "validation_error", "status"},
		"sorted endpoints":   {collect(t, server), "GET " + endpointsPath + "?sort_by=url", "", 422, "validation_error", "sort_by"},
		"limit 0":            {finance, "GET /v1/notes?limit=0", "", 400, "malformed_request", "limit"},
		"limit 101":          {finance, "GET /v1/notes?limit=101", "", 400, "malformed_request", "limit"},
		"limit text":         {finance, "GET /v1/notes?limit=%201", "", 400, "malformed_request", "limit"},
		"cursor":             {finance, "GET /v1/notes?cursor=", "", 400, "invalid_cursor", ""},
		"operator":           {finance, "GET /v1/notes?" + escaped("name[near]"), "", 400, "malformed_request", "name[near]"},
		"operator twice":     {finance, "GET /v1/notes?" + escaped("name[gte][lte]"), "", 400, "malformed_request", "name[gte][lte]"},
		"filter name":        {finance, "GET /v1/notes?" + escaped("9lives"), "", 400, "malformed_request", "9lives"},
		"filter repeated":    {finance, "GET /v1/notes?name=a&n%61me=a", "", 422, "validation_error", "name"},
	} {
		method, path, _ := strings.Cut(test.request, " ")
		r := test.do(method, path, test.body)
		if r.status != test.status || r.text("error", "code") != test.code {
			t.Errorf("%s: %d %s, want %d %s", name, r.status, r.body, test.status, test.code)
			continue
		}
		if test.field != "" && r.text("error", "details", "fields", test.field) == "" {
			t.Errorf("%s: %s blames no %s", name, r.body, test.field)
		}
	}
	if r := c.do("HEAD", "/v1/customers", ""); r.status != 405 || r.header.Get("Allow") != "GET, POST" {
		t.Errorf("HEAD: %d, Allow %q", r.status, r.header.Get("Allow"))
	}
	for _, key := range []string{"1", "5f0c3a52-9b1e-1d7a-8c46-2e9d1b7f0a83", "5f0c3a52-9b1e-4d7a-cc46-2e9d1b7f0a83",
		"00000000-0000-0000-0000-000000000000", "{5f0c3a52-9b1e-4d7a-8c46-2e9d1b7f0a83}"} {
		if r := finance.keyed("notes", `{"name":"a"}`, key); r.status != 400 ||
			r.text("error", "code") != "invalid_idempotency_key" {
			t.Errorf("key %q: %d %s", key, r.status, r.body)
		}
	}
	if got := finance.walk("/v1/notes", ""); got != "" {
		t.Errorf("rejected requests created notes %s", got)
	}
}
