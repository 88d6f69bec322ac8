package front

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// keyRehearsal is the key of the number of the rehearsal in the private state of its plans. The state never has it.
const keyRehearsal = "rehearsal"

// Rehearse sets the number of the rehearsal in which the provider runs; empty outside of one.
func (s *Server) Rehearse(number string) { s.rehearsal.Store(&number) }

func (s *Server) rehearsing() string {
	if number := s.rehearsal.Load(); number != nil {
		return *number
	}
	return ""
}

// mark notes in a plan that it belongs to the rehearsal, if there is one. Ids of a copy are those of the service, so
// nothing else would keep such a plan from being applied there.
func (s *Server) mark(resp *tfprotov6.PlanResourceChangeResponse, err error) (*tfprotov6.PlanResourceChangeResponse,
	error) {
	if number := s.rehearsing(); number != "" && err == nil {
		notes := allNotes(resp.PlannedPrivate)
		notes[keyRehearsal] = []byte(number)
		resp.PlannedPrivate = encoded(notes)
	}
	return resp, err
}

// apply applies a plan. It rejects that of another rehearsal, and that of a rehearsal in a run outside of it.
func (s *Server) apply(ctx context.Context,
	req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	notes, number := allNotes(req.PlannedPrivate), s.rehearsing()
	switch planned := string(notes[keyRehearsal]); {
	case planned == number && number == "":
		return s.Framework.ApplyResourceChange(ctx, req)
	case planned == number:
		delete(notes, keyRehearsal)
		unmarked := *req
		unmarked.PlannedPrivate = encoded(notes)
		return s.Framework.ApplyResourceChange(ctx, &unmarked)
	}
	return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate,
		Diagnostics: []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Plan of a rehearsal",
			Detail: "A plan that was made in a rehearsal can only be applied to the copy of that rehearsal, and only in it. " +
				"Nothing was sent. Run terraform plan again."}}}, nil
}

// allNotes decodes a private state, with the framework's own data. What cannot be decoded is left to the framework.
func allNotes(raw []byte) private.Map {
	notes := private.Map{}
	if len(raw) > 0 && json.Unmarshal(raw, &notes) != nil {
		return private.Map{}
	}
	return notes
}
