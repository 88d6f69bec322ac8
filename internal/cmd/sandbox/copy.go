package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
)

func (p program) copy() command {
	var options copier.Options
	var operations map[string]string
	return command{
		name: "copy", summary: "copy the organization that BILLING_* names into a file, with GET requests only", alone: true,
		about: `Reads the organization at the services that BILLING_BASE_URL, BILLING_TOKEN and their kin name, and writes it
to FILE: customers, billing accounts, subscriptions with their items, webhook endpoints, API keys, and the
records of plans, products, prices and the collections that are named. It sends only GET requests.
"{sandbox} serve --copy FILE" serves the copy.

FILE contains personal data and can be read by you alone. It has no token, secret or credential. Existing
content of FILE is replaced when the copy is complete. It leaves out what the token may not read, and lists it.
`,
		examples: `{sandbox} copy organization.copy
{sandbox} copy organization.copy --collections payables,receivables
{sandbox} copy organization.copy --only customers,accounts,subscriptions
`,
		actions: []action{{
			usage: "FILE",
			flags: func(set *flag.FlagSet) {
				set.Func("only", "copy only these kinds, a comma-separated `LIST` of "+strings.Join(copier.Kinds(), ", "),
					func(text string) (err error) {
						options.Only, err = wordsOf(text, copier.Kinds())
						return err
					})
				collectionsFlag(set, &options.Collections)
				operationFlag(set, &operations)
			},
			run: func(ctx context.Context, _ *controller, values []string) error {
				source, err := copier.FromEnvironment(p.getenv, func(text string) { fmt.Fprintln(p.err, text) },
					operations)
				if err != nil {
					return err
				}
				options.Progress = func(kind string, objects int) { fmt.Fprintf(p.err, "%s: %d\n", kind, objects) }
				var left []orgcopy.LeftOut
				err = writeBeside(values[0], func(out io.Writer) (err error) {
					left, err = copier.Copy(ctx, source, options, out)
					return err
				})
				if err != nil {
					return err
				}
				for _, one := range left {
					fmt.Fprintln(p.err, "left out: "+one.String())
				}
				fmt.Fprintf(p.err, "The copy is in %s. It contains personal data.\n", values[0])
				return nil
			},
		}},
	}
}

func collectionsFlag(set *flag.FlagSet, into *[]string) {
	set.Func("collections", "copy the records of these collections of financial management too, a comma-separated `LIST`; "+
		orgcopy.BillingPrefix+"NAME is one of recurring billing", func(text string) error {
		*into = strings.Split(text, ",")
		if slices.Contains(*into, "") {
			return errors.New("must be a list of names such as payables,receivables")
		}
		return nil
	})
}

// wordsOf parses a list of known words.
func wordsOf(text string, known []string) ([]string, error) {
	words := strings.Split(text, ",")
	for _, word := range words {
		if !slices.Contains(known, word) {
			return nil, fmt.Errorf("there is no %q%s", word, meant(word, known))
		}
	}
	return words, nil
}

// writeBeside writes a file with mode 0600 to a temporary name, and renames it once complete. It writes directly to a
// device or a pipe, which a rename would replace. A link may be another user's.
func writeBeside(name string, write func(io.Writer) error) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return misused("%s is a folder; name a file", name)
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	if link, err := os.Lstat(name); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		return misused("%s is a symbolic link; name the file that it points to", name)
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*") // mode 0600
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
