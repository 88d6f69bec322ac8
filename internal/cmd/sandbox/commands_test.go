package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// steer runs commands against one sandbox in process.
type steer struct {
	t   *testing.T
	env map[string]string
}

func (s steer) run(args ...string) (code int, out, complaint string) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	p := program{out: &stdout, err: &stderr, getenv: func(name string) string { return s.env[name] }}
	code = p.run(s.t.Context(), args)
	return code, stdout.String(), stderr.String()
}

// ok runs a command that must succeed and returns what it printed.
func (s steer) ok(args ...string) string {
	s.t.Helper()
	code, out, complaint := s.run(args...)
	if code != 0 {
		s.t.Fatalf("%v: exit %d: %s", args, code, complaint)
	}
	return out
}

func startServer(t *testing.T) (*sandbox.Server, steer) {
	t.Helper()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server, steer{t, server.Env()}
}

func (s steer) asking(token string) *running {
	env := map[string]string{"BILLING_TOKEN": token}
	for _, name := range []string{"BILLING_BASE_URL", "BILLING_CA_CERTIFICATE_FILE"} {
		env[name] = s.env[name]
	}
	return &running{t: s.t, env: env}
}

func TestClockCommand(t *testing.T) {
	t.Parallel()
	_, s := startServer(t)
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"clock"}, "2026-05-04T12:00:00Z (standing still)\n"},
		{[]string{"clock", "advance", "36h"}, "2026-05-06T00:00:00Z (standing still)\n"},
		{[]string{"clock", "set", "2027-01-01T00:00:00-03:00"}, "2027-01-01T03:00:00Z (standing still)\n"},
		{[]string{"clock", "show"}, "2027-01-01T03:00:00Z (standing still)\n"},
	} {
		if got := s.ok(step.args...); got != step.want {
			t.Errorf("%v: %q, want %q", step.args, got, step.want)
		}
	}
	if code, _, complaint := s.run("clock", "advance", "a day"); code != exitFailure ||
		!strings.Contains(complaint, "24h") {
		t.Errorf("exit %d: %s", code, complaint)
	}
}

func TestFaultCommand(t *testing.T) {
	t.Parallel()
	server, s := startServer(t)
	asking := s.asking(server.BillingToken())
	added := s.ok("fault", "add", "operation=me.get,status=503,times=2")
	if !strings.Contains(added, "operation=me.get,times=2,status=503") {
		t.Errorf("add: %q", added)
	}
	if status, _ := asking.ask("GET", "/v1/me", ""); status != 503 {
		t.Errorf("status %d", status)
	}
	if got := s.ok("fault", "list"); !strings.Contains(got, "operation=me.get,times=1,status=503") {
		t.Errorf("list: %q", got)
	}
	s.ok("fault", "clear")
	if code, out, said := s.run("fault", "list"); code != 0 || out != "" || said != "No faults are in force.\n" {
		t.Errorf("list after clear: exit %d, %q, %q", code, out, said)
	}
	if status, _ := asking.ask("GET", "/v1/me", ""); status != 200 {
		t.Errorf("status %d after clear", status)
	}
	if code, _, complaint := s.run("fault", "add", "status=1"); code != exitFailure ||
		!strings.Contains(complaint, "200 to 599") {
		t.Errorf("exit %d: %s", code, complaint)
	}
}

func TestTokenCommand(t *testing.T) {
	t.Parallel()
	server, s := startServer(t)
	reader := strings.TrimSpace(s.ok("token", "create", "--scopes", "customers:read", "--expires", "2026-05-05T00:00:00Z"))
	for _, step := range []struct {
		method, path string
		status       int
	}{{"GET", "/v1/customers", 200}, {"POST", "/v1/customers", 403}} {
		if status, body := s.asking(reader).ask(step.method, step.path, "{}"); status != step.status {
			t.Errorf("%s: %d %s", step.method, status, body)
		}
	}
	stranger := strings.TrimSpace(s.ok("token", "create", "--organization", "new=Padaria Bela Vista"))
	if _, body := s.asking(stranger).ask("GET", "/v1/me", ""); strings.Contains(body, server.Organization().ID) {
		t.Errorf("the new organization is the old one: %s", body)
	}
	list := s.ok("token", "list")
	if strings.Contains(list, reader) || !strings.Contains(list, "customers:read") || strings.Count(list, "\n") != 6 {
		t.Errorf("list: %s", list)
	}
	s.ok("token", "revoke", reader[:strings.LastIndex(reader, "_")])
	if status, _ := s.asking(reader).ask("GET", "/v1/customers", ""); status != 401 {
		t.Errorf("a revoked token: %d", status)
	}
	if code, _, complaint := s.run("token", "revoke", "nobody"); code != exitFailure ||
		!strings.Contains(complaint, "no token") {
		t.Errorf("exit %d: %s", code, complaint)
	}
	if code, _, complaint := s.run("token", "create", "--organization", "nobody"); code != exitFailure ||
		!strings.Contains(complaint, "organization") {
		t.Errorf("exit %d: %s", code, complaint)
	}
}

func TestRequestsCommand(t *testing.T) {
	t.Parallel()
	server, s := startServer(t)
	asking := s.asking(server.BillingToken())
	asking.ask("GET", "/v1/me", "")
	asking.ask("POST", "/v1/customers", `{"name":"Ana"}`)
	all := s.ok("requests", "--bodies")
	if !strings.Contains(all, "200    me.get") || !strings.Contains(all, "201    customers.create") ||
		!strings.Contains(all, `{"name":"Ana"}`) {
		t.Errorf("requests: %s", all)
	}
	if strings.Contains(all, server.BillingToken()) {
		t.Error("the log shows a token")
	}
	if got := s.ok("requests", "--operation", "me.get"); strings.Count(got, "\n") != 2 ||
		strings.Contains(got, "customers") {
		t.Errorf("requests of one operation: %s", got)
	}
	// --follow shows what is there, and what comes, until it is interrupted.
	ctx, interrupt := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	done := make(chan int)
	p := program{out: writer, err: io.Discard, getenv: func(name string) string { return s.env[name] }}
	go func() { done <- p.run(ctx, []string{"requests", "--follow"}) }()
	lines := bufio.NewScanner(reader)
	for lines.Scan() && !strings.Contains(lines.Text(), "customers.create") {
	}
	asking.ask("GET", "/v1/customers", "")
	if !lines.Scan() || !strings.Contains(lines.Text(), "customers.list") {
		t.Errorf("followed: %q", lines.Text())
	}
	interrupt()
	go func() { _, _ = io.Copy(io.Discard, reader) }() // whatever else it says must not hold it up
	if code := <-done; code != 0 {
		t.Errorf("an interrupted --follow exits %d", code)
	}
}

func TestCommandLines(t *testing.T) {
	t.Parallel()
	nowhere := steer{t, nil}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitUsage, "sandbox serve"},
		{[]string{"fly"}, exitUsage, `no command "fly"`},
		{[]string{"help"}, 0, ""},
		{[]string{"request"}, exitUsage, `no command "request"`},
		{[]string{"help", "sreve"}, exitUsage, `no command "sreve"`},
		{[]string{"help", "serve", "now"}, exitUsage, "unexpected"},
		{[]string{"serve", "--seedfile", "x"}, exitUsage,
			"sandbox serve: flag provided but not defined: -seedfile\nSee \"sandbox help serve\".\n"},
		{[]string{"serve", "--seed"}, exitUsage, "flag needs an argument: -seed"},
		{[]string{"requests", "--status", "4x"}, exitUsage, "for flag -status: must be a status"},
		{[]string{"requests", "--service", "bill"}, exitUsage, "billing, finance or collections"},
		{[]string{"requests", "--operation", "customer.create"}, exitUsage,
			"no such operation; did you mean customers.create?"},
		{[]string{"deliveries", "--status", "done"}, exitUsage, "must be pending, success, failed or exhausted"},
		{[]string{"requests", "--since", "noon"}, exitUsage, "10m"},
		{[]string{"token", "list", "--blocked"}, exitUsage, "list does not take --blocked"},
		{[]string{"version", "1"}, exitUsage, "unexpected"},
		{[]string{"serve", "--help"}, 0, ""},
		{[]string{"serve", "--clock", "noon"}, exitUsage, "--clock"},
		{[]string{"serve", "--tolerance", "all"}, exitUsage, "bare-objects"},
		{[]string{"serve", "--fault", "status=1"}, exitUsage, "200 to 599"},
		{[]string{"serve", "now"}, exitUsage, "unexpected"},
		{[]string{"serve", "--state", "/no/such/folder/state.db"}, exitFailure, "open state file"},
		{[]string{"requests", "all"}, exitUsage, "unexpected"},
		{[]string{"requests"}, exitFailure, "BILLING_SANDBOX_CONTROL_URL"},
		{[]string{"clock", "back"}, exitUsage, "advance DURATION"},
		{[]string{"clock", "set", "noon"}, exitUsage, "2026-01-31T12:00:00Z"},
		{[]string{"fault", "add"}, exitUsage, "add SPEC"},
		{[]string{"token", "revoke"}, exitUsage, "revoke PREFIX"},
		{[]string{"token", "create", "--expires", "soon"}, exitUsage, "2026-01-31T12:00:00Z"},
	} {
		code, _, complaint := nowhere.run(test.args...)
		if code != test.code || !strings.Contains(complaint, test.says) {
			t.Errorf("%v: exit %d, want %d saying %q: %s", test.args, code, test.code, test.says, complaint)
		}
	}
}

func TestServePrintsExports(t *testing.T) {
	t.Parallel()
	server, _ := startServer(t)
	var out bytes.Buffer
	if err := (program{out: &out}).announce(server, envFile{content: envLines(envPOSIX, server.Env())},
		envPOSIX); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# The sandbox is ready.", server.FinanceURL(), "export BILLING_BASE_URL='" +
		server.BillingURL() + "'\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
	if err := writeWhole(filepath.Join(t.TempDir(), "none", "file"), ""); err == nil {
		t.Error("wrote into no folder")
	}
}
