package subscription_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
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
	progress, diagnostics := service.Core().Invoke("billing_subscription_invoice",
		acctest.JSON{"subscription_id": subscribed(service)})
	if errors := core.Errors(diagnostics); errors != "" {
		t.Fatal(errors)
	}
	if said := regexp.MustCompile(`^invoice [0-9a-f-]{36} was created for subscription [0-9a-f-]{36}$`); len(progress) != 1 ||
		!said.MatchString(progress[0]) {
		t.Errorf("progress %q", progress)
	}
	_, diagnostics = service.Core().Invoke("billing_subscription_invoice",
		acctest.JSON{"subscription_id": "00000000-0000-4000-8000-000000000000"})
	if errors := core.Errors(diagnostics); !strings.Contains(errors, "Could not invoice subscription 00000000") ||
		!strings.Contains(errors, "Request-Id") {
		t.Errorf("errors %q", errors)
	}
}

// TestInvoice_reason: the reason goes with the request, and is left out when there is none.
func TestInvoice_reason(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("requests are looked at")
	id := subscribed(service)
	for reason, want := range map[any]any{nil: nil, "setup fee": "setup fee"} {
		service.Sandbox.ResetRequests()
		if _, diagnostics := service.Core().Invoke("billing_subscription_invoice",
			acctest.JSON{"subscription_id": id, "reason": reason}); len(diagnostics) > 0 {
			t.Fatal(core.Errors(diagnostics))
		}
		for _, request := range service.Sandbox.Requests() {
			var body acctest.JSON
			if err := json.Unmarshal(request.Body, &body); len(request.Body) > 0 && err != nil {
				t.Fatal(err)
			}
			if body["reason"] != want {
				t.Errorf("reason %v was sent, want %v", body["reason"], want)
			}
		}
	}
	_, diagnostics := service.Core().Invoke("billing_subscription_invoice",
		acctest.JSON{"subscription_id": id, "reason": " "})
	acctest.Says(t, core.Errors(diagnostics), `AttributeName("reason")`)
}

// TestInvoice_once: whatever keeps the outcome unknown ends the action after one request; a rate limit, which creates
// no invoice, is waited out; a rejection is reported.
func TestInvoice_once(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    sandbox.Fault
		requests int
		says     []string
	}{
		"server error": {sandbox.Fault{Status: 503}, 1, []string{"the outcome is unknown", "Could not invoice subscription"}},
		"lost":         {sandbox.Fault{DropAfter: true}, 1, []string{"the outcome is unknown", "invoices"}},
		"timeout":      {sandbox.Fault{Status: 408}, 1, []string{"the outcome is unknown"}},
		"cut short":    {sandbox.Fault{TruncateBody: true}, 1, []string{"the outcome is unknown"}},
		"refused": {sandbox.Fault{Status: 422, Code: "validation_error"}, 1, []string{"Could not invoice subscription",
			"code: validation_error"}},
		"rate limit": {sandbox.Fault{Status: 429, RetryAfter: "0", Times: 1}, 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			service.NeedsSandbox("failures are made on purpose")
			id := subscribed(service)
			c.fault.Operation = "subscriptions.invoice"
			service.Sandbox.AddFault(c.fault)
			_, diagnostics := service.Core().Invoke("billing_subscription_invoice", acctest.JSON{"subscription_id": id})
			text := core.Errors(diagnostics)
			acctest.Says(t, text, c.says...)
			if n := service.Count("subscriptions.invoice"); n != c.requests || (text == "") != (len(c.says) == 0) {
				t.Errorf("%d requests, want %d: %s", n, c.requests, text)
			}
		})
	}
}
