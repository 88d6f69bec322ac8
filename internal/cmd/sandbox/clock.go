package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var clockManual = manual{
	name:    "clock",
	summary: "show or move the time it lives in",
	usage:   []string{"[show]", "advance DURATION", "set TIME"},
	about: `Shows or moves the time the running sandbox lives in: created_at, updated_at and the expiry of tokens
go by it, and it moves subscriptions. What comes due on the way (the end of a trial, a period or a
pause, a pending change of plan, a scheduled cancellation) has happened when the next request is
answered. Attempts to deliver webhooks that come due on the way are made before this command ends.
DURATION is such as 24h or 90m (back with -24h), TIME such as 2026-01-31T12:00:00Z.
`,
	examples: `{sandbox} clock
{sandbox} clock advance 24h
{sandbox} clock set 2026-12-31T23:59:00-03:00
`,
}

// clock shows or moves the sandbox's clock.
func (p program) clock(ctx context.Context, args []string) error {
	set := p.flags(clockManual)
	if err := set.parse(args); err != nil {
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
			return set.misused("%q is no time such as 2026-01-31T12:00:00Z", set.Arg(1))
		}
		move.Set = at
	default:
		return set.misused("say show, advance DURATION or set TIME")
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var state sandbox.ClockState
	if err := control.ask(ctx, method, "/clock", move, &state); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, clockText(state))
	return err
}
