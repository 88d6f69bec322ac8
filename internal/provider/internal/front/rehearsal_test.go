package front_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
)

// echo is a framework that plans with some private state, and applies.
type echo struct {
	front.Framework
	private, applied []byte
	applies          int
}

func (e *echo) PlanResourceChange(context.Context,
	*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return &tfprotov6.PlanResourceChangeResponse{PlannedPrivate: e.private}, nil
}

func (e *echo) ApplyResourceChange(_ context.Context,
	req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	e.applied, e.applies = req.PlannedPrivate, e.applies+1
	return &tfprotov6.ApplyResourceChangeResponse{}, nil
}

// A plan of a rehearsal is applied in that rehearsal alone, and leaves no trace in the state.
func TestPlansOfRehearsals(t *testing.T) {
	t.Parallel()
	for _, private := range []string{"", `{"owned":"eyJhIjoxfQ=="}`} {
		framework := &echo{private: []byte(private)}
		s := front.New(framework, nil)
		planIn := func(number string) []byte {
			s.Rehearse(number)
			resp, err := s.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{})
			if err != nil {
				t.Fatal(err)
			}
			return resp.PlannedPrivate
		}
		for _, c := range []struct {
			planned, applied string
			want             bool
		}{{"", "", true}, {"a", "a", true}, {"a", "", false}, {"a", "b", false}, {"", "a", false}} {
			planned, before := planIn(c.planned), framework.applies
			s.Rehearse(c.applied)
			resp, err := s.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{PlannedPrivate: planned})
			if err != nil {
				t.Fatal(err)
			}
			if applied := framework.applies > before; applied != c.want || applied == (len(resp.Diagnostics) > 0) {
				t.Errorf("planned in %q, applied in %q: %t, %v", c.planned, c.applied, applied, resp.Diagnostics)
			}
			if c.want && string(framework.applied) != private {
				t.Errorf("the apply gets %s, want %s", framework.applied, private)
			}
		}
	}
}
