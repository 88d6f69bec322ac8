package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var requestsManual = manual{
	name:    "requests",
	summary: "what it has been asked, and what it answered",
	usage:   []string{"[flags]"},
	about: `Shows the requests that the running sandbox has answered, oldest first: time on its clock, status,
operation, method and path, Request-Id, public prefix of the token, and the fault that was met. The
margin marks what failed: ! refused (4xx), X failed (5xx), - dropped without an answer. Flags that
choose requests choose together. On a terminal the last line counts them.
`,
	examples: `{sandbox} requests --follow
{sandbox} requests --status failed --since 10m
{sandbox} requests --operation customers.update --bodies
{sandbox} requests --service collections --json
`,
}

// followEvery is how often --follow asks for more.
const followEvery = 500 * time.Millisecond

// viewing is how requests are shown, and how many have been.
type viewing struct {
	p             program
	bodies, json  bool
	shown, failed int
}

// requests shows the request log.
func (p program) requests(ctx context.Context, args []string) error {
	set := p.flags(requestsManual)
	view, choice := viewing{p: p}, choice{}
	follow := set.Bool("follow", false, "go on showing what comes, until interrupted")
	set.BoolVar(&view.bodies, "bodies", false, "show request bodies too")
	set.BoolVar(&view.json, "json", false, "write one JSON object a line, for tools")
	choice.define(set)
	if err := set.alone(args); err != nil {
		return err
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	if err := choice.begin(ctx, control); err != nil {
		return err
	}
	for last := uint64(0); ; {
		query := url.Values{"after": {strconv.FormatUint(last, 10)}, "operation": {choice.operation}}
		var found []sandbox.Request
		if err := control.ask(ctx, http.MethodGet, "/requests?"+query.Encode(), nil, &found); err != nil {
			return errors.Join(view.sum(), ignoreInterrupt(ctx, err))
		}
		for _, r := range found {
			last = r.Sequence
			if !choice.takes(r) {
				continue
			}
			if err := view.show(r); err != nil {
				return err
			}
		}
		if !*follow || !pause(ctx, followEvery) {
			return view.sum()
		}
	}
}

// show writes a request.
func (v *viewing) show(r sandbox.Request) error {
	v.shown++
	if outcomeOf(r).failed {
		v.failed++
	}
	if v.json {
		return v.showJSON(r)
	}
	if _, err := fmt.Fprintln(v.p.out, requestLine(r, v.p.colours(v.p.outTerminal))); err != nil {
		return err
	}
	if v.bodies && len(r.Body) > 0 {
		_, err := fmt.Fprintf(v.p.out, "    %s\n", r.Body)
		return err
	}
	return nil
}

// showJSON writes a request for tools, its body as the JSON it is, or as text
// when it is none.
func (v *viewing) showJSON(r sandbox.Request) error {
	line := struct {
		sandbox.Request
		Body any `json:"body,omitempty"`
	}{Request: r}
	switch {
	case !v.bodies || len(r.Body) == 0:
	case json.Valid(r.Body):
		line.Body = json.RawMessage(r.Body)
	default:
		line.Body = string(r.Body)
	}
	return json.NewEncoder(v.p.out).Encode(line)
}

// sum counts what was shown, for people. Tools count lines.
func (v *viewing) sum() error {
	if v.json || !v.p.outTerminal {
		return nil
	}
	noun := "requests"
	if v.shown == 1 {
		noun = "request"
	}
	_, err := fmt.Fprintf(v.p.out, "%d %s, %d failed\n", v.shown, noun, v.failed)
	return err
}

// pause waits, and answers false when ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// ignoreInterrupt takes the failure that Ctrl-C brings about for a normal end.
func ignoreInterrupt(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}
