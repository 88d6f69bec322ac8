package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/mirror"
)

// workshop is the temporary folder of a run with what was built and started.
type workshop struct {
	root    string // of the repository
	dir     string
	binary  string // Terraform's
	release mirror.Program
	env     []string

	receiver *receiver
	sandbox  *sandbox
}

func newWorkshop() (*workshop, error) {
	binary, err := findTerraform()
	if err != nil {
		return nil, err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "examples", "complete")); err != nil {
		return nil, fmt.Errorf("runs in the root of the repository: %w", err)
	}
	dir, err := os.MkdirTemp("", "billing-demo-")
	if err != nil {
		return nil, err
	}
	return &workshop{root: root, dir: dir, binary: binary}, nil
}

// clear stops what runs and removes the folder.
func (w *workshop) clear() error {
	return errors.Join(w.sandbox.stop(), w.receiver.stop(), os.RemoveAll(w.dir))
}

// prepare builds, installs and starts everything that the stories need.
func (w *workshop) prepare(ctx context.Context, say *report) error {
	cli := filepath.Join(w.dir, "terraform.tfrc")
	w.env = append(cleanEnvironment(os.Environ()), "TF_CLI_CONFIG_FILE="+cli, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
	providers := filepath.Join(w.dir, "mirror")
	if err := os.WriteFile(cli, mirror.Only(providers), 0o600); err != nil {
		return err
	}
	var err error
	if w.release, err = mirror.Inspect(ctx, w.binary, w.env); err != nil {
		return err
	}
	if !supported(w.release.Version) {
		return fmt.Errorf("%s is version %s; the provider needs 1.%d or newer", w.binary, w.release.Version, oldestMinor)
	}
	say.line("Terraform %s (%s)", w.release.Version, w.binary)
	began := time.Now()
	say.line("Building the provider and the sandbox. The first time this takes a while.")
	if err := mirror.Build(ctx, w.root, ".", w.release.Executable(providers), w.release.Platform); err != nil {
		return err
	}
	if err := mirror.Build(ctx, w.root, "./internal/cmd/sandbox", w.program("sandbox"), ""); err != nil {
		return err
	}
	if w.receiver, err = startReceiver(ctx, w.dir); err != nil {
		return err
	}
	if w.sandbox, err = startSandbox(ctx, w.program("sandbox"), w.dir, w.receiver); err != nil {
		return err
	}
	w.receiver.live(w.sandbox.now)
	say.line("Built in %s. The sandbox listens on %s.", seconds(time.Since(began)), w.sandbox.env["BILLING_BASE_URL"])
	return nil
}

func (w *workshop) program(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(w.dir, "bin", name)
}

// stage sets up a story: its own copy of the example, and ways to the service.
func (w *workshop) stage(s story, say *report) (*stage, error) {
	service, err := newService(w.sandbox.env)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(w.dir, s.name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(w.root, filepath.FromSlash(s.folder)))); err != nil {
		return nil, fmt.Errorf("copy %s: %w", s.folder, err)
	}
	return &stage{
		terraform: &terraform{binary: w.binary, dir: dir, env: slices.Concat(w.env, w.variables(), w.sandbox.environ()),
			version: w.release.Version},
		service: service, sandbox: w.sandbox, receiver: w.receiver, say: say,
	}, nil
}

// variables are those of the examples that only a run knows.
func (w *workshop) variables() []string {
	return []string{"TF_VAR_receiver_url=" + w.receiver.url}
}

// handOver leaves the sandbox running and prints how to continue with it.
func (w *workshop) handOver(say *report) error {
	exports := filepath.Join(w.dir, "demo.env")
	var lines strings.Builder
	for _, pair := range slices.Concat(w.sandbox.environ(), w.variables(),
		[]string{"TF_CLI_CONFIG_FILE=" + filepath.Join(w.dir, "terraform.tfrc")}) {
		name, value, _ := strings.Cut(pair, "=")
		fmt.Fprintf(&lines, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	if err := os.WriteFile(exports, []byte(lines.String()), 0o600); err != nil {
		return err
	}
	say.line("\nKEPT, to play on. Everything is applied again and the sandbox runs. In a shell:\n")
	say.line("%s", lines.String())
	say.line("The same lines are in a file:\n")
	say.line("  . %s", exports)
	for _, told := range stories {
		say.line("  cd %s && terraform plan", filepath.Join(w.dir, told.name))
	}
	say.line("  %s requests        # what the provider asked the service", w.program("sandbox"))
	say.line("\nThe receiver has ended with the demo: what is delivered to it from now on fails, and is repeated.")
	say.line("\nTo end it:\n\n  kill %d && rm -r %s", w.sandbox.command.Process.Pid, w.dir)
	return nil
}

// cleanEnvironment leaves out what would change how Terraform or the
// provider behaves: a workspace, extra arguments, another service.
func cleanEnvironment(environ []string) []string {
	var kept []string
	for _, pair := range environ {
		if !strings.HasPrefix(pair, "TF_") && !strings.HasPrefix(pair, "BILLING_") {
			kept = append(kept, pair)
		}
	}
	return kept
}
