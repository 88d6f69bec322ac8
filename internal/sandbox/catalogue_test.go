package sandbox_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const (
	basicPlan = "11111111-1111-4111-8111-111111111111"
	proPlan   = "22222222-2222-4222-8222-222222222222"
	seats     = "33333333-3333-4333-8333-33333333333a"
	perSeat   = "44444444-4444-4444-8444-444444444444"
	storage   = "55555555-5555-4555-8555-555555555555"
)

const aCatalogue = `{
  "prices": [{"id": "` + perSeat + `", "product_id": "` + seats +
	`", "name": "per seat", "unit_amount_subcents": 105012}],
  "products": [{"id": "` + seats + `", "name": "Seats"}, {"id": "` + storage + `", "name": "Storage"}],
  "plans": [
    {"id": "` + basicPlan + `", "name": "Basic", "amount_cents": 4990},
    {"id": "` + proPlan + `", "name": "Pro", "description": "everything", "amount_cents": 9007199254740993},
    {"name": "Pro yearly", "amount_cents": 1, "billing_cycle": "annual", "currency": "USD"}
  ],
  "customers": [{"external_id": "aurora", "name": "Aurora", "create_billing_account": false}],
  "billing_accounts": [{"external_id": "main", "customer": {"id": "external_id=aurora"}}],
  "subscriptions": [{"billing_account_id": "external_id=main", "plan_id": "` + basicPlan + `", "external_id": "one",
    "items": [{"product_id": "` + seats + `", "price_id": "` + perSeat + `", "quantity": 3}]}]
}`

// A seeded catalogue is listed like every collection, says what subscriptions cost and what their invoices are for, and
// is all there is to refer to.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{SeedDocument: []byte(aCatalogue), Start: morning, MaxPerPage: 2})
	c := call(t, server)
	for query, names := range map[string]string{
		"plans?sort_by=name&sort_order=asc":                  "Basic Pro",
		"plans?sort_by=name&sort_order=asc&page=2":           "Pro yearly",
		"plans?sort_by=amount_cents&sort_order=desc":         "Pro Basic",
		"plans?billing_cycle=annual":                         "Pro yearly",
		"plans?name=Pro":                                     "Pro",
		"plans?amount_cents=9007199254740993":                "Pro",
		"plans?description=none":                             "",
		"products?sort_by=name&sort_order=asc":               "Seats Storage",
		"products?id=" + strings.ToUpper(seats):              "Seats",
		"prices?product_id=" + seats + "&sort_by=created_at": "per seat",
	} {
		if got := strings.Join(c.do("GET", "/v1/"+query, "").want(200).names("name"), " "); got != names {
			t.Errorf("%s: %s, want %s", query, got, names)
		}
	}
	if got := c.do("GET", "/v1/plans?name=Pro", "").want(200); got.json("data", 0, "amount_cents") != "9007199254740993" ||
		got.text("data", 0, "currency") != "BRL" {
		t.Errorf("the plan is %s", got.body)
	}
	c.do("GET", "/v1/plans?color=red", "").want(422)
	c.do("GET", "/v1/plans?sort_by=color", "").want(422)
	c.do("GET", "/v1/tariffs", "").want(404)

	server.Clock().Advance(40 * 24 * time.Hour)
	invoice := c.do("GET", "/v1/invoices", "").want(200)
	// 49.90 and three times 10.5012, rounded.
	if invoice.json("data", 0, "amount_cents") != "8140" {
		t.Errorf("the invoice is %s", invoice.body)
	}

	account := c.do("GET", "/v1/billing-accounts?external_id=main", "").want(200).text("data", 0, "id")
	one := "/v1/subscriptions/" + c.do("GET", "/v1/subscriptions?external_id=one", "").want(200).text("data", 0, "id")
	refused := func(method, path, body, field, why string) {
		t.Helper()
		if got := c.do(method, path, body).want(422).text("error", "details", "fields", field); got != why {
			t.Errorf("%s %s: %s is refused with %q, want %q", method, path, field, got, why)
		}
	}
	refused("POST", "/v1/subscriptions", `{"billing_account_id":"`+account+`","plan_id":"`+plan+`"}`, "plan_id",
		"no plan has it")
	refused("POST", one+"/change-plan", `{"plan_id":"`+plan+`"}`, "plan_id", "no plan has it")
	refused("PATCH", one, `{"plan_id":"`+plan+`"}`, "plan_id", "no plan has it")
	refused("PUT", one+"/items", `{"items":[{"product_id":"`+plan+`","price_id":"`+perSeat+`"}]}`, "items.0.product_id",
		"no product has it")
	refused("PUT", one+"/items", `{"items":[{"product_id":"`+seats+`","price_id":"`+plan+`"}]}`, "items.0.price_id",
		"no price has it")
	refused("PUT", one+"/items", `{"items":[{"product_id":"`+storage+`","price_id":"`+perSeat+`"}]}`, "items.0.price_id",
		"is not a price of the product")
	c.do("POST", one+"/change-plan", `{"plan_id":"`+strings.ToUpper(proPlan)+`"}`).want(200)

	other := call(t, start(t, sandbox.Options{}))
	if got := other.do("GET", "/v1/plans", "").want(200); got.json("meta", "total") != "0" {
		t.Errorf("without a seed there are the plans %s", got.body)
	}
}

// five makes customers named c1 to c5, a second apart.
func five(t *testing.T, o sandbox.Options) (*sandbox.Server, caller) {
	t.Helper()
	o.Start = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	server := start(t, o)
	c := call(t, server)
	for i := 1; i <= 5; i++ {
		c.create(fmt.Sprintf(`{"name":"c%d","nickname":"n%d"}`, i, i%2))
		server.Clock().Advance(time.Second)
	}
	return server, c
}

// Recurring billing §4 Collections: sort_by any field, sort_order desc unless asked.
func TestSorting(t *testing.T) {
	t.Parallel()
	_, c := five(t, sandbox.Options{})
	tests := []struct{ query, names string }{
		{"sort_by=name", "c5 c4 c3 c2 c1"},
		{"sort_by=name&sort_order=desc", "c5 c4 c3 c2 c1"},
		{"sort_by=name&sort_order=asc", "c1 c2 c3 c4 c5"},
		{"sort_by=created_at&sort_order=asc", "c1 c2 c3 c4 c5"},
		{"sort_by=updated_at", "c5 c4 c3 c2 c1"},
	}
	for _, test := range tests {
		if got := strings.Join(c.do("GET", "/v1/customers?"+test.query, "").names("name"), " "); got != test.names {
			t.Errorf("%s: %s, want %s", test.query, got, test.names)
		}
	}
	for _, field := range []string{"nickname", "external_id", "emails", "metadata", "kind", "id"} {
		var ids []string
		for range 5 {
			got := c.do("GET", "/v1/customers?sort_by="+field+"&sort_order=asc", "").names("id")
			if ids != nil && !slices.Equal(ids, got) {
				t.Fatalf("sort_by=%s is not stable", field)
			}
			ids = got
		}
	}
	if ties := c.do("GET", "/v1/customers?sort_by=kind&sort_order=asc", "").names("id"); !slices.IsSorted(ties) {
		t.Errorf("equal values are not in the order of their ids: %v", ties)
	}
	ties := c.do("GET", "/v1/customers?sort_by=kind&sort_order=desc", "").names("id")
	if slices.Reverse(ties); !slices.IsSorted(ties) {
		t.Errorf("descending, equal values are not in the reverse order of their ids: %v", ties)
	}
	nulls := c.create(`{"name":"c0"}`)
	if got := c.do("GET", "/v1/customers?sort_by=nickname&sort_order=asc", "").text("data", 0, "id"); got != nulls {
		t.Error("a null does not sort before a value")
	}
	accounts := c.do("GET", "/v1/billing-accounts?sort_by=payment_terms_days", "").want(200)
	if len(accounts.names("id")) != 6 {
		t.Errorf("accounts %s", accounts.body)
	}
}

// Recurring billing §4 Collections, rule 5.
func TestOrderShufflesWithoutSortBy(t *testing.T) {
	t.Parallel()
	_, c := five(t, sandbox.Options{Seed: 7})
	orders := map[string]bool{}
	for range 8 {
		orders[strings.Join(c.do("GET", "/v1/customers", "").names("name"), " ")] = true
	}
	if len(orders) < 2 {
		t.Errorf("always the same order: %v", orders)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"customers.create", "customers.get", "billing_accounts.create", "me.get"}
	for word, want := range map[string]string{
		"customers.creat":        "customers.create",
		"customer.get":           "customers.get",
		"billing-accounts.crate": "billing_accounts.create",
		"ME.get":                 "me.get",
		"customers.create":       "customers.create",
		"invoices.void":          "",
		"me.gte":                 "me.get",
		"":                       "",
	} {
		near, ok := sandbox.Nearest(word, words)
		if ok != (want != "") || ok && near != want {
			t.Errorf("nearest to %q: %q, %v, want %q", word, near, ok, want)
		}
	}
	if near, ok := sandbox.Nearest("me.get", nil); ok {
		t.Errorf("%q of nothing", near)
	}
}

// Whoever listens hears of each request as the log keeps it.
func TestOnRequest(t *testing.T) {
	t.Parallel()
	heard := make(chan sandbox.Request, 3)
	server := start(t, sandbox.Options{OnRequest: func(r sandbox.Request) { heard <- r }})
	server.AddFault(sandbox.Fault{Method: http.MethodPost, DropBefore: true})
	c := call(t, server)
	c.do(http.MethodGet, "/v1/me", "").want(200)
	if _, err := c.try(http.MethodPost, "/v1/customers", "{}"); err == nil {
		t.Error("nothing was dropped")
	}
	var got []string
	for range 2 {
		r := <-heard
		got = append(got, r.Operation+" "+r.Fault)
	}
	if want := []string{"me.get ", "customers.create fault-1"}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}
