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
		actions: append([]action{p.createToken()}, p.routed("token")...),
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

func (p program) key() command {
	return command{
		name: "key", summary: "list the API keys of collections",
		about: `Lists the API keys of collections in the running sandbox, oldest first: status by the sandbox's clock,
public prefix, name, expiry, last use, id and scopes. A token is shown only when its key is created;
"{sandbox} token create --service collections" creates a key from outside the service.
`,
		examples: "{sandbox} key list\n{sandbox} key list --json\n",
		actions:  p.routed("key"),
	}
}

func (p program) audit() command {
	return command{
		name: "audit", summary: "list who or what has changed a status, a credential or a delivery",
		about: `Shows the audit trail of the running sandbox, oldest first: transitions of subscriptions and accounts,
invoices on request, redeliveries, and rotations and revocations of keys, secrets and tokens. Each line
shows the time by the sandbox's clock; the operation, the command, or what was due; the object and its
status before and after; and the client with the public prefix of its token, or the cause: clock,
payment, command or seed. DETAIL has the new terms and the reason that was given. --json has everything,
such as ids and the Request-Id. The trail is part of the state that "serve --state" keeps.
`,
		examples: "{sandbox} audit --type subscription\n{sandbox} audit --id aurora-pro --json\n", actions: p.routed("audit"),
	}
}

func (p program) event() command {
	var data string
	var emission sandbox.EventEmission
	return command{
		name: "event", summary: "emit an event that webhooks deliver, or list the events",
		about: `Emits a business event, such as charge.paid, prints its id, and returns when all deliveries that are
due have been sent. Every active webhook endpoint that is subscribed to the event gets a delivery. Known
events are the documented ones and those that an endpoint is subscribed to. The documentation does not
list all events: --unlisted emits any other name. list shows the known ones.
`,
		examples: `{sandbox} event emit charge.paid
{sandbox} event emit agreement.accepted --unlisted --data '{"id":"a-1"}'
`,
		actions: append([]action{{
			usage: "emit NAME",
			flags: func(set *flag.FlagSet) {
				set.StringVar(&data, "data", "", "`JSON` object with the data of the event; if unset, charge.paid has an example "+
					"charge, and any other event an empty object")
				set.BoolVar(&emission.Unlisted, "unlisted", false, "emit an event that is not known")
			},
			run: func(ctx context.Context, c *controller, values []string) error {
				emission.Event = values[0]
				if data != "" {
					if err := validJSON("--data", []byte(data)); err != nil {
						return err
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
		}}, p.routed("event")...),
	}
}
