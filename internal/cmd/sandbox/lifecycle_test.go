package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestStatusAndReset requires status to show what runs, and reset to go back to the seed while tokens and addresses
// hold.
func TestStatusAndReset(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{
		Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC),
		SeedDocument: []byte(
			`{"customers":[{"name":"Aurora","external_id":"aurora"}],"webhook_endpoints":[{"url":"https://hooks.example.com/in"}]}`),
		Web: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	s := steer{t, server.Env()}
	began := s.ok("status")
	for _, want := range []string{
		"\nbilling            " + server.BillingURL() + "\n", server.WebURL(), "2026-05-04T12:00:00Z (standing still)",
		"faults             none", "\ncustomers          1\n", server.Organization().ID + "  Padaria Exemplo Ltda",
		"in memory",
	} {
		if !strings.Contains("\n"+began, want) {
			t.Errorf("no %q in %s", want, began)
		}
	}
	s.ok("call", "POST", "/v1/customers", `{"name":"Bela"}`)
	s.ok("call", "DELETE", "/v1/customers/external_id=aurora")
	s.ok("call", "POST", "/v1/payables", `{"name":"x"}`)
	s.ok("call", "POST", "/api/v1/api-keys", `{"name":"erp"}`)
	s.ok("event", "emit", "charge.paid")
	s.ok("fault", "add", "operation=me.get,status=503")
	s.ok("clock", "advance", "100h")
	if now := s.ok("status"); !strings.Contains(now, "fault-1  operation=me.get,status=503") ||
		!strings.Contains(now, "2026-05-08T16:00:00Z") {
		t.Errorf("status: %s", now)
	}
	s.ok("reset")
	if again := s.ok("status"); again != began {
		t.Errorf("after the reset: %s, before: %s", again, began)
	}
	if out := s.ok("call", "GET", "/v1/customers/external_id=aurora"); !strings.Contains(out, `"name": "Aurora"`) {
		t.Errorf("the seed is not back: %s", out)
	}
	if _, out, _ := s.run("deliveries"); out != "" {
		t.Errorf("deliveries after the reset: %s", out)
	}
	var status sandbox.Status
	if err := json.Unmarshal([]byte(s.ok("status", "--json")), &status); err != nil ||
		status.Addresses["billing"] != server.BillingURL() {
		t.Errorf("%+v, %v", status, err)
	}
}

// TestStop requires stop to end the process, and the environment's file with it.
func TestStop(t *testing.T) {
	t.Parallel()
	r := serve(t)
	s := steer{t, r.env}
	if code, _, said := s.run("stop"); code != 0 || !strings.Contains(said, "has ended") {
		t.Errorf("exit %d: %s", code, said)
	}
	if err := r.command.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, r.output)
	}
	if _, err := os.Stat(r.envFile); !os.IsNotExist(err) {
		t.Errorf("the file with the exports is left: %v", err)
	}
	// Without its certificate, and with one and nobody at the address, the error is the same.
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	other, _ := startServer(t)
	if err := os.WriteFile(certificate, other.CAPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{r.env["BILLING_CA_CERTIFICATE_FILE"], certificate} {
		s.env["BILLING_CA_CERTIFICATE_FILE"] = file
		for _, args := range [][]string{{"status"}, {"requests"}, {"call", "GET", "/v1/me"}, {"stop"},
			{"check", "--only", "1"}} {
			code, _, said := s.run(args...)
			if code != exitFailure || !strings.Contains(said, "the sandbox at 127.0.0.1:") ||
				!strings.Contains(said, " is not running any more. Start it with \"sandbox serve --env-file sandbox.env\"") {
				t.Errorf("%v with %s: exit %d: %s", args, file, code, said)
			}
		}
	}
}

// TestEnvFileIsFresh requires that the file of an earlier sandbox is gone before a new one starts, and that a sandbox
// leaves a file alone which another one has written since.
func TestEnvFileIsFresh(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sandbox.env")
	if err := os.WriteFile(path, []byte("export BILLING_BASE_URL='https://127.0.0.1:1'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := steer{t, nil}
	if code, _, said := s.run("serve", "--env-file", path, "--state", "/no/such/folder/state.db"); code != exitFailure {
		t.Fatalf("exit %d: %s", code, said)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the old file is still there while the sandbox starts: %v", err)
	}
	file := envFile{path, "mine"}
	for content, left := range map[string]bool{"mine": false, "of another": true} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := file.remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path); (err == nil) != left {
			t.Errorf("the file with %q: %v", content, err)
		}
	}
	if err := file.clear(); err != nil {
		t.Error(err)
	}
	if err := file.remove(); err != nil {
		t.Errorf("remove what is not there: %v", err)
	}
}

// TestEnvFormats requires each format to quote what would end a value.
func TestEnvFormats(t *testing.T) {
	t.Parallel()
	env := map[string]string{"B": "it's $x", "A": "1", "C": "two\nEND_OF_C\nlines"}
	for format, want := range map[string]string{
		envPOSIX:      "export A='1'\nexport B='it'\\''s $x'\nexport C='two\nEND_OF_C\nlines'\n",
		envPowerShell: "$env:A = '1'\n$env:B = 'it''s $x'\n$env:C = 'two\nEND_OF_C\nlines'\n",
		envGitHub:     "A=1\nB=it's $x\nC<<END_OF_C_\ntwo\nEND_OF_C\nlines\nEND_OF_C_\n",
	} {
		if got := envLines(format, env); got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
	server, _ := startServer(t)
	var out, said bytes.Buffer
	content := envLines(envGitHub, server.Env())
	if err := (program{out: &out, err: &said}).announce(server, envFile{content: content}, envGitHub); err != nil {
		t.Fatal(err)
	}
	if out.String() != content || !strings.Contains(said.String(), "# The sandbox is ready.") {
		t.Errorf("printed %q, said %q", out.String(), said.String())
	}
	if code, _, complaint := (steer{t, nil}).run("serve", "--env-format", "cmd"); code != exitUsage ||
		!strings.Contains(complaint, "posix, powershell, github") {
		t.Errorf("exit %d: %s", code, complaint)
	}
}

// TestLists requires every list to have column headers, --json with one object a line, and a line on standard error
// when it is empty.
func TestLists(t *testing.T) {
	t.Parallel()
	server, s := startServer(t)
	subscribe(t, s.asking(server.BillingToken()))
	s.ok("fault", "add", "operation=me.get,status=503")
	s.ok("call", "POST", "/api/v1/webhook-endpoints", `{"url":"https://hooks.example.com/in"}`)
	s.ok("event", "emit", "charge.paid")
	lists := map[string]string{
		"requests": "TIME", "deliveries": "CREATED", "key list": "STATUS", "token list": "SERVICE", "fault list": "ID",
		"subscription list": "STATUS", "operations": "SERVICE",
	}
	for list, first := range lists {
		args := strings.Fields(list)
		lines := strings.Split(strings.TrimSuffix(s.ok(args...), "\n"), "\n")
		if strings.Fields(lines[0])[0] != first {
			t.Errorf("%s has no headers: %s", list, lines[0])
		}
		objects := 0
		for line := range strings.Lines(s.ok(append(args, "--json")...)) {
			var object map[string]any
			if err := json.Unmarshal([]byte(line), &object); err != nil || len(object) < 2 {
				t.Errorf("%s --json: %q, %v", list, line, err)
			}
			objects++
		}
		if objects != len(lines)-1 {
			t.Errorf("%s: %d lines, and %d objects with --json", list, len(lines)-1, objects)
		}
	}
	s.ok("reset")
	for _, list := range []string{"requests", "deliveries", "fault list", "subscription list"} {
		code, out, said := s.run(strings.Fields(list)...)
		if code != 0 || out != "" || !strings.HasSuffix(said, ".\n") {
			t.Errorf("%s, empty: exit %d, %q, %q", list, code, out, said)
		}
	}
}

// TestTypos requires unknown names to be rejected, with the one that was probably meant.
func TestTypos(t *testing.T) {
	t.Parallel()
	_, s := startServer(t)
	first := s.ok("token", "create", "--organization", "new=Bela Vista")
	s.ok("token", "create", "--organization", "new=Bela Vista")
	s.ok("token", "create", "--organization", "Bela Vista", "--service", "finance", "--scopes", "journal:read,*:write")
	if list := s.ok("status"); strings.Count(list, "organization  ") != 2 || first == "" {
		t.Errorf("organizations: %s", list)
	}
	for _, test := range []struct{ line, says string }{
		{"token create --scopes customers:raed", `There is no scope "customers:raed"; did you mean customers:read?`},
		{"token create --service finance --scopes payables:raed",
			`There is no scope "payables:raed"; did you mean payables:read?`},
		{"token create --service collections --scopes customers:read", `There is no scope "customers:read"`},
		{"token create --service biling", `There is no service "biling"`},
		{"token create --organization Bela_Vista", `There is no organization "Bela_Vista"; did you mean Bela Vista?`},
		{"event emit charge.payed", `There is no event "charge.payed"; did you mean charge.paid?`},
		{"event emit foo.bar", `Use --unlisted to emit it anyway.`},
		{"subscription pay external_id=none", "No subscription has external_id=none"},
	} {
		if code, _, said := s.run(strings.Fields(test.line)...); code != exitFailure || !strings.Contains(said, test.says) {
			t.Errorf("%s: exit %d: %s", test.line, code, said)
		}
	}
	s.ok("event", "emit", "foo.bar", "--unlisted")
	s.ok("call", "POST", "/api/v1/webhook-endpoints",
		`{"url":"https://hooks.example.com/in","events":["agreement.accepted"]}`)
	s.ok("event", "emit", "agreement.accepted")
}
