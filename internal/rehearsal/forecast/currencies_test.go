package forecast

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/tfjson"
)

// An account that the plan creates in another currency leaves open how a subscription without a known payer is billed.
func TestCurrencies(t *testing.T) {
	t.Parallel()
	var p tfjson.Plan
	created := tfjson.ResourceChange{Address: "billing_account.n", Type: "billing_account"}
	for currency, want := range map[string]string{"BRL": "BRL", "USD": ""} {
		created.Change.After = fields{"currency": currency}
		p.ResourceChanges = []tfjson.ResourceChange{created}
		if got := currenciesOf(p, map[string]string{"a": "BRL"}).of(fields{}); got != want {
			t.Errorf("with a new account in %s: %q, want %q", currency, got, want)
		}
	}
}
