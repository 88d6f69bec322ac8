package claims_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var (
	everyFault = flag.Bool("every", false, "run the claims against each of the faults, instead of some of them")
	faultSeed  = flag.Uint64("seed", 0, "the seed that selects the faults; 0 selects a random one")
)

// fewFaults is the number of selected faults: all claims take a second for each.
const fewFaults = 12

// TestClaimsNameTheFault runs all claims against services with one deviation: only the claim about it must fail.
func TestClaimsNameTheFault(t *testing.T) {
	t.Parallel()
	narrow := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return f.only == 0 })
	for _, fault := range selected(t, narrow) {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			p, target := startFaulty(t, open(t, sandbox.Options{NoExampleData: true}), fault)
			p.addStrangers()
			if named := named(claims.Run(t.Context(), target, allClaims())); !slices.Equal(named, []int{fault.only}) {
				t.Errorf("the failed claims are %v, want %d", named, fault.only)
			}
		})
	}
}

// TestReadingsNameTheFault does the same with read-only checks, which detect only some faults. For each claim with a
// read-only check there must be a fault that only this claim detects.
func TestReadingsNameTheFault(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	alone := map[int]bool{}
	t.Run("faults", func(t *testing.T) {
		for _, fault := range selected(t, faults) {
			t.Run(fault.name, func(t *testing.T) {
				t.Parallel()
				p, target := startFaulty(t, open(t, sandbox.Options{NoExampleData: true}), fault)
				p.inhabit(t)
				target.ReadOnly = true
				named := named(claims.Run(t.Context(), target, readable()))
				if fault.only != 0 && len(named) > 0 && !slices.Equal(named, []int{fault.only}) {
					t.Errorf("the failed claims are %v, want at most %d", named, fault.only)
				}
				if len(named) == 1 {
					mu.Lock()
					defer mu.Unlock()
					alone[named[0]] = true
				}
			})
		}
	})
	for _, claim := range readable() {
		if *everyFault && !alone[claim.Number] {
			t.Errorf("the read-only check of this claim never fails alone: %s", claim)
		}
	}
}

// selected returns some of the faults, or all with a flag.
func selected(t *testing.T, all []fault) []fault {
	t.Helper()
	if *everyFault {
		return all
	}
	seed := *faultSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed=%d selects these faults", seed)
	some := slices.Clone(all)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	return some[:fewFaults]
}

// named returns the numbers of the failed claims.
func named(results []claims.Result) (numbers []int) {
	for _, result := range results {
		if result.Err != nil && !result.NotGiven() {
			numbers = append(numbers, result.Claim.Number)
		}
	}
	return numbers
}
