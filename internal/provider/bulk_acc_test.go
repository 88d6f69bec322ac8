package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// bulkOff reports whether the tests run with bulk_refresh = false: then each object takes one request.
func bulkOff() bool { return os.Getenv("BILLING_BULK_REFRESH") == "false" }

// manyCustomers is a service with so many customers, and a folder of Terraform whose state has the first of them.
func manyCustomers(t *testing.T, total, managed int) (*acctest.Service, *command) {
	t.Helper()
	var seed struct {
		Customers []acctest.JSON `json:"customers"`
	}
	for i := range total {
		seed.Customers = append(seed.Customers, acctest.JSON{"name": fmt.Sprintf("C%d", i), "create_billing_account": false})
	}
	document, err := json.Marshal(seed)
	if err != nil {
		t.Fatal(err)
	}
	s := acctest.Start(t, func(o *sandbox.Options) { o.MaxPerPage, o.SeedDocument = 100, document })
	const config = `
resource "billing_customer" "this" {
  count                  = %d
  name                   = "C${count.index}"
  create_billing_account = false
}
`
	customers := firstCustomers(s, managed)
	terraform := newCommand(t, fmt.Sprintf(config+"import {\n  to = billing_customer.this[0]\n  id = %q\n}\n", 1,
		customers[0]["id"])).at(s)
	terraform.must("apply", "-auto-approve")
	terraform.write("main.tf", required+fmt.Sprintf(config, managed))
	terraform.multiply(customers)
	s.Sandbox.Clock().Advance(time.Hour)
	return s, terraform
}

// firstCustomers are the first customers, in the order of their names.
func firstCustomers(s *acctest.Service, n int) []acctest.JSON {
	customers := make([]acctest.JSON, n)
	for page := 1; n > 0; page++ {
		_, response := s.Call(http.MethodGet, fmt.Sprintf("/v1/customers?sort_by=id&per_page=100&page=%d", page), nil)
		for _, item := range response["data"].([]any) {
			var i int
			customer := item.(acctest.JSON)
			if _, err := fmt.Sscanf(customer["name"].(string), "C%d", &i); err == nil && i < len(customers) {
				customers[i] = customer
				n--
			}
		}
	}
	return customers
}

// multiply makes one instance of the only resource of the state into one for each customer: an apply of so many takes
// minutes.
func (c *command) multiply(customers []acctest.JSON) {
	c.t.Helper()
	var state acctest.JSON
	if err := json.Unmarshal([]byte(c.read("terraform.tfstate")), &state); err != nil {
		c.t.Fatal(err)
	}
	resource := state["resources"].([]any)[0].(acctest.JSON)
	template, err := json.Marshal(resource["instances"].([]any)[0])
	if err != nil {
		c.t.Fatal(err)
	}
	var instances []any
	for i, customer := range customers {
		var instance acctest.JSON
		if err := json.Unmarshal(template, &instance); err != nil {
			c.t.Fatal(err)
		}
		instance["index_key"] = i
		for _, name := range []string{"id", "public_id", "name", "created_at", "updated_at"} {
			instance["attributes"].(acctest.JSON)[name] = customer[name]
		}
		if identity, ok := instance["identity"].(acctest.JSON); ok {
			identity["id"] = customer["id"]
		}
		instances = append(instances, instance)
	}
	resource["instances"] = instances
	text, err := json.Marshal(state)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write("terraform.tfstate", string(text))
}

// objects are the instances of the state, as JSON by their addresses.
func (c *command) objects() map[string]string {
	c.t.Helper()
	var state struct {
		Resources []struct {
			Type, Name string
			Instances  []struct {
				Index      int             `json:"index_key"`
				Attributes json.RawMessage `json:"attributes"`
				Private    string          `json:"private"`
			}
		}
	}
	if err := json.Unmarshal([]byte(c.read("terraform.tfstate")), &state); err != nil {
		c.t.Fatal(err)
	}
	objects := map[string]string{}
	for _, resource := range state.Resources {
		for _, instance := range resource.Instances {
			objects[fmt.Sprintf("%s.%s[%d]", resource.Type, resource.Name, instance.Index)] = string(instance.Attributes) +
				instance.Private
		}
	}
	return objects
}

// refreshes holds that a plan finds nothing to do with at most so many requests, and sends nothing but reads.
func (c *command) refreshes(s *acctest.Service, most int, args ...string) {
	c.t.Helper()
	s.Sandbox.ResetRequests()
	if out, err := c.run(append([]string{"plan", "-detailed-exitcode"}, args...)...); err != nil {
		c.t.Errorf("the plan is not empty: %v\n%s", err, out)
	}
	if n := len(s.Sandbox.Requests()); n > most {
		c.t.Errorf("%d requests, at most %d wanted: %v", n, most, s.Operations())
	}
}

// TestAccBulkRefresh_requests: the requests of a plan grow with the pages of the list where most of what it shows is
// managed, and with the objects otherwise.
func TestAccBulkRefresh_requests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ total, managed, most int }{
		"all of 1,000": {1000, 1000, 25},
		"30 of 5,000":  {5000, 30, 33},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, terraform := manyCustomers(t, c.total, c.managed)
			if bulkOff() {
				c.most = c.managed
			}
			terraform.refreshes(s, c.most)
			if c.managed > 100 {
				return
			}
			terraform.env["BILLING_BULK_REFRESH"] = "false"
			terraform.refreshes(s, c.managed)
			if n := s.Count("customers.get"); n != c.managed {
				t.Errorf("%d customers were read one by one without bulk_refresh, want %d", n, c.managed)
			}
		})
	}
}

// TestAccBulkRefresh_lists: whatever the list says, a plan shows what the objects are.
func TestAccBulkRefresh_lists(t *testing.T) {
	t.Parallel()
	const n = 20
	s, terraform := manyCustomers(t, n, n)
	all := firstCustomers(s, n)
	page := func(items []acctest.JSON, total int) string {
		text, err := json.Marshal(acctest.JSON{"data": items, "meta": acctest.JSON{"total": total, "page": 1, "per_page": 100,
			"total_pages": 1}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	changed := func(change func(acctest.JSON)) string {
		var items []acctest.JSON
		for _, customer := range all {
			item := acctest.JSON{}
			for name, value := range customer {
				item[name] = value
			}
			change(item)
			items = append(items, item)
		}
		return page(items, n)
	}
	for _, c := range []struct {
		name  string
		fault sandbox.Fault
		most  int
	}{
		{"honest", sandbox.Fault{}, 5},
		{"forbidden", sandbox.Fault{Status: http.StatusForbidden}, n + 1},
		{"fails", sandbox.Fault{Status: http.StatusServiceUnavailable}, n + 2},
		{"fails once", sandbox.Fault{Status: http.StatusServiceUnavailable, Times: 1}, 6},
		{"rate limit for good", sandbox.Fault{Status: http.StatusTooManyRequests, RetryAfter: "1"}, n + 2},
		{"rate limit", sandbox.Fault{Status: http.StatusTooManyRequests, RetryAfter: "1", Times: 1}, 6},
		// net/http itself sends a GET again on each idle connection.
		{"connections break", sandbox.Fault{DropBefore: true}, n + 12},
		{"a proxy", sandbox.Fault{Status: 200, Foreign: "html"}, n + 1},
		{"the same page again and again", sandbox.Fault{Body: page(all[:2], n)}, n + 1},
		{"items twice", sandbox.Fault{Body: page(append(all[1:n:n], all[1]), n)}, n + 1},
		{"no ids", sandbox.Fault{Body: changed(func(item acctest.JSON) { delete(item, "id") })}, n + 1},
		{"fields left out",
			sandbox.Fault{Body: changed(func(item acctest.JSON) { delete(item, "notes"); delete(item, "external_id") })}, n + 1},
		{"other values", sandbox.Fault{Body: changed(func(item acctest.JSON) { item["name"] = "***" })}, n + 1},
		{"older values",
			sandbox.Fault{Body: changed(func(item acctest.JSON) { item["updated_at"] = "2020-01-01T00:00:00.000Z" })}, n + 1},
		{"one is missing", sandbox.Fault{Body: page(all[1:], n-1)}, 6},
		{"none is there", sandbox.Fault{Body: page([]acctest.JSON{}, 0)}, n + 1},
	} {
		if c.fault != (sandbox.Fault{}) {
			c.fault.Operation = "customers.list"
			s.Sandbox.AddFault(c.fault)
		}
		if bulkOff() {
			c.most = n
		}
		terraform.refreshes(s, c.most)
		s.Sandbox.ClearFaults()
		if t.Failed() {
			t.Fatalf("the list: %s", c.name)
		}
	}

	// One is deleted, and the list does not show that yet: the plan may be as old as the list. The next one is not.
	for _, name := range []string{"C7", "C8", "C9", "C10", "C11", "C12"} {
		for _, customer := range all {
			if customer["name"] == name {
				s.Must(http.MethodDelete, "/v1/customers/"+customer["id"].(string), nil)
			}
		}
	}
	s.Sandbox.Clock().Advance(time.Hour)
	s.Sandbox.AddFault(sandbox.Fault{Operation: "customers.list", Body: page(all, n)})
	if out := terraform.must("plan"); !bulkOff() && strings.Contains(out, "6 to add") {
		t.Errorf("no object comes from the list:\n%s", out)
	}
	s.Sandbox.ClearFaults()
	if out := terraform.must("plan"); !strings.Contains(out, "6 to add, 0 to change, 0 to destroy") ||
		strings.Count(out, "was deleted outside of Terraform") == 0 {
		t.Errorf("the plan does not create the deleted ones again:\n%s", out)
	}
}

// TestAccBulkRefresh_lean: a service that leaves null fields out of objects, and other fields out of its lists, takes
// one request more for each object that the list shows with other values.
func TestAccBulkRefresh_lean(t *testing.T) {
	t.Parallel()
	const n = 20
	service := acctest.Start(t, func(o *sandbox.Options) { o.MaxPerPage = 100 })
	service.NeedsSandbox("its clock is moved")
	lean := service.Rewriting(func(path string, object acctest.JSON) {
		if path == "/v1/customers" {
			delete(object, "notes")
		}
		for name, value := range object {
			if value == nil {
				delete(object, name)
			}
		}
	})
	// Only the last three have notes, so the four that are read first show none.
	terraform := newCommand(t, `
resource "billing_customer" "plain" {
  count                  = 17
  name                   = "P${count.index}"
  create_billing_account = false
}

resource "billing_customer" "noted" {
  count                  = 3
  depends_on             = [billing_customer.plain]
  name                   = "N${count.index}"
  notes                  = "Opens at six"
  create_billing_account = false
}
`).at(lean)
	terraform.must("apply", "-auto-approve")
	service.Sandbox.Clock().Advance(time.Hour)
	singles, pages := 4+3, 1
	if bulkOff() {
		singles, pages = n, 0
	}
	terraform.refreshes(service, singles+pages)
	if lists := service.Count("customers.list"); lists != pages {
		t.Errorf("%d pages, want %d", lists, pages)
	}
}

// TestAccBulkRefresh_types: objects of every type come from their lists, and are what they were.
func TestAccBulkRefresh_types(t *testing.T) {
	t.Parallel()
	const n = 12
	service := acctest.Start(t, acctest.Receiving(acctest.NewReceiver(t)), func(o *sandbox.Options) { o.MaxPerPage = 100 })
	service.NeedsSandbox("its clock is moved")
	terraform := newCommand(t, `
resource "billing_customer" "c" {
  count                  = 12
  name                   = "C${count.index}"
  document_number        = count.index == 0 ? "52998224725" : null
  emails                 = [{ value = "c${count.index}@example.com" }]
  custom_metadata        = { n = count.index }
  create_billing_account = false
}

resource "billing_account" "a" {
  count    = 12
  customer_id = billing_customer.c[count.index].id
  status   = count.index == 1 ? "suspended" : "active"
}

resource "billing_subscription" "s" {
  count              = 12
  billing_account_id = billing_account.a[count.index == 1 ? 0 : count.index].id
  plan_id            = count.index % 2 == 0 ? "`+runningPlan+`" : null
  items              = count.index % 2 == 0 ? null : [{ product_id = "`+runningPlan+`", price_id = "`+runningPlan+`" }]
  pause              = count.index == 2 ? {} : null
}

resource "billing_webhook_endpoint" "w" {
  count          = 12
  url            = "https://receiver.example.test/${count.index}"
  authentication = count.index != 3 ? null : {
    type = "basic", username = "u", password_wo = "p", credentials_wo_version = 1
  }
}

resource "billing_api_key" "k" {
  count  = 12
  name   = "k${count.index}"
  scopes = ["webhook_endpoints:read"]
}
`).at(service)
	terraform.must("apply", "-auto-approve")
	// Right after the writes reads may lag, so each object is read by its id. A page may be asked for before the first
	// response shows the time of the service.
	families := []string{"customers", "billing_accounts", "subscriptions", "webhook_endpoints", "api_keys"}
	terraform.refreshes(service, 6*n+len(families))
	for _, family := range families {
		if singles := service.Count(family + ".get"); singles < n {
			t.Errorf("%s: %d single reads right after the apply", family, singles)
		}
	}
	service.Sandbox.Clock().Advance(time.Hour)
	refreshed := func(bulk string) map[string]string {
		t.Helper()
		service.Sandbox.ResetRequests()
		terraform.env["BILLING_BULK_REFRESH"] = bulk
		terraform.must("apply", "-refresh-only", "-auto-approve")
		return terraform.objects()
	}
	single, listed := refreshed("false"), refreshed("true") // with either default of the suite
	for address, object := range single {
		if object != listed[address] {
			t.Errorf("%s read by its id:\n%s\nand from the list:\n%s", address, object, listed[address])
		}
	}
	for _, family := range families {
		if lists, singles := service.Count(family+".list"), service.Count(family+".get"); lists != 1 || singles != 4 {
			t.Errorf("%s: %d pages and %d single reads", family, lists, singles)
		}
	}
}
