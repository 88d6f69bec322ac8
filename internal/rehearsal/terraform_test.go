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
	if err == nil || !strings.Contains(err.Error(), "show -json printed no plan (") {
		t.Errorf("%v", err)
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
	got := without([]string{"A=1", "HTTPS_PROXY=p", "TF_LOG_PATH=x", "TF_CLI_ARGS_plan=-destroy", "tf_log=y",
		"TF_DATA_DIR=z", "B=TF_LOG"}, "TF_CLI_ARGS", "TF_LOG")
	if want := []string{"A=1", "HTTPS_PROXY=p", "TF_DATA_DIR=z", "B=TF_LOG"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
