package main

import (
	"bytes"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// shellWords splits a line as a shell does that knows quotes only.
func shellWords(line string) []string {
	var words []string
	quote := rune(0)
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool {
		switch {
		case quote == r:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		}
		return r == ' ' && quote == 0
	}) {
		words = append(words, strings.ReplaceAll(word, "'", ""))
	}
	return words
}

// Every command is in the overview and explains itself. What its help says to paste is understood: such a line finds
// everything right but the sandbox, and each fault is one.
func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	nowhere := steer{t, map[string]string{"XDG_STATE_HOME": t.TempDir()}}
	_, somewhere := started(t, sandbox.Options{})
	overview := nowhere.ok("--help")
	for _, c := range (program{}).commands() {
		help := nowhere.ok("help", c.name)
		if c.summary == "" || !strings.Contains(overview, "\n  "+c.name+" ") ||
			!strings.HasPrefix(help, "Usage:\n  billing-sandbox "+c.name) || !strings.Contains(help, c.about[:20]) ||
			strings.Contains(help, "{sandbox}") || strings.Contains(help, " \n") {
			t.Errorf("the help of %s is\n%s", c.name, help)
		}
		tried := 0
		for line := range strings.Lines(c.examples) {
			_, line, ok := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), ")"), "{sandbox} ")
			if !ok {
				continue
			}
			tried++
			words := shellWords(strings.Split(line, " > ")[0])
			switch {
			case words[0] != c.name:
				t.Errorf("%s: the example is of %s", c.name, words[0])
			case c.name == "serve":
				s := &serving{}
				set, _ := command{actions: []action{{flags: s.flags}}}.flagSets()
				if err := set.Parse(words[1:]); err != nil || set.NArg() > 0 {
					t.Errorf("%q: %v", line, err)
				}
			// They need a service, a sandbox or a file.
			case slices.Contains([]string{"copy", "rehearse", "compare", "coverage", "env"}, c.name):
				if code, _, complaint := nowhere.run(words...); code != exitFailure {
					t.Errorf("%q: exit %d: %s", line, code, complaint)
				}
			case c.alone && c.name != "check" && c.name != "drill":
				nowhere.ok(words...)
			case strings.HasPrefix(line, "fault add"):
				somewhere.ok(words...)
			default:
				code, _, complaint := nowhere.run(words...)
				want, named := exitFailure, "BILLING_SANDBOX_CONTROL_URL"
				switch c.name {
				case "check":
					want, named = exitUsage, "set BILLING_BASE_URL"
				case "drill":
					want, named = exitUsage, "WEBHOOK_SECRET is empty"
				}
				if code != want || !strings.Contains(complaint, named) {
					t.Errorf("%q: exit %d: %s", line, code, complaint)
				}
			}
		}
		if tried == 0 {
			t.Errorf("%s has no example", c.name)
		}
	}
}

// The seed that the guide shows is one.
func TestGuideSeed(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/testing-offline.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "```json\n")
	seed, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the guide shows no seed")
	}
	_, s := started(t, sandbox.Options{SeedDocument: []byte(seed)})
	if list := s.ok("subscription", "list"); !strings.Contains(list, "aurora-pro") {
		t.Errorf("subscriptions %s", list)
	}
}

// A body is written as JSON only where it is JSON: other clients send what they like.
func TestBodyOfAnotherClient(t *testing.T) {
	t.Parallel()
	if got := jsonOrText([]byte("no JSON")); got != "no JSON" {
		t.Errorf("%v", got)
	}
}

// A line shows by its margin what became of a request, and looks the same whatever else is shown; colours only repeat
// it.
func TestRequestLine(t *testing.T) {
	t.Parallel()
	const columns = " GET    /v1/customers/c-1?page=2                customers.get"
	for name, test := range map[string]struct {
		change       func(r *sandbox.Request)
		colour, head string
		tail         string
	}{
		"returned":     {func(*sandbox.Request) {}, "32", " 12:00:00.005 200   ", columns},
		"not modified": {func(r *sandbox.Request) { r.Status = 304 }, "32", " 12:00:00.005 304   ", columns},
		"rejected":     {func(r *sandbox.Request) { r.Status = 400 }, "33", "!12:00:00.005 400   ", columns},
		"dropped":      {func(r *sandbox.Request) { r.Dropped = true }, "35", "-12:00:00.005 ---   ", columns},
		"broken": {func(r *sandbox.Request) { r.Status, r.Fault = 500, "fault-1" }, "31", "X12:00:00.005 500   ",
			columns + " fault-1"},
		"nameless": {func(r *sandbox.Request) { r.Operation, r.Token, r.Query = "", "", "" }, "32", " 12:00:00.005 200   ",
			" GET    /v1/customers/c-1                       -"},
	} {
		r := sandbox.Request{
			Time: time.Date(2026, 5, 4, 12, 0, 0, 5e6, time.UTC), Service: sandbox.Billing, Operation: "customers.get",
			Method: "GET", Path: "/v1/customers/c-1", Query: "page=2", Status: 200, RequestID: "req-1",
			Token: "rb_sandbox_1a2b3c4d",
		}
		test.change(&r)
		if got := requestLine(r, false, false); got != test.head+test.tail {
			t.Errorf("%s: %q", name, got)
		}
		if got := requestLine(r, true, false); got != "\x1b["+test.colour+"m"+test.head+"\x1b[0m"+test.tail {
			t.Errorf("%s in colour: %q", name, got)
		}
	}
}

// The longest path with two ids, the longest name of an operation and a fault fit into a line.
func TestRequestLineIsNotWrapped(t *testing.T) {
	t.Parallel()
	r := sandbox.Request{Status: 200, Method: "DELETE", Fault: "fault-1234", Query: "page=1",
		Path: "/api/v1/webhook-endpoints/9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d/deliveries/é"}
	for _, o := range sandbox.Operations() {
		r.Operation = o.Name
		if line := requestLine(r, false, false); utf8.RuneCountInString(line) > 100 || !strings.Contains(line, o.Name) {
			t.Errorf("%s: %q", o.Name, line)
		}
	}
}

// On a terminal there are colours, unless they are not wanted, and a last line that counts; elsewhere there is neither.
func TestRequestsOnTerminal(t *testing.T) {
	t.Parallel()
	_, s := started(t, sandbox.Options{})
	s.ok("call", "GET", "/v1/me")
	s.run("call", "POST", "/v1/customers", "{}")
	for _, test := range []struct {
		terminal bool
		env      map[string]string
		args     []string
		last     string
		coloured bool
	}{
		{true, nil, nil, "2 requests, 1 failed\n", true},
		{true, map[string]string{"NO_COLOR": "1"}, nil, "2 requests, 1 failed\n", false},
		{true, map[string]string{"TERM": "dumb"}, []string{"--operation", "me.get"}, "1 request, 0 failed\n", false},
		{true, nil, []string{"--json"}, "", false},
		{false, nil, nil, "", false},
	} {
		var out bytes.Buffer
		p := program{out: &out, err: &out, outTerminal: test.terminal, getenv: func(name string) string {
			if name == "WT_SESSION" {
				return "yes" // a Windows machine shows colours only there
			}
			return s.env[name] + test.env[name]
		}}
		p.run(t.Context(), append([]string{"requests"}, test.args...))
		text := out.String()
		if strings.Contains(text, "\x1b[") != test.coloured || !strings.HasSuffix(text, test.last) ||
			strings.Contains(text, " failed\n") != (test.last != "") {
			t.Errorf("%+v: %s", test, text)
		}
	}
}

// Each format quotes what would end a value. A sandbox leaves a file alone which another one has written since.
func TestEnvironment(t *testing.T) {
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
		server, _ := started(t, sandbox.Options{})
		var out, said bytes.Buffer
		p := program{out: &out, err: &said}
		if err := p.announce(t.Context(), server, envFile{content: want}, format); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), want) || strings.Contains(out.String(), "# The sandbox is ready.") ==
			strings.Contains(said.String(), "# The sandbox is ready.") || (format == envGitHub) != (said.Len() > 0) {
			t.Errorf("%s: printed %q, said %q", format, out.String(), said.String())
		}
	}
	file := envFile{t.TempDir() + "/sandbox.env", "mine"}
	for content, left := range map[string]bool{"mine": false, "of another": true} {
		if err := writeWhole(file.path, content); err != nil {
			t.Fatal(err)
		}
		if err := file.remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(file.path); (err == nil) != left {
			t.Errorf("the file with %q: %v", content, err)
		}
	}
	for range 2 {
		if err := file.clear(t.Context(), program{}); err != nil {
			t.Error(err)
		}
	}
	if err := file.remove(); err != nil {
		t.Errorf("remove what is not there: %v", err)
	}
	if err := writeWhole(t.TempDir()+"/none/file", ""); err == nil {
		t.Error("wrote into no folder")
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	known := hosts{}
	for _, spec := range []string{"Hooks.Example.com=127.0.0.1", "six.example.com.=::1"} {
		if err := known.add(spec); err != nil {
			t.Errorf("%q: %v", spec, err)
		}
	}
	for _, spec := range []string{"", "hooks.example.com", "=127.0.0.1", "hooks.example.com=localhost",
		"hooks.example.com=127.0.0.1:443"} {
		if err := known.add(spec); err == nil {
			t.Errorf("%q is accepted", spec)
		}
	}
	for host, want := range map[string]string{"HOOKS.example.com.": "127.0.0.1", "six.example.com": "::1"} {
		got, err := known.LookupNetIP(t.Context(), "ip", host)
		if err != nil || !slices.Equal(got, []netip.Addr{netip.MustParseAddr(want)}) {
			t.Errorf("%s leads to %v, %v", host, got, err)
		}
	}
}

// TestServiceOfPath requires the operation with the fewest placeholders to name the service.
func TestServiceOfPath(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]sandbox.Service{
		"GET /v1/customers?page=1": sandbox.Billing, "POST /v1/subscriptions/1/cancel": sandbox.Billing,
		"GET /v1/payables": sandbox.Finance, "PATCH /v1/accounts/7": sandbox.Finance, "POST /v1/payables": sandbox.Finance,
		"POST /api/v1/api-keys/1/rotate": sandbox.Collections, "GET /api/v1/openapi.yaml": sandbox.Finance,
		"PUT /v1/customers": sandbox.Billing,
	} {
		method, path, _ := strings.Cut(line, " ")
		if got, err := (program{}).serviceOf(method, path); err != nil || got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// FuzzChoice: whatever is chosen, a request is taken or not; nothing breaks.
func FuzzChoice(f *testing.F) {
	for _, seed := range []string{"404", "5xx", "failed", "dropped", "10m", "-10m", "46d", "2026-01-31T12:00:00Z",
		"me.get", "", "99", "xx", "1e9h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		var c choice
		for _, read := range []func(string) error{c.readOperation, c.readStatus, c.readSince} {
			if read(value) == nil {
				c.takes(sandbox.Request{Time: time.Unix(0, 0), Service: sandbox.Billing, Status: 404})
			}
		}
		if (&choice{}).readStatus(value) == nil && value == "" {
			t.Error("nothing is a status")
		}
	})
}
