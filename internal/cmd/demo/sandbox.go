package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// How long the sandbox may take to start, and to stop when asked to.
const (
	startLimit = 30 * time.Second
	stopLimit  = 5 * time.Second
)

// sandbox is a running sandbox command. env is what points the provider at
// it.
type sandbox struct {
	program string
	command *exec.Cmd
	ended   chan struct{} // closed at its end
	end     error         // how it ended; read only after that
	env     map[string]string
	ahead   atomic.Int64 // how far its clock is ahead of this machine's, a time.Duration
}

// startSandbox runs the sandbox and waits until it is ready: until the file
// with its exports is there. It delivers webhooks to the receiver.
func startSandbox(ctx context.Context, program, dir string, receiver *receiver) (*sandbox, error) {
	exports, output := filepath.Join(dir, "sandbox.env"), filepath.Join(dir, "sandbox.log")
	log, err := os.Create(output)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the sandbox has its own handle
	// Not bound to ctx: it has to outlive the demo when it is kept.
	arguments := append([]string{"serve", "--env-file", exports, "--ca-file", filepath.Join(dir, "ca.pem")},
		receiver.flags()...)
	command := exec.Command(program, arguments...) //nolint:noctx // stopped by stop
	command.Stdout, command.Stderr = log, log
	setApart(command)
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	s := &sandbox{program: program, command: command, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		s.end = command.Wait()
	}()
	if err := s.ready(ctx, exports); err != nil {
		said, _ := os.ReadFile(output)
		return nil, errors.Join(fmt.Errorf("start the sandbox: %w\n%s", err, said), s.stop())
	}
	return s, nil
}

func (s *sandbox) ready(ctx context.Context, exports string) error {
	limit, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		content, err := os.ReadFile(exports)
		if err == nil {
			s.env, err = parseExports(string(content))
			return err
		}
		select {
		case <-tick.C:
		case <-s.ended:
			return fmt.Errorf("it ended before it was ready: %w", s.end)
		case <-limit.Done():
			return fmt.Errorf("it was not ready in time: %w", limit.Err())
		}
	}
}

// stop ends the sandbox. It may be called on one that never started.
func (s *sandbox) stop() error {
	if s == nil {
		return nil
	}
	if err := s.command.Process.Signal(os.Interrupt); errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(stopLimit):
		return s.command.Process.Kill()
	}
}

// environ is the environment that points the provider at the sandbox.
func (s *sandbox) environ() []string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(s.env)) {
		pairs = append(pairs, name+"="+s.env[name])
	}
	return pairs
}

// parseExports reads lines such as export NAME='value'.
func parseExports(content string) (map[string]string, error) {
	env := map[string]string{}
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		assignment, exported := strings.CutPrefix(line, "export ")
		name, quoted, assigned := strings.Cut(assignment, "=")
		if !exported || !assigned || len(quoted) < 2 || quoted[0] != '\'' || quoted[len(quoted)-1] != '\'' {
			return nil, fmt.Errorf("the line %q is not an export", name)
		}
		env[name] = strings.ReplaceAll(quoted[1:len(quoted)-1], `'\''`, "'")
	}
	return env, nil
}
