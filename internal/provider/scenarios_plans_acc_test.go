package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccPlansByName: the module finds a plan by its name, the next plan is empty, and a name that nothing or more than
// one has is an error that says what there is.
func TestAccPlansByName(t *testing.T) {
	t.Parallel()
	seed, err := os.ReadFile(filepath.Join(examples, "plans-by-name", "seed.json"))
	if err != nil {
		t.Fatal(err)
	}
	terraform := scenario(t, "plans-by-name", acctest.Start(t, func(o *sandbox.Options) { o.SeedDocument = seed }))
	if out := terraform.must("apply", "-auto-approve"); !strings.Contains(out, "recurring_amount_cents = 4990") {
		t.Errorf("the subscription is not on the plan Basic:\n%s", out)
	}
	terraform.must("plan", "-detailed-exitcode")
	if have := terraform.plans("-var", "plan=Team"); len(have) != 1 || have["billing_subscription.aurora"] != "update" {
		t.Errorf("the plan does %v", have)
	}
	for plan, says := range map[string]string{
		"Gold":  "No plan is named Gold.",
		"Pilot": "More than one plan is named Pilot.",
	} {
		terraform.refused([]string{says}, "plan", "-var", "plan="+plan)
	}
}
