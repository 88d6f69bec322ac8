package finance_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/life"
)

func TestMain(m *testing.M) { acctest.RunTests(m) }

// TestScenarios plays the scenarios of this resource; package life describes them.
func TestScenarios(t *testing.T) { life.Run(t, "testdata/*.txt") }
