package encrypt_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/life"
)

func TestMain(m *testing.M) { acctest.RunTests(m) }

// TestScenarios plays what is the same for each type with a secret that is shown once.
func TestScenarios(t *testing.T) { life.Run(t, "testdata/*.txt") }
