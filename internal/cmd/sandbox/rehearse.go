package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// exitRefused is the exit code of a refused rehearsal, or of one whose second plan is not empty.
const exitRefused = 3

const (
	defaultDays = 90
	mostDays    = 3650
)

// formats are the output formats of a report.
type formats struct{ markdown, json bool }

func (f *formats) flags(set *flag.FlagSet) {
	set.BoolVar(&f.markdown, "markdown", false, "write Markdown, for a comment on a pull request")
	set.BoolVar(&f.json, "json", false, "write one JSON object")
}

// page can be written in each format.
type page interface {
	Text(out io.Writer) error
	Markdown(out io.Writer) error
	JSON(out io.Writer) error
}

func (f *formats) check() error {
	if f.markdown && f.json {
		return misused("--markdown and --json exclude each other")
	}
	return nil
}

func (f *formats) write(out io.Writer, r page) error {
	switch {
	case f.markdown:
		return r.Markdown(out)
	case f.json:
		return r.JSON(out)
	}
	return r.Text(out)
}

func (p program) rehearse() command {
	options := rehearsal.Options{Program: "terraform", Days: defaultDays}
	var format formats
	var prices string
	run := func(ctx context.Context, _ *controller, values []string) (err error) {
		if options.Days > mostDays {
			return misused("--days must be at most %d", mostDays)
		}
		if err := format.check(); err != nil {
			return err
		}
		if options.Prices, err = priceList(prices); err != nil {
			return err
		}
		if len(values) > 0 {
			if options.Copy, err = os.ReadFile(values[0]); err != nil {
				return err
			}
		}
		if options.Folder, err = os.Getwd(); err != nil {
			return err
		}
		// If the reader of a pipe exits, such as head, the temporary folder must still be removed.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		options.Environ, options.Program = os.Environ(), "terraform"
		if len(p.wrapped) > 0 {
			options.Program = p.wrapped[0]
			options.Arguments = append(options.Arguments, p.wrapped[1:]...)
		}
		options.Progress = func(text string) { fmt.Fprintln(p.err, text+" …") }
		result, err := rehearsal.Run(ctx, options)
		if errors.Is(err, context.Canceled) {
			return errors.New("interrupted: the service, the state and this folder are as they were")
		}
		if err != nil {
			return err
		}
		if err := format.write(p.out, result.Page()); err != nil {
			return err
		}
		if result.Result != rehearsal.Applied {
			return statusError{code: exitRefused}
		}
		return nil
	}
	return command{
		name: "rehearse", summary: "apply the configuration of this folder to a copy, and show what differs", alone: true,
		about: `Applies the configuration of this folder to a copy of the organization, and reports what it sends, what the
service would reject, and what differs for the next days: invoices, subscriptions, keys and deliveries.
Without FILE it copies the organization that BILLING_* names, with GET requests only and into memory; FILE is a copy
that "{sandbox} copy" has written. Nothing else reaches the services, no delivery is sent, and the state,
the lock file and the files of this folder stay as they are.

It runs init, plan, apply and plan of Terraform, or of the program after --, in a temporary folder with the
state of its backend in a local file. Flags of a plan may follow the program. The provider talks to the copy,
whatever a configuration or a variable says. Changes of other providers are not carried out, except those that
exist only in the state (terraform_data, null_resource, random_*, time_*, tls_*), and no provisioner runs.
Exit code: 0 applied and the second plan is empty, 3 refused or not empty, 1 not rehearsed.
`,
		examples: `{sandbox} rehearse
{sandbox} rehearse organization.copy --days 365
{sandbox} rehearse --markdown > report.md
{sandbox} rehearse --var-file production.tfvars --prices prices.json
{sandbox} rehearse -- tofu -parallelism=4
`,
		actions: []action{{
			usage: "[FILE]",
			flags: func(set *flag.FlagSet) {
				set.IntVar(&options.Days, "days", defaultDays, "`NUMBER` of days to look ahead")
				for name, what := range map[string]string{"var": "set a variable of the configuration, `NAME=VALUE`; repeatable",
					"var-file": "take variables from `FILE`, as a plan does; repeatable"} {
					set.Func(name, what, func(value string) error {
						options.Arguments = append(options.Arguments, "-"+name+"="+value)
						return nil
					})
				}
				set.Func("allow", "carry out changes of resources of this `TYPE` of another provider, for real; repeatable",
					func(value string) error {
						options.Allow = append(options.Allow, value)
						return nil
					})
				set.BoolVar(&options.All, "all", false, "carry out the changes of other providers and run provisioners, for real")
				set.BoolVar(&options.Partial, "partial", false, "leave out billing changes that depend on changes which are not "+
					"carried out")
				pricesFlag(set, &prices)
				operationFlag(set, &options.Operations)
				format.flags(set)
			},
			run: run,
		}},
	}
}

// pricesFlag names a price list.
func pricesFlag(set *flag.FlagSet, file *string) {
	set.StringVar(file, "prices", "", "take amounts that the service does not show from `FILE`, a JSON list such as "+
		`[{"plan":"ID","cycle":"monthly","currency":"BRL","cents":43740},{"price":"ID","currency":"BRL","cents":4990}]`)
}

// priceList reads a price list; none without a name.
func priceList(name string) ([]amounts.Entry, error) {
	if name == "" {
		return nil, nil
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list, err := amounts.ReadPriceList(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

// fileOrInput reads a file, or standard input for -.
func (p program) fileOrInput(name string) ([]byte, error) {
	var content []byte
	var err error
	if name == "-" {
		content, err = io.ReadAll(p.in)
	} else {
		content, err = os.ReadFile(name)
	}
	if err == nil && len(content) == 0 {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return nil, err
	}
	// PowerShell writes UTF-16, and other programs a byte-order mark.
	content, _, err = transform.Bytes(unicode.BOMOverride(transform.Nop), content)
	return content, err
}
