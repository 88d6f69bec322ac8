// Package bench_test measures what plans cost: for one object over the protocol, and for many through a real Terraform.
package bench_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

func TestMain(m *testing.M) {
	if text := os.Getenv("BENCH_TASK"); text != "" {
		if err := perform(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	acctest.RunTests(m)
}
