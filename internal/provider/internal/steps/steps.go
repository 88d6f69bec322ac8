// Package steps carries out changes that take more than one request.
package steps

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/settle"
)

// Step is one request. It returns the object as it is afterwards, or nil where the response does not show it. A
// response next to an error means that the step has partly happened.
type Step[T any] struct {
	// Verb says what the step does to the object: update, pause, suspend.
	Verb string
	// Blame says which argument asks for the step; the zero value where the service's fields are named as the
	// arguments.
	Blame Blame
	Run   func(context.Context) (*T, error)
}

// Failed reports the error of a step, which blames the step's arguments.
type Failed func(verb string, err error)

// Report reports a failed step as an error of an operation, which is named when it has failed.
func Report(diags *diag.Diagnostics, operation func(verb string) apidiag.Operation) Failed {
	return func(verb string, err error) { apidiag.Add(diags, err, operation(verb)) }
}

// Postpone is Report for steps that follow a creation, as warnings: see settle.Postpone.
func Postpone(diags *diag.Diagnostics, operation func(verb string) apidiag.Operation) Failed {
	return func(verb string, err error) {
		var failed diag.Diagnostics
		apidiag.Add(&failed, err, operation(verb))
		settle.Postpone(failed, diags)
	}
}

// Run runs the steps in order until one fails. save is called after each step that has (partly) happened, before the
// next one begins, so that the state names what has happened. It returns the last object of a response, and whether all
// steps were done.
func Run[T any](ctx context.Context, all []Step[T], save func(s Step[T], response *T), failed Failed) (last *T,
	done bool) {
	for _, s := range all {
		response, err := s.Run(ctx)
		if response != nil {
			last = response
		}
		if response != nil || err == nil {
			save(s, response)
		}
		if err != nil {
			failed(s.Verb, s.Blame.On(err))
			return last, false
		}
	}
	return last, true
}
