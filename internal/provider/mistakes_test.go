package provider_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/life"
)

// TestMistakes: validation and the plan report all mistakes of an object at once, in a fixed order, each with what to
// write instead.
func TestMistakes(t *testing.T) {
	t.Parallel()
	life.Mistakes(t, "testdata/mistakes/table.txt", 60)
}
