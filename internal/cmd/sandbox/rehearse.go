package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// Exit codes of a rehearsal.
const (
	exitRefused = 3 // refused, not empty, or another plan
	exitFailed  = 4 // a condition of --fail-on holds
)

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
	options := rehearsal.Options{Days: defaultDays, Version: strings.TrimPrefix(version, "v")}
	var format formats
	var copied, prices string
	var conditions []rehearsal.Condition
	run := func(ctx context.Context, _ *controller, values []string) (err error) {
		if options.Days > mostDays {
			return misused("--days must be at most %d", mostDays)
		}
		if err := format.check(); err != nil {
			return err
		}
		if len(p.wrapped) > 1 {
			return misused("name only a program after --, such as -- tofu: it reads the plan")
		}
		options.Program = cmp.Or(strings.Join(p.wrapped, ""), "terraform")
		if options.Prices, err = priceList(prices); err != nil {
			return err
		}
		if err := p.readPlan(values[0], copied, &options); err != nil {
			return err
		}
		// If the reader of a pipe exits, such as head, the temporary folder must still be removed.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		options.Environ = os.Environ()
		options.Progress = func(text string) { fmt.Fprintln(p.err, text+" …") }
		result, err := rehearsal.Run(ctx, options)
		if errors.Is(err, context.Canceled) {
			return errors.New("interrupted: the service and this folder are as they were")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", values[0], err)
		}
		if err := result.Judge(conditions); err != nil {
			return misused("--fail-on: %v", err)
		}
		if err := format.write(p.out, result.Page()); err != nil {
			return err
		}
		for _, failed := range result.FailedOn {
			fmt.Fprintf(p.err, "--fail-on %s: it is %s\n", failed.Condition, failed.Value)
		}
		return exitOf(result)
	}
	return command{
		name: "rehearse", summary: "apply a saved plan to a copy, and show what differs", alone: true,
		about: `Applies the billing changes of a saved plan to a copy of the organization, and reports what they send, what the
service would reject, and what differs for the next days: invoices, subscriptions, keys and deliveries. PLAN is a
file of "terraform plan -out", or what "terraform show -json" prints of it; - reads standard input.

Without --copy it copies the organization that BILLING_* names, with GET requests only and into memory; FILE is a
copy that "{sandbox} copy" has written. Nothing else reaches the services, and no delivery is sent. Terraform,
or the program after --, prints the plan in this folder. It then runs in a temporary folder that has nothing of
yours: no other provider, data source, module, backend or provisioner.
Exit code: 0 applied and the second plan is empty, or nothing to rehearse; 3 refused, not empty, or another plan;
1 not rehearsed, or only in part; 4 a condition of --fail-on holds.
`,
		examples: `terraform plan -out pr.tfplan && {sandbox} rehearse pr.tfplan
{sandbox} rehearse pr.tfplan --copy organization.copy --days 365
{sandbox} rehearse pr.tfplan --markdown --fail-on 'monthly < -500' --fail-on 'ends >= 3' > report.md
terraform show -json pr.tfplan | {sandbox} rehearse - --prices prices.json
{sandbox} rehearse pr.tfplan -- tofu
`,
		actions: []action{{
			usage: "PLAN",
			flags: func(set *flag.FlagSet) {
				set.IntVar(&options.Days, "days", defaultDays, "`NUMBER` of days to look ahead")
				set.StringVar(&copied, "copy", "", "use the copy in `FILE`")
				set.StringVar(&options.Provider, "provider", "", "rehearse the changes of this provider configuration, "+
					"`billing.ALIAS`")
				set.StringVar(&options.Source, "provider-source", "", "`ADDRESS` of the provider in the plan, if it does not end in "+
					"/recurring-billing/billing")
				set.Func("fail-on", "end with code 4 if `CONDITION` holds, NAME OP NUMBER with monthly (or monthly.BRL), begins, ends, "+
					"pauses, refused, not_known, left_out or later; what is not known counts as holding; repeatable",
					func(text string) error {
						condition, err := rehearsal.ParseCondition(text)
						conditions = append(conditions, condition)
						return err
					})
				pricesFlag(set, &prices)
				operationFlag(set, &options.Operations)
				format.flags(set)
			},
			run: run,
		}},
	}
}

// readPlan reads the plan, and a copy if there is one.
func (p program) readPlan(name, copied string, options *rehearsal.Options) (err error) {
	if options.Plan, err = p.fileOrInput(name); err != nil {
		return err
	}
	if options.Folder, err = os.Getwd(); err != nil {
		return err
	}
	if name != "-" {
		if options.File, err = filepath.Abs(name); err != nil {
			return err
		}
	}
	if copied != "" {
		options.Copy, err = os.ReadFile(copied)
	}
	return err
}

// compare compares a rehearsal with what was invoiced since.
func (p program) compare() command {
	var format formats
	var state string
	operations := map[string]string{}
	return command{
		name: "compare", summary: "compare a rehearsal with what was invoiced since", alone: true,
		about: `Reads the organization that BILLING_* names, with GET requests only, and shows what became of each subscription in
REPORT, which "{sandbox} rehearse --json" has written, and what it was invoiced since, beside what was
rehearsed. Of subscriptions that the apply created, the ids come from --state, or from their external_id.
Exit code: 0 as rehearsed, or explained by a later change; 3 a row differs; 1 nothing could be compared.
`,
		examples: `{sandbox} compare report.json
terraform show -json > state.json && {sandbox} compare report.json --state state.json --markdown
`,
		actions: []action{{
			usage: "REPORT",
			flags: func(set *flag.FlagSet) {
				set.StringVar(&state, "state", "", "take the ids of what was created from `FILE`, the output of \"terraform show -json\"")
				operationFlag(set, &operations)
				format.flags(set)
			},
			run: func(ctx context.Context, _ *controller, values []string) error {
				if err := format.check(); err != nil {
					return err
				}
				report, err := p.fileOrInput(values[0])
				if err != nil {
					return err
				}
				var states []byte
				if state != "" {
					if states, err = p.fileOrInput(state); err != nil {
						return err
					}
				}
				result, err := rehearsal.Compare(ctx, report, states, p.getenv, operations,
					func(text string) { fmt.Fprintln(p.err, text+" …") })
				if err != nil {
					return fmt.Errorf("%s: %w", values[0], err)
				}
				if err := format.write(p.out, result.Page()); err != nil {
					return err
				}
				if code := result.Code(); code != 0 {
					return statusError{code: code}
				}
				return nil
			},
		}},
	}
}

// exitOf is the exit code of a report; nil for 0.
func exitOf(r *rehearsal.Report) error {
	switch {
	case r.NotRehearsed > 0:
		return statusError{code: 1}
	case r.Result != rehearsal.Applied && r.Result != rehearsal.Nothing:
		return statusError{code: exitRefused}
	case len(r.FailedOn) > 0:
		return statusError{code: exitFailed}
	}
	return nil
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
