package apikey_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/life"
)

// TestMain leaves out the pauses for reads that lag: the sandbox's do not.
func TestMain(m *testing.M) {
	clear(api.LagPauses)
	acctest.RunTests(m)
}

// TestScenarios plays the scenarios of this folder; see package life.
func TestScenarios(t *testing.T) { life.Run(t, "testdata/*.txt") }
