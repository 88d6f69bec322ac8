package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var serveManual = manual{
	name:    "serve",
	summary: "run it until interrupted",
	usage:   []string{"[flags]"},
	about: `Runs the sandbox until SIGINT or SIGTERM. When it is ready it prints its addresses and the exports that
point the provider at it, or writes the exports to --env-file. The exports hold tokens: the file is
readable by you alone. The file is removed at the start, before anything else, and at the end, so a
script can wait for it. --env-format is posix for sh, bash and zsh, powershell, or github for the file
that GITHUB_ENV names.

A seed file is a JSON object of the lists plans, products, prices, customers, billing_accounts,
subscriptions, webhook_endpoints and api_keys, and of an object finance that holds a list for each of its
collections. Each element is the body that the service's own creation takes, and is judged as that is.
Where an id is not known yet, "external_id=CODE" stands for it: in a subscription's
billing_account_id, and in an account's customer.id. A webhook endpoint may have a "secret" and an API
key a "token", so that tests know them. A seed takes the place of the example data of financial
management. A state file that has been used before is left alone.
`,
	examples: `{sandbox} serve --env-file sandbox.env
{sandbox} serve --env-file sandbox.ps1 --env-format powershell
{sandbox} serve --state sandbox.db --seed-file seed.json
{sandbox} serve --clock 2026-01-31T12:00:00Z --seed 1 --max-per-page 2
{sandbox} serve --verbose --fault operation=customers.create,status=503,times=1
echo '{"customers":[{"name":"Padaria Aurora"}]}' | {sandbox} serve --seed-file -
`,
	alone: true,
}

// serving is what the flags of serve say.
type serving struct {
	options          sandbox.Options
	faults           []sandbox.Fault
	seedFile         string
	envFile          string
	envFormat        string
	clock, tolerance string
	verbose          bool
}

// serveFlags defines the flags of serve.
func (p program) serveFlags(set *flags) *serving {
	s := &serving{}
	o := &s.options
	set.StringVar(&s.envFile, "env-file", "",
		"write the exports to this `FILE`, in one piece, once ready; removed at the start and at the end")
	s.envFormat = envPOSIX
	set.Func("env-format", "`FORMAT` of the exports: "+strings.Join(envFormats, ", ")+"; defaults to "+envPOSIX,
		func(value string) error {
			if s.envFormat = value; !slices.Contains(envFormats, value) {
				return errors.New("must be one of " + strings.Join(envFormats, ", "))
			}
			return nil
		})
	set.StringVar(&o.Addr, "addr", "127.0.0.1", "`HOST` to listen on")
	set.IntVar(&o.BillingPort, "billing-port", 0, "`PORT` of recurring billing; 0 takes a free one")
	set.IntVar(&o.FinancePort, "finance-port", 0, "`PORT` of financial management; 0 takes a free one")
	set.IntVar(&o.CollectionsPort, "collections-port", 0, "`PORT` of collections; 0 takes a free one")
	set.IntVar(&o.ControlPort, "control-port", 0, "`PORT` of the control listener; 0 takes a free one")
	set.BoolVar(&o.Web, "web", false, "serve a page that shows the contents of the sandbox, for a browser on this machine")
	set.IntVar(&o.WebPort, "web-port", 0, "`PORT` of that page, with or without --web; 0 takes a free one")
	set.StringVar(&o.CAFile, "ca-file", "",
		"write the CA certificate to this `FILE`; if unset, next to the file of --state, or to a temporary file")
	set.StringVar(&o.StateFile, "state", "", "keep everything, tokens too, in this `FILE`; if unset, in memory")
	set.StringVar(&s.seedFile, "seed-file", "", "begin with the data of this JSON `FILE`; - is standard input")
	set.BoolVar(&o.NoExampleData, "no-example-data", false, "let financial management begin empty; if unset, and "+
		"without a seed file, it has the accounts, payables and receivables of two companies")
	set.Uint64Var(&o.Seed, "seed", 0,
		"derive ids, tokens and shuffles from this `NUMBER`, so that runs repeat; if unset, they are random")
	set.StringVar(&s.clock, "clock", "",
		"stop the clock at this `TIME` (RFC 3339) until moved; if unset, the real clock runs")
	set.StringVar(&o.Organization.Environment, "environment", "sandbox", "`NAME` that /v1/me returns as environment")
	s.differences(set.FlagSet)
	receiverFlags(set.FlagSet, o)
	set.BoolVar(&s.verbose, "verbose", false, "show every request on standard error, as \"{sandbox} requests\" does")
	return s
}

func (s *serving) differences(set *flag.FlagSet) {
	o := &s.options
	set.IntVar(&o.MaxPerPage, "max-per-page", 100, "largest page of a listing, a `NUMBER`")
	set.BoolVar(&o.HTTP2, "http2", false,
		"offer HTTP/2 too; a fault that drops a connection resets then the stream of its request")
	set.StringVar(&o.CollectionsAuthHeader, "collections-auth-header", "",
		"`NAME` of the header that carries the bare key of collections; if unset, Authorization: Bearer")
	set.StringVar(&s.tolerance, "tolerance", "", "differ in these ways, a comma-separated `LIST` of "+
		strings.Join(sandbox.ToleranceNames(), ", "))
	set.Func("fault", "put a fault in force, repeatable; `SPEC` as in \"{sandbox} help fault\"", func(spec string) error {
		fault, err := sandbox.ParseFault(spec)
		s.faults = append(s.faults, fault)
		return err
	})
}

// read completes the options from the flags that need parsing.
func (s *serving) read(p program) (sandbox.Options, error) {
	o := s.options
	var err error
	if s.clock != "" {
		if o.Start, err = time.Parse(time.RFC3339, s.clock); err != nil {
			return o, errors.New("--clock must be a time such as 2026-01-31T12:00:00Z")
		}
	}
	if o.Tolerance, err = sandbox.ParseTolerance(s.tolerance); err != nil {
		return o, fmt.Errorf("--tolerance: %w", err)
	}
	level := slog.LevelWarn
	if s.verbose {
		level = slog.LevelDebug
		o.OnRequest = p.tell()
	}
	o.Logger = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: level}))
	return o, nil
}

// tell writes requests to standard error as they come in.
func (p program) tell() func(sandbox.Request) {
	var mu sync.Mutex
	return func(r sandbox.Request) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(p.err, requestLine(r, p.colours(p.errTerminal)))
	}
}
