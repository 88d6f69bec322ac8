//go:build unix

// Package endure_test runs Terraform itself for longer than make test can wait: make bench measures the cost of plans,
// also during an outage, and make test-race looks for races. Misfortunes are those of internal/life.
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
	storm    = flag.Bool("storm", false, "race: run the provider under storm with the race detector")
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
