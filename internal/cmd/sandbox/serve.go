package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// serve runs a sandbox until ctx is done.
func (p program) serve(ctx context.Context, args []string) error {
	set := p.flags(serveManual)
	wanted := p.serveFlags(set)
	if err := set.alone(args); err != nil {
		return err
	}
	options, err := wanted.read(p)
	if err != nil {
		return set.misused("%v", err)
	}
	if options.SeedDocument, err = p.readSeed(wanted.seedFile); err != nil {
		return err
	}
	// The server outlives ctx for as long as Close takes.
	server, err := sandbox.Start(context.WithoutCancel(ctx), options)
	if err != nil {
		return blameSeed(wanted.seedFile, err)
	}
	if server.SeedIgnored() {
		fmt.Fprintf(p.err, "The state file %s has been used before: %s is left alone.\n", options.StateFile, wanted.seedFile)
	}
	for _, fault := range wanted.faults {
		server.AddFault(fault)
	}
	if err := p.announce(server, wanted.envFile); err != nil {
		return errors.Join(err, server.Close())
	}
	<-ctx.Done()
	return server.Close()
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
	page := ""
	if server.WebURL() != "" {
		page = "#   web page              " + server.WebURL() + "\n"
	}
	return fmt.Sprintf(`# The sandbox is ready.
#   recurring billing     %s
#   financial management  %s
#   collections           %s
#   control               %s
#   CA certificate        %s
%s`, server.BillingURL(), server.FinanceURL(), server.CollectionsURL(), server.ControlURL(), server.CAFile(), page)
}
