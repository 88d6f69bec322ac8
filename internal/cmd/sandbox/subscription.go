package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var subscriptionManual = manual{
	name:    "subscription",
	summary: "what no operation does to one: a payment that fails, any status",
	usage:   []string{"past-due ID", "pay ID", "status ID STATUS"},
	about: `Does to a subscription of the running sandbox what no operation of the service does. past-due makes an
active one past_due, as a failed payment would; pay makes it active again. status puts it into any
status, documented or not, and changes nothing else: draft, confirmed and suspended are reached only
so. What time does to a subscription is done with "{sandbox} clock advance".
`,
	examples: `{sandbox} subscription past-due 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d
{sandbox} subscription status 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d suspended
`,
}

// subscription moves a subscription from behind.
func (p program) subscription(ctx context.Context, args []string) error {
	set := p.flags(subscriptionManual)
	if err := set.parse(args); err != nil {
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
		return set.misused("say past-due ID, pay ID or status ID STATUS")
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var nothing struct{}
	return control.ask(ctx, http.MethodPost, "/subscriptions/"+url.PathEscape(set.Arg(1)), move, &nothing)
}
