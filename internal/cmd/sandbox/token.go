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

var tokenManual = manual{
	name:    "token",
	summary: "who may ask: make, list and revoke tokens",
	usage:   []string{"create [flags]", "list [--json]", "revoke PREFIX"},
	about: `Creates, lists and revokes tokens of the running sandbox. create prints the token, which is shown only
then; list shows the public prefixes by which revoke knows them. Scopes of recurring billing are
customers:read, customers:write, and the same for billing_accounts and subscriptions, and
invoices:read; customers:* is both, * is everything. Those of financial management are COLLECTION:read
and COLLECTION:write, such as payables:read. Those of collections are webhook_endpoints:read and
:write, the same for webhook_deliveries, and api_keys:*. A scope that covers nothing is rejected.
The organization is an id or a name; new=NAME creates one, unless there is one of that name.
`,
	examples: `{sandbox} token create --scopes customers:read,subscriptions:read
{sandbox} token create --service finance --scopes payables:read,receivables:read
{sandbox} token create --service collections --scopes 'webhook_endpoints:*'
{sandbox} token create --organization 'new=Padaria Bela Vista' --expires 2030-01-31T12:00:00Z
{sandbox} token revoke rb_sandbox_1a2b3c4d
`,
}

var tokenColumns = []column[sandbox.TokenState]{
	{"SERVICE", func(t sandbox.TokenState) string { return string(t.Service) }},
	{"PREFIX", func(t sandbox.TokenState) string { return t.Prefix }},
	{"STATUS", func(t sandbox.TokenState) string { return condition(t.Token) }},
	{"ORGANIZATION", func(t sandbox.TokenState) string { return t.Organization }},
	{"SCOPES", func(t sandbox.TokenState) string { return strings.Join(t.Scopes, ",") }},
}

// token makes, lists or revokes tokens.
func (p program) token(ctx context.Context, args []string) error {
	set := p.flags(tokenManual)
	wanted := tokenFlags(set)
	list := listing[sandbox.TokenState]{columns: tokenColumns, none: "There are no tokens."}
	jsonFlag(set, &list.json)
	words, err := set.words(args)
	if err != nil {
		return err
	}
	action := strings.Join(words[:min(1, len(words))], "")
	if counts := map[string]int{"create": 1, "list": 1, "revoke": 2}; counts[action] == 0 || len(words) != counts[action] {
		return set.misused("say create, list or revoke PREFIX")
	}
	if err := onlyFlags(set, action); err != nil {
		return err
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	switch action {
	case "create":
		return p.createToken(ctx, control, wanted())
	case "revoke":
		var nothing struct{}
		return control.ask(ctx, http.MethodPost, "/tokens/"+url.PathEscape(words[1])+"/revoke", nil, &nothing)
	default:
		var states []sandbox.TokenState
		if err := control.ask(ctx, http.MethodGet, "/tokens", nil, &states); err != nil {
			return err
		}
		return write(p, list, states)
	}
}

// onlyFlags rejects flags that an action does not take: --json is for list, all others are for create.
func onlyFlags(set *flags, action string) (err error) {
	set.Visit(func(f *flag.Flag) {
		if wanted := map[bool]string{true: "list", false: "create"}[f.Name == "json"]; err == nil && action != wanted {
			err = set.misused("%s does not take --%s", action, f.Name)
		}
	})
	return err
}

// tokenFlags defines the flags of create. wanted returns what they say, once
// they have been read.
func tokenFlags(set *flags) (wanted func() sandbox.Token) {
	var t sandbox.Token
	service := set.String("service", string(sandbox.Billing),
		"`SERVICE` the token is for: billing, finance or collections")
	scopes := set.String("scopes", "*", "comma-separated `LIST` of scopes")
	set.StringVar(&t.Organization, "organization", "", "id or `NAME` of its organization, or "+
		sandbox.NewOrganizationKeyword+"=NAME; defaults to the sandbox's own")
	set.BoolVar(&t.Blocked, "blocked", false, "its holder's API access is blocked")
	set.Func("expires", "when it expires, a `TIME` such as 2026-01-31T12:00:00Z", func(value string) error {
		at, err := time.Parse(time.RFC3339, value)
		t.Expires = at
		if err != nil {
			return errors.New("must be a time such as 2026-01-31T12:00:00Z")
		}
		return nil
	})
	return func() sandbox.Token {
		t.Service, t.Scopes = sandbox.Service(*service), strings.Split(*scopes, ",")
		return t
	}
}

func (p program) createToken(ctx context.Context, control *controller, wanted sandbox.Token) error {
	var made sandbox.TokenState
	if err := control.ask(ctx, http.MethodPost, "/tokens", wanted, &made); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.out, made.Value)
	return err
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
