package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const keyHelp = `Usage: sandbox key list

Lists the API keys of collections in the running sandbox, oldest first: status
by the sandbox's clock, public prefix, name, when it ends, when it was last used,
scopes and id. "sandbox token create --service collections" makes one from
outside the service; tokens are shown only when they are made.
`

// key lists the API keys.
func (p program) key(ctx context.Context, args []string) error {
	set := p.flags("key", keyHelp)
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() != 1 || set.Arg(0) != "list" {
		return p.misused(set, "say list")
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	var keys []sandbox.KeyState
	if err := control.ask(ctx, http.MethodGet, "/keys", nil, &keys); err != nil {
		return err
	}
	for _, k := range keys {
		fmt.Fprintf(p.out, "%-8s %-20s %-24s ends %-20s used %-20s %s  %s\n",
			k.Status, k.Prefix, k.Name, orNever(k.Ends), orNever(k.LastUsed), strings.Join(k.Scopes, ","), k.ID)
	}
	return nil
}

func orNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339)
}
