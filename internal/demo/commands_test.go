package demo

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience limits the start of the sandbox and the arrival of an event.
const patience = 30 * time.Second

// load FILE waits for a file with exports, and sets the variables, as ". FILE" does in a shell.
func load(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			break
		}
		if time.Since(began) > patience {
			ts.Fatalf("%s does not exist", args[0])
		}
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		ts.Setenv(name, strings.Trim(value, "'"))
	}
}

// let NAME sets a variable to the text that was last printed, without quotes.
func let(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], strings.Trim(ts.ReadFile("stdout"), "\"\n"))
}

// replace FILE OLD NEW edits a file that contains OLD exactly once. \n starts a new line.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	content, lines := ts.ReadFile(args[0]), strings.NewReplacer(`\n`, "\n")
	before, after, found := strings.Cut(content, lines.Replace(args[1]))
	if !found || strings.Contains(after, lines.Replace(args[1])) {
		ts.Fatalf("%q must occur exactly once in %s", args[1], args[0])
	}
	content = before + lines.Replace(args[2]) + after
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(content), 0o600))
}

// terraform runs Terraform or OpenTofu.
func terraform(ts *testscript.TestScript, neg bool, args []string) {
	c := of(ts)
	if args[0] == "apply" {
		c.applied = len(c.requests(ts))
	}
	run(ts, neg, c.program.Path, args...)
}

func sandbox(ts *testscript.TestScript, neg bool, args []string) {
	run(ts, neg, "billing-sandbox", args...)
}

func run(ts *testscript.TestScript, neg bool, program string, args ...string) {
	if err := ts.Exec(program, args...); (err != nil) != neg {
		ts.Fatalf("it failed: %v", err)
	}
}

// output runs a program without output in the script's trace.
func output(ts *testscript.TestScript, program string, args ...string) []byte {
	command := exec.CommandContext(of(ts).t.Context(), program, args...)
	command.Dir = ts.MkAbs(".")
	command.Env = os.Environ()
	for _, name := range []string{"TF_CLI_CONFIG_FILE", "BILLING_SANDBOX_CONTROL_URL", "BILLING_SANDBOX_CONTROL_TOKEN",
		"BILLING_CA_CERTIFICATE_FILE"} {
		command.Env = append(command.Env, name+"="+ts.Getenv(name))
	}
	out, err := command.Output()
	ts.Check(err)
	return out
}

// request is a request that the sandbox has responded to.
type request struct{ Operation, Method string }

func (c *scene) requests(ts *testscript.TestScript) (all []request) {
	for line := range strings.Lines(string(output(ts, c.sandbox, "requests", "--json"))) {
		var one request
		ts.Check(json.Unmarshal([]byte(line), &one))
		all = append(all, one)
	}
	return all
}

// asked OPERATION... checks the writes of the last apply, in their order, or sorted by name with -sorted.
func asked(ts *testscript.TestScript, _ bool, args []string) {
	c := of(ts)
	var changes []string
	for _, r := range c.requests(ts)[c.applied:] {
		if r.Method != "GET" {
			changes = append(changes, r.Operation)
		}
	}
	if args[0] == "-sorted" {
		args = args[1:]
		slices.Sort(changes)
	}
	if !slices.Equal(changes, args) {
		ts.Fatalf("the apply sent %v", changes)
	}
}

// key TOKEN STATUS checks the response of collections to a request with an API key.
func key(ts *testscript.TestScript, _ bool, args []string) {
	const name = "BILLING_COLLECTIONS_API_KEY"
	own := ts.Getenv(name)
	ts.Setenv(name, args[0])
	_ = ts.Exec("billing-sandbox", "call", "GET", "/api/v1/webhook-endpoints") // prints the status
	ts.Setenv(name, own)
	if !strings.HasPrefix(ts.ReadFile("stderr"), args[1]+" ") {
		ts.Fatalf("the service responded with %s", ts.ReadFile("stderr"))
	}
}

// shown FILE... compares the last output with text that the documentation shows: all of the first file, and of the
// others the block that begins like it. The seconds of the sandbox's clock go on.
func shown(ts *testscript.TestScript, _ bool, args []string) {
	seconds := regexp.MustCompile(`(T\d\d:\d\d:)\d\dZ`)
	text := func(file string) string { return seconds.ReplaceAllString(ts.ReadFile(file), "${1}00Z") }
	printed := text("stdout")
	if printed != text(args[0]) {
		ts.Fatalf("%s is\n%s\nand the output is\n%s", args[0], text(args[0]), printed)
	}
	first, _, _ := strings.Cut(printed, "\n")
	for _, file := range args[1:] {
		_, after, found := strings.Cut(text(file), "```text\n"+first)
		block, _, _ := strings.Cut(after, "```")
		if !found {
			ts.Fatalf("%s has no block that begins with %q", file, first)
		}
		for line := range strings.Lines(first + block) {
			if !strings.Contains("\n"+printed, "\n"+line) {
				ts.Fatalf("%s has %q, which is not printed", file, line)
			}
		}
	}
}
