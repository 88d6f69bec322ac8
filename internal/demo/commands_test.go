package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	tfjson "github.com/hashicorp/terraform-json"
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
	switch args[0] {
	case "plan":
		c.plan = nil
	case "apply":
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

// lastPlan returns the plan in the file "plan".
func (c *scene) lastPlan(ts *testscript.TestScript) *tfjson.Plan {
	if c.plan == nil {
		c.plan = &tfjson.Plan{}
		ts.Check(json.Unmarshal(output(ts, c.program.Path, "show", "-json", "plan"), c.plan))
	}
	return c.plan
}

// planned ACTION ADDRESS... [: ATTRIBUTE...] checks that the plan has exactly this action for these resources, and
// changes exactly these attributes of the last one. Without arguments, the plan must be empty.
func planned(ts *testscript.TestScript, _ bool, args []string) {
	args, attributes, changed := cut(args, ":")
	found, wanted := map[string]string{}, map[string]string{}
	for i, address := range args {
		if i > 0 {
			wanted[address] = args[0]
		}
	}
	for _, r := range of(ts).lastPlan(ts).ResourceChanges {
		action := string(r.Change.Actions[0])
		switch {
		case r.Change.Actions.Replace():
			action = "replace"
		case r.Change.Importing != nil && r.Change.Actions.NoOp():
			action = "import"
		}
		if r.Mode == tfjson.ManagedResourceMode && action != "no-op" {
			found[r.Address] = action
		}
		if differ := touched(r.Change); changed && r.Address == args[len(args)-1] && !slices.Equal(differ, attributes) {
			ts.Fatalf("%s would change in %v", r.Address, differ)
		}
	}
	if !maps.Equal(found, wanted) {
		ts.Fatalf("the plan is %v", found)
	}
}

func cut(args []string, at string) (before, after []string, found bool) {
	if i := slices.Index(args, at); i >= 0 {
		return args[:i], args[i+1:], true
	}
	return args, nil, false
}

// touched returns the attributes that change, or may change.
func touched(c *tfjson.Change) []string {
	before, _ := c.Before.(map[string]any)
	after, _ := c.After.(map[string]any)
	unknown, _ := c.AfterUnknown.(map[string]any)
	names := map[string]bool{}
	for _, values := range []map[string]any{before, after, unknown} {
		for name := range values {
			if !reflect.DeepEqual(before[name], after[name]) || strings.Contains(fmt.Sprint(unknown[name]), "true") {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// found ADDRESS PATH=VALUE... checks a resource or data source in the state of the plan.
func found(ts *testscript.TestScript, _ bool, args []string) {
	for _, r := range of(ts).lastPlan(ts).PriorState.Values.RootModule.Resources {
		if r.Address == args[0] {
			expect(ts, r.AttributeValues, args[1:])
			return
		}
	}
	ts.Fatalf("the state does not contain %s", args[0])
}

// outputs PATH=VALUE... checks the changed outputs of the plan.
func outputs(ts *testscript.TestScript, _ bool, args []string) {
	changed := map[string]any{}
	for name, change := range of(ts).lastPlan(ts).OutputChanges {
		if !change.Actions.NoOp() {
			changed[name] = change.After
		}
	}
	if len(args) == 0 && len(changed) > 0 {
		ts.Fatalf("the plan changes %v", changed)
	}
	expect(ts, changed, args)
}

// has PATH=VALUE... checks the JSON that was last printed.
func has(ts *testscript.TestScript, _ bool, args []string) {
	var document any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &document))
	expect(ts, document, args)
}

// expect checks values in a document: PATH=VALUE, where VALUE is JSON or a text. In a path, a number selects an element
// of a list, and "count" is the number of elements.
func expect(ts *testscript.TestScript, document any, pairs []string) {
	for _, pair := range pairs {
		path, text, _ := strings.Cut(pair, "=")
		var wanted any
		if json.Unmarshal([]byte(text), &wanted) != nil {
			wanted = text
		}
		value := document
		for name := range strings.SplitSeq(path, ".") {
			switch inside := value.(type) {
			case map[string]any:
				value = inside[name]
			case []any:
				i, err := strconv.Atoi(name)
				switch {
				case name == "count":
					value = float64(len(inside))
				case err == nil && i < len(inside):
					value = inside[i]
				default:
					ts.Fatalf("%s does not exist", path)
				}
			default:
				ts.Fatalf("%s does not exist", path)
			}
		}
		if !reflect.DeepEqual(value, wanted) {
			ts.Fatalf("%s is %v, not %v", path, value, wanted)
		}
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
