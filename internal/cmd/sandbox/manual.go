package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// manual explains a command. {sandbox} in its texts is replaced by the name that
// the user has called the program by.
type manual struct {
	name     string
	summary  string   // a line in the list of commands
	usage    []string // what may follow the name
	about    string
	examples string // a line each, to be pasted
	alone    bool   // needs no running sandbox
}

// command is what the first word of a command line selects.
type command struct {
	manual manual
	run    func(ctx context.Context, args []string) error
}

const environmentText = `
Environment:
  BILLING_SANDBOX_CONTROL_URL, BILLING_SANDBOX_CONTROL_TOKEN and BILLING_CA_CERTIFICATE_FILE say which
  sandbox is meant; "{sandbox} serve" prints them, or writes them with --env-file.
`

const exitText = `
Exit codes: 0 done, 1 failed or rejected, 2 wrong command line; call and edit: 4 for a 4xx response,
5 for a 5xx one.
`

// called is the name that the user has called the program by.
func (p program) called() string { return cmp.Or(p.name, "sandbox") }

// expand puts that name into a text.
func (p program) expand(text string) string {
	return strings.ReplaceAll(text, "{sandbox}", p.called())
}

// flags are the flags of a command.
type flags struct {
	*flag.FlagSet
	p      program
	manual manual
}

// flags begins a command's flags.
func (p program) flags(m manual) *flags {
	set := flag.NewFlagSet(p.called()+" "+m.name, flag.ContinueOnError)
	set.SetOutput(io.Discard) // parse prints the error and the help
	return &flags{FlagSet: set, p: p, manual: m}
}

// parse reads the flags. With --help it prints the help of the command and returns flag.ErrHelp; an error is printed
// and returned as errUsage.
func (f *flags) parse(args []string) error {
	switch err := f.Parse(args); {
	case err == nil:
		return nil
	case errors.Is(err, flag.ErrHelp):
		f.help(f.p.out)
		return err
	default:
		return f.misused("%v", err)
	}
}

// words reads flags that may be before, between and behind the words of a
// command, which it returns.
func (f *flags) words(args []string) (words []string, err error) {
	for {
		if err := f.parse(args); err != nil || f.NArg() == 0 {
			return words, err
		}
		words, args = append(words, f.Arg(0)), f.Args()[1:]
	}
}

// alone reads the flags of a command that takes no words.
func (f *flags) alone(args []string) error {
	if err := f.parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return f.misused("unexpected %q", f.Arg(0))
	}
	return nil
}

// misused says what is wrong with a command line, and where its use is
// explained.
func (f *flags) misused(format string, args ...any) error {
	fmt.Fprintf(f.p.err, "%s: %s\n%s", f.Name(), fmt.Sprintf(format, args...),
		f.p.expand("See \"{sandbox} help "+f.manual.name+"\".\n"))
	return errUsage
}

// help explains the command.
func (f *flags) help(w io.Writer) {
	var text strings.Builder
	text.WriteString("Usage:\n")
	for _, usage := range f.manual.usage {
		text.WriteString(strings.TrimRight("  {sandbox} "+f.manual.name+" "+usage, " ") + "\n")
	}
	fmt.Fprintf(&text, "\n%s\nExamples:\n%s", f.manual.about, indented(f.manual.examples))
	if flags := f.defaults(); flags != "" {
		text.WriteString("\nFlags:\n" + flags)
	}
	if !f.manual.alone {
		text.WriteString(environmentText)
	}
	text.WriteString(exitText)
	fmt.Fprint(w, f.p.expand(text.String()))
}

// defaults is what the flag package prints about the flags.
func (f *flags) defaults() string {
	var text strings.Builder
	f.SetOutput(&text)
	f.PrintDefaults()
	f.SetOutput(io.Discard)
	return text.String()
}

func indented(lines string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		if line != "\n" {
			out.WriteString("  ")
		}
		out.WriteString(line)
	}
	return out.String()
}
