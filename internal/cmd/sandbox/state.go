package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

func (p program) status() command {
	inJSON, file, address, wait := false, "", "", time.Duration(0)
	ask := func(ctx context.Context, c *controller) (s sandbox.Status, err error) {
		c.base = address
		if file != "" {
			content, err := os.ReadFile(file)
			if err != nil {
				return s, err
			}
			c = &controller{p: p, base: address}
			c.p.getenv = exportsIn(string(content)).value
		}
		return get[sandbox.Status](ctx, c, "/status")
	}
	return command{
		name: "status", summary: "show addresses, clock, active faults and the number of objects",
		about: `Shows the running sandbox: the addresses of its services and of the web page, its clock, the active
faults, the organizations, and the number of objects of each type. Fails if no sandbox is running. A script that
starts one waits for it with "{sandbox} status --env-file sandbox.env --wait 30s"; without the program,
by GET /healthz, which needs no token.
`,
		examples: "{sandbox} status\n{sandbox} status --json\n",
		actions: []action{{
			flags: func(set *flag.FlagSet) {
				set.BoolVar(&inJSON, "json", false, "write one JSON object")
				set.StringVar(&file, "env-file", "", "ask the sandbox whose exports are in this `FILE`, in any format of serve")
				set.StringVar(&address, "control-url", "", "`URL` of the control listener, if another than in the exports")
				set.DurationVar(&wait, "wait", 0, "wait until it is ready, at most for this `DURATION`, such as 30s")
			},
			run: func(ctx context.Context, c *controller, _ []string) error {
				limit, cancel := context.WithTimeout(ctx, wait)
				defer cancel()
				s, err := ask(ctx, c)
				for err != nil && pause(limit, readyEvery) {
					s, err = ask(ctx, c)
				}
				if err != nil {
					return err
				}
				if inJSON {
					return writeJSON(p.out, s)
				}
				_, err = fmt.Fprint(p.out, aligned(statusLines(s)))
				return err
			},
		}},
	}
}

// readyEvery is the polling interval of --wait.
const readyEvery = 100 * time.Millisecond

// statusLines formats the status for people, one name and value per line.
func statusLines(s sandbox.Status) [][]string {
	var lines [][]string
	for _, name := range slices.Sorted(maps.Keys(s.Addresses)) {
		lines = append(lines, []string{name, s.Addresses[name]})
	}
	state := s.StateFile
	if state == "" {
		state = "in memory"
	}
	if s.Copy != nil {
		lines = append(lines, []string{"copy", "of " + s.Copy.Of + ", " + s.Copy.Since.Format(time.RFC3339)})
		for _, left := range s.Copy.LeftOut {
			lines = append(lines, []string{"not copied", left})
		}
	}
	lines = append(lines, []string{"state", state}, []string{"clock", clockText(s.Clock)})
	for _, o := range s.Organizations {
		lines = append(lines, []string{"organization", o.ID + "  " + o.Name})
	}
	for _, c := range s.Objects {
		lines = append(lines, []string{c.Type, fmt.Sprint(c.Count)})
	}
	lines = append(lines, []string{"requests", fmt.Sprint(s.Requests)})
	for _, f := range s.Faults {
		lines = append(lines, []string{"fault", f.ID + "  " + f.Spec})
	}
	if len(s.Faults) == 0 {
		lines = append(lines, []string{"faults", "none"})
	}
	return lines
}

func clockText(c sandbox.ClockState) string {
	pace := "running"
	if c.Fixed {
		pace = "stopped"
	}
	return c.Now.Format(time.RFC3339Nano) + " (" + pace + ")"
}

func (p program) reset() command {
	return command{
		name: "reset", summary: "go back to the seed data",
		about: `Restores the initial data of the running sandbox: its seed file, the example data of financial
management, or nothing. The clock goes back to its start; faults and the request log are cleared.
Tokens that are not revoked, organizations and addresses stay, so the environment remains valid. Objects
get other ids.
`,
		examples: "{sandbox} reset\n",
		actions: []action{{run: func(ctx context.Context, c *controller, _ []string) error {
			var was sandbox.ResetState
			if err := c.ask(ctx, http.MethodPost, "/reset", nil, &was); err != nil {
				return err
			}
			_, err := fmt.Fprintf(p.out, "Cleared %d objects, %d requests and %d faults. There are %d objects, and the clock "+
				"is at %s.\n", was.Cleared, was.Requests, was.Faults, was.Objects, was.Now.Format(time.RFC3339))
			return err
		}}},
	}
}

// stopTimeout is the time limit for a sandbox to exit: deliveries and requests in progress are aborted after two
// seconds.
const stopTimeout = 10 * time.Second

func (p program) stop() command {
	return command{
		name: "stop", summary: "stop the running sandbox",
		about: `Stops the running sandbox as Ctrl-C does, and returns when it has stopped. What --state stores stays in
the file; the file of --env-file is removed.
`,
		examples: "{sandbox} stop\n",
		actions: []action{{run: func(ctx context.Context, c *controller, _ []string) error {
			if err := c.do(ctx, http.MethodPost, "/stop", nil); err != nil {
				return err
			}
			limit, cancel := context.WithTimeout(ctx, stopTimeout)
			defer cancel()
			for pause(limit, stopTimeout/100) {
				var ended *endedError
				if _, err := get[sandbox.ClockState](limit, c, "/clock"); errors.As(err, &ended) {
					fmt.Fprintf(p.err, "The sandbox at %s has stopped.\n", c.base[strings.Index(c.base, "//")+2:])
					return nil
				}
			}
			return errors.New("the sandbox is still running; end its process")
		}}},
	}
}

func (p program) clock() command {
	inJSON := false
	move := func(method string, read func(word string) (sandbox.ClockMove, error)) func(
		context.Context, *controller, []string) error {
		return func(ctx context.Context, c *controller, values []string) error {
			wanted, err := read(strings.Join(values, " "))
			if err != nil {
				return misused("%v", err)
			}
			before, err := get[sandbox.ClockState](ctx, c, "/clock")
			if err != nil {
				return err
			}
			var state sandbox.ClockState
			if err := c.ask(ctx, method, "/clock", wanted, &state); err != nil {
				return err
			}
			if state.Now.Before(before.Now) {
				fmt.Fprintf(p.err, p.expand(clockBack), before.Now.Format(time.RFC3339))
			}
			if inJSON {
				return writeJSON(p.out, state)
			}
			_, err = fmt.Fprintln(p.out, clockText(state))
			return err
		}
	}
	flags := func(set *flag.FlagSet) { set.BoolVar(&inJSON, "json", false, "write one JSON object") }
	return command{
		name: "clock", summary: "show or move the clock of the sandbox",
		about: `Shows or moves the clock of the running sandbox. created_at, updated_at, the expiry of tokens and the
periods of subscriptions follow it. Everything that becomes due in between (the end of a trial, a period
or a pause, a pending change of plan, a scheduled cancellation) is done before the next response.
Webhook deliveries that become due in between are sent before this command returns.
DURATION is a value such as 46d, 2w, 24h, 90m or 3 days, or -24h to go back. TIME is a value such as
2026-01-31T12:00:00Z. Going back undoes nothing, and is for tests of a clock that is behind.
`,
		examples: `{sandbox} clock
{sandbox} clock advance 46d
{sandbox} clock set 2026-12-31T23:59:00-03:00
`,
		actions: []action{
			{usage: "[show]", flags: flags,
				run: move(http.MethodGet, func(string) (m sandbox.ClockMove, err error) { return m, nil })},
			{usage: "advance DURATION...", flags: flags, run: move(http.MethodPost, advanceBy)},
			{usage: "set TIME", flags: flags, run: move(http.MethodPost, func(word string) (m sandbox.ClockMove, err error) {
				at, err := timeOf(word)
				return sandbox.ClockMove{Set: &at}, err
			})},
		},
	}
}

// clockBack is a warning, because nothing that the clock has caused can be taken back.
const clockBack = "The clock goes back from %s. Nothing is undone: statuses, invoices and deliveries stay, with " +
	"times in the future, and what comes next is due when it was before. \"{sandbox} reset\" goes back to the start.\n"

func advanceBy(text string) (sandbox.ClockMove, error) {
	if back, ok := strings.CutPrefix(text, "minus "); ok {
		return sandbox.ClockMove{}, fmt.Errorf("write -%s to go back", strings.TrimSpace(back))
	}
	d, err := sandbox.ParseDuration(text)
	return sandbox.ClockMove{Advance: d.String()}, err
}

func timeOf(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		err = fmt.Errorf("%q is not a time such as 2026-01-31T12:00:00Z", text)
	}
	return at, err
}

var subscriptionStatuses = []string{"draft", "confirmed", "trialing", "active", "past_due", "canceled", "paused",
	"suspended"}

func (p program) subscription() command {
	unlisted := false
	move := func(ctx context.Context, c *controller, id string, m sandbox.SubscriptionMove) error {
		return c.do(ctx, http.MethodPost, "/subscriptions/"+url.PathEscape(id), m)
	}
	return command{
		name: "subscription", summary: "list subscriptions; fail a payment, or set any status",
		about: `Lists the subscriptions of the running sandbox, oldest first, or changes one as no operation of the
service does. past-due makes an active one past_due, as a failed payment does; pay makes it active
again. status sets the status and changes nothing else: it is the only way to draft, confirmed and
suspended. ID may be external_id=CODE. For what time does to a subscription, use "{sandbox} clock advance".
`,
		examples: `{sandbox} subscription list
{sandbox} subscription past-due external_id=aurora-pro
{sandbox} subscription status 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d suspended
`,
		actions: append(p.routed("subscription"), []action{
			{usage: "past-due ID", run: func(ctx context.Context, c *controller, values []string) error {
				return move(ctx, c, values[0], sandbox.SubscriptionMove{Status: "past_due"})
			}},
			{usage: "pay ID", run: func(ctx context.Context, c *controller, values []string) error {
				return move(ctx, c, values[0], sandbox.SubscriptionMove{Status: "active"})
			}},
			{
				usage: "status ID STATUS",
				flags: func(set *flag.FlagSet) {
					set.BoolVar(&unlisted, "unlisted", false, "set a status that the service does not document")
				},
				run: func(ctx context.Context, c *controller, values []string) error {
					if status := values[1]; !unlisted && !slices.Contains(subscriptionStatuses, status) {
						return misused("unknown status %q%s; known are %s; --unlisted sets any other", status,
							meant(status, subscriptionStatuses), strings.Join(subscriptionStatuses, ", "))
					}
					return move(ctx, c, values[0], sandbox.SubscriptionMove{Status: values[1], Force: true})
				},
			},
		}...),
	}
}

func (p program) fault() command {
	return command{
		name: "fault", summary: "make requests fail: errors, lost responses, slow responses",
		about: `Makes requests to the running sandbox fail. A request meets at most one fault: of those that match, the
one that was added first. list shows the active faults, remove ends one, clear ends all. For the names of
operations see "{sandbox} operations"; "{sandbox} requests" shows which request met which fault.
SPEC is ` + sandbox.FaultSpecHelp + "\n",
		examples: faultExamples,
		actions: append([]action{
			{usage: "add SPEC", run: func(ctx context.Context, c *controller, values []string) error {
				var added sandbox.FaultState
				err := c.ask(ctx, http.MethodPost, "/faults", sandbox.FaultState{Spec: values[0]}, &added)
				if err == nil {
					_, err = fmt.Fprintln(p.out, added.ID+"  "+added.Spec)
				}
				return err
			}},
		}, p.routed("fault")...),
	}
}

const faultExamples = `# The next two creations fail, and the service says to retry after a second.
{sandbox} fault add operation=customers.create,status=429,retry-after=1,times=2

# The response is lost, but the customer or the record is created.
{sandbox} fault add operation=customers.create,drop=after,times=1
{sandbox} fault add operation=finance.records.create,drop=after,times=1

# Every change of an endpoint is rejected, with a code.
{sandbox} fault add operation=webhook_endpoints.update,status=409,code=conflict

# Everything under /v1/subscriptions takes two seconds, except for the first three requests.
{sandbox} fault add path=/v1/subscriptions,latency=2s,skip=3

# A gateway returns a page instead of JSON; a response breaks off in the middle.
{sandbox} fault add method=GET,status=502,foreign=html,times=1
{sandbox} fault add method=GET,truncate,times=1

# The request is carried out, and the response is an error.
{sandbox} fault add operation=api_keys.rotate,status=500,after,times=1

# Reads follow the writes after eight seconds.
{sandbox} fault add lag=8s

# A cache returns another customer; a gateway that is not the service responds to a deletion.
{sandbox} fault add operation=customers.get,other,times=1
{sandbox} fault add method=DELETE,foreign=html,times=1

# The connections that are open at the next request go silent.
{sandbox} fault add silent

# After 20 requests the services are away for a minute: connections are reset, or every request gets 503.
{sandbox} fault add skip=20,outage=1m
{sandbox} fault add skip=20,outage=1m,status=503

# The clock of the service is a day behind that of this machine.
{sandbox} fault add clock=-24h

# Your own response.
{sandbox} fault add 'operation=me.get,status=200,body={"id":"o-1","environment":"production"}'

{sandbox} fault list
{sandbox} fault remove fault-3
{sandbox} fault clear
`
