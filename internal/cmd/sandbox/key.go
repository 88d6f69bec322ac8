package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var keyManual = manual{
	name:    "key",
	summary: "the API keys of collections",
	usage:   []string{"list"},
	about: `Lists the API keys of collections in the running sandbox, oldest first: status by the sandbox's clock,
public prefix, name, when it ends, when it was last used, scopes and id. Tokens are shown only when
they are made; "{sandbox} token create --service collections" makes a key from outside the service.
`,
	examples: `{sandbox} key list
`,
}

// key lists the API keys.
func (p program) key(ctx context.Context, args []string) error {
	set := p.flags(keyManual)
	if err := set.parse(args); err != nil {
		return err
	}
	if set.NArg() != 1 || set.Arg(0) != "list" {
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
