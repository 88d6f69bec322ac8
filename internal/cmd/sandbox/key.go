package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var keyManual = manual{
	name:    "key",
	summary: "list the API keys of collections",
	usage:   []string{"list [--json]"},
	about: `Lists the API keys of collections in the running sandbox, oldest first: status by the sandbox's clock,
public prefix, name, expiry, last use, id and scopes. A token is shown only when its key is created;
"{sandbox} token create --service collections" creates a key from outside the service.
`,
	examples: `{sandbox} key list
{sandbox} key list --json
`,
}

var keyColumns = []column[sandbox.KeyState]{
	{"STATUS", func(k sandbox.KeyState) string { return k.Status }},
	{"PREFIX", func(k sandbox.KeyState) string { return k.Prefix }},
	{"NAME", func(k sandbox.KeyState) string { return k.Name }},
	{"ENDS", func(k sandbox.KeyState) string { return orNever(k.Ends) }},
	{"LAST-USED", func(k sandbox.KeyState) string { return orNever(k.LastUsed) }},
	{"ID", func(k sandbox.KeyState) string { return k.ID }},
	{"SCOPES", func(k sandbox.KeyState) string { return strings.Join(k.Scopes, ",") }},
}

// key lists the API keys.
func (p program) key(ctx context.Context, args []string) error {
	set := p.flags(keyManual)
	list := listing[sandbox.KeyState]{columns: keyColumns, none: "There are no API keys."}
	jsonFlag(set, &list.json)
	words, err := set.words(args)
	if err != nil {
		return err
	}
	if len(words) != 1 || words[0] != "list" {
		return set.misused("say list")
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var keys []sandbox.KeyState
	if err := control.ask(ctx, http.MethodGet, "/keys", nil, &keys); err != nil {
		return err
	}
	return write(p, list, keys)
}

func orNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339)
}
