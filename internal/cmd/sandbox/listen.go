package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// listening prints the attempts to deliver to a listener.
type listening struct {
	p     program
	json  bool
	id    string         // of the endpoint
	shown map[string]int // attempts, by delivery
}

func (p program) listen() command {
	var wanted sandbox.Listener
	l := listening{p: p, shown: map[string]int{}}
	return command{
		name: "listen", summary: "receive webhooks at a plain http address of this machine",
		about: `Creates a webhook endpoint in the running sandbox, forwards its deliveries to a local address until Ctrl-C,
and removes the endpoint then. It prints the secret that signs them, and a line for each attempt: time by the
sandbox's clock, event, id of the delivery, and the status of the receiver's response or the error.
"{sandbox} deliveries show" explains one by this id, or by the id that "{sandbox} event emit" prints.

The receiver needs no certificate and no public name. It gets the body and the headers that any endpoint
gets. If it is down or responds with an error, the sandbox sends again after 4 minutes of its clock, as always.
The address may be on this machine or in a private network, as the sandbox sees it: in a container, localhost
is that container. The certificate of an https address must be from an authority that this machine, or
"{sandbox} serve --receiver-ca", trusts.

Clients see the endpoint as any other, with the URL https://listen-1.sandbox.example/. Only the sandbox can
deliver to that name. A command that is killed leaves the endpoint behind. "{sandbox} reset" removes it,
which ends the command.
`,
		examples: `{sandbox} listen --forward-to http://localhost:3000/hooks
{sandbox} listen --forward-to http://localhost:3000/hooks --events charge.paid,api_key.rotated
`,
		actions: []action{{
			flags: func(set *flag.FlagSet) {
				set.StringVar(&wanted.ForwardTo, "forward-to", "", "`URL` that gets the deliveries, http or https; required")
				set.Func("events", "comma-separated `LIST` of events; if unset, all", func(list string) error {
					wanted.Events = strings.Split(list, ",")
					if slices.Contains(wanted.Events, "") {
						return errors.New("must be names of events, separated by commas")
					}
					return nil
				})
				set.BoolVar(&l.json, "json", false, "write one JSON object per line: the endpoint, then each attempt")
			},
			run: func(ctx context.Context, c *controller, _ []string) error {
				if wanted.ForwardTo == "" {
					return misused("name the address that gets the deliveries, such as --forward-to http://localhost:3000/hooks")
				}
				if err := c.ask(ctx, http.MethodPost, "/listeners", wanted, &wanted); err != nil {
					return err
				}
				l.id = wanted.ID
				err := l.begin(wanted)
				if err == nil {
					err = l.follow(ctx, c)
				}
				// The rest needs time after an interrupt.
				rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlTimeout)
				defer cancel()
				if ctx.Err() != nil {
					err = l.show(rest, c)
				}
				removed := c.do(rest, http.MethodDelete, "/listeners/"+url.PathEscape(l.id), nil)
				var ended *endedError
				if ctx.Err() != nil && (err == nil || errors.As(err, &ended)) && (removed == nil || errors.As(removed, &ended)) {
					return nil // also if the same Ctrl-C has ended the sandbox
				}
				if err == nil {
					err = removed
				}
				return err
			},
		}},
	}
}

// begin prints what the receiver needs.
func (l listening) begin(made sandbox.Listener) error {
	known := []string{}
	for _, e := range evidence.Events() {
		known = append(known, e.Event)
	}
	for _, event := range made.Events {
		if near, ok := sandbox.Nearest(event, known); ok && !slices.Contains(known, event) {
			fmt.Fprintf(l.p.err, "%s is not a documented event; did you mean %s?\n", event, near)
		}
	}
	if l.json {
		return writeJSON(l.p.out, made)
	}
	_, err := fmt.Fprintf(l.p.out, "Deliveries to %s are forwarded to %s until Ctrl-C.\nSecret: %s\n", made.URL,
		made.ForwardTo, made.Secret)
	return err
}

// follow prints new attempts until ctx ends.
func (l listening) follow(ctx context.Context, c *controller) error {
	for {
		if err := l.show(ctx, c); err != nil || !pause(ctx, followEvery) {
			return err
		}
	}
}

// show prints the attempts since the last call.
func (l listening) show(ctx context.Context, c *controller) error {
	found, err := get[[]sandbox.DeliveryState](ctx, c, "/deliveries?"+url.Values{"endpoint": {l.id}}.Encode())
	if err != nil {
		return fmt.Errorf("the listener has ended: %w", err)
	}
	for _, d := range found {
		for _, a := range d.State.Trail[l.shown[d.ID]:] {
			if err := l.line(d, a.At, a.HTTPCode, a.Error); err != nil {
				return err
			}
		}
		l.shown[d.ID] = len(d.State.Trail)
		if d.Removed {
			return errors.New("the listener has ended: its endpoint has been removed")
		}
	}
	return nil
}

// line prints an attempt.
func (l listening) line(d sandbox.DeliveryState, at time.Time, status int, failure string) error {
	if l.json {
		return writeJSON(l.p.out, struct {
			Time     time.Time `json:"time"`
			Event    string    `json:"event"`
			EventID  string    `json:"event_id"`
			Delivery string    `json:"delivery_id"`
			Status   int       `json:"status,omitempty"` // missing: no response
			Error    string    `json:"error,omitempty"`
		}{at, d.Event, d.EventID, d.ID, status, failure})
	}
	outcome := failure
	if status != 0 {
		outcome = strconv.Itoa(status)
	}
	_, err := fmt.Fprintf(l.p.out, "%s  %s  %s  %s\n", at.Format(time.RFC3339), d.Event, d.ID, outcome)
	return err
}
