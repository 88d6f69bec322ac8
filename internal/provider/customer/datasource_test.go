package customer

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// TestDataFromAPI: of every recorded customer the data source shows what the wire has, and nothing else than the
// resource does.
func TestDataFromAPI(t *testing.T) {
	t.Parallel()
	modeltest.Shown(t, evidence.Responses("billing/customer_get"), fromAPI, dataFromAPI,
		func(shown, managed, _ map[string]any) {
			managed["email"], managed["phone"] = shown["email"], shown["phone"]
		})
}
