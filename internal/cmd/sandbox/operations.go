package main

import (
	"context"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var operationsManual = manual{
	name:    "operations",
	summary: "what can be asked of it, by the names that fault and requests use",
	usage:   []string{"[--json]"},
	about: `Lists every operation that the sandbox serves: service, name, method and path.
`,
	examples: `{sandbox} operations
`,
	alone: true,
}

// operations lists what the services serve.
func (p program) operations(_ context.Context, args []string) error {
	set := p.flags(operationsManual)
	list := listing[sandbox.Operation]{columns: operationColumns}
	jsonFlag(set, &list.json)
	if err := set.alone(args); err != nil {
		return err
	}
	return write(p, list, sandbox.Operations())
}

var operationColumns = []column[sandbox.Operation]{
	{"SERVICE", func(o sandbox.Operation) string { return string(o.Service) }},
	{"OPERATION", func(o sandbox.Operation) string { return o.Name }},
	{"METHOD", func(o sandbox.Operation) string { return o.Method }},
	{"PATH", func(o sandbox.Operation) string { return o.Path }},
}

// meant asks whether one of the known words was meant, in words to go behind
// a complaint.
func meant(word string, known []string) string {
	if near, ok := sandbox.Nearest(word, known); ok {
		return "; did you mean " + near + "?"
	}
	return ""
}
