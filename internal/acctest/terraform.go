package acctest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
)

// Terraform runs the program as a user does: the built provider in its own process, a folder, and an environment with
// only the test's variables and BILLING_BULK_REFRESH.
type Terraform struct {
	Dir string
	Env map[string]string

	t *testing.T
}

// Versions is the terraform block that a module needs to use the provider.
const Versions = `terraform {
  required_providers {
    billing = { source = "recurring-billing/billing" }
  }
}
`

// TerraformProgram returns the program for acceptance tests; empty if they are disabled.
func TerraformProgram() string {
	if os.Getenv("TF_ACC") == "" {
		return ""
	}
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	path, err := exec.LookPath("terraform")
	if err != nil {
		return ""
	}
	return path
}

// NewTerraform prepares an empty folder in which Terraform needs no init. It skips the test if acceptance tests are
// disabled.
func NewTerraform(t *testing.T) *Terraform {
	t.Helper()
	c := NewTerraformWithoutProvider(t)
	plugins, err := BuiltProvider()
	if err != nil {
		t.Fatal(err)
	}
	c.Provider(plugins)
	return c
}

// NewTerraformWithoutProvider prepares an empty folder without a provider: the test installs one with cli.tfrc or
// another TF_CLI_CONFIG_FILE. It skips the test if acceptance tests are disabled.
func NewTerraformWithoutProvider(t *testing.T) *Terraform {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run with TF_ACC=1")
	}
	if TerraformProgram() == "" {
		t.Fatal("acceptance tests need terraform: add it to PATH, or set TF_ACC_TERRAFORM_PATH")
	}
	dir := t.TempDir()
	c := &Terraform{t: t, Dir: dir, Env: map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": dir, "CHECKPOINT_DISABLE": "1",
		"TF_CLI_CONFIG_FILE": filepath.Join(dir, "cli.tfrc"),
	}}
	if value := os.Getenv(bulkRefresh); value != "" {
		c.Env[bulkRefresh] = value
	}
	return c
}

// bulkRefresh is passed on, so that all tests can run with and without it. Tests in this process read it anyway.
const bulkRefresh = "BILLING_BULK_REFRESH"

// Few returns how many of n random cases a test takes: all, or in make test a quarter.
func Few(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// Long skips a test that runs Terraform for long: in make test, or without Terraform.
func Long(t *testing.T) {
	t.Helper()
	if testing.Short() || os.Getenv("TF_ACC") == "" {
		t.Skip("needs Terraform for long: make check runs it")
	}
}

// Provider uses the provider's program in another folder.
func (c *Terraform) Provider(dir string) {
	c.t.Helper()
	c.Write("cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides { \"recurring-billing/billing\" = %q }\n  "+
		"direct {}\n}\n", dir))
}

// At sets the environment variables for a service.
func (c *Terraform) At(service *Service) *Terraform {
	maps.Copy(c.Env, service.Sandbox.Env())
	for _, argument := range service.arguments() { // including those of a proxy
		c.Env["BILLING_"+strings.ToUpper(argument.name)] = argument.value
	}
	return c
}

// Write writes a file in the folder.
func (c *Terraform) Write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// Read reads a file in the folder.
func (c *Terraform) Read(name string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// Run runs Terraform and returns its output. A run that fails ends the test.
func (c *Terraform) Run(arguments ...string) string {
	c.t.Helper()
	out, err := c.Command(arguments...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("terraform %v: %v\n%s", arguments, err, out)
	}
	return string(out)
}

// Command returns a run of Terraform to be started.
func (c *Terraform) Command(arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), TerraformProgram(), arguments...)
	cmd.Dir = c.Dir
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		cmd.Env = append(cmd.Env, name+"="+c.Env[name])
	}
	return cmd
}

// Printed is the output of a run with -json.
type Printed struct {
	core.Said // without the diagnostics
	// Planned holds the planned actions by address: create, update, delete, replace, import, or "import, update".
	Planned map[string]string
}

// JSON runs Terraform with -json. If a run fails without an error in its output, the exit error is added.
func (c *Terraform) JSON(arguments ...string) (p Printed, out []byte) {
	c.t.Helper()
	out, err := c.Command(slices.Insert(slices.Clone(arguments), 1, "-json")...).Output()
	if p = ReadPrinted(out); err != nil && len(p.Errors) == 0 {
		p.Errors = []string{fmt.Sprintf(": terraform %v: %v\n%s", arguments, err, stderr(err))}
	}
	return p, out
}

func stderr(err error) []byte {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.Stderr
	}
	return nil
}

// ReadPrinted parses the output of a run that a test has started itself. The output of a killed run may end within a
// line.
func ReadPrinted(out []byte) Printed {
	p := Printed{Planned: map[string]string{}}
	for line := range bytes.Lines(out) {
		var event struct {
			Type       string
			Diagnostic struct{ Severity, Summary, Detail, Address string }
			Change     struct {
				Resource  struct{ Addr string }
				Action    string
				Importing *struct{}
			}
		}
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		said, does := event.Diagnostic, event.Change
		text := fmt.Sprintf("%s: %s: %s", said.Address, said.Summary, said.Detail)
		switch {
		case said.Severity == "error":
			p.Errors = append(p.Errors, text)
		case said.Severity != "" && said.Summary != "Provider development overrides are in effect": // dev_overrides
			p.Warnings = append(p.Warnings, text)
		case event.Type == "planned_change" && does.Action != "read":
			if does.Importing != nil && does.Action != "import" {
				does.Action = "import, " + does.Action
			}
			p.Planned[does.Resource.Addr] = does.Action
		}
	}
	return p
}

// Kill is a signal to the processes of a run.
type Kill struct {
	// Interrupt sends SIGINT instead of SIGKILL.
	Interrupt bool
	// Target is provider, terraform, or both.
	Target string
	// Delay passes before the signal.
	Delay time.Duration
}

// Plan reads a plan file, with exact numbers.
func (c *Terraform) Plan(name string) *tfjson.Plan {
	c.t.Helper()
	document, err := c.Command("show", "-json", name).Output()
	if err != nil {
		c.t.Fatalf("%v\n%s", err, stderr(err))
	}
	plan := &tfjson.Plan{}
	plan.UseJSONNumber(true)
	if err := plan.UnmarshalJSON(document); err != nil {
		c.t.Fatal(err)
	}
	return plan
}

// Instance is a resource in the state file, with exact numbers.
type Instance struct {
	Address    string `json:"-"`
	Attributes JSON
	// Private is the provider's private state; Terraform drops it if the provider dies during a change.
	Private  string
	Deposed  string // not empty if the object was replaced and still exists
	IndexKey any    `json:"index_key"`
}

// State returns the resources in the state file, in its order.
func (c *Terraform) State() (all []Instance) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	if err != nil || len(text) == 0 {
		return nil
	}
	var state struct {
		Resources []struct {
			Mode, Type, Name string
			Instances        []Instance
		}
	}
	if err := core.Decode(text, &state); err != nil {
		c.t.Fatal(err)
	}
	for _, r := range state.Resources {
		for _, object := range r.Instances {
			if r.Mode != "managed" {
				continue
			}
			object.Address = r.Type + "." + r.Name
			switch key := object.IndexKey.(type) {
			case nil:
			case string:
				object.Address += fmt.Sprintf("[%q]", key)
			default:
				object.Address += fmt.Sprintf("[%v]", key)
			}
			all = append(all, object)
		}
	}
	return all
}

// providerName is the name of the provider's program.
const providerName = "terraform-provider-billing"

// built is the folder that BuiltProvider has created; "": none.
var built string

// BuiltProvider returns the folder of the provider's program, which is built once for all tests of a package. RunTests
// removes it.
var BuiltProvider = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", providerName+"-"); err != nil {
		return "", err
	}
	built = dir
	build := exec.CommandContext(context.Background(), "go", "build", "-ldflags=-s -w", "-o",
		filepath.Join(dir, providerName), module)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the provider: %w\n%s", err, out)
	}
	return dir, nil
})

const module = "github.com/recurring-billing/terraform-provider-billing"

var lagPauses = slices.Clone(api.LagPauses)

// WithLag enables the waits for lagging reads, for a test in virtual time; undo disables them again.
func WithLag() (undo func()) {
	copy(api.LagPauses, lagPauses)
	return func() { clear(api.LagPauses) }
}

// RunTests runs the tests of a package, and removes the result of BuiltProvider. TestMain calls it. It disables the
// waits for lagging reads: those of the sandbox do not lag, and a fault that hides an object counts reads.
func RunTests(m *testing.M) {
	clear(api.LagPauses)
	code := m.Run()
	if code == 0 { // a test that fails may end before it has compared its messages
		if err := golden.Unused(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if err := os.RemoveAll(built); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
