package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// followEvery is the polling interval of --follow.
const followEvery = 500 * time.Millisecond

type viewing struct {
	p                             program
	bodies, json, follow, verbose bool
	expected                      []expectation
	shown, failed                 int
}

func (p program) requests() command {
	view, choice := viewing{p: p}, choice{}
	return command{
		name: "requests", summary: "list the requests that it has received",
		about: `Shows the requests that the running sandbox has received, oldest first: time by its clock, status,
method, path, operation, and the fault that the request met. The first character marks failures: ! rejected
(4xx), X failed (5xx), - dropped without a response. Filters are combined: a request is shown if it matches
all of them. On a terminal, a line below each failure says why, and the last line counts the requests. Lines
have at most 100 characters; --verbose shows whole paths, Request-Id, public prefix of the token, the client,
which is the first word of the User-Agent, and why a request failed. --json has everything.

--expect counts the requests that match the filters and its own keys operation and status, and lists none.
The exit code is 1 if there are not exactly times of them, or without times none; what was found is printed.
`,
		examples: `{sandbox} requests --follow
{sandbox} requests --status failed --since 10m
{sandbox} requests --operation customers.update --bodies
{sandbox} requests --service collections --json
{sandbox} requests --expect operation=customers.create,times=1
`,
		actions: []action{{
			flags: func(set *flag.FlagSet) {
				set.BoolVar(&view.follow, "follow", false, "continue with new requests until interrupted")
				set.BoolVar(&view.bodies, "bodies", false, "show the bodies of requests and, of the newest ones, responses")
				set.BoolVar(&view.verbose, "verbose", false, "show whole paths, Request-Id, token and client")
				jsonFlag(set, &view.json)
				choice.define(set)
				set.Func("expect", "fail unless there are as many requests, repeatable; `SPEC` such as "+
					"operation=customers.create,status=201,times=1", view.addExpectation)
			},
			run: func(ctx context.Context, c *controller, _ []string) error {
				if err := choice.begin(ctx, c); err != nil {
					return err
				}
				if len(view.expected) > 0 {
					return view.compare(ctx, c, choice)
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
	line := requestLine(r, v.p.colours(v.p.outTerminal), v.verbose)
	if err := colored(v.p.out, line); err != nil {
		return err
	}
	if r.Failure != "" && v.p.outTerminal && !v.verbose {
		why := []rune("    " + r.Failure)
		if len(why) > lineWidth {
			why = append(why[:lineWidth-1], '…')
		}
		if _, err := fmt.Fprintln(v.p.out, string(why)); err != nil {
			return err
		}
	}
	if v.bodies {
		return v.showBodies(r)
	}
	return nil
}

// showBodies prints the bodies of a request and its response; long ones are indented.
func (v *viewing) showBodies(r sandbox.Request) error {
	for _, body := range []struct {
		mark string
		text []byte
	}{{">", r.Body}, {"<", r.Response}} {
		if len(body.text) == 0 {
			continue
		}
		text := body.text
		if len(text) > lineWidth {
			var long bytes.Buffer
			if json.Indent(&long, text, "      ", "  ") == nil {
				text = long.Bytes()
			}
		}
		if _, err := fmt.Fprintf(v.p.out, "    %s %s\n", body.mark, text); err != nil {
			return err
		}
	}
	return nil
}

// showJSON writes a request for tools. Bodies are embedded as JSON, or as text if they are not valid JSON.
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

// sum prints the number of requests shown. The JSON output has no such line.
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

// pause waits, and returns false if ctx ends first.
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

// ignoreInterrupt treats a failure caused by Ctrl-C as a normal exit.
func ignoreInterrupt(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

type choice struct {
	operation, service, status string
	back                       time.Duration // before now, by the sandbox's clock
	from                       time.Time
}

// statusClasses are the values of --status other than a status code.
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

// begin fetches the sandbox's time if the filter is relative to it.
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

// takes reports whether a request matches the filter. The sandbox has already filtered by operation.
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

// outcome summarizes the result of a request: a mark in the margin and, on a terminal, a color.
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

// Columns have fixed widths, because requests are printed as they arrive. A line has at most lineWidth characters, so
// that terminals do not wrap it. pathWidth fits the longest path with a shortened id; longer ones, such as with a query
// string, are truncated. The operation is never truncated and may use part of that width.
const (
	requestFormat = "%-12s %-6s%s %-6s %s"
	columnsBefore = 29
	pathWidth     = 39
	lineWidth     = 100
)

var requestHeader = " " + fmt.Sprintf(requestFormat, "TIME", "STATUS", "", "METHOD", pathColumn("PATH", "OPERATION"))

// pathColumn returns a path and the column after it.
func pathColumn(path, behind string) string {
	room := min(pathWidth, lineWidth-columnsBefore-len(behind)-1)
	if letters := []rune(path); len(letters) > room {
		path = string(letters[:room-1]) + "…"
	}
	return fmt.Sprintf("%-*s %s", room, path, behind)
}

// wholeID matches the hidden rest of a UUID.
var wholeID = regexp.MustCompile(`([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// requestLine formats a request on one line.
func requestLine(r sandbox.Request, colours, verbose bool) string {
	status := strconv.Itoa(r.Status)
	if r.Dropped {
		status = "---" // no response was sent, even if the request was processed
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
	behind := cmp.Or(r.Operation, "-")
	if r.Fault != "" {
		behind += " " + r.Fault
	}
	column := pathColumn(wholeID.ReplaceAllString(target, "$1…"), behind)
	if verbose {
		column = fmt.Sprintf("%-*s %s  Request-Id %s  token %s  client %s", pathWidth, target, behind, r.RequestID,
			cmp.Or(r.Token, "-"), cmp.Or(r.Client, "-"))
		if r.Failure != "" {
			column += "  " + r.Failure
		}
	}
	return begin + o.mark + fmt.Sprintf(requestFormat, r.Time.Format("15:04:05.000"), status, end, printable(r.Method),
		printable(column))
}

// colours reports whether output to a terminal, or elsewhere, may be colored. The Windows console may print the escape
// sequences instead, except in Windows Terminal.
func (p program) colours(terminal bool) bool {
	return terminal && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb" &&
		(runtime.GOOS != "windows" || p.getenv("WT_SESSION") != "")
}
