package sandbox_test

import (
	"fmt"
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
