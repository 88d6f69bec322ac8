package encrypt_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/life"
)

// TestScenarios plays what is the same for each type with a secret that is shown once.
func TestScenarios(t *testing.T) { life.Run(t, "testdata/*.txt") }
