package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// generates imports objects of one type with the configuration that Terraform writes automatically, as every Terraform
// from 1.5 on can, and holds it to what a user expects of it: it works on the first try, and plans nothing. ids are
// keyed by resource name.
func generates(t *testing.T, service *acctest.Service, typeName string, ids map[string]string) {
	t.Helper()
	terraform := newCommand(t, "provider \"billing\" {}\n").at(service)
	var blocks strings.Builder
	for name, id := range ids {
		fmt.Fprintf(&blocks, "import {\n  to = %s.%s\n  id = %q\n}\n", typeName, name, id)
	}
	terraform.write("imports.tf", blocks.String())
	imports := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", len(ids))
	for _, plan := range [][]string{{"plan", "-generate-config-out=generated.tf"}, {"plan"}} {
		if out, err := terraform.run(plan...); err != nil || !strings.Contains(out, imports) {
			t.Fatalf("terraform %s: %v\n%s\n%s", strings.Join(plan, " "), err, out, terraform.read("generated.tf"))
		}
	}
	service.Sandbox.ResetRequests()
	terraform.must("apply", "-auto-approve")
	if names := wrote(service); len(names) > 0 {
		t.Errorf("the import has sent %v", names)
	}
	if out, err := terraform.run("plan", "-detailed-exitcode"); err != nil {
		t.Errorf("the plan after the import is not empty: %v\n%s", err, out)
	}
}

// TestAccGenerated_subscriptions: whatever a subscription is in the middle of.
func TestAccGenerated_subscriptions(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("its clock is moved")
	const (
		planA, planB = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01", "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
		other        = "1b4e28ba-2fa1-4d1b-883f-0016d3cca421"
	)
	account, _ := service.Must("POST", "/v1/customers",
		acctest.JSON{"name": "Owner"})["billing_account"].(acctest.JSON)["id"].(string)
	create := func(body acctest.JSON) string {
		body["billing_account_id"] = account
		id, _ := service.Must("POST", "/v1/subscriptions", body)["id"].(string)
		return id
	}
	does := func(id, operation string, body acctest.JSON) {
		service.Must("POST", "/v1/subscriptions/"+id+"/"+operation, body)
	}
	items := []any{acctest.JSON{"product_id": "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11",
		"price_id": "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61", "quantity": 3, "unit_amount_subcents": 499000},
		acctest.JSON{"product_id": "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e12",
			"price_id": "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b62"}}
	full := func(externalID string) string {
		id := create(acctest.JSON{"plan_id": planA, "items": items, "external_id": externalID, "company_id": other,
			"product_group_id": other, "discount_code_id": other, "billing_cycle": "quarterly",
			"collection_method": "manual_charge", "proration_behavior": "none", "nfe_issuance_policy": "on_full_payment",
			"trial_period_days": 14, "notes": "negotiated", "custom_metadata": acctest.JSON{"tenant": "a",
				"nested": acctest.JSON{"n": 1}, "none": nil}})
		service.Must("PATCH", "/v1/subscriptions/"+id, acctest.JSON{"discount_percent": 12.5})
		does(id, "change-plan", acctest.JSON{"plan_id": planB, "timing": "end_of_period"})
		does(id, "pause", acctest.JSON{"behavior": "void", "resumes_at": "2026-05-01"})
		does(id, "cancel", acctest.JSON{"cancel_at_period_end": true, "reason": "moving away"})
		service.Must("PATCH", "/v1/subscriptions/"+id, acctest.JSON{"allow_pause": false, "allow_cancel": false})
		return id
	}
	over := full("was-on-trial")
	does(over, "resume", acctest.JSON{})
	service.Must("PATCH", "/v1/subscriptions/"+over, acctest.JSON{"cancel_at_period_end": false})
	service.Sandbox.Clock().Advance(15 * 24 * time.Hour)
	bare := create(acctest.JSON{"plan_id": planA})
	service.Must("PATCH", "/v1/subscriptions/"+bare,
		acctest.JSON{"collection_method": nil, "custom_metadata": acctest.JSON{}})
	full("in-the-middle")
	canceled := create(acctest.JSON{"plan_id": planA, "notes": "left"})
	does(canceled, "cancel", acctest.JSON{"reason": "left"})
	generates(t, service, "billing_subscription", map[string]string{
		"over": over, "bare": bare, "middle": "external_id=in-the-middle", "items": create(acctest.JSON{"items": items}),
		"canceled": canceled, "trial": create(acctest.JSON{"plan_id": planA, "trial_end": "2026-06-01"}),
	})
}
