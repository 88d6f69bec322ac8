package webhookendpoint_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// triggered is a resource whose change triggers an action.
func triggered(value, action string) string {
	return "resource \"terraform_data\" \"test\" {\n  input = \"" + value + "\"\n  lifecycle {\n    action_trigger {\n  " +
		"    events  = [after_create, after_update]\n      actions = [" +
		action + "]\n    }\n  }\n}\n"
}

// TestAccWebhookTestAction: Terraform runs the action when an event triggers it, and fails when the consumer rejects.
func TestAccWebhookTestAction(t *testing.T) {
	t.Parallel()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.Receiving(receiver))
	text := func(value string) string {
		return service.Config(endpoint(receiver.URL, "") + `
action "billing_webhook_test" "test" {
  config {
    endpoint_id = billing_webhook_endpoint.test.id
    wait        = true
  }
}
` + triggered(value, "action.billing_webhook_test.test"))
	}
	got := func(want int) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if have := len(receiver.Got()); have != want {
				t.Errorf("the consumer got %d events, want %d", have, want)
			}
			return nil
		}
	}
	runFrom(t, tfversion.SkipBelow(tfversion.Version1_14_0),
		resource.TestStep{Config: text("1"), Check: got(1)},
		resource.TestStep{PreConfig: func() { receiver.Respond(500, "out of order") }, Config: text("2"),
			ExpectError: regexp.MustCompile(
				`(?s)did\s+not\s+accept\s+the\s+test\s+event.*Last\s+HTTP\s+status:\s+500.*out\s+of\s+order`)},
	)
}

// TestAccWebhookRedeliveryAction: Terraform sends everything again that did not arrive.
func TestAccWebhookRedeliveryAction(t *testing.T) {
	t.Parallel()
	c := consume(t, nil)
	c.exhaust("charge.paid", true)
	c.exhaust("charge.paid", false)
	c.receiver.Respond(200, "")
	runFrom(t, tfversion.SkipBelow(tfversion.Version1_14_0), resource.TestStep{
		Config: c.Config("action \"billing_webhook_redelivery\" \"test\" {\n  config {\n    endpoint_id = \"" + c.id +
			"\"\n  }\n}\n" +
			triggered("1", "action.billing_webhook_redelivery.test")),
		Check: func(*terraform.State) error {
			c.settle()
			same(t, "deliveries", c.statuses(), "success", "success")
			return nil
		},
	})
}
