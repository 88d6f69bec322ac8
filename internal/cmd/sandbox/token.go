package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const tokenHelp = `Usage: sandbox token create [flags] | list | revoke PREFIX

Makes, lists and revokes tokens of the running sandbox. create prints the
token, which is shown only then. Scopes of recurring billing are
customers:read, customers:write, and the same for billing_accounts and
subscriptions, and invoices:read; customers:* is both, * is everything. Those of
collections are webhook_endpoints:read and :write, the same for
webhook_deliveries, and api_keys:*.
`

// token makes, lists or revokes tokens.
func (p program) token(ctx context.Context, args []string) error {
	set := p.flags("token", tokenHelp)
	if len(args) > 0 && args[0] == "create" {
		return p.createToken(ctx, set, args[1:])
	}
	if err := parse(set, args); err != nil {
		return err
	}
	switch {
	case set.NArg() == 1 && set.Arg(0) == "list":
		return p.listTokens(ctx)
	case set.NArg() == 2 && set.Arg(0) == "revoke":
		control, err := p.controller()
		if err != nil {
			return err
		}
		var nothing struct{}
		return control.ask(ctx, http.MethodPost, "/tokens/"+url.PathEscape(set.Arg(1))+"/revoke", nil, &nothing)
	default:
		return p.misused(set, "say create, list or revoke PREFIX")
	}
}

func (p program) createToken(ctx context.Context, set *flag.FlagSet, args []string) error {
	wanted := sandbox.Token{}
	service := set.String("service", string(sandbox.Billing), "`SERVICE` the token is for: billing, finance or collections")
	scopes := set.String("scopes", "*", "comma-separated `LIST` of scopes")
	set.StringVar(&wanted.Organization, "organization", "", "`ID` of its organization; \""+sandbox.NewOrganizationKeyword+"\" makes one; default: the sandbox's own")
	set.BoolVar(&wanted.Blocked, "blocked", false, "its holder's API access is blocked")
	set.Func("expires", "when it expires, a `TIME` such as 2026-01-31T12:00:00Z", func(value string) error {
		at, err := time.Parse(time.RFC3339, value)
		wanted.Expires = at
		if err != nil {
			return errors.New("must be a time such as 2026-01-31T12:00:00Z")
		}
		return nil
	})
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return p.misused(set, "unexpected %q", set.Arg(0))
	}
	wanted.Service, wanted.Scopes = sandbox.Service(*service), strings.Split(*scopes, ",")
	control, err := p.controller()
	if err != nil {
		return err
	}
	var made sandbox.TokenState
	if err := control.ask(ctx, http.MethodPost, "/tokens", wanted, &made); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, made.Value)
	return err
}

func (p program) listTokens(ctx context.Context) error {
	control, err := p.controller()
	if err != nil {
		return err
	}
	var states []sandbox.TokenState
	if err := control.ask(ctx, http.MethodGet, "/tokens", nil, &states); err != nil {
		return err
	}
	for _, t := range states {
		fmt.Fprintf(p.out, "%-12s %-24s %s  %-18s %s\n",
			t.Service, t.Prefix, t.Organization, condition(t.Token), strings.Join(t.Scopes, ","))
	}
	return nil
}

// condition is a token's state in a word or two. Whether it has expired is
// for the sandbox's clock to say.
func condition(t sandbox.Token) string {
	switch {
	case t.Revoked:
		return "revoked"
	case t.Blocked:
		return "blocked"
	case !t.Expires.IsZero():
		return "until " + t.Expires.Format(time.DateOnly)
	default:
		return "active"
	}
}
