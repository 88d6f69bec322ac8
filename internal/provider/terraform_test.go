package provider_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// required is what a module of its own has to say to use the provider.
const required = `terraform {
  required_providers {
    billing = { source = "recurring-billing/billing" }
  }
}
`

// built is the folder of the provider's binary, which is built once for all tests that run Terraform themselves.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "terraform-provider-billing-")
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", dir, "../..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the provider: %w\n%s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := built(); os.Getenv("TF_ACC") != "" && err == nil {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// command is Terraform as a user runs it: the built provider in a process of its own, a folder, and an environment that holds
// nothing but what the test puts there.
type command struct {
	t   *testing.T
	dir string
	env map[string]string
}

// newCommand prepares a folder with the configuration main.tf.
func newCommand(t *testing.T, config string) *command {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run with TF_ACC=1")
	}
	plugins, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := &command{t: t, dir: dir, env: map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": dir, "CHECKPOINT_DISABLE": "1", "TF_CLI_ARGS": "-no-color", "TF_CLI_CONFIG_FILE": filepath.Join(dir, "cli.tfrc"),
	}}
	c.write("cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides { \"recurring-billing/billing\" = %q }\n  direct {}\n}\n", plugins))
	c.write("main.tf", required+config)
	return c
}

// at points the environment to a sandbox.
func (c *command) at(service *acctest.Service) *command {
	maps.Copy(c.env, service.Sandbox.Env())
	return c
}

func (c *command) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *command) read(name string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

func (c *command) terraform() string {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	return "terraform"
}

// run answers what Terraform prints, with every white space a single blank, and whether it succeeded.
func (c *command) run(args ...string) (string, error) {
	c.t.Helper()
	out, err := c.prepared(args...).CombinedOutput()
	return strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(string(out))), " "), err
}

// raw is what Terraform prints on success, as it is and without warnings.
func (c *command) raw(args ...string) string {
	c.t.Helper()
	out, err := c.prepared(args...).Output()
	if err != nil {
		c.t.Fatalf("terraform %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

func (c *command) prepared(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), c.terraform(), args...)
	cmd.Dir = c.dir
	for _, name := range slices.Sorted(maps.Keys(c.env)) {
		cmd.Env = append(cmd.Env, name+"="+c.env[name])
	}
	return cmd
}

// must is run for what has to succeed.
func (c *command) must(args ...string) string {
	c.t.Helper()
	out, err := c.run(args...)
	if err != nil {
		c.t.Fatalf("terraform %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// refused is run for what has to fail and say all parts.
func (c *command) refused(parts []string, args ...string) {
	c.t.Helper()
	out, err := c.run(args...)
	if err == nil {
		c.t.Errorf("terraform %s succeeded:\n%s", strings.Join(args, " "), out)
	}
	for _, part := range parts {
		if !strings.Contains(out, part) {
			c.t.Errorf("terraform %s does not say %q:\n%s", strings.Join(args, " "), part, out)
		}
	}
}
