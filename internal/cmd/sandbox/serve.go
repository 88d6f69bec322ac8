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
	file := envFile{path: wanted.envFile}
	if file.path != "" {
		if err := file.clear(); err != nil {
			return fmt.Errorf("--env-file: %w", err)
		}
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
	file.content = envLines(wanted.envFormat, server.Env())
	if err := p.announce(server, file, wanted.envFormat); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case <-ctx.Done():
	case <-server.Stopped():
	}
	if file.path != "" {
		err = file.remove()
	}
	return errors.Join(err, server.Close())
}

// announce reports that the sandbox is ready and where. What goes into GITHUB_ENV has no comments, so they go to
// standard error.
func (p program) announce(server *sandbox.Server, file envFile, format string) error {
	if file.path == "" {
		comments := p.out
		if format == envGitHub {
			comments = p.err
		}
		fmt.Fprintln(comments, addresses(server))
		_, err := fmt.Fprint(p.out, file.content)
		return err
	}
	if err := writeWhole(file.path, file.content); err != nil {
		return fmt.Errorf("write %s: %w", file.path, err)
	}
	_, err := fmt.Fprintf(p.out, "%s\nThe exports are in %s.\n", addresses(server), file.path)
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
