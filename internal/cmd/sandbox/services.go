package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

func (p program) operations() command {
	all := func(context.Context, *controller) ([]sandbox.Operation, error) { return sandbox.Operations(), nil }
	return command{
		name: "operations", summary: "list the operations of the services, by the names that fault and requests use",
		alone: true,
		about: `Lists every operation that the sandbox serves: service, name, method and path.
`,
		examples: "{sandbox} operations\n",
		actions: []action{show("", listing[sandbox.Operation]{
			titles: "SERVICE OPERATION METHOD PATH",
			cells:  func(o sandbox.Operation) []string { return []string{string(o.Service), o.Name, o.Method, o.Path} },
		}, all)},
	}
}

func (p program) token() command {
	return command{
		name: "token", summary: "create, list and revoke API tokens",
		about: `Creates, lists and revokes tokens of the running sandbox. create prints the token, which is shown only
then; list shows, oldest first, the public prefixes by which revoke finds them. "{sandbox} reset" deletes
the revoked ones.

Scopes of recurring billing are customers:read, customers:write, the same for billing_accounts and
subscriptions, and invoices:read, plans:read, prices:read and products:read; customers:* is both, * is
everything. Those of financial management are COLLECTION:read and COLLECTION:write, such as payables:read.
Those of collections are webhook_endpoints:read and :write, the same for webhook_deliveries, and
api_keys:*. A scope that covers nothing is rejected. The organization is an id or a name; new=NAME creates
it if there is none of that name.
`,
		examples: `{sandbox} token create --scopes customers:read,subscriptions:read
{sandbox} token create --service finance --scopes payables:read,receivables:read
{sandbox} token create --service collections --scopes 'webhook_endpoints:*'
{sandbox} token create --organization 'new=Padaria Bela Vista' --expires 2030-01-31T12:00:00Z
{sandbox} token revoke rb_sandbox_1a2b3c4d
`,
		actions: []action{
			p.createToken(),
			show("[list]", listing[sandbox.TokenState]{
				none: "There are no tokens.", titles: "SERVICE PREFIX STATUS ORGANIZATION SCOPES",
				cells: func(t sandbox.TokenState) []string {
					return []string{string(t.Service), t.Prefix, condition(t.Token), t.Organization, strings.Join(t.Scopes, ",")}
				},
			}, rowsOf[sandbox.TokenState]("/tokens")),
			{usage: "revoke PREFIX", run: func(ctx context.Context, c *controller, values []string) error {
				return c.do(ctx, http.MethodPost, "/tokens/"+url.PathEscape(values[0])+"/revoke", nil)
			}},
		},
	}
}

func (p program) createToken() action {
	var t sandbox.Token
	service, scopes := string(sandbox.Billing), "*"
	return action{
		usage: "create",
		flags: func(set *flag.FlagSet) {
			choiceFlag(set, &service, "service",
				"`SERVICE` the token is for: billing, finance or collections (default billing)", serviceNames)
			set.StringVar(&scopes, "scopes", scopes, "comma-separated `LIST` of scopes")
			set.StringVar(&t.Organization, "organization", "", "id or `NAME` of its organization, or "+
				sandbox.NewOrganizationKeyword+"=NAME; defaults to the sandbox's own")
			set.BoolVar(&t.Blocked, "blocked", false, "block the token's API access")
			set.Func("expires", "expiry, a `TIME` such as 2026-01-31T12:00:00Z", func(value string) (err error) {
				t.Expires, err = timeOf(value)
				return err
			})
		},
		run: func(ctx context.Context, c *controller, _ []string) error {
			t.Service, t.Scopes = sandbox.Service(service), strings.Split(scopes, ",")
			var created sandbox.TokenState
			if err := c.ask(ctx, http.MethodPost, "/tokens", t, &created); err != nil {
				return err
			}
			_, err := fmt.Fprintln(p.out, created.Value)
			return err
		},
	}
}

// condition summarizes the state of a token. The sandbox's clock determines whether it has expired.
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

func (p program) key() command {
	return command{
		name: "key", summary: "list the API keys of collections",
		about: `Lists the API keys of collections in the running sandbox, oldest first: status by the sandbox's clock,
public prefix, name, expiry, last use, id and scopes. A token is shown only when its key is created;
"{sandbox} token create --service collections" creates a key from outside the service.
`,
		examples: "{sandbox} key list\n{sandbox} key list --json\n",
		actions: []action{show("[list]", listing[sandbox.KeyState]{
			none: "There are no API keys.", titles: "STATUS PREFIX NAME ENDS LAST-USED ID SCOPES",
			cells: func(k sandbox.KeyState) []string {
				return []string{k.Status, k.Prefix, k.Name, orNever(k.Ends), orNever(k.LastUsed), k.ID, strings.Join(k.Scopes, ",")}
			},
		}, rowsOf[sandbox.KeyState]("/keys"))},
	}
}

func orNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339)
}

func (p program) event() command {
	var data string
	var emission sandbox.EventEmission
	return command{
		name: "event", summary: "emit an event that webhooks deliver",
		about: `Emits a business event, such as charge.paid, prints its id, and returns when all deliveries that are
due have been sent. Every active webhook endpoint that is subscribed to the event gets a delivery. Known
events are the documented ones and those that an endpoint is subscribed to. The documentation does not
list all events: --unlisted emits any other name.
`,
		examples: `{sandbox} event emit charge.paid
{sandbox} event emit agreement.accepted --unlisted --data '{"id":"a-1"}'
`,
		actions: []action{{
			usage: "emit NAME",
			flags: func(set *flag.FlagSet) {
				set.StringVar(&data, "data", "", "`JSON` object with the data of the event; if unset, charge.paid has an example "+
					"charge, and any other event an empty object")
				set.BoolVar(&emission.Unlisted, "unlisted", false, "emit an event that is not known")
			},
			run: func(ctx context.Context, c *controller, values []string) error {
				emission.Event = values[0]
				if data != "" {
					if !json.Valid([]byte(data)) {
						return misused("--data is not valid JSON")
					}
					emission.Data = json.RawMessage(data)
				}
				if err := c.ask(ctx, http.MethodPost, "/events", emission, &emission); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(p.out, emission.ID); err != nil {
					return err
				}
				sent, err := get[[]sandbox.DeliveryState](ctx, c, "/deliveries?"+url.Values{"event": values}.Encode())
				if err != nil {
					return err
				}
				if !slices.ContainsFunc(sent, func(d sandbox.DeliveryState) bool { return d.EventID == emission.ID }) {
					fmt.Fprintf(p.err, "No active endpoint is subscribed to %s: there is no delivery.\n", emission.Event)
				}
				return nil
			},
		}},
	}
}
