package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// plansOfUnknown is how often each plan of TestAccUnknownParent is made: its order differs from plan to plan.
const plansOfUnknown = 2

// TestAccUnknownParent: the id of a parent reaches its child through a value that is only known after apply, while
// another object of the parent's type is new. Nothing replaces the child, in whatever order Terraform refreshes and
// plans.
func TestAccUnknownParent(t *testing.T) {
	t.Parallel()
	acctest.Long(t)
	const late = `
variable "edition" { default = "1" }
variable "parent" { default = "" }
variable "another" {
  type    = bool
  default = false
}
resource "terraform_data" "x" { input = { id = var.parent, edition = var.edition } }
`
	for name, c := range map[string]struct{ text, parent, child string }{
		"account": {parent: "billing_customer.c", child: "billing_account.a", text: late + `
resource "billing_customer" "c" { name = "C" }
resource "billing_customer" "d" {
  count = var.another ? 1 : 0
  name  = "D"
}
resource "billing_account" "a" {
  customer_id = var.parent == "" ? billing_customer.c.id : terraform_data.x.output.id
}
`},
		"subscription": {parent: "billing_account.a", child: "billing_subscription.s", text: late + `
resource "billing_customer" "c" { name = "C" }
resource "billing_account" "a" { customer_id = billing_customer.c.id }
resource "billing_account" "b" {
  count       = var.another ? 1 : 0
  customer_id = billing_customer.c.id
}
resource "billing_subscription" "s" {
  billing_account_id = var.parent == "" ? billing_account.a.id : terraform_data.x.output.id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
}
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terraform := acctest.NewTerraform(t).At(acctest.Start(t))
			terraform.Write("main.tf", acctest.Versions+c.text)
			terraform.Run("apply", "-auto-approve", "-no-color")
			id := ""
			for _, instance := range terraform.State() {
				if instance.Address == c.parent {
					id = fmt.Sprint(instance.Attributes["id"])
				}
			}
			// Without an edge in the graph: the configuration does not name the parent any more.
			text := strings.NewReplacer(`var.parent == "" ? billing_customer.c.id : `, "",
				`var.parent == "" ? billing_account.a.id : `, "").Replace(c.text)
			terraform.Write("main.tf", acctest.Versions+text)
			terraform.Run("apply", "-auto-approve", "-no-color", "-var=parent="+id)
			for _, parallelism := range []int{1, 10, 50} {
				for range plansOfUnknown {
					p, _ := terraform.JSON("plan", "-no-color", fmt.Sprintf("-parallelism=%d", parallelism),
						"-var=parent="+id, "-var=edition=2", "-var=another=true")
					if len(p.Errors) > 0 || p.Planned[c.child] != "update" || p.Planned[c.parent] != "" {
						t.Errorf("-parallelism=%d: %v, errors %v", parallelism, p.Planned, p.Errors)
					}
				}
			}
		})
	}
}
