package provider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccLogOfARefresh: the log has each request, also those of the lists that a refresh shares among the calls of many
// objects, and the warning if a list fails.
func TestAccLogOfARefresh(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, func(o *sandbox.Options) { o.MaxPerPage = 10 })
	service.NeedsSandbox("its clock is advanced, and its list fails")
	c := newCommand(t, `
resource "billing_customer" "c" {
  count                  = 32
  name                   = "C${count.index}"
  create_billing_account = false
}
`).at(service)
	c.must("apply", "-auto-approve")
	service.Sandbox.Clock().Advance(time.Minute) // a refresh reads what was written just now by its id
	c.env["TF_LOG_PROVIDER"] = "DEBUG"
	refresh := func(file string) string {
		c.env["TF_LOG_PATH"] = file
		c.must("plan")
		return c.read(file)
	}
	before := service.Count("customers.list")
	log := refresh("whole.log")
	sent := service.Count("customers.list") - before
	for message, want := range map[string]int{"Sending request": sent, "Received response": sent} {
		have := 0
		for line := range strings.Lines(log) {
			if strings.Contains(line, message) && strings.Contains(line, "operation=customers.list") {
				have++
			}
		}
		if have != want || want == 0 {
			t.Errorf("the log has %d of %d times: %s", have, want, message)
		}
	}
	service.Sandbox.AddFault(sandbox.Fault{Operation: "customers.list", Status: 500, Foreign: "html"})
	if log = refresh("failing.log"); !strings.Contains(log, "Falling back to single requests") {
		t.Error("the log has no warning of the failing list")
	}
}
