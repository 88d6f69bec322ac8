package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var eventManual = manual{
	name:    "event",
	summary: "let something happen that webhooks tell of",
	usage:   []string{"emit NAME [--data JSON] [--unlisted]"},
	about: `Makes a business event happen, such as charge.paid, prints its id, and returns when what is due has
been sent. Every active webhook endpoint that is subscribed to it gets a delivery. JSON is the object
that becomes the event's data; without it, charge.paid gets an example charge and all others an empty
object. Known are the documented events and those that an endpoint is subscribed to; the documentation
does not list all, so --unlisted emits any other name.
`,
	examples: `{sandbox} event emit charge.paid
{sandbox} event emit agreement.accepted --unlisted --data '{"id":"a-1"}'
`,
}

// event makes an event happen.
func (p program) event(ctx context.Context, args []string) error {
	set := p.flags(eventManual)
	data := set.String("data", "", "the `JSON` object of the event")
	unlisted := set.Bool("unlisted", false, "emit an event that is not known")
	words, err := set.words(args)
	if err != nil {
		return err
	}
	if len(words) != 2 || words[0] != "emit" {
		return set.misused("say emit NAME")
	}
	emission := sandbox.EventEmission{Event: words[1], Unlisted: *unlisted}
	if *data != "" {
		if !json.Valid([]byte(*data)) {
			return set.misused("--data is no JSON")
		}
		emission.Data = json.RawMessage(*data)
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	if err := control.ask(ctx, http.MethodPost, "/events", emission, &emission); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, emission.ID)
	return err
}
