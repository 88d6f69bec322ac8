package sandbox_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

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

// Recurring billing §4 Collections, rules 1 to 4, and §2 Pagination meta.
func TestPages(t *testing.T) {
	t.Parallel()
	_, c := five(t, sandbox.Options{MaxPerPage: 3})
	tests := []struct{ query, names, meta string }{
		{"", "c1 c2 c3", `{"page":1,"per_page":3,"total":5,"total_pages":2}`},
		{"page=2&per_page=2", "c3 c4", `{"page":2,"per_page":2,"total":5,"total_pages":3}`},
		{"page=3&per_page=2", "c5", `{"page":3,"per_page":2,"total":5,"total_pages":3}`},
		{"page=4&per_page=2", "", `{"page":4,"per_page":2,"total":5,"total_pages":3}`},
		{"page=0", "c1 c2 c3", `{"page":1,"per_page":3,"total":5,"total_pages":2}`},
		{"page=-7", "c1 c2 c3", `{"page":1,"per_page":3,"total":5,"total_pages":2}`},
		{"per_page=1000", "c1 c2 c3", `{"page":1,"per_page":3,"total":5,"total_pages":2}`},
		{"per_page=0", "c1", `{"page":1,"per_page":1,"total":5,"total_pages":5}`},
		{"page=9223372036854775807", "", `{"page":9223372036854775807,"per_page":3,"total":5,"total_pages":2}`},
		{"per_page=99999999999999999999", "c1 c2 c3", `{"page":1,"per_page":3,"total":5,"total_pages":2}`},
		{"search=nobody", "", `{"page":1,"per_page":3,"total":0,"total_pages":0}`},
	}
	for _, test := range tests {
		r := c.do("GET", "/v1/customers?sort_by=name&sort_order=asc&"+test.query, "").want(200)
		if got := strings.Join(r.names("name"), " "); got != test.names || r.json("meta") != test.meta {
			t.Errorf("%s: %q %s, want %q %s", test.query, got, r.json("meta"), test.names, test.meta)
		}
		if !strings.Contains(string(r.body), `"data":[`) {
			t.Errorf("%s: data is no array in %s", test.query, r.body)
		}
	}
}

// Recurring billing §8: 20 when nothing is asked for, never above 100.
func TestDocumentedPageSizes(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	for query, want := range map[string]string{"": "20", "?per_page=100": "100", "?per_page=101": "100"} {
		if got := c.do("GET", "/v1/customers"+query, "").json("meta", "per_page"); got != want {
			t.Errorf("%q: per_page %s, want %s", query, got, want)
		}
	}
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

func TestRefusedListQueries(t *testing.T) {
	t.Parallel()
	_, c := five(t, sandbox.Options{})
	for query, field := range map[string]string{
		"page=x": "page", "per_page=": "per_page", "per_page=1.5": "per_page", "sort_order=up": "sort_order",
		"sort_by=shoe_size": "sort_by", "sort_by=": "sort_by", "updated_at_gte=soon": "updated_at_gte",
		"status=active": "status",
	} {
		r := c.do("GET", "/v1/customers?"+query, "").want(422)
		if fields, _ := r.at("error", "details", "fields").(map[string]any); len(fields) != 1 || fields[field] == nil {
			t.Errorf("%s blames %v", query, fields)
		}
	}
}

// Recurring billing §4: search and updated_at_gte; wire contract: customers.list.
func TestCustomerFilters(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)})
	c := call(t, server)
	c.create(
		`{"name":"Ana Souza","nickname":"Aninha","external_id":"crm-1","document_number":"529.982.247-25","email":"ana@exemplo.com.br"}`)
	server.Clock().Advance(time.Hour)
	c.create(`{"name":"Bia","legal_name":"Bia Doces Ltda","document_number":"11222333000181","external_id":"CRM-2"}`)
	tests := []struct{ name, value, names string }{
		{"search", "SOUZA", "Ana Souza"}, {"search", "ninha", "Ana Souza"}, {"search", "doces", "Bia"},
		{"search", "crm-", "Ana Souza,Bia"}, {"search", "ANA@exemplo", "Ana Souza"}, {"search", "529982", "Ana Souza"},
		{"search", "11.222.333/", "Bia"}, {"search", "bia 529", ""}, {"search", "-", "Ana Souza,Bia"},
		{"search", "", "Ana Souza,Bia"}, {"external_id", "crm-1", "Ana Souza"}, {"external_id", "crm-2", ""},
		{"external_id", "", ""}, {"document_number", "52998224725", "Ana Souza"}, {"document_number", "11.222.333/0001-81",
			"Bia"}, {"document_number", "529", ""},
		{"updated_at_gte", "2026-05-04T13:00:00Z", "Bia"}, {"updated_at_gte", "2026-05-04T10:00:00.000-03:00", "Bia"},
		{"updated_at_gte", "2026-05-04T12:00:00.001Z", "Bia"}, {"updated_at_gte", "2026-05-04", "Ana Souza,Bia"},
		{"updated_at_gte", "2026-05-05", ""},
	}
	for _, test := range tests {
		query := url.Values{test.name: {test.value}, "sort_by": {"name"}, "sort_order": {"asc"}}
		if got := strings.Join(c.do("GET", "/v1/customers?"+query.Encode(), "").want(200).names("name"),
			","); got != test.names {
			t.Errorf("%s=%s: %s, want %s", test.name, test.value, got, test.names)
		}
	}
	if r := c.do("GET", "/v1/customers?search=Ana&external_id=CRM-2", ""); r.json("meta", "total") != "0" {
		t.Errorf("filters do not combine: %s", r.body)
	}
}

// wire contract: billing_accounts.list.
func TestBillingAccountFilters(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	gone, stays := c.create(`{"name":"Ana"}`), c.create(`{"name":"Bia"}`)
	c.do("DELETE", "/v1/customers/"+gone, "").want(200)
	for query, want := range map[string][]string{
		"customer_id=" + gone: {gone}, "customer_id=" + stays: {stays}, "status=closed": {gone}, "status=active": {stays},
		"status=suspended": nil, "external_id=x": nil, "updated_at_gte=2100-01-01": nil,
	} {
		r := c.do("GET", "/v1/billing-accounts?"+query, "").want(200)
		var got []string
		for i := range r.names("id") {
			got = append(got, r.text("data", i, "customer", "id"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}
