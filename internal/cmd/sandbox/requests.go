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
	summary: "list the requests that it has received",
	usage:   []string{"[flags]"},
	about: `Shows the requests that the running sandbox has received, oldest first: time on its clock, status,
operation, method, Request-Id, public prefix of the token, fault that the request has met, and path.
The margin marks what failed: ! rejected (4xx), X failed (5xx), - dropped without a response. Flags that
choose requests choose together. On a terminal the last line counts them. --json also has the service and the
client, the first word of the User-Agent.
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
	follow := set.Bool("follow", false, "continue with new requests until interrupted")
	set.BoolVar(&view.bodies, "bodies", false, "show the bodies of requests and, of the newest ones, responses")
	jsonFlag(set, &view.json)
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
		if view.bodies {
			query.Set("responses", "1")
		}
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
		if view.shown == 0 && !*follow && !view.json {
			fmt.Fprintln(p.err, "There are no such requests.")
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
	if v.shown == 1 {
		if _, err := fmt.Fprintln(v.p.out, requestHeader); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(v.p.out, requestLine(r, v.p.colours(v.p.outTerminal))); err != nil {
		return err
	}
	if !v.bodies {
		return nil
	}
	for _, body := range []struct {
		mark string
		text []byte
	}{{">", r.Body}, {"<", r.Response}} {
		if len(body.text) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(v.p.out, "    %s %s\n", body.mark, body.text); err != nil {
			return err
		}
	}
	return nil
}

// showJSON writes a request for tools. Bodies are JSON, or text where they are not valid JSON.
func (v *viewing) showJSON(r sandbox.Request) error {
	line := struct {
		sandbox.Request
		Body     any `json:"body,omitempty"`
		Response any `json:"response,omitempty"`
	}{Request: r}
	if v.bodies {
		line.Body, line.Response = jsonOrText(r.Body), jsonOrText(r.Response)
	}
	return json.NewEncoder(v.p.out).Encode(line)
}

func jsonOrText(body []byte) any {
	switch {
	case len(body) == 0:
		return nil
	case json.Valid(body):
		return json.RawMessage(body)
	default:
		return string(body)
	}
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

// pause waits, and returns false when ctx ends first.
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
