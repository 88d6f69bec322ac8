package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// outageRead are many objects that do not exist.
const outageRead = `
data "billing_customer" "this" {
  count = 12
  id    = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b${format("%02d", count.index)}"
}
`

// TestOutage: a service that is down, is another one, or rejects the token is one error that says what to do, and one
// line each for what else there is. Through Terraform that holds for many reads at the same time.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*acctest.Service)
		advice string
	}{
		"down": {func(s *acctest.Service) { s.BaseURL = "https://127.0.0.1:1" }, "Check host and port of base_url"},
		"no host": {func(s *acctest.Service) { s.BaseURL = "https://nowhere.invalid" },
			"Check the spelling of base_url"},
		"the token": {func(s *acctest.Service) { s.Token = "rb_sandbox_wrong" },
			"does not accept the token from the provider argument token"},
		"elsewhere": {func(s *acctest.Service) { s.BaseURL += "/prefix" }, "argument operations"},
		"a failure": {func(s *acctest.Service) { s.Sandbox.AddFault(sandbox.Fault{Status: 500}) },
			"Such failures are usually temporary"},
		"HTML pages": {func(s *acctest.Service) { s.Sandbox.AddFault(sandbox.Fault{Status: 200, Foreign: "html"}) }, "a proxy responded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t)
			s.NeedsSandbox("an outage is made up")
			c.change(s)
			configuration := core.Configuration{Provider: acctest.JSON{"max_retries": 0}}
			for i := range 3 {
				configuration.Blocks = append(configuration.Blocks, core.Block{
					Address: fmt.Sprintf("data.billing_customer.c%d", i),
					Values:  acctest.JSON{"id": fmt.Sprintf("7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b%02d", i)}})
			}
			once(t, strings.Join(s.Core().Plan(configuration).Errors, "\n"), c.advice, 3)
		})
	}
}

// TestAccOneRejectedToken: a token that is rejected while many objects are refreshed at the same time is one error that
// says what to do, at any parallelism. The others are a line each, or a warning that Terraform folds.
func TestAccOneRejectedToken(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("its clock is advanced")
	terraform := newCommand(t, `resource "billing_customer" "this" {
  count                  = 30
  name                   = "A${count.index}"
  create_billing_account = false
}`).at(s)
	if out, err := terraform.run("apply", "-auto-approve"); err != nil {
		t.Fatal(out)
	}
	s.Sandbox.Clock().Advance(time.Minute)
	terraform.env["BILLING_TOKEN"] = "rb_sandbox_wrong"
	for _, parallelism := range []string{"1", "10", "50"} {
		out, _ := terraform.run("plan", "-parallelism="+parallelism)
		if full := strings.Count(out, "does not accept the token from"); full != 1 {
			t.Errorf("%d errors say what to do with -parallelism=%s:\n%s", full, parallelism, out)
		}
	}
}

func TestAccOutage(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	s.NeedsSandbox("an outage is made up")
	terraform := newCommand(t, outageRead).at(s)
	terraform.env["BILLING_BASE_URL"], terraform.env["BILLING_RETRY_TIMEOUT"] = "https://127.0.0.1:1", "3s"
	out, _ := terraform.run("plan")
	once(t, out, "Check host and port of base_url", 12)
}

// once holds that one of so many errors has the advice, and the others a line.
func once(t *testing.T, out, advice string, many int) {
	t.Helper()
	full := strings.Count(out, advice)
	short := strings.Count(out, "Another error of this run has the same cause")
	if full != 1 || full+short != many {
		t.Errorf("%d errors say what to do, and %d are short:\n%s", full, short, out)
	}
}
