package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const requestsHelp = `Usage: sandbox requests [flags]

Shows the requests the running sandbox has answered, oldest first: time,
status, operation, method and path, Request-Id, token prefix, and the fault
that a request met.
`

// followEvery is how often --follow asks for more.
const followEvery = 500 * time.Millisecond

// requests shows the request log.
func (p program) requests(ctx context.Context, args []string) error {
	set := p.flags("requests", requestsHelp)
	follow := set.Bool("follow", false, "go on showing what comes, until interrupted")
	operation := set.String("operation", "", "only this operation, such as customers.create")
	bodies := set.Bool("bodies", false, "show request bodies too")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return p.misused(set, "unexpected %q", set.Arg(0))
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	for last := uint64(0); ; {
		query := url.Values{"after": {strconv.FormatUint(last, 10)}, "operation": {*operation}}
		var found []sandbox.Request
		if err := control.ask(ctx, http.MethodGet, "/requests?"+query.Encode(), nil, &found); err != nil {
			return ignoreInterrupt(ctx, err)
		}
		for _, r := range found {
			p.showRequest(r, *bodies)
			last = r.Sequence
		}
		if !*follow || !pause(ctx, followEvery) {
			return nil
		}
	}
}

func (p program) showRequest(r sandbox.Request, bodies bool) {
	operation := r.Operation
	if operation == "" {
		operation = "-"
	}
	target := r.Path
	if r.Query != "" {
		target += "?" + r.Query
	}
	status := strconv.Itoa(r.Status)
	if r.Dropped {
		status = "---" // nothing went out, whatever had been processed
	}
	fmt.Fprintf(p.out, "%s %s %-20s %-6s %s  %s %s %s\n",
		r.Time.Format("15:04:05.000"), status, operation, r.Method, target, r.RequestID, r.Token, r.Fault)
	if bodies && len(r.Body) > 0 {
		fmt.Fprintf(p.out, "    %s\n", r.Body)
	}
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
