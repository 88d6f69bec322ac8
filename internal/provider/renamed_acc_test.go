package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccRenamed: objects that are renamed without a moved block plan no error at any parallelism, whatever else has
// their url, name or document number, and the apply leaves exactly the renamed set at the service.
func TestAccRenamed(t *testing.T) {
	t.Parallel()
	const endpoints, others = 24, 6
	config := func(prefix string) string {
		return fmt.Sprintf(`
locals {
  document_numbers = ["52998224725", "11144477735", "12345678909", "98765432100", "39053344705", "86288366757"]
}

resource "billing_webhook_endpoint" "renamed" {
  for_each = toset([for i in range(%[2]d) : "%[1]s${i}"])
  url      = "https://h${substr(each.key, 1, -1)}.example.com/"
}

resource "billing_api_key" "renamed" {
  for_each = toset([for i in range(%[3]d) : "%[1]s${i}"])
  name     = "key ${substr(each.key, 1, -1)}"
}

resource "billing_customer" "renamed" {
  for_each        = toset([for i in range(%[3]d) : "%[1]s${i}"])
  name            = "customer ${substr(each.key, 1, -1)}"
  document_number = local.document_numbers[tonumber(substr(each.key, 1, -1))]
}
`, prefix, endpoints, others)
	}
	for name, args := range map[string][]string{"parallelism 1": {"-parallelism=1"}, "default": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) { o.NoExampleData = true })
			s.NeedsSandbox("its objects are counted")
			terraform := newCommand(t, config("a")).at(s)
			with := func(command string, more ...string) string {
				return terraform.must(append(append([]string{command}, more...), args...)...)
			}
			with("apply", "-auto-approve")
			terraform.write("main.tf", required+config("b"))
			const all = endpoints + 2*others
			if out := with("plan"); !strings.Contains(out, fmt.Sprintf("%d to add, 0 to change, %[1]d to destroy", all)) ||
				!strings.Contains(out, "add a moved block") || strings.Count(out, "exists already (id ") != all ||
				strings.Contains(out, "more similar warning") {
				t.Error(out)
			}
			with("apply", "-auto-approve")
			with("plan", "-detailed-exitcode")
			urls := map[string]int{}
			for page, listed := 1, 1; listed > 0; page++ {
				_, response := s.CallCollections("GET", fmt.Sprintf("/api/v1/webhook-endpoints?page=%d", page), nil)
				items, _ := response["data"].([]any)
				listed = len(items)
				for _, item := range items {
					urls[fmt.Sprint(item.(acctest.JSON)["url"])]++
				}
			}
			if len(urls) != endpoints || slices.Max(slices.Collect(maps.Values(urls))) != 1 {
				t.Errorf("endpoints at the service: %v", urls)
			}
			if listed := strings.Fields(terraform.raw("state", "list")); len(listed) != all ||
				slices.ContainsFunc(listed, func(address string) bool { return strings.Contains(address, `["a`) }) {
				t.Errorf("in the state: %v", listed)
			}
		})
	}
}

// TestAccEvents: each of two endpoints warns of its own event name, and of receiving all events, once in an apply.
func TestAccEvents(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	config := func(events string) string {
		return fmt.Sprintf(`
resource "billing_webhook_endpoint" "a" {
  url    = "https://a.example.com/"
  events = %[1]s
}

resource "billing_webhook_endpoint" "b" {
  url    = "https://b.example.com/"
  events = %[1]s
}
`, events)
	}
	terraform := newCommand(t, config(`["charge.payed", "dispute.opened"]`)).at(s)
	once := func(format string) {
		t.Helper()
		out := terraform.must("apply", "-auto-approve")
		for _, host := range []string{"a", "b"} {
			if text := fmt.Sprintf(format, "https://"+host+".example.com/"); strings.Count(out, text) != 1 {
				t.Errorf("%q is not there once: %s", text, out)
			}
		}
	}
	once(`Warning: Event "charge.payed" of webhook endpoint %s: did you mean "charge.paid"?`)
	if out := terraform.must("plan"); strings.Contains(out, "did you mean") {
		t.Errorf("an empty plan warns: %s", out)
	}
	terraform.write("main.tf", required+config("[]"))
	once("Warning: Webhook endpoint %s (id")
}
