// Command sandbox runs the billing sandbox and controls a running one.
package main

import (
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
)

// Exit codes: a wrong command line is distinguished from a failure.
const (
	exitFailure = 1
	exitUsage   = 2
)

// program is the command's surroundings, so that tests can bring their own.
type program struct {
	name     string // what the user has called it
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	// Whether out and err are terminals, read by people.
	outTerminal, errTerminal bool
}

// errUsage marks a command line that cannot be followed; it has been explained.
var errUsage = errors.New("wrong command line")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := program{
		name: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"),
		in:   os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv,
		outTerminal: isTerminal(os.Stdout), errTerminal: isTerminal(os.Stderr),
	}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run follows a command line and returns the exit code.
func (p program) run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		p.overview(p.err)
		return exitUsage
	}
	name, rest := args[0], args[1:]
	switch {
	case name == "-h" || name == "--help" || name == "-help" || name == "help" && len(rest) == 0:
		p.overview(p.out)
		return 0
	case name == "help":
		return p.help(ctx, rest)
	case name == "--version" || name == "-version":
		name = "version"
	}
	command, ok := p.command(name)
	if !ok {
		return p.noCommand(name)
	}
	var ended statusError
	switch err := command.run(ctx, rest); {
	case errors.As(err, &ended):
		return ended.code
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return exitUsage
	default:
		fmt.Fprintf(p.err, "%s %s: %v\n", p.called(), name, err)
		return exitFailure
	}
}

// command finds a command by its name.
func (p program) command(name string) (command, bool) {
	for _, chapter := range p.chapters() {
		for _, command := range chapter.commands {
			if command.manual.name == name {
				return command, true
			}
		}
	}
	return command{}, false
}

// help explains a command, as its --help does.
func (p program) help(ctx context.Context, words []string) int {
	switch command, ok := p.command(words[0]); {
	case len(words) > 1:
		fmt.Fprintf(p.err, "%s help: unexpected %q\n", p.called(), words[1])
		return exitUsage
	case !ok:
		return p.noCommand(words[0])
	default:
		_ = command.run(ctx, []string{"--help"}) // returns flag.ErrHelp
	}
	return 0
}

// noCommand reports that there is no such command.
func (p program) noCommand(name string) int {
	fmt.Fprintf(p.err, "%s: no command %q\n%s", p.called(), name, p.expand("See \"{sandbox} help\".\n"))
	return exitUsage
}
