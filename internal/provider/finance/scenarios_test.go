package finance_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/life"
)

// TestScenarios plays the scenarios of this resource; package life describes them.
func TestScenarios(t *testing.T) { life.Run(t, "testdata/*.txt") }
