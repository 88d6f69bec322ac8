// Package steps carries out changes that take more than one request.
package steps

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
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

// Postpone reports failed steps that follow a creation as warnings of an operation: see settle.Postpone.
func Postpone(diags *diag.Diagnostics, operation func(verb string) apidiag.Operation) Failed {
	return func(verb string, err error) {
		var failed diag.Diagnostics
		apidiag.Add(&failed, err, operation(verb))
		settle.Postpone(failed, diags)
	}
}

// Save notes what a step has done, before the next one begins, so that the state names what has happened. response is
// nil where there is none. After the last step, once all were done, what is left is to write the outcome of the plan.
type Save[T any] func(ctx context.Context, s Step[T], response *T, last bool)

// Run runs the steps in order until one fails, and saves after each one that has (partly) happened. It returns the last
// object of a response, which is before as long as there is none, and whether all steps were done.
func Run[T any](ctx context.Context, before *T, all []Step[T], save Save[T], failed Failed) (now *T, done bool) {
	now = before
	for i, s := range all {
		response, err := s.Run(ctx)
		if response != nil {
			now = response
		}
		if response != nil || err == nil {
			save(ctx, s, response, err == nil && i == len(all)-1)
		}
		if err != nil {
			failed(s.Verb, s.Blame.On(err))
			return now, false
		}
	}
	return now, true
}

// Blame is object.Blame.
type Blame = object.Blame
