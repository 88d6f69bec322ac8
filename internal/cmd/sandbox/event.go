package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const eventHelp = `Usage: sandbox event emit NAME [--data JSON]

Makes a business event happen, such as charge.paid, prints its id, and returns
when what is due has been sent. Every active webhook endpoint that is subscribed
to it gets a delivery. JSON is the object that becomes the event's data; without
it, charge.paid gets an example charge and all others an empty object.

  sandbox event emit charge.paid
  sandbox event emit agreement.accepted --data '{"id":"a-1"}'
`

// parseAmong reads flags that may stand before, between and behind the words
// of a command, which it answers.
func parseAmong(set *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := parse(set, args); err != nil || set.NArg() == 0 {
			return words, err
		}
		words, args = append(words, set.Arg(0)), set.Args()[1:]
	}
}

// event makes an event happen.
func (p program) event(ctx context.Context, args []string) error {
	set := p.flags("event", eventHelp)
	data := set.String("data", "", "the `JSON` object of the event")
	words, err := parseAmong(set, args)
	if err != nil {
		return err
	}
	if len(words) != 2 || words[0] != "emit" {
		return p.misused(set, "say emit NAME")
	}
	emission := sandbox.EventEmission{Event: words[1]}
	if *data != "" {
		if !json.Valid([]byte(*data)) {
			return p.misused(set, "--data is no JSON")
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
