package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// asDetached is set for the process that "serve --detach" starts.
const asDetached = "BILLING_SANDBOX_DETACHED"

// running is the folder with the exports of the sandboxes that this user runs: a file for each process, only for this
// user, which exists while the sandbox runs.
func (p program) running() (string, error) {
	state := p.getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		state = filepath.Join(home, ".local", "state")
	}
	folder := filepath.Join(state, "billing-sandbox")
	return folder, os.MkdirAll(folder, 0o700)
}

// note writes the exports for "env". Without a folder for them, there are none.
func (p program) note(exports string) (remove func()) {
	folder, err := p.running()
	if err != nil {
		return func() {}
	}
	file := exportsOf(folder, os.Getpid())
	if err := writeWhole(file, exports); err != nil {
		return func() {}
	}
	return func() { _ = os.Remove(file) }
}

func exportsOf(folder string, process int) string {
	return filepath.Join(folder, strconv.Itoa(process)+".env")
}

func (p program) env() command {
	format := envPOSIX
	return command{
		name: "env", summary: "print the exports of the sandbox that runs", alone: true,
		about: `Prints the addresses and tokens of the sandbox that this user runs, for another terminal:
eval "$({sandbox} env)" in sh, bash and zsh, {sandbox} env --env-format powershell | Invoke-Expression in PowerShell.
If several run, it lists the files of their exports instead, and the exit code is 1.
`,
		examples: "{sandbox} env\n{sandbox} env --env-format powershell\n",
		actions: []action{{
			flags: func(set *flag.FlagSet) {
				choiceFlag(set, &format, "env-format", "`FORMAT` of the exports, as of \"{sandbox} serve\"", envFormats)
			},
			run: func(ctx context.Context, _ *controller, _ []string) error { return p.printEnv(ctx, format) },
		}},
	}
}

func (p program) printEnv(ctx context.Context, format string) error {
	folder, err := p.running()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.env"))
	if err != nil {
		return err
	}
	var found []exports
	var list strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		base := p.runningIn(ctx, string(content))
		if err != nil || base == "" {
			_ = os.Remove(file) // of a process that was killed
			continue
		}
		found = append(found, exportsIn(string(content)))
		fmt.Fprintf(&list, "\n  . %s   # %s", file, base)
	}
	switch len(found) {
	case 0:
		return errors.New(p.expand("no sandbox runs; start one with \"{sandbox} serve --detach\""))
	case 1:
		_, err := io.WriteString(p.out, envLines(format, found[0]))
		return err
	}
	return fmt.Errorf("%d sandboxes run; load the exports of one:%s", len(found), list.String())
}

// detach starts this command once more, as a process that goes on, and returns when that is ready.
func (s *serving) detach(ctx context.Context) error {
	folder, err := s.p.running()
	if err != nil {
		return fmt.Errorf("--detach needs a folder for the exports: %w", err)
	}
	printed, err := os.CreateTemp(folder, "serve-*.txt")
	if err != nil {
		return fmt.Errorf("--detach: %w", err)
	}
	defer func() { _ = errors.Join(printed.Close(), os.Remove(printed.Name())) }()
	server := exec.Command(os.Args[0], os.Args[1:]...) //nolint:noctx // it outlives this one
	server.Env = append(os.Environ(), asDetached+"=1")
	server.Stdin, server.Stdout, server.Stderr = os.Stdin, printed, printed
	if err := server.Start(); err != nil {
		return fmt.Errorf("--detach: %w", err)
	}
	ended := make(chan int, 1)
	go func() {
		_ = server.Wait() // the exit code says it
		ended <- server.ProcessState.ExitCode()
	}()
	for {
		_, notYet := os.Stat(exportsOf(folder, server.Process.Pid))
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), server.Process.Kill())
		case code := <-ended:
			return errors.Join(s.p.repeat(s.p.err, printed.Name(), ""), statusError{max(exitFailure, code)})
		case <-time.After(followEvery / 10): //nolint:mnd // soon
		}
		if notYet == nil {
			return s.p.repeat(s.p.out, printed.Name(), "\nIt runs until \"{sandbox} stop\". In any terminal, load the exports "+
				"with\n  eval \"$({sandbox} env)\"\n")
		}
	}
}

// repeat prints a file, and more.
func (p program) repeat(to io.Writer, file, more string) error {
	text, err := os.ReadFile(file)
	if err == nil {
		_, err = fmt.Fprint(to, string(text), p.expand(more))
	}
	return err
}
