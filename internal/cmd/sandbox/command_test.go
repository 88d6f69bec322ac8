package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// asCommand makes the test binary be the command itself, so that scripts can start it as a process and kill it.
const asCommand = "BILLING_SANDBOX_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestScripts plays what users type. "serve" is a process of its own; all other commands run in this one.
func TestScripts(t *testing.T) {
	t.Parallel()
	receiver := hook.Start(t)
	receiver.Respond(func(w http.ResponseWriter, d hook.Delivery) {
		w.Header().Set("Set-Cookie", "session=s3cret")
		status, _ := strconv.Atoi(strings.TrimPrefix(d.Path, "/"))
		w.WriteHeader(status)
	})
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SANDBOX", binary)
			env.Setenv(asCommand, "1")
			env.Setenv("EXAMPLES", examples)
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("RECEIVER", receiver.At("hooks.example.com"))
			env.Defer(func() { endDetached(filepath.Join(env.WorkDir, "state", "billing-sandbox", "*.env")) })
			return os.WriteFile(filepath.Join(env.WorkDir, "receiver.pem"), receiver.PEM(), 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"billing-sandbox": follow, "fails": fails, "load": load, "let": let, "counts": counts,
		},
	})
}

// endDetached ends the detached sandboxes of a script that has failed.
func endDetached(exports string) {
	files, _ := filepath.Glob(exports)
	for _, file := range files {
		id, _ := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".env"))
		if process, err := os.FindProcess(id); id > 0 && err == nil {
			_ = process.Kill()
		}
	}
}

// follow runs a command in process.
func follow(ts *testscript.TestScript, neg bool, args []string) {
	if code := inProcess(ts, args); (code != 0) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

func inProcess(ts *testscript.TestScript, args []string) int {
	return program{out: ts.Stdout(), err: ts.Stderr(), getenv: ts.Getenv}.run(context.Background(), args)
}

// fails CODE TEXT ARGUMENTS... runs a command that ends with this code and says this.
func fails(ts *testscript.TestScript, _ bool, args []string) {
	var said bytes.Buffer
	p := program{out: ts.Stdout(), err: &said, getenv: ts.Getenv}
	code := p.run(context.Background(), args[2:])
	if strconv.Itoa(code) != args[0] || !strings.Contains(said.String(), args[1]) {
		ts.Fatalf("exit code %d: %s", code, said.String())
	}
}

// load FILE waits for a file of exports, and sets the variables, as ". FILE" does in a shell.
func load(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		info, err := os.Stat(path)
		if err == nil {
			if info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
				ts.Fatalf("the file with tokens is %v", info.Mode())
			}
			break
		}
		if time.Since(began) > time.Minute {
			ts.Fatalf("there is no %s", args[0])
		}
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		ts.Setenv(name, strings.Trim(value, "'"))
	}
}

// let NAME sets a variable to the line that was printed last.
func let(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// counts MARKS... checks the margins and operations of all requests that were listed.
func counts(ts *testscript.TestScript, _ bool, args []string) {
	var found []string
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if fields := strings.Fields(line[1:]); fields[0] != "TIME" {
			found = append(found, strings.TrimSpace(line[:1])+fields[4])
		}
	}
	if fmt.Sprint(found) != fmt.Sprint(args) {
		ts.Fatalf("the requests are %v", found)
	}
}

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

// started is a sandbox with these options, and its environment.
func started(t *testing.T, options sandbox.Options) (*sandbox.Server, steer) {
	t.Helper()
	server, err := sandbox.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server, steer{t, server.Env()}
}
