// Command policies evaluates Rego over a plan as conftest does, and prints the messages of data.main.deny as JSON:
//
//	policies POLICY.rego PLAN.json [DATA.json]
//
// It has its own module, because the library needs more modules than the provider.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/open-policy-agent/opa/v1/rego"
)

func main() {
	if err := evaluate(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "policies: %v\n", err)
		os.Exit(1)
	}
}

func evaluate(ctx context.Context, files []string) error {
	if len(files) < 2 {
		return errors.New("usage: policies POLICY.rego PLAN.json [DATA.json]")
	}
	document, err := os.ReadFile(files[1])
	if err != nil {
		return err
	}
	var plan any
	if err := json.Unmarshal(document, &plan); err != nil {
		return fmt.Errorf("%s: %w", files[1], err)
	}
	results, err := rego.New(rego.Query("data.main.deny"), rego.StrictBuiltinErrors(true), rego.Strict(true),
		rego.Load(append(files[:1:1], files[2:]...), nil), rego.Input(plan)).Eval(ctx)
	if err != nil {
		return err
	}
	if len(results) != 1 {
		return errors.New("the policy does not define data.main.deny")
	}
	return json.NewEncoder(os.Stdout).Encode(results[0].Expressions[0].Value)
}
