package main

import (
	"fmt"
	"io"
)

// chapter is a part of the commands, as the overview lists them.
type chapter struct {
	title    string
	commands []command
}

// chapters are all commands.
func (p program) chapters() []chapter {
	return []chapter{
		{"Run it", []command{{serveManual, p.serve}, {statusManual, p.status}, {resetManual, p.reset}, {stopManual, p.stop}}},
		{"See what happens", []command{
			{requestsManual, p.requests}, {deliveriesManual, p.deliveries}, {keyManual, p.key},
		}},
		{"Be the other system", []command{{callManual, p.call}, {editManual, p.edit}}},
		{"Make things happen", []command{
			{clockManual, p.clock}, {subscriptionManual, p.subscription}, {eventManual, p.event},
			{faultManual, p.fault}, {operationsManual, p.operations}, {tokenManual, p.token},
		}},
		{"Compare a service with what the provider assumes", []command{{checkManual, p.check}}},
		{"About it", []command{{versionManual, p.version}}},
	}
}

const overviewHead = `A sandbox of the three billing services, over https on loopback. It needs no account and charges nobody.

Usage:
  {sandbox} COMMAND [words and flags]
`

const overviewTail = `  help COMMAND   more of a command, with examples

Start it in one terminal, and continue in another:
  {sandbox} serve --env-file sandbox.env

  . ./sandbox.env
  terraform apply
  {sandbox} requests --follow

Environment:
  BILLING_SANDBOX_CONTROL_URL, BILLING_SANDBOX_CONTROL_TOKEN, BILLING_CA_CERTIFICATE_FILE
                 by which the other commands find what "serve" runs; serve prints or writes them,
                 with what points the provider at it
  NO_COLOR       when set and not empty: no colours, on a terminal neither
`

// overview explains the program.
func (p program) overview(w io.Writer) {
	fmt.Fprint(w, p.expand(overviewHead))
	for _, chapter := range p.chapters() {
		fmt.Fprintf(w, "\n%s:\n", chapter.title)
		for _, command := range chapter.commands {
			fmt.Fprintf(w, "  %-13s  %s\n", command.manual.name, command.manual.summary)
		}
	}
	fmt.Fprint(w, p.expand(overviewTail), exitText)
}
