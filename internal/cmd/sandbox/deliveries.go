package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var deliveriesManual = manual{
	name:    "deliveries",
	summary: "list the webhook deliveries and their attempts",
	usage:   []string{"[flags]"},
	about: `Shows the webhook deliveries of the running sandbox, oldest first: time of the event, status, attempts,
time of the next attempt, event, id of the delivery, url of the endpoint, and the last error. Time moves
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
	list := listing[sandbox.DeliveryState]{columns: deliveryColumns, none: "There are no such deliveries."}
	jsonFlag(set, &list.json)
	attempts := set.Bool("attempts", false, "show every attempt too, with its request and response")
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
	if list.json || !*attempts {
		return write(p, list, found)
	}
	for _, d := range found {
		if err := p.showDelivery(list, d); err != nil {
			return err
		}
	}
	return nil
}

var deliveryColumns = []column[sandbox.DeliveryState]{
	{"CREATED", func(d sandbox.DeliveryState) string { return d.CreatedAt.Format(time.RFC3339) }},
	{"STATUS", func(d sandbox.DeliveryState) string { return string(d.State.Status) }},
	{"ATTEMPTS", func(d sandbox.DeliveryState) string { return strconv.Itoa(d.State.Attempts) }},
	{"NEXT-ATTEMPT", func(d sandbox.DeliveryState) string {
		if next := d.State.NextRetryAt(); next != nil {
			return next.Format(time.RFC3339)
		}
		return ""
	}},
	{"EVENT", func(d sandbox.DeliveryState) string { return d.Event }},
	{"ID", func(d sandbox.DeliveryState) string { return d.ID }},
	{"URL", func(d sandbox.DeliveryState) string { return cmp.Or(d.URL, "(removed)") }},
	{"LAST-ERROR", func(d sandbox.DeliveryState) string { return d.State.LastError }},
}

// showDelivery writes a delivery with its attempts.
func (p program) showDelivery(list listing[sandbox.DeliveryState], d sandbox.DeliveryState) error {
	if err := write(p, list, []sandbox.DeliveryState{d}); err != nil {
		return err
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
