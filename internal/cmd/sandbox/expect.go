package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// expectation is an expected number of requests.
type expectation struct {
	spec   string
	choice choice
	times  int // below 0: at least one
}

// addExpectation parses a value of --expect.
func (v *viewing) addExpectation(spec string) error {
	e := expectation{spec: spec, times: -1}
	for part := range strings.SplitSeq(spec, ",") {
		key, value, _ := strings.Cut(part, "=")
		var err error
		switch key {
		case "operation":
			err = e.choice.readOperation(value)
		case "status":
			err = e.choice.readStatus(value)
		case "times":
			if e.times, err = strconv.Atoi(value); err != nil || e.times < 0 {
				err = errors.New("must be a number from 0 up")
			}
		default:
			return errors.New("keys are operation, status and times" + meant(key, expectationKeys))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	v.expected = append(v.expected, e)
	return nil
}

var expectationKeys = []string{"operation", "status", "times"}

// takes reports whether a request matches.
func (e expectation) takes(r sandbox.Request) bool {
	return (e.choice.operation == "" || e.choice.operation == r.Operation) && e.choice.takes(r)
}

// compare counts the matching requests, and fails if there are more or fewer.
func (v *viewing) compare(ctx context.Context, c *controller, choice choice) error {
	if v.follow || v.json || v.bodies {
		return misused("--expect lists no requests: leave out --follow, --json and --bodies")
	}
	all, err := get[[]sandbox.Request](ctx, c, "/requests")
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(r sandbox.Request) bool {
		return choice.operation != "" && choice.operation != r.Operation || !choice.takes(r)
	})
	var unmet []string
	for _, e := range v.expected {
		found := e.count(all)
		if found == e.times || e.times < 0 && found > 0 {
			fmt.Fprintf(v.p.out, "%s: %d\n", e.spec, found)
			continue
		}
		unmet = append(unmet, fmt.Sprintf("%s: found %d", e.spec, found))
		v.printNear(e, all)
	}
	if len(unmet) == 0 {
		return nil
	}
	return fmt.Errorf("%s; the sandbox has received %s", strings.Join(unmet, "; "), received(all))
}

// count returns the number of matching requests.
func (e expectation) count(all []sandbox.Request) (found int) {
	for _, r := range all {
		if e.takes(r) {
			found++
		}
	}
	return found
}

// printNear prints the matching requests and the others of the same operation.
func (v *viewing) printNear(e expectation, all []sandbox.Request) {
	for _, r := range all {
		if e.takes(r) || e.choice.operation == r.Operation {
			_ = colored(v.p.err, requestLine(r, v.p.colours(v.p.errTerminal), false))
		}
	}
}

// received summarizes requests by operation.
func received(all []sandbox.Request) string {
	counts := map[string]int{}
	for _, r := range all {
		if r.Operation == "" {
			r.Operation = r.Method + " " + r.Path
		}
		counts[r.Operation]++
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	if len(parts) == 0 {
		return "no such requests"
	}
	return strings.Join(parts, ", ")
}
