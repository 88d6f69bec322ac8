package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/hello"
)

// terraform runs a program in a folder.
type terraform struct {
	program string
	folder  string
	env     []string
}

// grace is how long a run that is interrupted may take to end. It can lose nothing but the copy.
const grace = 2 * time.Second

// failed is a run that ended with an error.
type failed struct {
	command string
	code    int
	output  string
}

// colours are the sequences that colour a terminal's text.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func (e *failed) Error() string {
	text := strings.TrimSpace(colours.ReplaceAllString(e.output, ""))
	if lines := strings.Split(text, "\n"); len(lines) > 25 {
		text = strings.Join(lines[len(lines)-25:], "\n")
	}
	return fmt.Sprintf("%s failed (exit code %d):\n%s", e.command, e.code, text)
}

// run returns the standard output. The error is a *failed where the program says no. An interrupt reaches the program
// and everything that it has started, and ends them after a short time.
func (t terraform) run(ctx context.Context, arguments ...string) ([]byte, error) {
	command := exec.Command(t.program, arguments...) //nolint:noctx // the context ends its whole group
	command.Dir, command.Env = t.folder, t.env
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	command.WaitDelay = grace
	err := runGroup(ctx, command, grace)
	exit := new(exec.ExitError)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &exit):
		text := errs.String()
		if text == "" {
			text = out.String()
		}
		return out.Bytes(), &failed{t.program + " " + arguments[0], exit.ExitCode(), text}
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no program %s: install Terraform, or name another one after --, such as -- tofu",
			t.program)
	}
	return out.Bytes(), err
}

// runGroup runs a program in a process group of its own. When ctx ends, the group is interrupted, and killed after the
// grace.
func runGroup(ctx context.Context, command *exec.Cmd, grace time.Duration) error {
	newGroup(command)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := command.Start(); err != nil {
		return err
	}
	var err error
	ended := make(chan struct{})
	go func() { err = command.Wait(); close(ended) }()
	select {
	case <-ended:
		return err
	case <-ctx.Done():
	}
	interruptGroup(command)
	select {
	case <-ended:
	case <-time.After(grace):
	}
	killGroup(command) // what it has started may be left
	return ctx.Err()
}

// withoutArguments returns the environment without TF_CLI_ARGS: "workspace show" and "state pull" reject the arguments
// of a plan.
func withoutArguments(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(one string) bool {
		return strings.HasPrefix(strings.ToUpper(one), argumentsVariable)
	})
}

// environment returns the environment of the runs. more replaces the user's variables.
func environment(environ []string, more map[string]string) []string {
	kept := slices.DeleteFunc(withoutArguments(environ), func(one string) bool {
		name, _, _ := strings.Cut(one, "=")
		upper := strings.ToUpper(name)
		_, replaced := more[upper]
		return replaced || strings.HasPrefix(upper, "TF_LOG") || slices.Contains([]string{"TF_WORKSPACE", "TF_DATA_DIR",
			"TF_INPUT", "TF_REATTACH_PROVIDERS", hello.Variable}, upper)
	})
	for _, name := range slices.Sorted(maps.Keys(more)) {
		kept = append(kept, name+"="+more[name])
	}
	return append(kept, "TF_IN_AUTOMATION=1", "TF_INPUT=0")
}

// ran is the output of a plan or an apply.
type ran struct {
	errors, warnings []Diagnostic
	code             int
}

// logged runs a command that writes lines of JSON.
func (t terraform) logged(ctx context.Context, arguments ...string) (ran, error) {
	out, err := t.run(ctx, arguments...)
	result := ran{}
	if no := new(failed); errors.As(err, &no) {
		result.code, err = no.code, nil
		if !bytes.Contains(out, []byte(`"@level"`)) {
			return result, no // it has not come to a diagnostic
		}
	}
	if err != nil {
		return result, err
	}
	for line := range bytes.Lines(out) {
		var message struct {
			Type       string `json:"type"`
			Diagnostic struct {
				Severity string `json:"severity"`
				Range    struct {
					Filename string `json:"filename"`
					Start    struct {
						Line int `json:"line"`
					} `json:"start"`
				} `json:"range"`
				Diagnostic
			} `json:"diagnostic"`
		}
		if json.Unmarshal(line, &message) != nil || message.Type != "diagnostic" {
			continue
		}
		if at := message.Diagnostic.Range; at.Filename != "" {
			message.Diagnostic.Place = fmt.Sprintf("%s, line %d", at.Filename, at.Start.Line)
		}
		if message.Diagnostic.Severity == "error" {
			result.errors = append(result.errors, message.Diagnostic.Diagnostic)
		} else {
			result.warnings = append(result.warnings, message.Diagnostic.Diagnostic)
		}
	}
	return result, nil
}

// plan contains the used parts of the JSON of a plan.
type plan struct {
	FormatVersion   string           `json:"format_version"`
	ResourceChanges []resourceChange `json:"resource_changes"`
	PriorState      struct {
		Values struct {
			RootModule module `json:"root_module"`
		} `json:"values"`
	} `json:"prior_state"`
	Configuration struct {
		RootModule configured `json:"root_module"`
	} `json:"configuration"`
	Actions  []resourceChange `json:"action_invocations"`
	Deferred []any            `json:"deferred_changes"`
}

type resourceChange struct {
	Address         string `json:"address"`
	PreviousAddress string `json:"previous_address"`
	Mode            string `json:"mode"`
	Type            string `json:"type"`
	Provider        string `json:"provider_name"`
	Change          struct {
		Actions      []string       `json:"actions"`
		Before       map[string]any `json:"before"`
		After        map[string]any `json:"after"`
		AfterUnknown map[string]any `json:"after_unknown"`
		// BeforeSensitive and AfterSensitive are true, or have true, for each value that must not be shown.
		BeforeSensitive any `json:"before_sensitive"`
		AfterSensitive  any `json:"after_sensitive"`
		Importing       any `json:"importing"`
	} `json:"change"`
}

// configured is a module of a configuration.
type configured struct {
	Resources []struct {
		Address      string `json:"address"`
		Mode         string `json:"mode"`
		Type         string `json:"type"`
		Provisioners []any  `json:"provisioners"`
	} `json:"resources"`
	ModuleCalls map[string]struct {
		Module configured `json:"module"`
	} `json:"module_calls"`
}

type module struct {
	Resources []resource `json:"resources"`
	Modules   []module   `json:"child_modules"`
}

type resource struct {
	Address string         `json:"address"`
	Mode    string         `json:"mode"`
	Type    string         `json:"type"`
	Values  map[string]any `json:"values"`
}

// all are the resources of a module and of those that it calls.
func (m module) all() (found []resource) {
	found = append(found, m.Resources...)
	for _, inner := range m.Modules {
		found = append(found, inner.all()...)
	}
	return found
}

// planOf reads a saved plan.
func (t terraform) planOf(ctx context.Context, file string) (plan, error) {
	var p plan
	out, err := t.run(ctx, "show", "-json", "-no-color", file)
	if err != nil {
		return p, err
	}
	if err := decode(out, &p); err != nil {
		return p, fmt.Errorf("%s show -json printed no plan (%w): is it Terraform or OpenTofu?", t.program, err)
	}
	return p, nil
}

// decode keeps every digit of numbers.
func decode(document []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// action is the word for the actions of a change; "" for none.
func action(actions []string) string {
	switch strings.Join(actions, " ") {
	case "no-op", "read":
		return ""
	case "delete create":
		return "replace"
	case "create delete":
		return "replace (create first)"
	}
	return strings.Join(actions, " ")
}

// changes returns the changes of a plan.
func (p plan) changes() (all []Change) {
	for _, c := range p.ResourceChanges {
		does := action(c.Change.Actions)
		if does == "" {
			continue
		}
		change := Change{Address: c.Address, Type: c.Type, Action: does}
		if does == "update" {
			for name, after := range c.Change.After {
				if !equal(after, c.Change.Before[name]) {
					change.Arguments = append(change.Arguments, name)
				}
			}
			for name, unknown := range c.Change.AfterUnknown {
				if unknown == true {
					change.Arguments = append(change.Arguments, name)
				}
			}
			slices.Sort(change.Arguments)
		}
		all = append(all, change)
	}
	return all
}

func equal(a, b any) bool {
	one, _ := json.Marshal(a) // of decoded JSON
	other, _ := json.Marshal(b)
	return bytes.Equal(one, other)
}
