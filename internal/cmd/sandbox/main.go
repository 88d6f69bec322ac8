// Command billing-sandbox runs the billing sandbox and controls a running one.
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
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/mattn/go-shellwords"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Exit codes distinguish an invalid command line from other failures.
const (
	exitFailure = 1
	exitUsage   = 2
)

// program contains the command's environment, which tests replace.
type program struct {
	name     string // as the user called it
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	// wrapped is the program run by rehearse, and its arguments.
	wrapped []string
	// Whether out and err are terminals.
	outTerminal, errTerminal bool
}

type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func misused(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop) // a second signal ends the process, whatever it waits for
	p := program{
		name: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"),
		in:   os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv,
		outTerminal: isatty.IsTerminal(os.Stdout.Fd()), errTerminal: isatty.IsTerminal(os.Stderr.Fd()),
	}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

type chapter struct {
	title    string
	commands []command
}

// chapters are the commands. Those that only a route of the control listener describes are part of the second one.
func (p program) chapters() []chapter {
	chapters := []chapter{
		{"Run it", []command{p.serve(), p.env(), p.status(), p.reset(), p.stop()}},
		{"See what happens", []command{p.requests(), p.listen(), p.deliveries(), p.audit(), p.key()}},
		{"Be the other system", []command{p.call(), p.edit()}},
		{"Make things happen", []command{
			p.clock(), p.subscription(), p.event(), p.fault(), p.operations(), p.token(),
		}},
		{"Try a change on a copy of an organization", []command{p.copy(), p.rehearse(), p.compare(), p.coverage()}},
		{"Judge a service, or a webhook handler", []command{p.check(), p.drill()}},
		{"About it", []command{p.completion(), p.version()}},
	}
	for _, of := range sandbox.ControlCommands() {
		name, _, _ := strings.Cut(of.Words, " ")
		isKnown := func(c chapter) bool {
			return slices.ContainsFunc(c.commands, func(c command) bool { return c.name == name })
		}
		if !slices.ContainsFunc(chapters, isKnown) {
			chapters[1].commands = append(chapters[1].commands, command{name: name, summary: lowered(of.Summary),
				about: of.Summary + ".\n", examples: "{sandbox} " + name + "\n", actions: p.routed(name)})
		}
	}
	return chapters
}

func (p program) commands() (all []command) {
	for _, chapter := range p.chapters() {
		all = append(all, chapter.commands...)
	}
	return all
}

func (p program) command(name string) (command, error) {
	var names, actions []string
	for _, c := range p.commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
		if slices.Contains(c.verbs(), name) {
			actions = append(actions, c.name+" "+name)
		}
	}
	if strings.HasPrefix(name, "-") {
		set, _ := p.serve().flagSets()
		flagName, _, _ := strings.Cut(strings.TrimLeft(name, "-"), "=")
		if set.Lookup(flagName) != nil {
			return command{}, misused("%s is a flag of serve; write %s serve %[1]s", name, p.called())
		}
		return command{}, misused("a command comes before the flag %s", name)
	}
	if len(actions) == 1 { // of the others, none is more likely
		return command{}, misused("no command %q; did you mean %s?", name, actions[0])
	}
	if other := otherwiseCalled[name]; other != "" {
		return command{}, misused("no command %q; did you mean %s?", name, other)
	}
	return command{}, misused("no command %q%s", name, meant(name, names))
}

// otherwiseCalled are what other programs call a command.
var otherwiseCalled = map[string]string{"trigger": "event emit", "logs": "requests", "tail": "requests --follow",
	"start": "serve", "up": "serve", "webhooks": "deliveries", "advance": "clock advance"}

func (p program) run(ctx context.Context, args []string) int {
	p.out, p.err = &screen{Writer: p.out}, &screen{Writer: p.err}
	if len(args) == 0 {
		p.overview(p.err)
		return exitUsage
	}
	name, rest := args[0], args[1:]
	switch name {
	case "-h", "-help", "--help", "help":
		if name == "help" && len(rest) > 0 && rest[0] != "help" && !strings.HasPrefix(rest[0], "-") {
			return p.explain(ctx, rest[0], rest[1:])
		}
		p.overview(p.out)
		return 0
	case "-version", "--version":
		name = "version"
	case completing:
		p.complete(ctx, rest)
		return 0
	}
	if i := slices.Index(rest, "--"); i >= 0 && name == "rehearse" {
		if rest, p.wrapped = rest[:i], rest[i+1:]; len(p.wrapped) == 0 {
			return p.ended(name, " "+name, misused("name a program after --, such as -- tofu"))
		}
	}
	c, err := p.command(name)
	if err != nil {
		return p.ended("", "", err)
	}
	rest, err = p.withServeFlags(name, rest)
	if err == nil {
		err = p.follow(ctx, c, rest)
	}
	return p.ended(name, " "+name, err)
}

// withServeFlags adds the flags in the environment to those of serve.
func (p program) withServeFlags(name string, rest []string) ([]string, error) {
	if name != "serve" || p.getenv == nil {
		return rest, nil
	}
	parser := shellwords.NewParser()
	flags, err := parser.Parse(p.getenv("BILLING_SANDBOX_SERVE_FLAGS"))
	if err == nil && parser.Position >= 0 {
		err = errors.New("; & | < > must be in quotes") // the parser ignores the rest
	}
	if err != nil {
		return nil, misused("BILLING_SANDBOX_SERVE_FLAGS: %v", err)
	}
	return append(flags, rest...), nil
}

// explain prints the help page of a command or action, or of the values of a flag of serve.
func (p program) explain(ctx context.Context, name string, rest []string) int {
	if words := bend.Flags[name]; words != nil && len(rest) == 0 {
		p.explainWords(name, words)
		return 0
	}
	c, err := p.command(name)
	switch {
	case err != nil:
	case len(rest) > 1 || len(rest) == 1 && !slices.Contains(c.verbs(), rest[0]):
		err = misused("unexpected %q", rest[len(rest)-1])
	default:
		err = p.follow(ctx, c, []string{"--help"})
	}
	return p.ended("help", "", err)
}

// ended reports the result of a command and returns the exit code. page is the related help page.
func (p program) ended(name, page string, err error) int {
	var status statusError
	var usage usageError
	prefix := strings.TrimSuffix(p.called()+" "+name, " ")
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &status):
		return status.code
	case errors.As(err, &usage):
		fmt.Fprintf(p.err, "%s: %v\nSee \"%s help%s\".\n", prefix, err, p.called(), page)
		return exitUsage
	default:
		fmt.Fprintf(p.err, "%s: %v\n", prefix, err)
		return exitFailure
	}
}

// called returns the program name used by the user.
func (p program) called() string { return cmp.Or(p.name, "billing-sandbox") }

// version is set by the release build.
var version = ""

func (p program) version() command {
	return command{
		name: "version", summary: "show the version", alone: true,
		about:    "Prints the version of this program, and what it was built with and for.\n",
		examples: "{sandbox} version\n",
		actions: []action{{run: func(context.Context, *controller, []string) error {
			_, err := fmt.Fprintf(p.out, "%s %s (%s, %s/%s)\n", p.called(), builtVersion(), runtime.Version(),
				runtime.GOOS, runtime.GOARCH)
			return err
		}}},
	}
}

// builtVersion returns the version of the release or, after go install, of the module.
func builtVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
