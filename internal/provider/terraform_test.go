package provider_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// required is what its own module has to say to use the provider.
const required = `terraform {
  required_providers {
    billing = { source = "recurring-billing/billing" }
  }
}
`

func TestMain(m *testing.M) { acctest.RunTests(m) }

// command is Terraform as a user runs it, with shorter names for its folder and its environment.
type command struct {
	*acctest.Terraform

	t   *testing.T
	dir string
	env map[string]string
}

// newCommand prepares a folder with the configuration main.tf.
func newCommand(t *testing.T, config string) *command {
	t.Helper()
	runner := acctest.NewTerraform(t)
	runner.Env["TF_CLI_ARGS"] = "-no-color"
	runner.Write("main.tf", required+config)
	return &command{Terraform: runner, t: t, dir: runner.Dir, env: runner.Env}
}

// at points the environment to a sandbox.
func (c *command) at(service *acctest.Service) *command {
	c.At(service)
	return c
}

func (c *command) write(name, text string) {
	c.t.Helper()
	c.Write(name, text)
}

func (c *command) read(name string) string {
	c.t.Helper()
	return c.Read(name)
}

// run returns what Terraform prints, with every white space a single blank, and whether it succeeded.
func (c *command) run(args ...string) (string, error) {
	c.t.Helper()
	out, err := c.Command(args...).CombinedOutput()
	return strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(string(out))), " "), err
}

// raw is what Terraform prints on success, as it is and without warnings.
func (c *command) raw(args ...string) string {
	c.t.Helper()
	out, err := c.Command(args...).Output()
	if err != nil {
		c.t.Fatalf("terraform %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
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

var shownID = regexp.MustCompile(`\bid = "([^"]+)"`)

// idOf is the id of an object in the state.
func (c *command) idOf(address string) string {
	c.t.Helper()
	ids := shownID.FindAllStringSubmatch(c.must("state", "show", address), -1)
	return ids[len(ids)-1][1]
}
