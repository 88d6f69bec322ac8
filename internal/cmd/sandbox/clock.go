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
	summary: "show or move the clock of the sandbox",
	usage:   []string{"[show]", "advance DURATION", "set TIME"},
	about: `Shows or moves the clock of the running sandbox. created_at, updated_at, the expiry of tokens and the
periods of subscriptions use it. Everything that is due in between (the end of a trial, a period or a
pause, a pending change of plan, a scheduled cancellation) has happened before the next response.
Deliveries of webhooks that are due in between are sent before this command ends.
DURATION is a value such as 24h or 90m (back with -24h), TIME one such as 2026-01-31T12:00:00Z.
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
			return set.misused("%q is not a time such as 2026-01-31T12:00:00Z", set.Arg(1))
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
