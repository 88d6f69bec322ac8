package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// listens runs listen with these flags until stop, which returns its exit code. Lines are what it prints.
func (s steer) listens(flags ...string) (lines func() string, stop func() int) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		p := program{out: in, err: io.Discard, getenv: func(name string) string { return s.env[name] }}
		ended <- p.run(ctx, append([]string{"listen"}, flags...))
		in.Close()
	}()
	scanner := bufio.NewScanner(out)
	lines = func() string {
		s.t.Helper()
		if !scanner.Scan() {
			s.t.Fatalf("no line: exit code %d", <-ended)
		}
		return scanner.Text()
	}
	stop = func() int {
		cancel()
		_, _ = io.Copy(io.Discard, out)
		return <-ended
	}
	return lines, stop
}

// TestListen receives webhooks at a plain address, through a failure of the receiver, until it is interrupted.
func TestListen(t *testing.T) {
	t.Parallel()
	app := hook.Start(t)
	app.Respond(hook.Status(503, ""))
	plain := httptest.NewServer(app)
	_, s := started(t, sandbox.Options{})
	lines, stop := s.listens("--forward-to", plain.URL+"/hooks", "--events", "charge.paid")
	if got := lines(); got != "Deliveries to https://listen-1.sandbox.example/ are forwarded to "+plain.URL+
		"/hooks until Ctrl-C." {
		t.Error(got)
	}
	secret := strings.TrimPrefix(lines(), "Secret: ")
	shown := s.ok("deliveries", "show", strings.TrimSpace(s.ok("event", "emit", "charge.paid")), "--json")
	delivery := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(shown)[1]
	if got := lines(); !strings.HasSuffix(got, "  charge.paid  "+delivery+"  503") {
		t.Error(got)
	}
	app.Respond(hook.Status(204, ""))
	s.ok("clock", "advance", "4m")
	if got := lines(); !strings.HasSuffix(got, "  charge.paid  "+delivery+"  204") {
		t.Error(got)
	}
	for _, d := range app.Take() {
		if d.Path != "/hooks" || !d.SignedWith(secret) {
			t.Errorf("received %+v", d)
		}
	}
	plain.Close()
	s.ok("event", "emit", "charge.paid")
	if got := lines(); !strings.Contains(got, "refused") {
		t.Error(got)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if left := s.ok("call", "GET", "/api/v1/webhook-endpoints"); strings.Contains(left, "sandbox.example") {
		t.Errorf("the endpoint is left behind: %s", left)
	}
	if kept := s.ok("deliveries"); strings.Count(kept, " removed:https://listen-1.sandbox.example/ ") != 2 {
		t.Errorf("the deliveries are %s", kept)
	}
}

// TestListenJSON is for programs; the command fails if somebody else removes the endpoint.
func TestListenJSON(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(hook.Start(t))
	defer plain.Close()
	_, s := started(t, sandbox.Options{})
	lines, stop := s.listens("--forward-to", plain.URL, "--json")
	var made sandbox.Listener
	if err := json.Unmarshal([]byte(lines()), &made); err != nil || !strings.HasPrefix(made.Secret, "whsec_") {
		t.Errorf("%v: %+v", err, made)
	}
	s.ok("event", "emit", "charge.paid")
	if got := lines(); !strings.Contains(got, `"event":"charge.paid"`) || !strings.Contains(got, `"status":200`) {
		t.Error(got)
	}
	s.ok("call", "DELETE", "/api/v1/webhook-endpoints/"+made.ID)
	if code := stop(); code != exitFailure {
		t.Errorf("exit code %d", code)
	}
}
