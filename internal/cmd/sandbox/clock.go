package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const clockHelp = `Usage: sandbox clock [show | advance DURATION | set TIME]

Shows or moves the time the running sandbox lives in: created_at, updated_at
and the expiry of tokens go by it, and it moves subscriptions: what comes due
on the way (the end of a trial, a period or a pause, a pending change of plan, a
scheduled cancellation) has happened when the next request is answered. Attempts
to deliver webhooks that come due on the way are made before this command ends.
DURATION is such as 24h or 90m (back with -24h), TIME such as
2026-01-31T12:00:00Z.
`

// clock shows or moves the sandbox's clock.
func (p program) clock(ctx context.Context, args []string) error {
	set := p.flags("clock", clockHelp)
	if err := parse(set, args); err != nil {
		return err
	}
	move := sandbox.ClockMove{}
	method := http.MethodPost
	switch {
	case set.NArg() == 0 || set.NArg() == 1 && set.Arg(0) == "show":
		method = http.MethodGet
	case set.NArg() == 2 && set.Arg(0) == "advance":
		move.Advance = set.Arg(1)
	case set.NArg() == 2 && set.Arg(0) == "set":
		at, err := time.Parse(time.RFC3339, set.Arg(1))
		if err != nil {
			return p.misused(set, "%q is no time such as 2026-01-31T12:00:00Z", set.Arg(1))
		}
		move.Set = at
	default:
		return p.misused(set, "say show, advance DURATION or set TIME")
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var state sandbox.ClockState
	if err := control.ask(ctx, method, "/clock", move, &state); err != nil {
		return err
	}
	pace := "running"
	if state.Fixed {
		pace = "standing still"
	}
	_, err = fmt.Fprintf(p.out, "%s (%s)\n", state.Now.Format(time.RFC3339Nano), pace)
	return err
}
