package provider_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// scenario is Terraform over a copy of a whole example, in a sandbox of the test's own, as a user has it who follows
// its README.
func scenario(t *testing.T, name string, service *acctest.Service) *command {
	t.Helper()
	service.NeedsSandbox("the example finds and leaves objects there")
	terraform := newCommand(t, "").at(service)
	// The example has a main.tf and a terraform block of its own.
	if err := os.Remove(filepath.Join(terraform.dir, "main.tf")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(terraform.dir, os.DirFS(filepath.Join(examples, name))); err != nil {
		t.Fatal(err)
	}
	terraform.must("get")
	return terraform
}

// replace changes a file of the example as its reader would. What is to be replaced has to be there.
func (c *command) replace(name, old, replacement string) {
	c.t.Helper()
	text := c.read(name)
	if !strings.Contains(text, old) {
		c.t.Fatalf("%s does not say %q:\n%s", name, old, text)
	}
	c.write(name, strings.Replace(text, old, replacement, 1))
}

// told is the first block of configuration that the example's README shows after some words, so that what it tells to
// do is what is tested.
func (c *command) told(words string) string {
	c.t.Helper()
	_, after, found := strings.Cut(c.read("README.md"), words)
	_, block, opened := strings.Cut(after, "```terraform\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !opened || !closed {
		c.t.Fatalf("the README shows nothing after %q", words)
	}
	return block
}

// fresh leaves only these files in the folder.
func (c *command) fresh(names ...string) {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join(c.dir, "*"))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, file := range files {
		if name := filepath.Base(file); name != "cli.tfrc" && !slices.Contains(names, name) {
			if err := os.RemoveAll(file); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}

// plans plans into the file "plan" and returns what would be done, by address: create, update, delete, import, or
// several of them. What stays as it is, and what is only read, is left out.
func (c *command) plans(args ...string) map[string]string {
	c.t.Helper()
	c.must(append([]string{"plan", "-out=plan"}, args...)...)
	var read struct {
		ResourceChanges []struct {
			Address, Mode string
			Change        struct {
				Actions   []string
				Importing *struct{}
			}
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal([]byte(c.must("show", "-json", "plan")), &read); err != nil {
		c.t.Fatal(err)
	}
	planned := map[string]string{}
	for _, r := range read.ResourceChanges {
		done := slices.DeleteFunc(slices.Clone(r.Change.Actions), func(action string) bool { return action == "no-op" })
		if r.Change.Importing != nil {
			done = append([]string{"import"}, done...)
		}
		if r.Mode == "managed" && len(done) > 0 {
			planned[r.Address] = strings.Join(done, ", ")
		}
	}
	return planned
}

// applies plans, holds the plan to do exactly one thing with exactly these addresses, and carries it out.
func (c *command) applies(action string, addresses []string, args ...string) string {
	c.t.Helper()
	wanted := map[string]string{}
	for _, address := range addresses {
		wanted[address] = action
	}
	if planned := c.plans(args...); !maps.Equal(planned, wanted) {
		c.t.Fatalf("the plan is to do %v, and not %v", planned, wanted)
	}
	return c.must("apply", "plan")
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
