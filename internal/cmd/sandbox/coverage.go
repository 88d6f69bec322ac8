package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/coverage"
)

// exitUnmanaged is the exit code for incomplete coverage.
const exitUnmanaged = 3

func (p program) coverage() command {
	var format formats
	imports, ignoreFile := false, ""
	return command{
		name: "coverage", summary: "list the objects that each state manages, and those that none does", alone: true,
		about: `Compares the organization that BILLING_* names with states, each written with "terraform show -json": which
objects are managed, unmanaged, in two states or at two addresses, and which are in a state but gone. Objects
appear by type, id, and external_id, the URL of an endpoint without its query, or name, which may be the
name of a person. It sends only GET requests. It counts ended objects that are in no state: closed accounts,
canceled subscriptions, and revoked or expired keys.
Exit code: 0, or 3 if something is unmanaged. A file may contain several states, one after the other.

Each line of the file that --ignore names is a type and an id, such as "billing_api_key *"; # begins a comment.
`,
		examples: `terraform show -json > a.json
{sandbox} coverage a.json b.json
{sandbox} coverage a.json --imports > imports.tf
{sandbox} coverage a.json --ignore coverage.ignore --json
`,
		actions: []action{{
			usage: "STATE...",
			flags: func(set *flag.FlagSet) {
				set.BoolVar(&imports, "imports", false, "write an import block for each unmanaged object instead")
				set.StringVar(&ignoreFile, "ignore", "", "do not report the unmanaged objects that this `FILE` names")
				format.flags(set)
			},
			run: func(ctx context.Context, _ *controller, values []string) error {
				states := coverage.States{}
				for _, name := range values {
					content, err := p.fileOrInput(name)
					if err != nil {
						return err
					}
					states[name] = content
				}
				ignore, err := ignoreLines(ignoreFile)
				if err != nil {
					return err
				}
				c, err := coverage.Cover(ctx, p.getenv, states, ignore)
				if err != nil {
					return err
				}
				for _, pattern := range c.IgnoresNothing {
					fmt.Fprintf(p.err, "%s: %q matches no object\n", ignoreFile, pattern)
				}
				if imports {
					err = c.Imports(p.out)
				} else {
					err = format.write(p.out, c.Page())
				}
				if err == nil && len(c.Unmanaged) > 0 {
					return statusError{code: exitUnmanaged}
				}
				return err
			},
		}},
	}
}

// ignoreLines parses the patterns in a file, each with a type and an id.
func ignoreLines(name string) (patterns []string, err error) {
	if name == "" {
		return nil, nil
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--ignore: %w", err)
	}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		n++
		text, _, _ := strings.Cut(line, "#")
		words := strings.Fields(text)
		switch len(words) {
		case 0:
		case 2:
			patterns = append(patterns, words[0]+" "+strings.ReplaceAll(words[1], "/", ":"))
		default:
			return nil, fmt.Errorf("%s, line %d: must be a type and an id", name, n)
		}
	}
	return patterns, nil
}
