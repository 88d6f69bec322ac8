package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const ofOrganization = `
resource "billing_customer" "a" {
  count = 3
  name  = "A ${count.index}"
}

resource "billing_subscription" "a" {
  billing_account_id = billing_customer.a[0].billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
}
`

// strangersToken is a token of another organization of the same service.
func strangersToken(t *testing.T, service *acctest.Service) (token, organization string) {
	t.Helper()
	service.NeedsSandbox("it needs a token of another organization")
	other, err := service.Sandbox.NewOrganization(sandbox.Organization{Name: "Padaria Bela Vista"})
	if err != nil {
		t.Fatal(err)
	}
	token, err = service.Sandbox.NewToken(sandbox.Token{Organization: other.ID})
	if err != nil {
		t.Fatal(err)
	}
	return token, other.ID
}

// TestAccOrganization_wrong: a token of another organization is one error that names both, whatever Terraform does
// with it; nothing is planned, nothing is lost from the state, and the right token finds everything as it was.
func TestAccOrganization_wrong(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	token, other := strangersToken(t, service)
	terraform := newCommand(t, ofOrganization).at(service)
	terraform.must("apply", "-auto-approve")
	if asked := service.Count("me.get"); asked != 1 {
		t.Errorf("the first apply asked %d times whose token it is, want once", asked)
	}
	right := terraform.env["BILLING_TOKEN"]
	terraform.env["BILLING_TOKEN"] = token
	for _, arguments := range [][]string{{"plan"}, {"apply", "-auto-approve"}, {"destroy", "-auto-approve"},
		{"apply", "-auto-approve", "-destroy", "-refresh=false"}, {"plan", "-parallelism=1"}} {
		out, err := terraform.run(arguments...)
		if want := "The token belongs to organization " + other + ", and this state to organization "; err == nil ||
			strings.Count(out, want) != 1 {
			t.Errorf("%v: want one error with %q:\n%s", arguments, want, out)
		}
		if strings.Contains(out, "outside of Terraform") {
			t.Errorf("%v says that something was deleted:\n%s", arguments, out)
		}
		if listed := terraform.must("state", "list"); strings.Count(listed, "billing_") != 4 {
			t.Fatalf("%v: the state has %s", arguments, listed)
		}
	}
	terraform.env["BILLING_TOKEN"] = right
	if out := terraform.must("plan"); !strings.Contains(out, "No changes") {
		t.Errorf("with the right token: %s", out)
	}
	if out := terraform.must("destroy", "-auto-approve"); !strings.Contains(out, "4 destroyed") {
		t.Errorf("destroy: %s", out)
	}
}

// TestAccOrganization_saved: a plan that was made with the right token and is applied with another organization's
// destroys nothing, and takes nothing out of the state.
func TestAccOrganization_saved(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	token, other := strangersToken(t, service)
	terraform := newCommand(t, `
variable "names" {
  type    = set(string)
  default = ["a", "b", "c"]
}

resource "billing_customer" "c" {
  for_each = var.names
  name     = each.key
}

resource "billing_account" "a" {
  for_each    = var.names
  customer_id = billing_customer.c[each.key].id
}

resource "billing_subscription" "s" {
  for_each           = var.names
  billing_account_id = billing_customer.c[each.key].billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
}
`).at(service)
	terraform.must("apply", "-auto-approve")
	right := terraform.env["BILLING_TOKEN"]
	before := terraform.must("state", "list")
	replaced := func(address string) (all []string) {
		for _, name := range []string{"a", "b", "c"} {
			all = append(all, fmt.Sprintf("-replace=%s[%q]", address, name))
		}
		return all
	}
	for _, arguments := range [][]string{{"-destroy"}, {"-var=names=[]"}, replaced("billing_subscription.s"),
		replaced("billing_account.a")} {
		terraform.env["BILLING_TOKEN"] = right
		terraform.must(append([]string{"plan", "-out=saved"}, arguments...)...)
		terraform.env["BILLING_TOKEN"] = token
		service.Sandbox.ResetRequests()
		out, err := terraform.run("apply", "saved")
		if want := "Error: The token belongs to organization " + other + ", and this state to organization "; err == nil ||
			strings.Count(out, want) != 1 {
			t.Errorf("%v: want one error with %q:\n%s", arguments, want, out)
		}
		if n := strings.Count(out, "Error: "); n < 3 || n-1 != strings.Count(out, "The cause is the same as in another") {
			t.Errorf("%v: want each other error in one line:\n%s", arguments, out)
		}
		wrote := slices.ContainsFunc(service.Sandbox.Requests(), func(r sandbox.Request) bool { return r.Method != "GET" })
		if wrote || strings.Contains(out, "complete after") {
			t.Errorf("%v has changed something:\n%s", arguments, out)
		}
		if now := terraform.must("state", "list"); now != before {
			t.Fatalf("%v: the state has %s", arguments, now)
		}
	}
	terraform.env["BILLING_TOKEN"] = right
	if out := terraform.must("destroy", "-auto-approve"); !strings.Contains(out, "9 destroyed") {
		t.Errorf("destroy: %s", out)
	}
}

// TestAccOrganization_imported: an imported object remembers its organization, too.
func TestAccOrganization_imported(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	token, other := strangersToken(t, service)
	service.Must("POST", "/v1/customers", acctest.JSON{"name": "A", "external_id": "a"})
	terraform := newCommand(t, "resource \"billing_customer\" \"a\" {\n  name        = \"A\"\n  external_id = \"a\"\n}\n").
		at(service)
	terraform.must("import", "billing_customer.a", "external_id=a")
	terraform.env["BILLING_TOKEN"] = token
	if out, err := terraform.run("plan"); err == nil || !strings.Contains(out, "belongs to organization "+other) {
		t.Errorf("an imported customer: %s", out)
	}
}

// TestAccOrganization_silent: where the service does not say whom the token belongs to, objects are created all the
// same.
func TestAccOrganization_silent(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the service must fail")
	service.Sandbox.AddFault(sandbox.Fault{Operation: "me.get", Status: 403})
	terraform := newCommand(t, ofOrganization).at(service)
	terraform.must("apply", "-auto-approve")
	if out := terraform.must("plan"); !strings.Contains(out, "No changes") {
		t.Errorf("the plan after it: %s", out)
	}
}

// TestAccPrevent: deletion_policy = "prevent" is an error of the plan for everything that would end the object.
func TestAccPrevent(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	config := func(policy, more string) string {
		return required + `
resource "billing_customer" "a" {
  name            = "A"
  deletion_policy = "` + policy + `"
}
` + more
	}
	terraform := newCommand(t, "").at(service)
	terraform.write("main.tf", config("prevent", ""))
	terraform.must("apply", "-auto-approve")
	for what, arguments := range map[string][]string{"destroys": {"plan", "-destroy"},
		"replaces": {"plan", "-replace=billing_customer.a"}} {
		out, err := terraform.run(arguments...)
		if want := "deletion_policy prevents that this plan " + what + ` customer "A" (id `; err == nil ||
			!strings.Contains(out, want) {
			t.Errorf("%v: want %q:\n%s", arguments, want, out)
		}
	}
	terraform.write("main.tf", config("abandon", ""))
	terraform.must("apply", "-auto-approve")
	terraform.must("apply", "-auto-approve", "-replace=billing_customer.a")
	if deleted := service.Count("customers.delete"); deleted != 0 {
		t.Errorf("an abandoned customer was deleted %d times", deleted)
	}
}
