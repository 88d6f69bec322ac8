package apikey_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/life"
)

func TestMain(m *testing.M) { acctest.RunTests(m) }

// TestScenarios plays the scenarios of this folder; see package life.
func TestScenarios(t *testing.T) { life.Run(t, "testdata/*.txt") }
