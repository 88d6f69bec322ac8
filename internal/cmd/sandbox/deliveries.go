package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var deliveriesManual = manual{
	name:    "deliveries",
	summary: "what became of the webhooks",
	usage:   []string{"[flags]"},
	about: `Shows the webhook deliveries of the running sandbox, oldest first: when the event happened, status,
attempts, event, where it goes, the delivery's id, and the last error or the next attempt. Time moves
them: "{sandbox} clock advance 4m" makes the second attempt of what has failed.
`,
	examples: `{sandbox} deliveries --status failed
{sandbox} deliveries --event charge.paid --attempts
`,
}

// deliveries shows the deliveries.
func (p program) deliveries(ctx context.Context, args []string) error {
	set := p.flags(deliveriesManual)
	query := url.Values{}
	put := func(name string) func(string) error {
		return func(value string) error { query.Set(name, value); return nil }
	}
	set.Func("endpoint", "only those to the endpoint with this `ID`", put("endpoint"))
	set.Func("event", "only those of this event `NAME`", put("event"))
	set.Func("status", "only those in this `STATUS`: pending, success, failed or exhausted", func(value string) error {
		if !slices.Contains([]string{"pending", "success", "failed", "exhausted"}, value) {
			return errors.New("must be pending, success, failed or exhausted")
		}
		return put("status")(value)
	})
	attempts := set.Bool("attempts", false, "show every attempt too, with what was sent and answered")
	if err := set.alone(args); err != nil {
		return err
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var found []sandbox.DeliveryState
	if err := control.ask(ctx, http.MethodGet, "/deliveries?"+query.Encode(), nil, &found); err != nil {
		return err
	}
	for _, d := range found {
		if err := p.showDelivery(d, *attempts); err != nil {
			return err
		}
	}
	return nil
}

func (p program) showDelivery(d sandbox.DeliveryState, attempts bool) error {
	where := d.URL
	if where == "" {
		where = "(removed)"
	}
	outcome := d.State.LastError
	if next := d.State.NextRetryAt(); next != nil {
		outcome += ", next " + next.Format(time.RFC3339)
	}
	fmt.Fprintf(p.out, "%s %-9s %d %-24s %s  %s  %s\n",
		d.CreatedAt.Format(time.RFC3339), d.State.Status, d.State.Attempts, d.Event, where, d.ID, outcome)
	if !attempts {
		return nil
	}
	for _, attempt := range d.State.Trail {
		document, err := json.MarshalIndent(attempt, "    ", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "    %s\n", document)
	}
	return nil
}
