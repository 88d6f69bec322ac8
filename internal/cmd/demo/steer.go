package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// request is one that the sandbox has responded to, as "requests --json" writes it.
type request struct {
	Operation string `json:"operation"`
	Method    string `json:"method"`
	Path      string `json:"path"`
	Status    int    `json:"status"`
	Dropped   bool   `json:"dropped"`
}

func (r request) String() string {
	path, _, _ := strings.Cut(r.Path, "?")
	status := strconv.Itoa(r.Status)
	if r.Dropped {
		status = "---"
	}
	return fmt.Sprintf("%-27s %-6s %s  %s", r.Operation, r.Method, path, status)
}

// steer runs one of the sandbox's commands, as a user would who has its
// exports, and returns what it prints.
func (s *sandbox) steer(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, s.program, arguments...)
	command.Env = s.environ()
	out, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("sandbox %s: %w\n%s", strings.Join(arguments, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// advance moves the sandbox's clock forward. What came due on the way has
// happened when it returns.
func (s *sandbox) advance(ctx context.Context, by time.Duration) (now string, err error) {
	if now, err = s.steer(ctx, "clock", "advance", by.String()); err == nil {
		s.ahead.Add(int64(by))
	}
	return now, err
}

// today sets the sandbox's clock to that of this machine.
func (s *sandbox) today(ctx context.Context) error {
	s.ahead.Store(0)
	_, err := s.steer(ctx, "clock", "set", time.Now().UTC().Format(time.RFC3339Nano))
	return err
}

// now is the sandbox's time.
func (s *sandbox) now() time.Time {
	return time.Now().Add(time.Duration(s.ahead.Load()))
}

// asked lists the requests that the sandbox has responded to while do ran, oldest first.
func (s *sandbox) asked(ctx context.Context, do func() error) ([]request, error) {
	before, err := s.steer(ctx, "requests", "--json")
	if err != nil {
		return nil, err
	}
	if err := do(); err != nil {
		return nil, err
	}
	after, err := s.steer(ctx, "requests", "--json")
	if err != nil {
		return nil, err
	}
	return parseRequests(strings.TrimPrefix(after, before))
}

// parseRequests reads the lines of "sandbox requests --json".
func parseRequests(content string) ([]request, error) {
	var all []request
	for line := range strings.Lines(content) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var one request
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			return nil, fmt.Errorf("the line %q is not a request: %w", line, err)
		}
		all = append(all, one)
	}
	return all, nil
}
