package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const faultHelp = `Usage: sandbox fault add SPEC | list | clear

Makes the running sandbox fail. SPEC is ` + sandbox.FaultSpecHelp + `

  sandbox fault add operation=customers.create,status=503,times=1,retry-after=2
  sandbox fault add operation=customers.create,drop=after,times=1
`

// fault adds, lists or clears faults.
func (p program) fault(ctx context.Context, args []string) error {
	set := p.flags("fault", faultHelp)
	if err := parse(set, args); err != nil {
		return err
	}
	action := set.Arg(0)
	if wanted := map[string]int{"add": 2, "list": 1, "clear": 1}[action]; wanted == 0 || set.NArg() != wanted {
		return p.misused(set, "say add SPEC, list or clear")
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	switch action {
	case "clear":
		var nothing struct{}
		return control.ask(ctx, http.MethodDelete, "/faults", nil, &nothing)
	case "add":
		var added sandbox.FaultState
		if err := control.ask(ctx, http.MethodPost, "/faults", sandbox.FaultState{Spec: set.Arg(1)}, &added); err != nil {
			return err
		}
		p.showFault(added)
		return nil
	default:
		var states []sandbox.FaultState
		if err := control.ask(ctx, http.MethodGet, "/faults", nil, &states); err != nil {
			return err
		}
		for _, state := range states {
			p.showFault(state)
		}
		return nil
	}
}

func (p program) showFault(state sandbox.FaultState) {
	fmt.Fprintf(p.out, "%s  %s\n", state.ID, state.Spec)
}
