package provider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccSubscriptionRemovedAfterAPeriod: the warning of a removal has the end of the current period.
// Terraform plans a removal before it refreshes the object.
func TestAccSubscriptionRemovedAfterAPeriod(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the clock is the sandbox's")
	customer := "resource \"billing_customer\" \"a\" {\n  name = \"A\"\n}\n"
	terraform := newCommand(t, customer+`
resource "billing_subscription" "a" {
  billing_account_id = billing_customer.a.billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  deletion_policy    = "cancel_at_period_end"
}
`).at(service)
	terraform.must("apply", "-auto-approve")
	service.Sandbox.Clock().Advance(40 * 24 * time.Hour)
	end := service.Sandbox.Clock().Now()
	terraform.write("main.tf", required+customer)
	out := terraform.must("plan")
	_, after, found := strings.Cut(out, "leaves the state now and runs until ")
	day, _, _ := strings.Cut(after, ". Until then")
	until, err := time.Parse(time.RFC3339, day)
	if !found || err != nil || !until.After(end) {
		t.Errorf("on %s the plan says that the subscription runs until %q:\n%s", end, day, out)
	}
}
