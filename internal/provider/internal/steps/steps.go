// Package steps carries out changes that take more than one request.
package steps

import "context"

// Step is one request. It answers the object as it is afterwards, or nil where the request does not answer it. An answer beside an
// error means that the step has partly happened.
type Step[T any] struct {
	// Verb says what the step does to the object: update, pause, suspend.
	Verb string
	// Blame says which argument asks for the step; the zero value where the service's fields are named as the arguments.
	Blame Blame
	Run   func(context.Context) (*T, error)
}

// Run runs the steps in order until one fails. reached hears of each step that has (partly) happened before the next one begins, so that
// the state names what has happened whatever comes; failed hears of the one that failed, by an error that blames the step's arguments. It
// answers the last object that was answered, and whether all steps were done.
func Run[T any](ctx context.Context, all []Step[T], reached func(s Step[T], answer *T), failed func(s Step[T], err error)) (last *T, done bool) {
	for _, s := range all {
		answer, err := s.Run(ctx)
		if answer != nil {
			last = answer
		}
		if answer != nil || err == nil {
			reached(s, answer)
		}
		if err != nil {
			failed(s, s.Blame.On(err))
			return last, false
		}
	}
	return last, true
}
