package provider_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/life"
)

// TestScenarios play what concerns several types of resources, or the provider itself.
func TestScenarios(t *testing.T) { life.Run(t, "testdata/*.txt") }
