package main

import (
	"context"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var operationsManual = manual{
	name:    "operations",
	summary: "what can be asked of it, by the names that fault and requests use",
	usage:   []string{""},
	about: `Lists every operation that the sandbox serves: service, name, method and path.
`,
	examples: `{sandbox} operations
`,
	alone: true,
}

// operations lists what the services serve.
func (p program) operations(_ context.Context, args []string) error {
	if err := p.flags(operationsManual).alone(args); err != nil {
		return err
	}
	for _, o := range sandbox.Operations() {
		fmt.Fprintf(p.out, "%-12s %-31s %-6s %s\n", o.Service, o.Name, o.Method, o.Path)
	}
	return nil
}

// meant asks whether one of the known words was meant, in words to go behind
// a complaint.
func meant(word string, known []string) string {
	if near, ok := sandbox.Nearest(word, known); ok {
		return "; did you mean " + near + "?"
	}
	return ""
}
