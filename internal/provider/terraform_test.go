package provider_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

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
	runner.Write("main.tf", acctest.Versions+config)
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

func (c *command) remove(name string) {
	c.t.Helper()
	if err := os.Remove(filepath.Join(c.dir, name)); err != nil {
		c.t.Fatal(err)
	}
}

// replace changes a file as its reader would. What is to be replaced has to be there.
func (c *command) replace(name, old, replacement string) {
	c.t.Helper()
	text := c.read(name)
	if !strings.Contains(text, old) {
		c.t.Fatalf("%s does not say %q:\n%s", name, old, text)
	}
	c.write(name, strings.Replace(text, old, replacement, 1))
}

// run returns what Terraform prints, with every white space a single blank, and whether it succeeded.
func (c *command) run(args ...string) (string, error) {
	c.t.Helper()
	out, err := c.Command(args...).CombinedOutput()
	text := strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(string(out))
	return strings.Join(strings.Fields(text), " "), err
}

// raw is what Terraform prints on success, as it is and without warnings.
func (c *command) raw(args ...string) string {
	c.t.Helper()
	out, err := c.Command(args...).Output()
	if err != nil {
		c.t.Fatalf("terraform %s: %v\n%s", strings.Join(args, " "), err, out)
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

// fails is run for what has to fail and say all parts.
func (c *command) fails(parts []string, args ...string) {
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

// planned is what a run is to do, by address: create, update, delete, import, or several of them. What stays as it is,
// and what is only read, is left out.
func (c *command) planned(args ...string) map[string]string {
	c.t.Helper()
	planned, _ := c.stream(args...)
	return planned
}

// applies carries out a plan that does exactly one thing with exactly these addresses, and returns what is printed.
func (c *command) applies(action string, addresses []string, args ...string) string {
	c.t.Helper()
	wanted := map[string]string{}
	for _, address := range addresses {
		wanted[address] = action
	}
	planned, out := c.stream(append([]string{"apply", "-auto-approve"}, args...)...)
	if !maps.Equal(planned, wanted) {
		c.t.Fatalf("the plan is to do %v, and not %v", planned, wanted)
	}
	return out
}

// stream is a plan or an apply, which has to succeed.
func (c *command) stream(args ...string) (planned map[string]string, out string) {
	c.t.Helper()
	printed, text := c.JSON(args...)
	if len(printed.Errors) > 0 {
		c.t.Fatalf("terraform %s: %v\n%s", strings.Join(args, " "), printed.Errors, text)
	}
	return printed.Planned, string(text)
}

// settled holds the next plan to be empty, outputs and all, with nothing to warn of.
func (c *command) settled(args ...string) {
	c.t.Helper()
	out, err := c.run(append([]string{"plan", "-detailed-exitcode"}, args...)...)
	// The one warning that is always there is Terraform's own, of how the test brings the provider.
	if err != nil || strings.Count(out, "Warning: ") != 1 {
		c.t.Fatalf("the plan is not empty, or warns: %v\n%s", err, out)
	}
}

// ids are those of the state, by address.
func (c *command) ids() map[string]string {
	c.t.Helper()
	ids := map[string]string{}
	for _, object := range c.State() {
		ids[object.Address], _ = object.Attributes["id"].(string)
	}
	return ids
}

// hasQuery reports that this Terraform has terraform query, as from 1.14 on.
func (c *command) hasQuery() bool {
	c.t.Helper()
	out, err := c.run("query", "-help")
	return err == nil && strings.Contains(out, "-generate-config-out")
}

func (c *command) needsQuery() {
	c.t.Helper()
	if !c.hasQuery() {
		c.t.Skip("terraform query needs Terraform 1.14")
	}
}

// found is the one object of a kind at the service that has this external_id, or nil.
func found(t *testing.T, service *acctest.Service, kind, externalID string) acctest.JSON {
	t.Helper()
	_, response := service.Call("GET", "/v1/"+kind+"?external_id="+externalID, nil)
	items, _ := response["data"].([]any)
	if len(items) == 0 {
		return nil
	}
	object, _ := items[0].(acctest.JSON)
	return object
}

// wrote are the operations since the last reset that were no reading.
func wrote(service *acctest.Service) []string {
	var names []string
	for _, request := range service.Sandbox.Requests() {
		if request.Method != http.MethodGet && !slices.Contains(names, request.Operation) {
			names = append(names, request.Operation)
		}
	}
	slices.Sort(names)
	return names
}
