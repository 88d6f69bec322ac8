package finance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestLists: every list pages to its end, its filters and limit hold over all pages, and a mistake is an error and no
// list that seems whole.
func TestLists(t *testing.T) {
	t.Parallel()
	const (
		aurora    = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
		horizonte = "0c1d2e3f-4a5b-4c6d-8e7f-8091a2b3c4d5"
	)
	s := start(t)
	for _, collection := range []string{"accounts", "payables", "receivables", "cost-centers"} {
		for i := range 5 {
			s.Must("POST", "/v1/"+collection, acctest.JSON{"name": fmt.Sprintf("%s %d", collection, i+1),
				"company_id":  []string{aurora, horizonte}[i%2],
				"occurred_at": fmt.Sprintf("2026-01-%02d", i+1), "amount": fmt.Sprintf("%d.10", i)})
		}
	}
	filter := func(parts ...any) acctest.JSON {
		all := acctest.JSON{}
		for i := 0; i < len(parts); i += 2 {
			all[parts[i].(string)] = parts[i+1]
		}
		return all
	}
	for name, c := range map[string]struct {
		config acctest.JSON
		names  string // the numbers of the items
		says   string
		warns  string
	}{
		"all":      {acctest.JSON{}, "1 2 3 4 5", "", ""},
		"filtered": {acctest.JSON{"filter": filter("company_id", aurora, "status", nil)}, "1 3 5", "", ""},
		"bounds": {acctest.JSON{"filter": filter("occurred_at[gte]", "2026-01-02", "occurred_at[lt]",
			"2026-01-04")}, "2 3", "", ""},
		"limited":  {acctest.JSON{"limit": 3, "filter": filter("occurred_at[gte]", "2026-01-02")}, "2 3 4", "", ""},
		"a page":   {acctest.JSON{"filter": filter("limit", "3")}, "", "limit is a paging parameter of the service", ""},
		"a cursor": {acctest.JSON{"filter": filter("cursor", "x")}, "", "cursor is a paging parameter of the service", ""},
		"no name":  {acctest.JSON{"filter": filter("", "x")}, "", "A filter has no name", ""},
		"no items": {acctest.JSON{"limit": 0}, "", "Invalid limit: 0", ""},
	} {
		for _, collection := range []string{"accounts", "payables", "receivables", "cost-centers"} {
			config, source := c.config, "billing_finance_"+collection
			if collection == "cost-centers" {
				source, config = "billing_finance_records", acctest.JSON{"collection": collection}
				for argument, value := range c.config {
					config[argument] = value
				}
			}
			read, said := s.Core().Read(source, config)
			if text := core.Errors(said); (text != "") != (c.says != "") || !strings.Contains(text, c.says) {
				t.Errorf("%s of %s: it says %s", name, collection, text)
			}
			var names []string
			items, _ := read["items"].([]any)
			for _, item := range items {
				names = append(names, strings.TrimPrefix(fmt.Sprint(item.(acctest.JSON)["name"]), collection+" "))
			}
			if c.config["limit"] == nil { // created at the same time, so in the order of their random ids
				slices.Sort(names)
			}
			if have := strings.Join(names, " "); have != c.names {
				t.Errorf("%s of %s: %q, want %q", name, collection, have, c.names)
			}
		}
	}
	for collection, says := range map[string]string{"pay/ables": "is not the name of a collection",
		"payables?x=1#y": "is not the name of a collection", "empty-one": "",
		"payable": `collection: did you mean "payables"?`} {
		read, said := s.Core().Read("billing_finance_records", acctest.JSON{"collection": collection})
		text := core.Errors(said) + core.Warnings(said)
		if strings.Count(text, says) != 1 && says != "" || says == "" && (text != "" || len(read["items"].([]any)) != 0) {
			t.Errorf("%s: %s", collection, text)
		}
	}
	s.Sandbox.AddFault(sandbox.Fault{Operation: "finance.payables.list",
		Body: `{"data":[{"id":"1"}],"meta":{"next_cursor":"always the same"}}`})
	if _, said := s.Core().Read("billing_finance_payables", acctest.JSON{}); !strings.Contains(core.Errors(said),
		"returned the same cursor twice") {
		t.Errorf("pages in a circle: %s", core.Errors(said))
	}
}
