package subscription_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/life"
)

// origins are the ways in which a line of the configuration and what the service has come to say the same: set is the
// line, elsewhere how another system does it, and whole the lines that a generated configuration has in addition.
func origins(set, elsewhere, whole string) map[string]string {
	return map[string]string{
		"created": "apply " + set + "\n",
		"imported": "apply " + set + "\nforget billing_subscription.s\n" +
			"import billing_subscription.s external_id=s-1 " + set + "\nexpect no writes\nexpect no warnings\n",
		"written down later": "apply\n" + elsewhere + "\napply\napply " + set + "\nexpect no writes\nexpect no warnings\n",
		"generated": "apply\n" + elsewhere + "\nforget billing_subscription.s\n" +
			"import billing_subscription.s external_id=s-1 " + set + " " + whole + "\nexpect no writes\nexpect no warnings\n",
	}
}

// everything is what a generated configuration names, but for the line that a test is about.
const everything = `s.billing_cycle="monthly" s.allow_cancel=true s.allow_pause=true s.proration_behavior="create_prorations"` +
	` 's.plan_change={ timing = "immediate" }'`

const oneSubscription = `-- main.tf --
locals {
  a = { product_id = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11", price_id = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61" }
  b = { product_id = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e12", price_id = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b62" }
}
resource "billing_customer" "c" { name = "Ana" }
resource "billing_subscription" "s" {
  billing_account_id = billing_customer.c.billing_account_id
  external_id        = "s-1"
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
}
`

// play plays scenarios that are made here.
func play(t *testing.T, scenarios map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, commands := range scenarios {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(commands+oneSubscription), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	life.Run(t, filepath.Join(dir, "*.txt"))
}

// TestEnd_visible: whether a subscription ends, continues or is billed anew follows from the configuration and the
// state, wherever both come from.
func TestEnd_visible(t *testing.T) {
	t.Parallel()
	const set, remote = "s.cancel_at_period_end=true", "expect remote /v1/subscriptions/{billing_subscription.s.id} "
	on := map[string]string{}
	for _, mode := range []string{"keep", "recreate", "error"} {
		on[mode] = fmt.Sprintf(" s.on_external_cancel=%q", mode)
	}
	before, ended := map[string]string{
		"stays": "apply " + set + on["recreate"] + "\nexpect no warnings\n" + remote + "cancel_at_period_end true\n",
		"goes":  "apply" + on["recreate"] + "\nexpect messages visible-end\n" + remote + "cancel_at_period_end true\n",
		"false": "apply s.cancel_at_period_end=false" + on["recreate"] + "\nexpect writes subscriptions.update\n" +
			"expect no warnings\n" + remote + "cancel_at_period_end false\n",
	}, func(line, kept string) string {
		return "plan " + line + on["recreate"] + "\nexpect plan billing_subscription.s=replace\n" +
			"expect messages ended-recreate\n" +
			"! plan " + line + on["error"] + "\nexpect messages ended-error\n" +
			"apply " + line + on["keep"] + "\nexpect no writes\nexpect messages " + kept + "\n" +
			"apply " + line + on["keep"] + "\nexpect plan empty\n"
	}
	after := map[string]string{"goes": ended("", "ended-kept"),
		"false": ended("s.cancel_at_period_end=false", "ended-kept-and-changed")}
	for _, mode := range []string{"recreate", "error", "keep"} {
		after["stays"] += "apply " + set + on[mode] + "\nexpect no writes\nexpect no warnings\n"
	}
	scenarios := map[string]string{}
	for origin, begin := range origins(set,
		`call POST /v1/subscriptions/{billing_subscription.s.id}/cancel '{"cancel_at_period_end":true}'`, everything) {
		for line := range before {
			scenarios[origin+", the line "+line] = begin + before[line]
			scenarios[origin+", the line "+line+" after the end"] = begin + "clock advance 31d\n" + after[line]
		}
	}
	play(t, scenarios)
}

// TestItems_visible: the same for items.
func TestItems_visible(t *testing.T) {
	t.Parallel()
	const set = "s.items=[local.a]"
	scenarios := map[string]string{}
	for origin, begin := range origins(set, `call PUT /v1/subscriptions/{billing_subscription.s.id}/items `+
		`'{"items":[{"product_id":"0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11","price_id":"3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"}]}'`,
		everything) {
		for line, end := range map[string]string{
			"stays": "plan " + set + "\nexpect plan empty\nexpect no warnings\n",
			"goes":  "plan\nexpect plan empty\nexpect messages visible-items\n",
			"empty": "apply s.items=[]\nexpect writes subscriptions.items.sync\napply s.items=[]\nexpect plan empty\n" +
				"apply\nexpect plan empty\nexpect no warnings\n",
			"changed": "apply s.items=[local.a,local.b]\nexpect writes subscriptions.items.sync\nexpect no warnings\n",
			"amount": "apply s.items=[merge(local.a,{unit_amount_subcents=7})]\nexpect writes subscriptions.items.sync\n" +
				"apply " + set + "\nexpect writes subscriptions.items.sync\n",
		} {
			scenarios[origin+", the line "+line] = begin + end
		}
	}
	play(t, scenarios)
}

// TestKept_visible: an argument that the configuration leaves out stays, whoever has set it.
func TestKept_visible(t *testing.T) {
	t.Parallel()
	scenarios := map[string]string{}
	for argument, value := range map[string]string{"collection_method": "manual_charge",
		"nfe_issuance_policy": "disabled"} {
		for origin, begin := range origins(fmt.Sprintf("s.%s=%q", argument, value),
			fmt.Sprintf("edit subscription billing_subscription.s %s=%s", argument, value), everything) {
			scenarios[argument+", "+origin] = begin + "apply\nexpect plan empty\nexpect no warnings\nexpect remote " +
				"/v1/subscriptions/{billing_subscription.s.id} " + argument + " " + value + "\n"
		}
	}
	play(t, scenarios)
}
