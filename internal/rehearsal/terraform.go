package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	tf "github.com/hashicorp/terraform-json"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
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

// without returns an environment without the variables whose names begin with one of the prefixes.
func without(environ []string, prefixes ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(one string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool {
			return strings.HasPrefix(strings.ToUpper(one), prefix)
		})
	})
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

// planOf reads a saved plan.
func (t terraform) planOf(ctx context.Context, file string) (*tf.Plan, error) {
	out, err := t.run(ctx, "show", "-json", "-no-color", file)
	if err != nil {
		return nil, err
	}
	p := &tf.Plan{}
	p.UseJSONNumber(true)
	if err := json.Unmarshal(out, p); err != nil {
		return nil, fmt.Errorf("%s show -json printed no plan (%w): is it Terraform or OpenTofu?", t.program, err)
	}
	return p, nil
}

// planned returns the changes of a plan.
func planned(p *tf.Plan) (all []Change) {
	for _, c := range p.ResourceChanges {
		does := plain.Action(c.Change.Actions)
		if does == "" {
			continue
		}
		change := Change{Address: c.Address, Type: c.Type, Action: does}
		if does == "update" {
			before := plain.Members(c.Change.Before)
			for name, after := range plain.Members(c.Change.After) {
				if !plain.Equal(after, before[name]) {
					change.Arguments = append(change.Arguments, name)
				}
			}
			for name, unknown := range plain.Members(c.Change.AfterUnknown) {
				if unknown == true {
					change.Arguments = append(change.Arguments, name)
				}
			}
			slices.Sort(change.Arguments)
			change.Arguments = slices.Compact(change.Arguments)
		}
		all = append(all, change)
	}
	return all
}
