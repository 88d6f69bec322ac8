package provider_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// together are a customer and its account in one configuration, with outputs of what both show.
func together(customer, account string) string {
	return required + `
resource "billing_customer" "c" {
  create_billing_account = false
` + customer + `
}
resource "billing_account" "a" {
  customer = { id = billing_customer.c.id }
` + account + `
}
output "shown" {
  value = [
    billing_account.a.name, billing_account.a.email, billing_account.a.phone, billing_account.a.address,
    billing_customer.c.name,
  ]
}
`
}

// TestAccCustomerAndAccount_converge: what customer and account name of the same data, in either or both, takes one
// apply, and outputs are right after it; nothing warns. Each step is one apply, from what the one before has left.
func TestAccCustomerAndAccount_converge(t *testing.T) {
	t.Parallel()
	const (
		address = `{ street = "Rua A", country = "BR" }`
		other   = `{ street = "Rua B" }`
	)
	for name, steps := range map[string][][2]string{
		"the customer's": {
			{`name = "A"`, ``},
			{"name = \"B\"\nemail = \"b@example.com\"\nphone = \"1\"\naddresses = [" + address + `]`, ``},
			{"name = \"C\"\nemail = \"c@example.com\"\nphone = \"2\"\naddresses = [" + other + `]`, `payment_terms_days = 20`},
			{"name = \"C\"\nemails = [{ value = \"d@example.com\" }]\nphones = [{ value = \"3\" }]\naddresses = [" + address +
				`, ` + other + `]`, ``},
			{`name = "C"`, ``},
			{"name = \"C\"\nnotes = \"n\"", `payment_terms_days = 30`},
		},
		"the account's": {
			{`name = "A"`, "name = \"A\"\nemail = \"a@example.com\"\nphone = \"1\"\naddress = " + address},
			{`name = "B"`, "name = \"B\"\nemail = \"b@example.com\"\nphone = \"2\"\naddress = " + other},
			{"name = \"B\"\nnotes = \"n\"", ``},
		},
		"the same in both": {
			{"name = \"A\"\nemail = \"a@example.com\"\nphone = \"1\"\naddresses = [" + address + `]`,
				"name = \"A\"\nemail = \"a@example.com\"\nphone = \"1\"\naddress = " + address},
			{"name = \"B\"\nemail = \"b@example.com\"\nphone = \"2\"\naddresses = [" + other + `, ` + address + `]`,
				"name = \"B\"\nemail = \"b@example.com\"\nphone = \"2\"\naddress = " + address},
			{"name = \"B\"\nemails = [{ value = \"c@example.com\" }, { value = \"b@example.com\" }]\nphones = [{ value = " +
				"\"2\" }]\naddresses = [" + address + `]`,
				"name = \"B\"\nemail = \"b@example.com\"\nphone = \"2\"\naddress = " + address},
			// Without the customer's arguments the account's stay.
			{`name = "B"`, "name = \"B\"\nemail = \"b@example.com\"\nphone = \"2\"\naddress = " + address},
		},
		"each its own": {
			{"name = \"A\"\nemail = \"a@example.com\"\nphone = \"1\"", "email = \"b@example.com\"\nphone = \"2\"\naddress = " +
				address},
			{"name = \"A\"\nemail = \"c@example.com\"\nphone = \"3\"", "email = \"b@example.com\"\nphone = \"2\"\naddress = " +
				address},
			{"name = \"A\"\nemail = \"c@example.com\"\nphone = \"3\"", "email = \"d@example.com\"\nphone = \"4\"\naddress = " +
				other},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terraform := newCommand(t, "").at(acctest.Start(t))
			for n, step := range steps {
				terraform.write("main.tf", together(step[0], step[1]))
				if out := terraform.must("apply", "-auto-approve"); strings.Count(out, "Warning: ") != 1 {
					t.Errorf("step %d warns:\n%s", n, out)
				}
				if out, err := terraform.run("plan", "-detailed-exitcode"); err != nil {
					t.Fatalf("step %d is not done:\n%s", n, out)
				}
			}
		})
	}
}

// TestAccCustomerAndAccount_contradict: the plan reports a real contradiction, with both names.
func TestAccCustomerAndAccount_contradict(t *testing.T) {
	t.Parallel()
	terraform := newCommand(t, "").at(acctest.Start(t))
	for _, c := range [][2]string{
		{`name = "A"`, `name = "B"`},
		{"name = \"A\"\nemails = [{ value = \"a@example.com\" }]", `email = "b@example.com"`},
		{"name = \"A\"\nphones = []", `phone = "1"`},
		{"name = \"A\"\naddresses = [{ street = \"Rua A\" }]", `address = { street = "Rua B" }`},
	} {
		terraform.write("main.tf", together(c[0], c[1]))
		terraform.must("apply", "-auto-approve")
		argument, _, _ := strings.Cut(c[1], " ")
		if out := terraform.must("plan"); !strings.Contains(out, "Customer and account contradict each other") ||
			!strings.Contains(out, "billing_customer has "+argument) {
			t.Errorf("%v: the plan says\n%s", c, out)
		}
	}
}

// TestAccAccount_deferred: a customer that is only known after apply replaces nothing. When it turns out to be the
// same, nothing happens; when it is another one, the apply fails before it sends anything, and the next plan shows the
// replacement.
func TestAccAccount_deferred(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	terraform := newCommand(t, "").at(service)
	config := func(code, marker string) string {
		return required + fmt.Sprintf(`
resource "terraform_data" "marker" { input = %q }
resource "billing_customer" "c" {
  name                   = "C"
  external_id            = "c"
  document_number        = "529.982.247-25"
  create_billing_account = false
  custom_metadata        = { marker = %q }
}
resource "billing_customer" "d" {
  name                   = "D"
  external_id            = "d"
  document_number        = "111.444.777-35"
  create_billing_account = false
}
data "billing_customer" "found" {
  external_id = %q
  depends_on  = [terraform_data.marker, billing_customer.c, billing_customer.d]
}
resource "billing_account" "by_id" {
  customer = { id = data.billing_customer.found.id }
}
resource "billing_account" "by_code" {
  customer = { document_number = data.billing_customer.found.document_number }
}
resource "billing_account" "whole" {
  customer = terraform_data.marker.output == "" ? null : { document_number = null, id = data.billing_customer.found.id }
}
`, marker, marker, code)
	}
	terraform.write("main.tf", config("c", "1"))
	terraform.must("apply", "-auto-approve")
	terraform.settled()
	terraform.write("main.tf", config("c", "2"))
	for address, action := range terraform.plans() {
		if strings.Contains(action, "delete") {
			t.Errorf("%s: %s", address, action)
		}
	}
	service.Sandbox.ResetRequests()
	terraform.must("apply", "plan")
	if names := wrote(service); len(names) != 1 || names[0] != "customers.update" {
		t.Errorf("sent %v", names)
	}
	terraform.settled()
	terraform.write("main.tf", config("d", "3"))
	service.Sandbox.ResetRequests()
	terraform.refused([]string{"The customer is another one than planned", "Plan again"}, "apply", "-auto-approve")
	if n := service.Count("billing_accounts.close") + service.Count("billing_accounts.create") +
		service.Count("billing_accounts.update"); n > 0 {
		t.Errorf("sent %v", wrote(service))
	}
	replaced := map[string]string{"billing_account.by_id": "delete, create", "billing_account.by_code": "delete, create",
		"billing_account.whole": "delete, create"}
	if planned := terraform.plans(); !maps.Equal(planned, replaced) {
		t.Errorf("the plan is to do %v", planned)
	}
	terraform.must("apply", "plan")
	terraform.settled()
}

// TestAccAccount_sameCustomer: a customer that changes its codes or is written in another way is the same one; one that
// is mistyped is rejected by the plan, before the account is closed.
func TestAccAccount_sameCustomer(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	terraform := newCommand(t, "").at(service)
	config := func(code, document, id string) string {
		return required + fmt.Sprintf(`
resource "billing_customer" "c" {
  name                   = "C"
  external_id            = %q
  document_number        = %q
  create_billing_account = false
}
resource "billing_account" "code"     { customer = { external_id = billing_customer.c.external_id } }
resource "billing_account" "document" { customer = { document_number = billing_customer.c.document_number } }
resource "billing_account" "id"       { customer = { id = %s } }
`, code, document, id)
	}
	terraform.write("main.tf", config("old", "529.982.247-25", "billing_customer.c.id"))
	terraform.must("apply", "-auto-approve")
	terraform.write("main.tf", config("new", "111.444.777-35", "upper(billing_customer.c.id)"))
	terraform.applies("update", []string{"billing_customer.c"})
	terraform.settled()
	customer := found(t, service, "customers", "new")
	service.Must("PATCH", fmt.Sprintf("/v1/customers/%s", customer["id"]),
		acctest.JSON{"external_id": "theirs", "document_number": "11222333000181"})
	terraform.applies("update", []string{"billing_customer.c"})
	terraform.settled()
	for _, wrong := range []string{`"6f1c2c52-0c52-4b8e-8d4c-3f7d0f8f6a11"`, `"nobody"`} {
		terraform.write("main.tf", config("new", "111.444.777-35", wrong))
		service.Sandbox.ResetRequests()
		terraform.refused([]string{"No such customer", strings.Trim(wrong, `"`)}, "apply", "-auto-approve")
		if names := wrote(service); len(names) > 0 {
			t.Errorf("sent %v", names)
		}
	}
}

// TestAccAccount_replacedWithItsCustomer: an account goes along with a customer that is replaced, in one plan, and
// takes its subscription along; what describes a new customer gets another one, and the plan says so.
func TestAccAccount_replacedWithItsCustomer(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	terraform := newCommand(t, `
resource "billing_customer" "c" {
  name                   = "C"
  external_id            = "c"
  create_billing_account = false
}
resource "billing_account" "id"   { customer = { id = billing_customer.c.id } }
resource "billing_account" "code" { customer = { external_id = billing_customer.c.external_id } }
resource "billing_account" "new"  { customer = { name = "Inline" } }
`).at(service)
	terraform.must("apply", "-auto-approve")
	both := []string{"billing_account.code", "billing_account.id", "billing_customer.c"}
	terraform.applies("delete, create", both, "-replace=billing_customer.c")
	terraform.settled()
	const told = "Another customer of the same name"
	terraform.must("taint", "billing_account.new")
	if out := terraform.must("plan"); !strings.Contains(out, told) {
		t.Errorf("the plan of a tainted account does not say %q:\n%s", told, out)
	}
	terraform.must("untaint", "billing_account.new")
	service.Must("POST", fmt.Sprintf("/v1/billing-accounts/%s/close", terraform.idOf("billing_account.new")),
		acctest.JSON{})
	if out := terraform.must("plan"); !strings.Contains(out, told) {
		t.Errorf("the plan of a closed account does not say %q:\n%s", told, out)
	}
}

var shownID = regexp.MustCompile(`\bid = "([^"]+)"`)

// idOf is the id of an object in the state.
func (c *command) idOf(address string) string {
	c.t.Helper()
	ids := shownID.FindAllStringSubmatch(c.must("state", "show", address), -1)
	return ids[len(ids)-1][1]
}
