package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const serveHelp = `Usage: sandbox serve [flags]

Runs the sandbox until SIGINT or SIGTERM. When it is ready it prints its
addresses and the exports that point the provider at it, or writes the exports
to --env-file. The exports hold tokens: the file is readable by you alone.
`

// serve runs a sandbox until ctx is done.
func (p program) serve(ctx context.Context, args []string) error {
	set := p.flags("serve", serveHelp)
	options, read := p.serveFlags(set)
	seedFile := set.String("seed-file", "", "begin with what this JSON `FILE` holds, - being standard input")
	envFile := set.String("env-file", "", "write the exports to this `FILE`, in one piece, once ready")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return p.misused(set, "unexpected %q", set.Arg(0))
	}
	faults, err := read()
	if err != nil {
		return p.misused(set, "%v", err)
	}
	if options.SeedDocument, err = p.readSeed(*seedFile); err != nil {
		return err
	}
	// The server outlives ctx for as long as Close takes.
	server, err := sandbox.Start(context.WithoutCancel(ctx), *options)
	if err != nil {
		return blameSeed(*seedFile, err)
	}
	if server.SeedIgnored() {
		fmt.Fprintf(p.err, "The state file %s has been used before: %s is left alone.\n", options.StateFile, *seedFile)
	}
	for _, fault := range faults {
		server.AddFault(fault)
	}
	if err := p.announce(server, *envFile); err != nil {
		return errors.Join(err, server.Close())
	}
	<-ctx.Done()
	return server.Close()
}

// serveFlags defines the flags that make up the options. read completes the
// options from those that need parsing, and answers the faults.
func (p program) serveFlags(set *flag.FlagSet) (*sandbox.Options, func() ([]sandbox.Fault, error)) {
	o := &sandbox.Options{}
	set.StringVar(&o.Addr, "addr", "127.0.0.1", "`HOST` to listen on")
	set.IntVar(&o.BillingPort, "billing-port", 0, "`PORT` of recurring billing; 0 takes a free one")
	set.IntVar(&o.FinancePort, "finance-port", 0, "`PORT` of financial management")
	set.IntVar(&o.CollectionsPort, "collections-port", 0, "`PORT` of collections")
	set.IntVar(&o.ControlPort, "control-port", 0, "`PORT` of the control listener")
	set.StringVar(&o.StateFile, "state", "", "keep everything, tokens too, in this `FILE`; without it in memory")
	set.StringVar(&o.CAFile, "ca-file", "", "write the CA certificate to this `FILE`; default: beside --state, or a temporary file")
	set.Uint64Var(&o.Seed, "seed", 0, "make ids, tokens and shuffles from this `NUMBER`, so that runs repeat; 0: from chance")
	set.IntVar(&o.MaxPerPage, "max-per-page", 100, "largest page of a listing, a `NUMBER`")
	set.IntVar(&o.ReadLag, "read-lag", 0, "`NUMBER` of listings a new object is missing from")
	set.StringVar(&o.Organization.Environment, "environment", "sandbox", "`NAME` that /v1/me answers as environment")
	set.StringVar(&o.CollectionsAuthHeader, "collections-auth-header", "", "`NAME` of the header that carries the bare key of collections; without it Authorization: Bearer")
	receiverFlags(set, o)
	clock := set.String("clock", "", "stand still at this `TIME` (RFC 3339) until moved; without it the real clock runs")
	tolerance := set.String("tolerance", "", "differ in these ways, a comma-separated `LIST` of "+strings.Join(sandbox.ToleranceNames(), ", "))
	verbose := set.Bool("verbose", false, "log every request to stderr")
	var faults []sandbox.Fault
	set.Func("fault", "put a fault in force, repeatable; `SPEC` is "+sandbox.FaultSpecHelp, func(spec string) error {
		fault, err := sandbox.ParseFault(spec)
		faults = append(faults, fault)
		return err
	})
	return o, func() ([]sandbox.Fault, error) {
		var err error
		if *clock != "" {
			if o.Start, err = time.Parse(time.RFC3339, *clock); err != nil {
				return nil, errors.New("--clock must be a time such as 2026-01-31T12:00:00Z")
			}
		}
		if o.Tolerance, err = sandbox.ParseTolerance(*tolerance); err != nil {
			return nil, fmt.Errorf("--tolerance: %w", err)
		}
		o.Logger = p.logger(*verbose)
		return faults, nil
	}
}

func (p program) logger(verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: level}))
}

// announce tells that the sandbox is ready and where.
func (p program) announce(server *sandbox.Server, envFile string) error {
	exports := exportLines(server.Env())
	if envFile == "" {
		_, err := fmt.Fprintf(p.out, "%s\n%s", addresses(server), exports)
		return err
	}
	if err := writeWhole(envFile, exports); err != nil {
		return fmt.Errorf("write %s: %w", envFile, err)
	}
	_, err := fmt.Fprintf(p.out, "%s\nThe exports are in %s.\n", addresses(server), envFile)
	return err
}

func addresses(server *sandbox.Server) string {
	return fmt.Sprintf(`# The sandbox is ready.
#   recurring billing     %s
#   financial management  %s
#   collections           %s
#   control               %s
#   CA certificate        %s
`, server.BillingURL(), server.FinanceURL(), server.CollectionsURL(), server.ControlURL(), server.CAFile())
}
