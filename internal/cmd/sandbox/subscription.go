package main

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var subscriptionManual = manual{
	name:    "subscription",
	summary: "list subscriptions, and do what no operation does: fail a payment, set any status",
	usage:   []string{"list [--json]", "past-due ID", "pay ID", "status ID STATUS"},
	about: `Lists the subscriptions of the running sandbox, oldest first, and changes them as no operation of the
service does. past-due makes an active one past_due, as a failed payment would; pay makes it active
again. status puts it into any status, documented or not, and changes nothing else: draft, confirmed
and suspended are reached only so. ID may be external_id=CODE. What time does to a subscription is done
with "{sandbox} clock advance".
`,
	examples: `{sandbox} subscription list
{sandbox} subscription past-due external_id=aurora-pro
{sandbox} subscription status 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d suspended
`,
}

var subscriptionColumns = []column[sandbox.SubscriptionState]{
	{"STATUS", func(s sandbox.SubscriptionState) string { return s.Status }},
	{"PERIOD-END", func(s sandbox.SubscriptionState) string { return s.PeriodEnd.Format(time.RFC3339) }},
	{"ID", func(s sandbox.SubscriptionState) string { return s.ID }},
	{"PLAN", func(s sandbox.SubscriptionState) string { return s.Plan }},
	{"PENDING-PLAN", func(s sandbox.SubscriptionState) string { return s.PendingPlan }},
	{"EXTERNAL-ID", func(s sandbox.SubscriptionState) string { return s.ExternalID }},
	{"CUSTOMER", func(s sandbox.SubscriptionState) string { return s.Customer }},
}

// subscription lists the subscriptions, or changes one outside of the service's operations.
func (p program) subscription(ctx context.Context, args []string) error {
	set := p.flags(subscriptionManual)
	list := listing[sandbox.SubscriptionState]{columns: subscriptionColumns, none: "There are no subscriptions."}
	jsonFlag(set, &list.json)
	words, err := set.words(args)
	if err != nil {
		return err
	}
	var move sandbox.SubscriptionMove
	switch action := strings.Join(words[:min(1, len(words))], ""); {
	case len(words) == 1 && action == "list":
	case len(words) == 2 && action == "past-due":
		move.Status = "past_due"
	case len(words) == 2 && action == "pay":
		move.Status = "active"
	case len(words) == 3 && action == "status":
		move.Status, move.Force = words[2], true
	default:
		return set.misused("say list, past-due ID, pay ID or status ID STATUS")
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	if len(words) == 1 {
		var states []sandbox.SubscriptionState
		if err := control.ask(ctx, http.MethodGet, "/subscriptions", nil, &states); err != nil {
			return err
		}
		return write(p, list, states)
	}
	var nothing struct{}
	return control.ask(ctx, http.MethodPost, "/subscriptions/"+url.PathEscape(words[1]), move, &nothing)
}
