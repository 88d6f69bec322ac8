package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeTerraform is a program that prints a text and ends with a code, and the runs of it.
func fakeTerraform(t *testing.T, script string) terraform {
	t.Helper()
	program := filepath.Join(t.TempDir(), "terraform")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return terraform{program, t.TempDir(), os.Environ()}
}

// An error that is about no object names its place in the configuration.
func TestDiagnosticPlace(t *testing.T) {
	t.Parallel()
	tf := fakeTerraform(t, `cat <<'END'
{"@level":"error","type":"diagnostic","diagnostic":{"severity":"error","summary":"Unsupported attribute","range":{"filename":"main.tf","start":{"line":41}}}}
END
exit 1
`)
	result, err := tf.logged(t.Context(), "plan")
	if err != nil || len(result.errors) != 1 || result.code != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	if got, want := diagnostics(result.errors, true)[0][0], "main.tf, line 41: Unsupported attribute"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A program that is not Terraform is named.
func TestNoPlan(t *testing.T) {
	t.Parallel()
	_, err := fakeTerraform(t, "true\n").planOf(t.Context(), "x.tfplan")
	if err == nil || !strings.Contains(err.Error(), "show -json printed no plan (EOF): is it Terraform or OpenTofu?") {
		t.Errorf("%v", err)
	}
}

// The commands that read the state run without the arguments that the user sets for plans.
func TestArgumentsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	environ := []string{"A=1", "TF_CLI_ARGS=-destroy", "TF_CLI_ARGS_state_pull=-help", "TF_VAR_x=TF_CLI_ARGS"}
	got := withoutArguments(environ)
	if want := []string{"A=1", "TF_VAR_x=TF_CLI_ARGS"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The flags that a rehearsal can use reach its plans. The others are rejected, and none is dropped.
func TestFlags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"-var a=1 -no-color":                "-var=a=1",
		"-var=a=1 --refresh=false":          "-var=a=1 -refresh=false",
		"-var-file x.tfvars -var-file=/y":   "-var-file=/f/x.tfvars -var-file=/y",
		"-var":                              "has -var without a value",
		"-refresh=false -target=a.b":        "has -target, which a rehearsal cannot use",
		"-parallelism=2 billing_customer.c": `has "billing_customer.c", which is not a flag of a plan`,
	} {
		r := &rehearsal{Options: Options{Folder: "/f", Arguments: strings.Fields(text)}}
		err := r.userArguments()
		if got := strings.Join(r.arguments.plan, " "); err == nil && got != want ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// An interrupt ends a program that ignores it, and what that has started.
func TestInterruptedProgram(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	script := filepath.Join(folder, "program")
	text := "#!/bin/sh\ntrap '' INT\n(trap '' INT; sleep 600) &\necho $! > " + folder + "/child\nwait\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	child := 0
	go func() {
		for child == 0 {
			time.Sleep(time.Millisecond)
			content, _ := os.ReadFile(filepath.Join(folder, "child"))
			child, _ = strconv.Atoi(strings.TrimSpace(string(content)))
		}
		stop()
	}()
	if err := runGroup(ctx, exec.Command(script), 50*time.Millisecond); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	process, err := os.FindProcess(child)
	for err == nil { // until the kernel has removed it
		if state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child)); strings.Contains(string(state), ") Z ") {
			return
		}
		err = process.Signal(syscall.Signal(0))
		time.Sleep(time.Millisecond)
	}
}

// A run has the user's variables, except those that would lead it elsewhere.
func TestEnvironmentOfRuns(t *testing.T) {
	t.Parallel()
	got := environment([]string{"A=1", "BILLING_ENVIRONMENT=production", "HTTPS_PROXY=p", "TF_LOG_PATH=x", "TF_DATA_DIR=y",
		"TF_WORKSPACE=z", "TF_REATTACH_PROVIDERS=w", "TF_CLI_ARGS_plan=-destroy", "BILLING_REHEARSAL=old", "TF_VAR_a=b"},
		map[string]string{"BILLING_REHEARSAL": "new"})
	want := []string{"A=1", "BILLING_ENVIRONMENT=production", "HTTPS_PROXY=p", "TF_VAR_a=b", "BILLING_REHEARSAL=new",
		"TF_IN_AUTOMATION=1", "TF_INPUT=0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
