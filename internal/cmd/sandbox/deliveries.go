package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var deliveryStatuses = []string{"pending", "success", "failed", "exhausted"}

func (p program) deliveries() command {
	inJSON := new(bool)
	return command{
		name: "deliveries", summary: "list, show and resend webhook deliveries",
		about: `Lists the webhook deliveries of the running sandbox, oldest first: time of the event, status, attempts,
time of the next attempt, event, id of the delivery, URL of the endpoint, and the last error. The next
attempt follows the sandbox's clock: after a failure, "{sandbox} clock advance 4m" makes the second one.
Deliveries of removed endpoints stay, with the URL and the signature of their attempts. The query of a URL
is not shown.

show prints one: its cause, its payload, and the request and response of each attempt, with the signature.
resend sends a failed or exhausted one again, and prints the outcome. The ID is that of the delivery, or of
its event if that has only one.
`,
		examples: `{sandbox} deliveries --status failed
{sandbox} deliveries --event charge.paid --attempts
{sandbox} deliveries show 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d
{sandbox} deliveries resend 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d
`,
		actions: []action{
			p.listDeliveries(inJSON),
			{
				usage: "show ID",
				flags: func(set *flag.FlagSet) { jsonFlag(set, inJSON) },
				run: func(ctx context.Context, c *controller, values []string) error {
					d, err := get[sandbox.DeliveryState](ctx, c, "/deliveries/"+url.PathEscape(values[0]))
					if err != nil {
						return err
					}
					d = withoutQueries(d)
					if *inJSON {
						return writeJSON(p.out, d)
					}
					_, err = fmt.Fprint(p.out, deliveryText(d))
					return err
				},
			},
			{usage: "resend ID", run: func(ctx context.Context, c *controller, values []string) error {
				var d sandbox.DeliveryState
				err := c.ask(ctx, http.MethodPost, "/deliveries/"+url.PathEscape(values[0])+"/resend", nil, &d)
				if err != nil {
					return err
				}
				d = withoutQueries(d)
				_, err = fmt.Fprintln(p.out, strings.TrimRight(string(d.State.Status)+"  "+d.State.LastError, " "))
				return err
			}},
		},
	}
}

func (p program) listDeliveries(inJSON *bool) action {
	var endpoint, event, status string
	attempts := false
	list := listing[sandbox.DeliveryState]{
		none: "There are no such deliveries.", titles: "CREATED STATUS ATTEMPTS NEXT-ATTEMPT EVENT ID URL LAST-ERROR",
		cells: func(d sandbox.DeliveryState) []string {
			next, removed := "", ""
			if at := d.State.NextRetryAt(); at != nil {
				next = at.Format(time.RFC3339)
			}
			if d.Removed {
				removed = "removed:"
			}
			return []string{d.CreatedAt.Format(time.RFC3339), string(d.State.Status), strconv.Itoa(d.State.Attempts), next,
				d.Event, d.ID, removed + d.URL, d.State.LastError}
		},
	}
	return action{
		usage: "[list]",
		flags: func(set *flag.FlagSet) {
			set.StringVar(&endpoint, "endpoint", "", "only those to the endpoint with this `ID`")
			set.StringVar(&event, "event", "", "only those of this event `NAME`")
			choiceFlag(set, &status, "status", "only those in this `STATUS`: "+strings.Join(deliveryStatuses, ", "),
				deliveryStatuses)
			jsonFlag(set, inJSON)
			set.BoolVar(&attempts, "attempts", false, "show every attempt too, a line of JSON with its request and response")
		},
		run: func(ctx context.Context, c *controller, _ []string) error {
			query := url.Values{"endpoint": {endpoint}, "event": {event}, "status": {status}}
			found, err := get[[]sandbox.DeliveryState](ctx, c, "/deliveries?"+query.Encode())
			if err != nil {
				return err
			}
			for i := range found {
				found[i] = withoutQueries(found[i])
			}
			if attempts {
				list.under = func(d sandbox.DeliveryState) (all []any) {
					for _, attempt := range d.State.Trail {
						all = append(all, attempt)
					}
					return all
				}
			}
			list.json = *inJSON
			return write(p, list, found)
		},
	}
}

// withoutQueries hides the queries of addresses, which often contain a password.
func withoutQueries(d sandbox.DeliveryState) sandbox.DeliveryState {
	hide := func(text, address string) string {
		before, _, cut := strings.Cut(address, "?")
		if !cut {
			return text
		}
		return strings.ReplaceAll(text, address, before+"?…")
	}
	for i, a := range d.State.Trail {
		d.State.Trail[i].URL, d.State.Trail[i].Error = hide(a.URL, a.URL), hide(a.Error, a.URL)
		d.State.LastError = hide(d.State.LastError, a.URL)
	}
	d.URL = hide(d.URL, d.URL)
	return d
}

// signatureText explains the signature (service description, Collections §5).
const signatureText = "In " + signatureHeader + `, v1 is the HMAC-SHA256 of t, a dot and the payload as sent, in
hexadecimal. The key is the whole secret of the endpoint, with whsec_. --json has the payload as sent.
`

const signatureHeader = "X-Webhook-Signature"

// deliveryText formats a delivery for people.
func deliveryText(d sandbox.DeliveryState) string {
	endpoint := d.EndpointID + "  " + d.URL
	if d.Removed {
		endpoint += "  (removed)"
	}
	lines := [][]string{
		{"delivery", d.ID}, {"event", d.Event + "  " + d.EventID}, {"endpoint", endpoint}, {"status", string(d.State.Status)},
		{"created", d.CreatedAt.Format(time.RFC3339)},
		{"cause", cmp.Or(strings.TrimRight(d.Cause+"  "+d.RequestID, " "), "unknown")},
	}
	if d.State.LastError != "" {
		lines = append(lines, []string{"last error", d.State.LastError})
	}
	if d.State.Due != nil {
		lines = append(lines, []string{"next attempt", d.State.Due.Format(time.RFC3339)})
	}
	var text bytes.Buffer
	text.WriteString(aligned(lines) + "\nPayload\n")
	if json.Indent(&text, []byte(d.Payload), "", "  ") != nil {
		text.WriteString(d.Payload)
	}
	text.WriteString("\n")
	for _, a := range d.State.Trail {
		of := ""
		if a.Cycle > 0 {
			of = fmt.Sprintf(" of redelivery %d", a.Cycle)
		}
		fmt.Fprintf(&text, "\nAttempt %d%s, %s\nPOST %s\n%s", a.Number, of, a.At.Format(time.RFC3339), a.URL,
			headerLines(a.RequestHeaders))
		if a.HTTPCode != 0 {
			fmt.Fprintf(&text, "\n%d\n%s", a.HTTPCode, headerLines(a.ResponseHeaders))
		}
		if a.ResponseBody != "" {
			fmt.Fprintf(&text, "\n%s\n", strings.TrimRight(a.ResponseBody, "\n"))
		}
		if a.Error != "" {
			fmt.Fprintf(&text, "Error: %s\n", a.Error)
		}
	}
	if len(d.State.Trail) > 0 {
		text.WriteString("\n" + signatureText)
	}
	return text.String()
}

func headerLines(headers map[string]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		fmt.Fprintf(&text, "%s: %s\n", name, headers[name])
	}
	return text.String()
}
