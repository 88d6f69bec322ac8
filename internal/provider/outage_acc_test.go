package provider_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccOutage: a service that fails for a while in the middle of a plan and of an apply goes unnoticed.
func TestAccOutage(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("an outage is made up")
	config := func(notes string) string {
		return s.Config(`
resource "billing_customer" "this" {
  count       = 6
  name        = "C${count.index}"
  external_id = "c-${count.index}"
  notes       = "`+notes+`"
}
`, `retry_timeout = "2m"`)
	}
	away := func(method string) func() {
		return func() {
			s.Sandbox.AddFault(sandbox.Fault{Method: method, Skip: 2, Times: 10, Status: http.StatusServiceUnavailable})
		}
	}
	run(t,
		resource.TestStep{Config: config("1")},
		resource.TestStep{PreConfig: away("GET"), Config: config("1"), PlanOnly: true},
		resource.TestStep{PreConfig: away("PATCH"), Config: config("2"), ConfigPlanChecks: resource.ConfigPlanChecks{
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}

// TestAccOutage_once: a service that is down, is another one, or rejects the token is one error that says what to do,
// and one line each for what else there is.
func TestAccOutage_once(t *testing.T) {
	t.Parallel()
	const many = 12
	service := acctest.Start(t)
	service.NeedsSandbox("an outage is made up")
	for name, c := range map[string]struct {
		variable, value string
		fault           sandbox.Fault
		advice          string
	}{
		"down":    {"BILLING_BASE_URL", "https://127.0.0.1:1", sandbox.Fault{}, "Check host and port of base_url"},
		"no host": {"BILLING_BASE_URL", "https://nowhere.invalid", sandbox.Fault{}, "Check the spelling of base_url"},
		"the token": {"BILLING_TOKEN", "rb_sandbox_wrong", sandbox.Fault{},
			"The API rejected the token from the environment variable BILLING_TOKEN"},
		"elsewhere":  {"BILLING_BASE_URL", service.BaseURL + "/prefix", sandbox.Fault{}, "argument operations"},
		"a failure":  {"", "", sandbox.Fault{Status: 500}, "Such failures are usually temporary"},
		"HTML pages": {"", "", sandbox.Fault{Status: 200, Foreign: "html"}, "a proxy responded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t)
			terraform := newCommand(t, `
data "billing_customer" "this" {
  count = 12
  id    = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b${format("%02d", count.index)}"
}
`).at(s)
			terraform.env["BILLING_RETRY_TIMEOUT"] = "3s"
			if c.variable != "" {
				terraform.env[c.variable] = c.value
			}
			if c.fault != (sandbox.Fault{}) {
				s.Sandbox.AddFault(c.fault)
			}
			out, err := terraform.run("plan")
			if err == nil {
				t.Fatal("the plan succeeded")
			}
			words := strings.Join(strings.Fields(strings.ReplaceAll(out, "│", " ")), " ")
			full := strings.Count(words, c.advice)
			short := strings.Count(words, "The cause is the same as in another error of this run")
			if full != 1 || full+short != many {
				t.Errorf("%d errors say what to do, and %d are short:\n%s", full, short, out)
			}
		})
	}
}

// TestOutageMeasured (make outage) plans 1,000 resources through an outage, with the real provider and the real
// Terraform, and reports what that costs.
func TestOutageMeasured(t *testing.T) {
	outage, err := time.ParseDuration(os.Getenv("OUTAGE_DURATION"))
	if err != nil {
		t.Skip("takes minutes; make outage runs it")
	}
	s := acctest.Start(t)
	s.NeedsSandbox("an outage is made up")
	terraform := newCommand(t, `
resource "billing_customer" "this" {
  count                  = 1000
  name                   = "C${count.index}"
  external_id            = "c-${count.index}"
  create_billing_account = false
}
`).at(s)
	terraform.env["BILLING_RETRY_TIMEOUT"] = "5m" // the default; tests run with less
	measure := func(what string, args ...string) (took time.Duration, requests int) {
		t.Helper()
		s.Sandbox.ResetRequests()
		start := time.Now()
		out := terraform.must(args...)
		took, requests = time.Since(start), len(s.Sandbox.Requests())
		if strings.HasPrefix(args[0], "plan") && !strings.Contains(out, "No changes") {
			t.Errorf("%s: the plan is not empty:\n%s", what, out)
		}
		t.Logf("%s: %s, %d requests", what, took.Round(100*time.Millisecond), requests)
		return took, requests
	}
	measure("apply of 1,000 customers", "apply", "-auto-approve")
	undisturbed, _ := measure("plan", "plan")
	for what, fault := range map[string]sandbox.Fault{"503": {Status: http.StatusServiceUnavailable},
		"broken connections": {DropBefore: true}} {
		// It begins when a third of the plan is done.
		begin := time.AfterFunc(undisturbed/3, func() { s.Sandbox.AddFault(fault) })
		end := time.AfterFunc(undisturbed/3+outage, s.Sandbox.ClearFaults)
		took, requests := measure(fmt.Sprintf("plan through an outage of %s, %s", outage, what), "plan")
		begin.Stop()
		end.Stop()
		const longestPause = 30 * time.Second
		if most := undisturbed*3/2 + outage + longestPause; took > most || took < outage {
			t.Errorf("the plan took %s, want %s at most, and the outage at least", took, most)
		}
		if requests > 2000 {
			t.Errorf("%d requests for 1,000 resources", requests)
		}
	}
}
