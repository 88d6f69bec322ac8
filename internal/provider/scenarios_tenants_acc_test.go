package provider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// ofTenant are the addresses of all that a tenant has.
func ofTenant(key string) []string {
	module := `module.tenant["` + key + `"].`
	return []string{module + "billing_customer.this", module + "billing_account.this",
		module + "billing_subscription.this"}
}

// tenants is the scenario, applied.
func tenants(t *testing.T) (*acctest.Service, *command) {
	t.Helper()
	service := acctest.Start(t)
	terraform := scenario(t, "saas-tenants", service)
	terraform.applies("create", append(ofTenant("horizonte"), ofTenant("aurora")...))
	terraform.settled()
	return service, terraform
}

// withoutTenant takes a tenant out of the list.
func (c *command) withoutTenant(key string) {
	c.t.Helper()
	text := c.read("tenants.auto.tfvars")
	before, rest, found := strings.Cut(text, "  "+key+" = {\n")
	_, after, closed := strings.Cut(rest, "\n  }\n")
	if !found || !closed {
		c.t.Fatalf("no tenant %s:\n%s", key, text)
	}
	c.write("tenants.auto.tfvars", before+after)
}

// withTenant adds lines to the end of the list.
func (c *command) withTenant(lines string) {
	c.t.Helper()
	c.write("tenants.auto.tfvars", strings.TrimSuffix(strings.TrimSpace(c.read("tenants.auto.tfvars")), "}")+lines+"}\n")
}

// TestAccScenario_tenantsComeAndGo: a third tenant, as the README adds it, is all that the plan shows; one that leaves
// is too, and keeps what it has paid for; one that comes back is taken over and continues.
func TestAccScenario_tenantsComeAndGo(t *testing.T) {
	t.Parallel()
	service, terraform := tenants(t)
	before := terraform.read("tenants.auto.tfvars")
	terraform.withTenant(terraform.told("**A third tenant.**"))
	terraform.applies("create", ofTenant("helena"))
	terraform.settled()
	if kind := found(t, service, "customers", "tenant-helena")["kind"]; kind != "natural" {
		t.Errorf("a tenant with a CPF is a %v customer", kind)
	}

	subscribed := found(t, service, "subscriptions", "tenant-aurora")
	terraform.withoutTenant("aurora")
	terraform.applies("delete", ofTenant("aurora"))
	terraform.settled()
	left := found(t, service, "subscriptions", "tenant-aurora")
	if left["status"] != "trialing" || left["cancel_at_period_end"] != true {
		t.Errorf("the subscription of who left does not run out: %v", left)
	}
	if account := found(t, service, "billing-accounts", "tenant-aurora"); account["status"] != "active" {
		t.Errorf("the account of who left is not open: %v", account)
	}
	if found(t, service, "customers", "tenant-aurora") == nil {
		t.Error("the customer who left is gone")
	}

	terraform.write("tenants.auto.tfvars", before)
	terraform.withTenant(terraform.told("**A third tenant.**"))
	if out, err := terraform.run("apply", "-auto-approve"); err == nil ||
		!strings.Contains(out, "the external_id is taken") {
		t.Errorf("who comes back without an import is made a second time: %v\n%s", err, out)
	}
	terraform.replace("tenants.auto.tfvars", "  aurora = {\n", "  aurora = {\n cancel_at_period_end = false\n")
	terraform.write("back.tf", terraform.told("**Restore a tenant**"))
	terraform.applies("import, update", ofTenant("aurora"))
	terraform.settled()
	if back := found(t, service, "subscriptions", "tenant-aurora"); back["id"] != subscribed["id"] ||
		back["cancel_at_period_end"] != false {
		t.Errorf("the subscription does not go on: %v", back)
	}
}

// TestAccScenario_tenantsOnRemoval: each way of removing does what the README's table says, and a plan that waits
// begins with the period.
func TestAccScenario_tenantsOnRemoval(t *testing.T) {
	t.Parallel()
	service, terraform := tenants(t)
	terraform.replace("tenants.auto.tfvars", `plan            = "team"`, `plan            = "business"`)
	terraform.replace("tenants.auto.tfvars", "  horizonte = {\n", "  horizonte = {\n on_removal = \"end_now\"\n")
	terraform.applies("update", ofTenant("horizonte"))
	terraform.settled()
	const team, business = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02", "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a03"
	if plan := found(t, service, "subscriptions", "tenant-horizonte")["plan_id"]; plan != team {
		t.Errorf("in the period that is paid for the plan is %v", plan)
	}
	service.Sandbox.Clock().Advance(46 * 24 * time.Hour)
	if plan := found(t, service, "subscriptions", "tenant-horizonte")["plan_id"]; plan != business {
		t.Errorf("in the next period the plan is %v", plan)
	}
	terraform.settled()

	terraform.replace("tenants.auto.tfvars", "  aurora = {\n", "  aurora = {\n on_removal = \"prevent\"\n")
	terraform.applies("update", ofTenant("aurora"))
	kept := terraform.read("tenants.auto.tfvars")
	terraform.withoutTenant("aurora")
	terraform.refused([]string{"deletion_policy prevents that this plan"}, "plan")
	terraform.write("tenants.auto.tfvars", kept)
	terraform.withoutTenant("horizonte")
	terraform.applies("delete", ofTenant("horizonte"))
	terraform.settled()
	if status := found(t, service, "subscriptions", "tenant-horizonte")["status"]; status != "canceled" {
		t.Errorf("the subscription is %v", status)
	}
	if status := found(t, service, "billing-accounts", "tenant-horizonte")["status"]; status != "closed" {
		t.Errorf("the account is %v", status)
	}
	if customer := found(t, service, "customers", "tenant-horizonte"); customer != nil {
		t.Errorf("the customer is still there: %v", customer)
	}
}

// TestAccScenario_tenantsAreChecked: what cannot be billed is found while planning, before a single request that
// writes.
func TestAccScenario_tenantsAreChecked(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	terraform := scenario(t, "saas-tenants", service)
	list := terraform.read("tenants.auto.tfvars")
	for _, c := range []struct{ old, wrong, says string }{
		{"45.997.418/0001-53", "45.997.418/0001-54", "the right check digits"},
		{"45.997.418/0001-53", "11222333000181", "the same document_number"},
		{`"team"`, `"premium"`, "nor the name of a plan in the catalogue"},
		{`"44.90"`, `"44,90"`, "at most four decimals"},
	} {
		terraform.write("tenants.auto.tfvars", list)
		terraform.replace("tenants.auto.tfvars", c.old, c.wrong)
		terraform.refused([]string{c.says}, "plan")
	}
	if count := service.Count("customers.create"); count > 0 {
		t.Errorf("%d customers were made", count)
	}
}

// TestAccScenario_tenantModule: the module's own test passes and leaves nothing behind, and fails when the module does
// what it is not to.
func TestAccScenario_tenantModule(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]struct{ old, replacement, says string }{
		"as it is": {"", "", "Success! 6 passed, 0 failed."},
		"plans change at once": {`timing = "end_of_period"`, `timing = "immediate"`,
			"The plan changed in the middle of a period."},
		"seats at list price": {`var.seat_price == null ? null`, `true ? null`, "The seats are not billed as agreed."},
		"everybody a company": {`local.is_company ? "juridical" : "natural"`, `"juridical"`,
			"A CPF makes a juridical customer."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			terraform := scenario(t, "saas-tenants/modules/tenant", service)
			if broken.old != "" {
				terraform.replace("main.tf", broken.old, broken.replacement)
				terraform.refused([]string{broken.says}, "test")
			} else if out := terraform.must("test"); !strings.Contains(out, broken.says) {
				t.Errorf("the test says: %s", out)
			}
			if customer := found(t, service, "customers", "tenant-module-test"); customer != nil {
				t.Errorf("the test leaves its tenant behind: %v", customer)
			}
		})
	}
}
