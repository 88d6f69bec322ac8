package api

import (
	"context"
	"fmt"
	"strings"
)

// Settlement describes a create whose ambiguous outcome can perhaps be settled.
type Settlement[T any] struct {
	Create            func(context.Context) (T, error)
	Lookup            func(context.Context) ([]T, error) // nil: cannot be looked up
	Same              func(T) bool                       // equal to what was asked
	ID                func(T) string                     // names what was found; nil: not named
	RefusesDuplicates bool                               // a second object would be refused: resend once when none is found
	Describe          string                             // `customer with external_id "x"`
}

// ConflictError ends an ambiguous create whose lookup found something that is
// not, or not alone, what was asked for.
type ConflictError struct {
	Describe string
	IDs      []string // what was found
	Err      error    // the ambiguous outcome
}

func (e *ConflictError) Error() string {
	what := "an object that differs from what was asked for"
	if len(e.IDs) > 1 {
		what = fmt.Sprintf("%d objects", len(e.IDs))
	}
	return fmt.Sprintf("looking for the %s found %s (%s): %v", e.Describe, what, strings.Join(e.IDs, ", "), e.Err)
}

func (e *ConflictError) Unwrap() error { return e.Err }
