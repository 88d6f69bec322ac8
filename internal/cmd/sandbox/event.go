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
	summary: "emit an event that webhooks deliver",
	usage:   []string{"emit NAME [--data JSON] [--unlisted]"},
	about: `Emits a business event, such as charge.paid, prints its id, and returns when all deliveries that are
due have been sent. Every active webhook endpoint that is subscribed to it gets a delivery. JSON is the
event's data; if unset, charge.paid gets an example charge and all other events an empty object. Known
events are the documented ones and those that an endpoint is subscribed to. The documentation does not
list all events, so --unlisted emits any other name.
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
			return set.misused("--data is not valid JSON")
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
