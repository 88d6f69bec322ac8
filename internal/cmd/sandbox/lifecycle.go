package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var statusManual = manual{
	name:    "status",
	summary: "show what runs: addresses, clock, faults in force, how much of what",
	usage:   []string{"[--json]"},
	about: `Shows the running sandbox: the addresses of its services and of the web page, its clock, the faults in
force, the organizations, and how many objects of each type there are. Fails when it does not run.
`,
	examples: `{sandbox} status
{sandbox} status --json
`,
}

var resetManual = manual{
	name:    "reset",
	summary: "go back to the seed",
	usage:   []string{""},
	about: `Puts the running sandbox back to where it began: to its seed file, to the example data of financial
management, or to nothing. The clock goes back to its start, faults and the request log are cleared.
Tokens, organizations and addresses stay, so the environment keeps working. Objects get other ids.
`,
	examples: `{sandbox} reset
`,
}

var stopManual = manual{
	name:    "stop",
	summary: "end the running sandbox",
	usage:   []string{""},
	about: `Ends the running sandbox as Ctrl-C does, and returns when it has ended. What --state keeps stays in the
file; the file of --env-file is removed.
`,
	examples: `{sandbox} stop
`,
}

// status shows what runs.
func (p program) status(ctx context.Context, args []string) error {
	set := p.flags(statusManual)
	inJSON := false
	set.BoolVar(&inJSON, "json", false, "write one JSON object, for tools")
	if err := set.alone(args); err != nil {
		return err
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var s sandbox.Status
	if err := control.ask(ctx, http.MethodGet, "/status", nil, &s); err != nil {
		return err
	}
	if inJSON {
		return json.NewEncoder(p.out).Encode(s)
	}
	_, err = fmt.Fprint(p.out, aligned(statusLines(s)))
	return err
}

// statusLines is the status for people, a name and a value a line.
func statusLines(s sandbox.Status) [][]string {
	var lines [][]string
	for _, name := range slices.Sorted(maps.Keys(s.Addresses)) {
		lines = append(lines, []string{name, s.Addresses[name]})
	}
	state := s.StateFile
	if state == "" {
		state = "in memory"
	}
	lines = append(lines, []string{"state", state}, []string{"clock", clockText(s.Clock)})
	for _, o := range s.Organizations {
		lines = append(lines, []string{"organization", o.ID + "  " + o.Name})
	}
	for _, c := range s.Objects {
		lines = append(lines, []string{c.Type, fmt.Sprint(c.Count)})
	}
	lines = append(lines, []string{"requests", fmt.Sprint(s.Requests)})
	for _, f := range s.Faults {
		lines = append(lines, []string{"fault", f.ID + "  " + f.Spec})
	}
	if len(s.Faults) == 0 {
		lines = append(lines, []string{"faults", "none"})
	}
	return lines
}

func clockText(c sandbox.ClockState) string {
	pace := "running"
	if c.Fixed {
		pace = "standing still"
	}
	return c.Now.Format(time.RFC3339Nano) + " (" + pace + ")"
}

// reset puts the sandbox back to its beginning.
func (p program) reset(ctx context.Context, args []string) error {
	if err := p.flags(resetManual).alone(args); err != nil {
		return err
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var nothing struct{}
	return control.ask(ctx, http.MethodPost, "/reset", nil, &nothing)
}

// stopTimeout is how long a sandbox may take to end: deliveries and requests under way are broken off after two
// seconds.
const stopTimeout = 10 * time.Second

// stop ends the sandbox.
func (p program) stop(ctx context.Context, args []string) error {
	if err := p.flags(stopManual).alone(args); err != nil {
		return err
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var nothing struct{}
	if err := control.ask(ctx, http.MethodPost, "/stop", nil, &nothing); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	for pause(limit, stopTimeout/100) {
		var s sandbox.ClockState
		var ended *endedError
		if err := control.ask(limit, http.MethodGet, "/clock", nil, &s); errors.As(err, &ended) {
			fmt.Fprintf(p.err, "The sandbox at %s has ended.\n", strings.TrimPrefix(control.base, "https://"))
			return nil
		}
	}
	return errors.New("the sandbox still runs; end its process")
}
