package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// followEvery is how often --follow asks for more.
const followEvery = 500 * time.Millisecond

type viewing struct {
	p                    program
	bodies, json, follow bool
	shown, failed        int
}

func (p program) requests() command {
	view, choice := viewing{p: p}, choice{}
	return command{
		name: "requests", summary: "list the requests that it has received",
		about: `Shows the requests that the running sandbox has received, oldest first: time by its clock, status,
operation, method, Request-Id, public prefix of the token, the fault that the request met, and path.
The first character marks failures: ! rejected (4xx), X failed (5xx), - dropped without a response. Filters
are combined: a request is shown if it matches all of them. On a terminal the last line counts the requests.
--json adds the service and the client, which is the first word of the User-Agent.
`,
		examples: `{sandbox} requests --follow
{sandbox} requests --status failed --since 10m
{sandbox} requests --operation customers.update --bodies
{sandbox} requests --service collections --json
`,
		actions: []action{{
			flags: func(set *flag.FlagSet) {
				set.BoolVar(&view.follow, "follow", false, "continue with new requests until interrupted")
				set.BoolVar(&view.bodies, "bodies", false, "show the bodies of requests and, of the newest ones, responses")
				jsonFlag(set, &view.json)
				choice.define(set)
			},
			run: func(ctx context.Context, c *controller, _ []string) error {
				if err := choice.begin(ctx, c); err != nil {
					return err
				}
				return view.run(ctx, c, choice)
			},
		}},
	}
}

func (v *viewing) run(ctx context.Context, c *controller, choice choice) error {
	for last := uint64(0); ; {
		query := url.Values{"after": {strconv.FormatUint(last, 10)}, "operation": {choice.operation}}
		if v.bodies {
			query.Set("responses", "1")
		}
		found, err := get[[]sandbox.Request](ctx, c, "/requests?"+query.Encode())
		if err != nil {
			return errors.Join(v.sum(), ignoreInterrupt(ctx, err))
		}
		for _, r := range found {
			last = r.Sequence
			if !choice.takes(r) {
				continue
			}
			if err := v.show(r); err != nil {
				return err
			}
		}
		if v.shown == 0 && !v.follow && !v.json {
			fmt.Fprintln(v.p.err, "There are no such requests.")
		}
		if !v.follow || !pause(ctx, followEvery) {
			return v.sum()
		}
	}
}

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
	return writeJSON(v.p.out, line)
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

type choice struct {
	operation, service, status string
	back                       time.Duration // from now, by the sandbox's clock
	from                       time.Time
}

// statusClasses are what --status accepts in addition to a status.
var statusClasses = []string{"2xx", "3xx", "4xx", "5xx", "failed", "dropped"}

func (c *choice) define(set *flag.FlagSet) {
	set.Func("operation", "only this operation, a `NAME` such as customers.create", c.readOperation)
	choiceFlag(set, &c.service, "service", "only this `SERVICE`: billing, finance or collections", serviceNames)
	set.Func("status", "only this `STATUS`, such as 404, or one of "+strings.Join(statusClasses, ", "), c.readStatus)
	set.Func("since",
		"only from this `TIME` of the sandbox's clock, such as 2026-01-31T12:00:00Z, or 10m for the last ten minutes",
		c.readSince)
}

func (c *choice) readOperation(value string) error {
	c.operation = value
	if names := operationNames(); !slices.Contains(names, value) {
		return errors.New("the sandbox serves no such operation" + meant(value, names))
	}
	return nil
}

func (c *choice) readStatus(value string) error {
	c.status = value
	n, err := strconv.Atoi(value)
	if !slices.Contains(statusClasses, value) && (err != nil || n < 100 || n > 599) {
		return errors.New("must be a status, or one of " + strings.Join(statusClasses, ", "))
	}
	return nil
}

func (c *choice) readSince(value string) (err error) {
	if c.back, err = sandbox.ParseDuration(value); err == nil {
		return nil
	}
	if c.from, err = time.Parse(time.RFC3339, value); err != nil {
		return errors.New("must be a duration such as 10m, or a time such as 2026-01-31T12:00:00Z")
	}
	return nil
}

// begin asks for the sandbox's time, when the choice goes back from it.
func (c *choice) begin(ctx context.Context, control *controller) error {
	if c.back == 0 {
		return nil
	}
	clock, err := get[sandbox.ClockState](ctx, control, "/clock")
	if err != nil {
		return err
	}
	c.from = clock.Now.Add(-c.back)
	return nil
}

// takes reports whether a request is among the chosen. The sandbox has already selected those of the operation.
func (c *choice) takes(r sandbox.Request) bool {
	return (c.service == "" || c.service == string(r.Service)) && !r.Time.Before(c.from) && c.takesStatus(r)
}

func (c *choice) takesStatus(r sandbox.Request) bool {
	class, isClass := strings.CutSuffix(c.status, "xx")
	switch {
	case c.status == "":
		return true
	case c.status == "failed":
		return outcomeOf(r).failed
	case c.status == "dropped" || r.Dropped:
		return r.Dropped && c.status == "dropped"
	case isClass:
		return strconv.Itoa(r.Status/100) == class
	default:
		return strconv.Itoa(r.Status) == c.status
	}
}

// outcome is what became of a request, at a glance: a mark in the margin, and
// on a terminal a colour.
type outcome struct {
	mark   string
	colour string // the parameter of an ANSI escape sequence
	failed bool
}

var (
	responded = outcome{mark: " ", colour: "32"}               // green
	refused   = outcome{mark: "!", colour: "33", failed: true} // yellow
	broken    = outcome{mark: "X", colour: "31", failed: true} // red
	dropped   = outcome{mark: "-", colour: "35", failed: true} // magenta
)

func outcomeOf(r sandbox.Request) outcome {
	switch {
	case r.Dropped:
		return dropped
	case r.Status >= http.StatusInternalServerError:
		return broken
	case r.Status >= http.StatusBadRequest:
		return refused
	default:
		return responded
	}
}

// requestFormat are the columns of a request. They have fixed widths, because more requests may follow; the path is the
// last one, because a query string can be long.
const requestFormat = "%-12s %-6s%s %-31s %-6s %-36s %-20s %-8s %s"

var requestHeader = " " + fmt.Sprintf(requestFormat, "TIME", "STATUS", "", "OPERATION", "METHOD", "REQUEST-ID", "TOKEN",
	"FAULT", "PATH")

// requestLine is a request on one line.
func requestLine(r sandbox.Request, colours bool) string {
	status := strconv.Itoa(r.Status)
	if r.Dropped {
		status = "---" // nothing went out, whatever had been processed
	}
	target := r.Path
	if r.Query != "" {
		target += "?" + r.Query
	}
	o := outcomeOf(r)
	begin, end := "", ""
	if colours {
		begin, end = "\x1b["+o.colour+"m", "\x1b[0m"
	}
	return begin + o.mark + fmt.Sprintf(requestFormat, r.Time.Format("15:04:05.000"), status, end,
		cmp.Or(r.Operation, "-"), r.Method, r.RequestID, cmp.Or(r.Token, "-"), cmp.Or(r.Fault, "-"), target)
}

// colours reports whether what goes to a terminal, or to none, may be coloured.
// The Windows console may show the sequences instead, except in Windows
// Terminal.
func (p program) colours(terminal bool) bool {
	return terminal && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb" &&
		(runtime.GOOS != "windows" || p.getenv("WT_SESSION") != "")
}
