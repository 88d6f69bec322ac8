package subscription_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestUnknownReferences: the rejection of a plan, product or price that does not exist names those that do, after one
// more request. Any other rejection, and one after which they cannot be read, is as it was.
func TestUnknownReferences(t *testing.T) {
	t.Parallel()
	seedOf := func(count int) []byte {
		plans := []string{`{"id":"` + planB + `","name":"Pro","amount_cents":4990}`}
		for i := range count - 1 {
			plans = append(plans, fmt.Sprintf(`{"name":"Plan %d","amount_cents":1}`, i))
		}
		return []byte(`{"plans":[` + strings.Join(plans, ",") + `],"products":[{"id":"` + productB + `","name":"Seats"}],
		"prices":[{"id":"` + priceB + `","product_id":"` + productB + `","unit_amount_subcents":5}]}`)
	}
	const some = -1
	const named = `The service has these plans: `
	item := func(product, price string) acctest.JSON {
		return acctest.JSON{"plan_id": planB, "items": []any{acctest.JSON{"product_id": product, "price_id": price}}}
	}
	for name, c := range map[string]struct {
		fault       sandbox.Fault
		lines       acctest.JSON
		first       acctest.JSON // applied before
		says, never string
		also        string // more that it says
		lists       int
		plans       int // 12 unless set
	}{
		"plan":              {says: `environments. ` + named + `"Plan 0" (`, lists: 1},
		"plan, many":        {says: `, and 2 more.`, never: `"Pro"`, lists: 1},
		"plan of an update": {first: acctest.JSON{"plan_id": planB}, says: named, lists: 1},
		"product": {lines: item(productA, priceB),
			says: `Ids of products differ between organizations and environments. The service has these products: "Seats" (` +
				productB + `).`, lists: 1},
		"price": {lines: item(productB, priceA),
			says: `Ids of prices differ between organizations and environments. The service has these prices: ` +
				priceB + `.`, lists: 1},
		"plan and product": {lines: acctest.JSON{"plan_id": planA, "items": []any{
			acctest.JSON{"product_id": productA, "price_id": priceA}}},
			says: named, also: `The service has these products: "Seats" (`, never: "these prices", lists: 2},
		"the list is slow": {fault: sandbox.Fault{Operation: "records.list", Status: 429, RetryAfter: "1", Times: 15},
			says: `Invalid value for plan_id: no plan has it (got "`, never: named, lists: some},
		"without a field": {fault: sandbox.Fault{Operation: "subscriptions.create", Status: 404},
			says: named, lists: 1},
		"without a field, more than a page": {fault: sandbox.Fault{Operation: "subscriptions.create", Status: 404},
			plans: 101, never: named, lists: 1},
		"more than a page": {plans: 101, says: `, and more.`, lists: 1},
		"not to be read": {fault: sandbox.Fault{Operation: "records.list", Status: 403},
			says: `Invalid value for plan_id: no plan has it (got "`, never: named, lists: 1},
		"not listed": {fault: sandbox.Fault{Operation: "records.list", Status: 404},
			says: `Invalid value for plan_id: no plan has it (got "`, never: named, lists: 1},
		"another reason": {lines: acctest.JSON{"plan_id": planB}, fault: sandbox.Fault{Operation: "subscriptions.create",
			Status: 422}, never: named, lists: 1},
		"the service is down": {fault: sandbox.Fault{Operation: "subscriptions.create", Status: 403}, never: named, lists: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subscribe(t, func(o *sandbox.Options) { o.SeedDocument, o.MaxPerPage = seedOf(cmp.Or(c.plans, 12)), 100 })
			if c.first != nil {
				s.Configure(c.first)
			}
			if c.fault.Operation != "" {
				s.Fault(c.fault)
			}
			lines := c.lines
			if lines == nil {
				lines = acctest.JSON{"plan_id": planA}
			}
			planned := s.Plan(s.With(lines))
			s.service.Sandbox.ResetRequests()
			text := strings.Join(strings.Fields(acctest.Errors(s.Apply(planned))), " ")
			if text == "" || !strings.Contains(text, c.says) || !strings.Contains(text, c.also) ||
				c.never != "" && strings.Contains(text, c.never) {
				t.Errorf("it says: %s\nwant %q %q", text, c.says, c.also)
			}
			if n := s.service.Count("records.list"); n != c.lists && (c.lists != some || n == 0) {
				t.Errorf("%d lists, want %d", n, c.lists)
			}
		})
	}
}
