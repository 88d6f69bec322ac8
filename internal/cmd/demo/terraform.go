package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// oldestMinor is the oldest 1.x that the provider supports.
const oldestMinor = 11

// planFile is where a plan is saved, so that apply does what was shown and
// nothing else.
const planFile = "demo.tfplan"

// terraform runs one Terraform in one folder.
type terraform struct {
	binary  string
	dir     string
	env     []string
	version string
}

// findTerraform finds the Terraform to run.
func findTerraform() (string, error) {
	for _, name := range []string{"TERRAFORM", "TF_ACC_TERRAFORM_PATH"} {
		if path := os.Getenv(name); path != "" {
			found, err := exec.LookPath(path)
			if err != nil {
				return "", fmt.Errorf("%s names no program that can be run: %w", name, err)
			}
			return filepath.Abs(found)
		}
	}
	found, err := exec.LookPath("terraform")
	if err != nil {
		return "",
			fmt.Errorf("needs Terraform 1.%d or newer: put terraform into PATH, or name it with TERRAFORM=/path/to/terraform",
				oldestMinor)
	}
	return filepath.Abs(found)
}

func supported(version string) bool { return atLeast(version, oldestMinor) }

// atLeast reports whether a version is 1.minor or newer.
func atLeast(version string, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, majorErr := strconv.Atoi(parts[0])
	second, secondErr := strconv.Atoi(parts[1])
	return majorErr == nil && secondErr == nil && (major > 1 || major == 1 && second >= minor)
}

func (t *terraform) init(ctx context.Context) error {
	_, _, err := t.run(ctx, "init", "-no-color", "-input=false")
	return err
}

// plan saves a plan and reads it.
func (t *terraform) plan(ctx context.Context, arguments ...string) (*plan, error) {
	text, changes, err := t.run(ctx,
		append([]string{"plan", "-no-color", "-input=false", "-detailed-exitcode", "-out=" + planFile}, arguments...)...)
	if err != nil {
		return nil, err
	}
	document, _, err := t.run(ctx, "show", "-json", planFile)
	if err != nil {
		return nil, err
	}
	read, err := readPlan(document)
	if err != nil {
		return nil, err
	}
	read.text, read.empty = string(text), !changes
	return read, nil
}

// apply carries the last plan out, and returns what Terraform says about it.
func (t *terraform) apply(ctx context.Context) (string, error) {
	text, _, err := t.run(ctx, "apply", "-no-color", "-input=false", planFile)
	return string(text), err
}

// output returns an output of text, a sensitive one too.
func (t *terraform) output(ctx context.Context, name string) (string, error) {
	value, _, err := t.run(ctx, "output", "-raw", name)
	return string(value), err
}

// run returns the standard output. pending is what exit code 2 of a plan
// says: there is something to do.
func (t *terraform) run(ctx context.Context, arguments ...string) (out []byte, pending bool, err error) {
	command := exec.CommandContext(ctx, t.binary, arguments...)
	command.Dir, command.Env = t.dir, t.env
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	// An interrupt lets Terraform finish what it is at and write its state;
	// from the terminal's own Ctrl-C it is kept away, because a second
	// interrupt would make it stop in the middle.
	setApart(command)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	err = command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 && arguments[0] == "plan" {
		return stdout.Bytes(), true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("terraform %s: %w\n%s%s", arguments[0], err, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes(), false, nil
}
