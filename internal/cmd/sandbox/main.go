// Command sandbox runs the billing sandbox and steers a running one.
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
)

const usage = `A sandbox of the three billing services, over https on loopback.

  sandbox serve [flags]                     run it until interrupted
  sandbox requests [--follow] [--operation NAME] [--bodies]
                                            what it has been asked
  sandbox clock [show | advance 24h | set 2026-01-31T00:00:00Z]
                                            the time it lives in
  sandbox subscription past-due ID | pay ID | status ID STATUS
                                            what no operation does to one
  sandbox event emit NAME [--data JSON]     what webhooks tell of
  sandbox deliveries [--status STATUS] [--attempts]
                                            what became of the webhooks
  sandbox key list                          the API keys of collections
  sandbox fault add SPEC | list | clear     what goes wrong
  sandbox token create [flags] | list | revoke PREFIX
                                            who may ask

"sandbox COMMAND --help" tells more. All but serve talk to a running sandbox;
they find it by BILLING_SANDBOX_CONTROL_URL, BILLING_SANDBOX_CONTROL_TOKEN and
BILLING_CA_CERTIFICATE_FILE, which serve prints or writes with --env-file:

  sandbox serve --env-file sandbox.env &
  . ./sandbox.env
  sandbox requests --follow
`

// Exit codes: a wrong command line is told apart from a failure.
const (
	exitFailure = 1
	exitUsage   = 2
)

// program is the command's surroundings, so that tests can bring their own.
type program struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
}

// errUsage marks a command line that cannot be followed; it has been explained.
var errUsage = errors.New("wrong command line")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := program{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run follows a command line and answers the exit code.
func (p program) run(ctx context.Context, args []string) int {
	commands := map[string]func(context.Context, []string) error{
		"serve": p.serve, "requests": p.requests, "clock": p.clock, "fault": p.fault, "token": p.token,
		"subscription": p.subscription, "event": p.event, "deliveries": p.deliveries, "key": p.key,
	}
	if len(args) == 0 {
		fmt.Fprint(p.err, usage)
		return exitUsage
	}
	command, ok := commands[args[0]]
	switch {
	case ok:
	case args[0] == "help" || args[0] == "-h" || args[0] == "--help":
		fmt.Fprint(p.out, usage)
		return 0
	default:
		fmt.Fprintf(p.err, "sandbox: no command %q\n\n%s", args[0], usage)
		return exitUsage
	}
	switch err := command(ctx, args[1:]); {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return exitUsage
	default:
		fmt.Fprintf(p.err, "sandbox %s: %v\n", args[0], err)
		return exitFailure
	}
}

// flags makes a flag set that explains itself with the given text.
func (p program) flags(name, text string) *flag.FlagSet {
	set := flag.NewFlagSet("sandbox "+name, flag.ContinueOnError)
	set.SetOutput(p.err)
	set.Usage = func() {
		fmt.Fprintf(p.err, "%s\n", text)
		set.PrintDefaults()
	}
	return set
}

// parse reads the flags; a wrong one, already explained by the flag package,
// becomes errUsage.
func parse(set *flag.FlagSet, args []string) error {
	err := set.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return errUsage
}

// misused explains what is wrong with a command line and shows its usage.
func (p program) misused(set *flag.FlagSet, format string, args ...any) error {
	fmt.Fprintf(p.err, "%s: %s\n\n", set.Name(), fmt.Sprintf(format, args...))
	set.Usage()
	return errUsage
}
