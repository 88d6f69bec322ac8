package rehearsal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
