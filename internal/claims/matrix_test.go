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
	faultSeed  = flag.Uint64("seed", 1, "the seed that selects the faults")
)

// fewFaults is the number of selected faults: all claims take a second for each.
const fewFaults = 12

// TestClaimsNameTheFault runs all claims against services with one deviation: the claim about it must fail first, and
// other failures follow from it.
func TestClaimsNameTheFault(t *testing.T) {
	t.Parallel()
	eachFault(t, func(t *testing.T, fault fault) {
		p, target := startFaulty(t, open(t, sandbox.Options{NoExampleData: true}), fault)
		p.addStrangers()
		fault.isNamed(t, claims.Run(t.Context(), target, claims.InSafeOrder(allClaims())))
	})
}

// eachFault runs a test for each selected fault, some at a time: Go keeps what a subtest has started until its group
// ends, and all sandboxes together need more memory than most machines have.
func eachFault(t *testing.T, run func(t *testing.T, fault fault)) {
	t.Helper()
	for some := range slices.Chunk(selected(faults), 20) {
		t.Run("faults", func(t *testing.T) {
			for _, fault := range some {
				t.Run(fault.name, func(t *testing.T) {
					t.Parallel()
					run(t, fault)
				})
			}
		})
	}
}

// isNamed checks that the first failed claim and all that follow from no other are about the fault.
func (f fault) isNamed(t *testing.T, results []claims.Result) {
	t.Helper()
	var failed, following []int
	for _, result := range results {
		if result.Err == nil || result.NotGiven() {
			continue
		}
		number, bases := result.Claim.Number, result.Claim.FollowsFrom(failed)
		failed = append(failed, number)
		switch {
		case len(bases) > 0:
			following = append(following, number)
		case !slices.Contains(f.found(), number):
			t.Errorf("claim %d fails and follows from none of %v", number, failed)
		}
	}
	if f.only != 0 && !slices.Equal(failed, f.found()) || len(failed) == 0 || !slices.Contains(f.found(), failed[0]) {
		t.Errorf("the failed claims are %v, want %v", failed, f.found())
	}
	t.Logf("failed: %v; of these, following from others: %v", failed, following)
}

// TestReadingsNameTheFault does the same with read-only checks, which detect only some faults, and some of these by
// another claim. For each claim with a read-only check there must be a fault that only this claim detects.
func TestReadingsNameTheFault(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	alone := map[int]bool{}
	eachFault(t, func(t *testing.T, fault fault) {
		p, target := startFaulty(t, open(t, sandbox.Options{NoExampleData: true}), fault)
		p.inhabit(t)
		target.ReadOnly = true
		results := claims.Run(t.Context(), target, claims.InSafeOrder(readable()))
		named := named(results)
		isFound := func(number int) bool { return slices.Contains(fault.found(), number) }
		if len(named) > 0 && (fault.only != 0 || slices.ContainsFunc(named, isFound)) {
			fault.isNamed(t, results)
		}
		if len(named) == 1 {
			mu.Lock()
			defer mu.Unlock()
			alone[named[0]] = true
		}
	})
	for _, claim := range readable() {
		if *everyFault && !alone[claim.Number] {
			t.Errorf("the read-only check of this claim never fails alone: %s", claim)
		}
	}
}

// selected returns some of the faults, or all with a flag.
func selected(all []fault) []fault {
	if *everyFault {
		return all
	}
	some := slices.Clone(all)
	rand.New(rand.NewPCG(*faultSeed, 0)).Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
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
