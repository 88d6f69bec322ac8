//go:build unix

package endure_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestOutage (make bench) plans 1,000 resources during an outage, and reports the cost.
func TestOutage(t *testing.T) {
	if *outage == 0 {
		t.Skip("takes minutes; make bench runs it")
	}
	s := acctest.Start(t)
	terraform := acctest.NewTerraform(t).At(s)
	terraform.Env["TF_CLI_ARGS"] = "-no-color"
	terraform.Env["BILLING_RETRY_TIMEOUT"] = "5m" // the default; other tests use less
	terraform.Write("main.tf", versions+`
resource "billing_customer" "this" {
  count                  = 1000
  name                   = "C${count.index}"
  external_id            = "c-${count.index}"
  create_billing_account = false
}
`)
	run := func(what string, arguments ...string) (took time.Duration, requests int) {
		t.Helper()
		s.Sandbox.ResetRequests()
		began := time.Now()
		out := terraform.Run(arguments...)
		took, requests = time.Since(began), len(s.Sandbox.Requests())
		if arguments[0] == "plan" && !strings.Contains(out, "No changes") {
			t.Errorf("%s: the plan is not empty:\n%s", what, out)
		}
		t.Logf("%s: %s, %d requests", what, rounded(took), requests)
		return took, requests
	}
	run("apply of 1,000 customers", "apply", "-auto-approve")
	undisturbed, _ := run("plan", "plan")
	for what, fault := range map[string]sandbox.Fault{"503": {Status: http.StatusServiceUnavailable},
		"broken connections": {DropBefore: true}} {
		// The outage starts after a third of the plan.
		begin := time.AfterFunc(undisturbed/3, func() { s.Sandbox.AddFault(fault) })
		end := time.AfterFunc(undisturbed/3+*outage, s.Sandbox.ClearFaults)
		took, requests := run("plan during an outage of "+outage.String()+", "+what, "plan")
		begin.Stop()
		end.Stop()
		const longestPause = 30 * time.Second
		if most := undisturbed*3/2 + *outage + longestPause; took > most || took < *outage {
			t.Errorf("the plan took %s, want at most %s, and at least the outage", took, most)
		}
		if requests > 2000 {
			t.Errorf("%d requests for 1,000 resources", requests)
		}
	}
}
