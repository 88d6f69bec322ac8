package main

import (
	"strings"
	"testing"
)

// everyCommand are all commands of a program that finds no sandbox.
func everyCommand() []command {
	var all []command
	for _, chapter := range (program{}).chapters() {
		all = append(all, chapter.commands...)
	}
	return all
}

// shellWords splits a line as a shell does that knows single quotes only.
func shellWords(line string) []string {
	var words []string
	quoted := false
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool {
		if r == '\'' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	}) {
		words = append(words, strings.ReplaceAll(word, "'", ""))
	}
	return words
}

// Every command is in the overview, and explains itself in three ways alike, on
// standard output: what for, with examples, and how it ends.
func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	s := steer{t, nil}
	overview := s.ok("--help")
	for _, command := range everyCommand() {
		m := command.manual
		if m.summary == "" || !strings.Contains(overview, "\n  "+m.name+" ") {
			t.Errorf("%s is not in the overview", m.name)
		}
		help := s.ok("help", m.name)
		for _, part := range []string{"Usage:\n  sandbox " + m.name, m.about[:20], "\nExamples:\n  ",
			"\nExit codes: 0 done"} {
			if !strings.Contains(help, part) {
				t.Errorf("help of %s: no %q in %s", m.name, part, help)
			}
		}
		if s.ok(m.name, "--help") != help || s.ok(m.name, "-h") != help {
			t.Errorf("%s --help is not help %s", m.name, m.name)
		}
		if strings.Contains(help, "{sandbox}") || strings.Contains(help, " \n") ||
			m.alone == strings.Contains(help, "BILLING_SANDBOX_CONTROL_URL") {
			t.Errorf("help of %s: %s", m.name, help)
		}
	}
}

// What the help says to paste is understood: next to serve, such a line finds
// everything right but the sandbox.
func TestExamplesOfManuals(t *testing.T) {
	t.Parallel()
	nowhere := steer{t, nil}
	for _, command := range everyCommand() {
		tried := 0
		for line := range strings.Lines(command.manual.examples) {
			_, line, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "{sandbox} ")
			if !ok {
				continue
			}
			tried++
			words := shellWords(line)
			switch {
			case words[0] != command.manual.name:
				t.Errorf("%s: the example is of %s", command.manual.name, words[0])
			case words[0] == "serve":
				p := program{}
				set := p.flags(serveManual)
				wanted := p.serveFlags(set)
				if err := set.alone(words[1:]); err != nil {
					t.Errorf("%q: %v", line, err)
				} else if _, err := wanted.read(p); err != nil {
					t.Errorf("%q: %v", line, err)
				}
			case command.manual.alone:
				nowhere.ok(words...)
			default:
				code, _, complaint := nowhere.run(words...)
				named := strings.Contains(complaint, "BILLING_SANDBOX_CONTROL_URL") ||
					strings.Contains(complaint, "set BILLING_BASE_URL")
				if code != exitFailure || !named {
					t.Errorf("%q: exit %d: %s", line, code, complaint)
				}
			}
		}
		if tried == 0 {
			t.Errorf("%s has no example", command.manual.name)
		}
	}
}

// Each fault that the help shows is one.
func TestFaultExamples(t *testing.T) {
	t.Parallel()
	server, s := startServer(t)
	for line := range strings.Lines(faultManual.examples) {
		if _, spec, ok := strings.Cut(strings.TrimSpace(line), "{sandbox} fault add "); ok {
			s.ok("fault", "add", strings.Trim(spec, "'"))
			server.ClearFaults()
		}
	}
	if code, _, complaint := s.run("fault", "add", "operation=webhook_endpoint.create,status=500"); code != exitFailure ||
		!strings.Contains(complaint, "did you mean webhook_endpoints.create?") {
		t.Errorf("exit %d: %s", code, complaint)
	}
}

// TestHelpOfFlags requires the help to list every flag with its value and default, as the flag package prints them.
func TestHelpOfFlags(t *testing.T) {
	t.Parallel()
	help := steer{t, nil}.ok("serve", "--help")
	for _, part := range []string{
		"\nFlags:\n", "  -max-per-page NUMBER\n    \tlargest page of a listing, a NUMBER (default 100)\n",
		"  -env-file FILE\n",
	} {
		if !strings.Contains(help, part) {
			t.Errorf("%q is missing from\n%s", part, help)
		}
	}
}

// The version is a line; operations are listed with names that faults take.
func TestVersionAndOperations(t *testing.T) {
	t.Parallel()
	s := steer{t, nil}
	if got := s.ok("version"); !strings.HasPrefix(got, "sandbox ") || strings.Count(got, "\n") != 1 ||
		got != s.ok("--version") {
		t.Errorf("version %q", got)
	}
	got := s.ok("operations")
	for _, want := range []string{"billing      customers.create                 POST    /v1/customers\n",
		"webhook_endpoints.rotate_secret  POST "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}
