package sandbox_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestFacts plays the facts in testdata: what the sandbox does as described, although the provider does not rely on it.
func TestFacts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"beyond", "due"} {
		archive, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		facts, err := claims.Facts(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, fact := range facts {
			t.Run(fact.Text, func(t *testing.T) {
				t.Parallel()
				server := start(t, sandbox.Options{Start: janLast, NoExampleData: true})
				target := claims.Target{
					BaseURL: server.BillingURL(), Token: server.BillingToken(), Client: trusting(t, server.CAPEM(), nil),
					FinanceBaseURL: server.FinanceURL(), FinanceToken: server.FinanceToken(),
					CollectionsBaseURL: server.CollectionsURL(), CollectionsAPIKey: server.CollectionsKey(),
					Advance: func(_ context.Context, by time.Duration) error { server.Clock().Advance(by); return nil },
				}
				if err := fact.Check(t.Context(), target); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
