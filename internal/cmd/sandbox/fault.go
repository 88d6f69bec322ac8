package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var faultManual = manual{
	name:    "fault",
	summary: "let requests fail: errors, lost responses, slowness",
	usage:   []string{"add SPEC", "list [--json]", "clear"},
	about: `Makes the running sandbox fail. A request meets at most one fault, the first that was added of those
that match. list shows what is still in force, clear ends it. The names of operations are listed by
"{sandbox} operations"; which request has met a fault, by "{sandbox} requests".
SPEC is ` + sandbox.FaultSpecHelp + "\n",
	examples: `# The next two creations fail, and the service says to come back in a second.
{sandbox} fault add operation=customers.create,status=429,retry-after=1,times=2

# The response is lost: the customer or the record is created all the same.
{sandbox} fault add operation=customers.create,drop=after,times=1
{sandbox} fault add operation=finance.records.create,drop=after,times=1

# Every change of an endpoint is rejected, with a code.
{sandbox} fault add operation=webhook_endpoints.update,status=409,code=conflict

# Everything under /v1/subscriptions takes two seconds, but for the first three requests.
{sandbox} fault add path=/v1/subscriptions,latency=2s,skip=3

# A gateway returns a page instead of JSON; a response breaks off in the middle.
{sandbox} fault add method=GET,status=502,foreign=html,times=1
{sandbox} fault add method=GET,truncate,times=1

# The request is carried out, and the response is an error.
{sandbox} fault add operation=api_keys.rotate,status=500,after,times=1

# Reads follow the writes after eight seconds.
{sandbox} fault add lag=8s

# A cache returns another customer; a gateway that knows nothing of the service responds to a deletion.
{sandbox} fault add operation=customers.get,other,times=1
{sandbox} fault add method=DELETE,foreign=html,times=1

# The connections that are open at the next request go silent.
{sandbox} fault add silent

# After 20 requests the services are away for a minute: connections are reset, or every request gets 503.
{sandbox} fault add skip=20,outage=1m
{sandbox} fault add skip=20,outage=1m,status=503

# The service's clock is a day behind that of this machine.
{sandbox} fault add clock=-24h

# Your own response.
{sandbox} fault add 'operation=me.get,status=200,body={"id":"o-1","environment":"production"}'

{sandbox} fault list
{sandbox} fault clear
`,
}

// fault adds, lists or clears faults.
func (p program) fault(ctx context.Context, args []string) error {
	set := p.flags(faultManual)
	list := listing[sandbox.FaultState]{columns: faultColumns, none: "No faults are in force."}
	jsonFlag(set, &list.json)
	words, err := set.words(args)
	if err != nil {
		return err
	}
	action := strings.Join(words[:min(1, len(words))], "")
	if wanted := map[string]int{"add": 2, "list": 1, "clear": 1}[action]; wanted == 0 || len(words) != wanted {
		return set.misused("say add SPEC, list or clear")
	}
	control, err := p.controller()
	if err != nil {
		return err
	}
	switch action {
	case "clear":
		var nothing struct{}
		return control.ask(ctx, http.MethodDelete, "/faults", nil, &nothing)
	case "add":
		var added sandbox.FaultState
		if err := control.ask(ctx, http.MethodPost, "/faults", sandbox.FaultState{Spec: words[1]}, &added); err != nil {
			return err
		}
		return write(p, list, []sandbox.FaultState{added})
	default:
		var states []sandbox.FaultState
		if err := control.ask(ctx, http.MethodGet, "/faults", nil, &states); err != nil {
			return err
		}
		return write(p, list, states)
	}
}

var faultColumns = []column[sandbox.FaultState]{
	{"ID", func(f sandbox.FaultState) string { return f.ID }},
	{"FAULT", func(f sandbox.FaultState) string { return f.Spec }},
}
