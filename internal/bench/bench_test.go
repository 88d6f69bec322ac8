//go:build linux

// Package bench_test measures what plans cost: for one object over the protocol, and for many through a real Terraform.
package bench_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

func TestMain(m *testing.M) {
	var err error
	switch task, program := os.Getenv("BENCH_TASK"), os.Getenv("BENCH_PROVIDER"); {
	case task != "":
		err = perform(task)
	case program != "":
		err = wrapped(program)
	case os.Getenv("BENCH_EMPTY") != "":
		err = serveEmpty()
	default:
		acctest.RunTests(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
