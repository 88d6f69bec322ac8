package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const subscriptionHelp = `Usage: sandbox subscription past-due ID | pay ID | status ID STATUS

Does to a subscription of the running sandbox what no operation of the service
does. past-due makes an active one past_due, as a failed payment would; pay
makes it active again. status puts it into any status, documented or not, and
changes nothing else: draft, confirmed and suspended are reached only so.

What time does to a subscription is done with "sandbox clock advance".
`

// subscription moves a subscription from behind.
func (p program) subscription(ctx context.Context, args []string) error {
	set := p.flags("subscription", subscriptionHelp)
	if err := parse(set, args); err != nil {
		return err
	}
	var move sandbox.SubscriptionMove
	switch {
	case set.NArg() == 2 && set.Arg(0) == "past-due":
		move.Status = "past_due"
	case set.NArg() == 2 && set.Arg(0) == "pay":
		move.Status = "active"
	case set.NArg() == 3 && set.Arg(0) == "status":
		move.Status, move.Force = set.Arg(2), true
	default:
		return p.misused(set, "say past-due ID, pay ID or status ID STATUS")
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var nothing struct{}
	return control.ask(ctx, http.MethodPost, "/subscriptions/"+url.PathEscape(set.Arg(1)), move, &nothing)
}
