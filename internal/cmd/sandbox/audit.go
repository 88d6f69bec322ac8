package main

import (
	"cmp"
	"context"
	"flag"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// auditTypes are the types of objects in the audit trail.
var auditTypes = []string{"account", "delivery", "endpoint", "invoice", "key", "subscription", "token"}

func (p program) audit() command {
	var id, kind string
	list := listing[sandbox.AuditEntry]{
		none: "There are no such entries.", titles: "TIME ACTION TYPE OBJECT STATUS BY DETAIL",
		cells: func(e sandbox.AuditEntry) []string {
			status := ""
			if e.Before != e.After {
				status = strings.TrimPrefix(e.Before+"→"+e.After, "→")
			}
			by := e.Cause
			if e.Token != "" {
				by = cmp.Or(e.Client, e.Cause) + "," + e.Token
			}
			return []string{e.Time.Format(time.RFC3339), strings.ReplaceAll(e.Action, " ", "-"), e.Type, cmp.Or(e.Name, e.ID),
				status, by, auditDetail(e)}
		},
	}
	return command{
		name: "audit", summary: "list who or what has changed a status, a credential or a delivery",
		about: `Shows the audit trail of the running sandbox, oldest first: transitions of subscriptions and accounts,
invoices on request, redeliveries, and rotations and revocations of keys, secrets and tokens. Each line
shows the time by the sandbox's clock; the operation, the command, or what was due; the object and its
status before and after; and the client with the public prefix of its token, or the cause: clock,
payment, command or seed. DETAIL has the new terms and the reason that was given. --json has everything,
such as ids and the Request-Id. The trail is part of the state that "serve --state" keeps.
`,
		examples: "{sandbox} audit --type subscription\n{sandbox} audit --id aurora-pro --json\n",
		actions: []action{{
			flags: func(set *flag.FlagSet) {
				set.StringVar(&id, "id", "", "only those of the object with this `ID`, or this external_id or name")
				choiceFlag(set, &kind, "type", "only those of this `TYPE`: "+strings.Join(auditTypes, ", "), auditTypes)
				jsonFlag(set, &list.json)
			},
			run: func(ctx context.Context, c *controller, _ []string) error {
				query := url.Values{"object": {id}, "type": {kind}}
				found, err := get[[]sandbox.AuditEntry](ctx, c, "/audit?"+query.Encode())
				if err != nil {
					return err
				}
				return write(p, list, found)
			},
		}},
	}
}

func auditDetail(e sandbox.AuditEntry) string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(e.Terms)) {
		value := "null"
		if e.Terms[name] != nil {
			value = *e.Terms[name]
		}
		said = append(said, name+"="+value)
	}
	if e.Reason != "" {
		said = append(said, "reason: "+e.Reason)
	}
	return strings.Join(said, ", ")
}
