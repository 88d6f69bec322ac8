//go:build unix

// Package endure_test measures the cost of plans through Terraform itself, also during an outage: make bench.
package endure_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// The flags of the runs.
var (
	objects  = flag.String("objects", "", "bench: the numbers of objects, such as 100,1000; empty skips the test")
	baseline = flag.String("baseline", "", "bench: the folder of another build of the provider for comparison")
	outage   = flag.Duration("outage", time.Minute, "bench: how long an outage lasts")

	measured = flag.String("measured", "", "bench: run this provider instead of tests, as Terraform does")
	usage    = flag.String("usage", "", "bench: the file for the resource usage of -measured")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *measured == "" {
		acctest.RunTests(m)
	}
	if err := measure(*measured, *usage); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
