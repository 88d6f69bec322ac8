package subscription_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// subscribed creates a subscription past Terraform and returns its id.
func subscribed(service *acctest.Service) string {
	created := service.Must("POST", "/v1/customers", acctest.JSON{"name": "Padaria Aurora"})
	account := created["billing_account"].(acctest.JSON)["id"]
	return service.Must("POST", "/v1/subscriptions", acctest.JSON{"billing_account_id": account,
		"plan_id": planA})["id"].(string)
}

// TestAccSubscriptionInvoiceAction: Terraform creates one invoice when an event triggers the action.
func TestAccSubscriptionInvoiceAction(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("requests are counted")
	id := subscribed(service)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{{
			Config: service.Config(`
action "billing_subscription_invoice" "setup" {
  config {
    subscription_id = "` + id + `"
    reason          = "setup fee"
  }
}
resource "terraform_data" "trigger" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.billing_subscription_invoice.setup]
    }
  }
}
`),
			Check: func(*terraform.State) error {
				if n := service.Count("subscriptions.invoice"); n != 1 {
					t.Errorf("%d invoices were asked for, want 1", n)
				}
				return nil
			},
		}},
	})
}

// TestInvoiceActionOverTheProtocol: the action says which invoice was made, and explains a subscription that does not
// exist.
func TestInvoiceActionOverTheProtocol(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	progress, diagnostics := service.Invoke("billing_subscription_invoice",
		acctest.JSON{"subscription_id": subscribed(service)})
	if errors := acctest.Errors(diagnostics); errors != "" {
		t.Fatal(errors)
	}
	if len(progress) != 1 || !strings.Contains(progress[0], "was made for subscription") {
		t.Errorf("progress %q", progress)
	}
	_, diagnostics = service.Invoke("billing_subscription_invoice",
		acctest.JSON{"subscription_id": "00000000-0000-4000-8000-000000000000"})
	if errors := acctest.Errors(diagnostics); !strings.Contains(errors, "Could not invoice subscription 00000000") ||
		!strings.Contains(errors, "Request-Id") {
		t.Errorf("errors %q", errors)
	}
}

// TestInvoiceIsNeverRepeated: a response that is lost leaves one request behind, and an error that says how to find
// out.
func TestInvoiceIsNeverRepeated(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("responses are lost on purpose")
	id := subscribed(service)
	service.Sandbox.AddFault(sandbox.Fault{Operation: "subscriptions.invoice", DropAfter: true})
	_, diagnostics := service.Invoke("billing_subscription_invoice", acctest.JSON{"subscription_id": id})
	if errors := acctest.Errors(diagnostics); !strings.Contains(errors, "the outcome is unknown") ||
		!strings.Contains(errors, "invoices") {
		t.Errorf("errors %q", errors)
	}
	if n := service.Count("subscriptions.invoice"); n != 1 {
		t.Errorf("%d invoices were asked for, want 1", n)
	}
}
