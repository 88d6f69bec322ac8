package finance_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccFinanceRecord_lag: reads that do not show new records for a long time make none of them a second time.
func TestAccFinanceRecord_lag(t *testing.T) {
	t.Parallel()
	s := start(t)
	config := s.Config(record(`{ name = "Rent", amount = "1500.00" }`) + second(`{ name = "Power", amount = "90.00" }`))
	run(t,
		resource.TestStep{
			PreConfig: func() { s.Sandbox.AddFault(sandbox.Fault{Lag: 40 * time.Second}) },
			Config:    config,
			Check: resource.ComposeTestCheckFunc(func(*terraform.State) error {
				s.Sandbox.ClearFaults()
				if n := s.Count("finance.records.create"); n != 2 {
					t.Errorf("%d creations were sent, want 2", n)
				}
				return nil
			}, s.managed(2)),
		},
		empty(config),
	)
}
