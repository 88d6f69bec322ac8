package subscription_test

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// cli drives Terraform itself, for what it prints and for -replace.
type cli struct {
	*acctest.Terraform
	t *testing.T
}

// terraformFor is Terraform with the subscriptions of two accounts, a and b, in variables.
func terraformFor(t *testing.T) (*cli, *acctest.Service) {
	t.Helper()
	service := acctest.Start(t)
	service.NeedsSandbox("its clock is moved, and its requests are counted")
	c := &cli{acctest.NewTerraform(t).At(service), t}
	c.Env["TF_VAR_a"], c.Env["TF_VAR_b"] = accountOf(service), accountOf(service)
	return c, service
}

// configure writes the subscription s-1, with its account and further lines, and more configuration.
func (c *cli) configure(account, lines, more string) {
	c.Write("main.tf", `
terraform {
  required_providers {
    billing = { source = "recurring-billing/billing" }
  }
}
variable "a" {}
variable "b" {}
resource "billing_subscription" "test" {
  external_id        = "s-1"
  billing_account_id = `+account+`
  `+planOfA+lines+`
}
`+more)
}

// fails runs Terraform, which has to fail, and returns what it says in one line.
func (c *cli) fails(arguments ...string) string {
	c.t.Helper()
	out, err := c.Command(append(arguments, "-no-color")...).CombinedOutput()
	if err == nil {
		c.t.Fatalf("terraform %v succeeded: %s", arguments, out)
	}
	return flat(string(out))
}

func (c *cli) run(arguments ...string) string {
	c.t.Helper()
	return flat(c.Run(append(arguments, "-no-color")...))
}

func (c *cli) apply(arguments ...string) string {
	c.t.Helper()
	return c.run(append([]string{"apply", "-auto-approve"}, arguments...)...)
}

func (c *cli) isEmpty() {
	c.t.Helper()
	if out := c.run("plan"); !strings.Contains(out, "No changes.") {
		c.t.Errorf("the plan is not empty: %s", out)
	}
}

// flat is a text of Terraform without its frames and line breaks.
func flat(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "│", " ")), " ")
}

// TestAccSubscription_replacementWarned: a plan that replaces two subscriptions names both, with what is billed.
func TestAccSubscription_replacementWarned(t *testing.T) {
	t.Parallel()
	c, _ := terraformFor(t)
	second := func(account string) string {
		return `resource "billing_subscription" "second" {
  external_id        = "s-2"
  billing_account_id = ` + account + `
  ` + planOfA + "}\n"
	}
	c.configure("var.a", "", second("var.a"))
	c.apply()
	c.configure("var.b", "", second("var.b"))
	out := c.run("plan", "-out=moved")
	for _, name := range []string{"s-1", "s-2"} {
		acctest.Says(t, out, `Warning: Subscription "`+name+`" (id `)
	}
	acctest.Says(t, out, "is canceled and billed again as a new one", "(recurring amount ", "must be replaced")
	c.run("apply", "moved")
	c.isEmpty()
}

// TestAccSubscription_plannedEarlier: a replacement that was planned before its account was suspended cancels nothing.
func TestAccSubscription_plannedEarlier(t *testing.T) {
	t.Parallel()
	c, service := terraformFor(t)
	c.configure("var.a", "", "")
	c.apply()
	c.configure("var.b", "", "")
	c.run("plan", "-out=moved")
	service.Must("POST", "/v1/billing-accounts/"+c.Env["TF_VAR_b"]+"/suspend", acctest.JSON{})
	acctest.Says(t, c.fails("apply", "moved"), `Error: Subscription "s-1" (id `, "is not canceled, because its replacement",
		"is suspended", "Nothing was changed")
	acctest.Says(t, c.fails("plan"), "it cannot be created on its billing account", "is suspended")
	if n := service.Count("subscriptions.cancel"); n > 0 {
		t.Errorf("canceled %d times", n)
	}
	c.configure("var.a", "", "")
	c.isEmpty()
	// The same for one that only the command line asks for.
	c.run("plan", "-replace=billing_subscription.test", "-out=again")
	service.Must("POST", "/v1/billing-accounts/"+c.Env["TF_VAR_a"]+"/suspend", acctest.JSON{})
	acctest.Says(t, c.fails("apply", "again"), "is not canceled, because its replacement")
	acctest.Says(t, c.fails("plan", "-replace=billing_subscription.test"), "it cannot be created on its billing account")
}

// TestAccSubscription_importThenMove: an import replaces nothing; once it is applied, the subscription can be moved.
func TestAccSubscription_importThenMove(t *testing.T) {
	t.Parallel()
	c, service := terraformFor(t)
	id, _ := service.Must("POST", "/v1/subscriptions", acctest.JSON{"billing_account_id": c.Env["TF_VAR_a"],
		"plan_id": planA, "external_id": "s-1"})["id"].(string)
	block := "import {\n  to = billing_subscription.test\n  id = \"" + id + "\"\n}\n"
	c.configure("var.b", "", block)
	acctest.Says(t, c.fails("plan"), `Error: Subscription "s-1" (id `+id+")", "an import replaces nothing")
	c.configure("var.a", "", block)
	acctest.Says(t, c.apply(), "1 imported, 0 added, 0 changed, 0 destroyed")
	c.configure("var.a", "", "")
	c.isEmpty()
	c.configure("var.b", "", "")
	acctest.Says(t, c.apply(), "is canceled and billed again as a new one", "1 added, 0 changed, 1 destroyed")
	c.isEmpty()
}

// TestAccSubscription_accountOfTheSamePlan: a move to an account that the same plan creates warns that it takes a
// second apply.
func TestAccSubscription_accountOfTheSamePlan(t *testing.T) {
	t.Parallel()
	c, _ := terraformFor(t)
	c.configure("var.a", "", "")
	c.apply()
	c.configure("billing_customer.new.billing_account_id", "",
		"resource \"billing_customer\" \"new\" {\n  name = \"New\"\n}\n")
	acctest.Says(t, c.run("plan"), `Warning: Subscription "s-1" (id `, "moves to another account only with a second apply")
	acctest.Says(t, c.fails("apply", "-auto-approve"), "did not show that subscription")
	acctest.Says(t, c.apply(), "1 added, 0 changed, 1 destroyed")
	c.isEmpty()
}
