package provider_test

import (
	"strings"
	"testing"
)

// ofTenant are the addresses of all that a tenant has.
func ofTenant(key string) []string {
	module := `module.tenant["` + key + `"].`
	return []string{module + "billing_customer.this", module + "billing_account.this",
		module + "billing_subscription.this"}
}

const tenantList = "tenants.auto.tfvars"

// withoutTenant takes a tenant out of the list.
func (c *command) withoutTenant(key string) {
	c.t.Helper()
	text := c.read(tenantList)
	before, rest, found := strings.Cut(text, "  "+key+" = {\n")
	_, after, closed := strings.Cut(rest, "\n  }\n")
	if !found || !closed {
		c.t.Fatalf("no tenant %s:\n%s", key, text)
	}
	c.write(tenantList, before+after)
}

// withTenant adds lines to the end of the list.
func (c *command) withTenant(lines string) {
	c.t.Helper()
	list := strings.TrimSuffix(strings.TrimSpace(c.read(tenantList)), "}")
	c.write(tenantList, list+lines+"}\n")
}

// TestAccExample_tenants: a third tenant, as the README adds it, is all that the plan shows; one that leaves is too,
// and keeps what it has paid for; one that comes back is taken over and continues. A plan that waits begins with the
// period, and each way of removing does what the README's table says.
func TestAccExample_tenants(t *testing.T) {
	t.Parallel()
	service, terraform := seeded(t, "saas-tenants")
	has := func(kind, code, field string, want any) {
		t.Helper()
		if object := found(t, service, kind, "tenant-"+code); object == nil || object[field] != want {
			t.Errorf("%s of %s %s is not %v: %v", field, kind, code, want, object)
		}
	}
	terraform.applies("create", append(ofTenant("horizonte"), ofTenant("aurora")...))
	terraform.settled()
	before := terraform.read(tenantList)
	terraform.withTenant(terraform.told("**A third tenant.**"))
	terraform.applies("create", ofTenant("helena"))
	terraform.settled()
	has("customers", "helena", "kind", "natural") // it has a CPF

	subscribed := found(t, service, "subscriptions", "tenant-aurora")["id"]
	terraform.withoutTenant("aurora")
	terraform.applies("delete", ofTenant("aurora"))
	has("subscriptions", "aurora", "status", "trialing")
	has("subscriptions", "aurora", "cancel_at_period_end", true)
	has("billing-accounts", "aurora", "status", "active")
	has("customers", "aurora", "name", "Padaria Aurora Ltda.")

	terraform.write(tenantList, before)
	terraform.withTenant(terraform.told("**A third tenant.**"))
	terraform.fails([]string{"the external_id is taken"}, "apply", "-auto-approve")
	terraform.replace(tenantList, "  aurora = {\n", "  aurora = {\n cancel_at_period_end = false\n")
	terraform.write("back.tf", terraform.told("**Restore a tenant**"))
	terraform.applies("import, update", ofTenant("aurora"))
	terraform.settled()
	has("subscriptions", "aurora", "id", subscribed)
	has("subscriptions", "aurora", "cancel_at_period_end", false)

	terraform.replace(tenantList, `plan            = "team"`, `plan            = "business"`)
	terraform.replace(tenantList, "  horizonte = {\n", "  horizonte = {\n on_removal = \"end_now\"\n")
	terraform.replace(tenantList, "  aurora = {\n", "  aurora = {\n on_removal = \"prevent\"\n")
	terraform.applies("update", append(ofTenant("horizonte"), ofTenant("aurora")...))
	terraform.settled()
	const team, business = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02", "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a03"
	has("subscriptions", "horizonte", "plan_id", team) // in the period that is paid for
	service.Sandbox.Clock().Advance(46 * day)
	has("subscriptions", "horizonte", "plan_id", business)
	terraform.settled()
	kept := terraform.read(tenantList)
	terraform.withoutTenant("aurora")
	terraform.fails([]string{`deletion_policy = "prevent" blocks this plan`}, "plan")
	terraform.write(tenantList, kept)
	terraform.withoutTenant("horizonte")
	terraform.applies("delete", ofTenant("horizonte"))
	terraform.settled()
	has("subscriptions", "horizonte", "status", "canceled")
	has("billing-accounts", "horizonte", "status", "closed")
	if customer := found(t, service, "customers", "tenant-horizonte"); customer != nil {
		t.Errorf("the customer is still there: %v", customer)
	}
}

// TestAccExample_tenantsAreChecked: what cannot be billed is found while planning, and the module's test notices when
// the module does not bill what was agreed.
func TestAccExample_tenantsAreChecked(t *testing.T) {
	t.Parallel()
	_, terraform := seeded(t, "saas-tenants")
	list := terraform.read(tenantList)
	terraform.replace(tenantList, "45.997.418/0001-53", "11222333000181")
	terraform.fails([]string{"the same document_number"}, "plan")
	for name, message := range map[string]string{
		"premium": "No plan is named premium. There are: basic, business, pilot, pilot, team.",
		"pilot":   "More than one plan is named pilot.",
	} {
		terraform.write(tenantList, strings.Replace(list, `"team"`, `"`+name+`"`, 1))
		terraform.fails([]string{message}, "plan")
	}
	terraform.write(tenantList, list)
	terraform.replace(tenantList, "45.997.418/0001-53", "45.997.418/0001-54")
	terraform.replace(tenantList, `"44.90"`, `"44,90"`)
	terraform.fails([]string{"the right check digits", "at most four decimals"}, "plan")
	terraform.write(tenantList, list)
	terraform.replace("modules/tenant/main.tf", `var.seat_price == null ? null`, `true ? null`)
	terraform.fails([]string{"The seats are not billed as agreed."}, "test")
}
