package provider_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const examples = "../../examples"

// scenario is Terraform over a copy of a whole example, in a sandbox of the test's own, as a user has it who follows
// its README.
func scenario(t *testing.T, name string, service *acctest.Service) *command {
	t.Helper()
	service.NeedsSandbox("the example finds and leaves objects there")
	terraform := newCommand(t, "").at(service)
	terraform.remove("main.tf") // the example has one of its own, with a terraform block
	terraform.example("scenarios/" + name)
	if _, err := os.Stat(filepath.Join(terraform.dir, "modules")); err == nil {
		terraform.must("get")
	}
	return terraform
}

// example copies an example without the files that git ignores: it may have been applied where it is.
func (c *command) example(name string) {
	c.t.Helper()
	acctest.Long(c.t)
	from := filepath.Join(examples, name)
	list := exec.CommandContext(c.t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = from
	files, err := list.Output()
	if err != nil { // not a repository
		err = os.CopyFS(c.dir, os.DirFS(from))
	}
	for file := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		var content []byte
		if err == nil && file != "" {
			content, err = os.ReadFile(filepath.Join(from, file))
			err = errors.Join(err, os.MkdirAll(filepath.Dir(filepath.Join(c.dir, file)), 0o700),
				os.WriteFile(filepath.Join(c.dir, file), content, 0o600))
		}
	}
	if err != nil {
		c.t.Fatal(err)
	}
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

// exampleFiles are the examples of one kind, by the name of their type.
func exampleFiles(t *testing.T, pattern string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(examples, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no example %s: %v", pattern, err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(filepath.Dir(file))] = string(text)
	}
	return texts
}

var (
	dataRead = regexp.MustCompile(`(?m)^data ("\w+" "\w+")`)
	importTo = regexp.MustCompile(`(?m)^\s*to\s*=\s*(\S+)`)
	recordID = regexp.MustCompile(`(payables/)[0-9a-f-]{36}`)
)

// TestAccExamples: the examples of resources can be applied unchanged, and their next plan is empty. What they create
// is found by the examples of data sources and of queries, and taken over by those of imports. Those that create the
// same customer are in folders of their own.
func TestAccExamples(t *testing.T) {
	acctest.Long(t)
	t.Parallel()
	resources, imports := exampleFiles(t, "resources/*/resource.tf"), exampleFiles(t, "resources/*/import-by-string-id.tf")
	sources, queries := exampleFiles(t, "data-sources/*/data-source.tf"), exampleFiles(t, "list-resources/*/*.tfquery.hcl")
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(resources)), func(name string) bool {
		return name == "billing_account" || name == "billing_subscription"
	})
	for _, names := range [][]string{others, {"billing_account"}, {"billing_subscription"}} {
		t.Run(names[0], func(t *testing.T) {
			t.Parallel()
			// The clock runs, as an age in an example is compared with today.
			service := acctest.Start(t, acctest.RunningClock)
			service.NeedsSandbox("the examples leave objects behind")
			terraform := newCommand(t, "").at(service)
			for _, name := range names {
				terraform.write(name+".tf", resources[name])
			}
			terraform.must("apply", "-auto-approve")
			terraform.must("plan", "-detailed-exitcode")

			// Data sources that have one name are read one after another, and those of no resource in the first folder.
			of := func(name string) string {
				for _, read := range dataRead.FindAllStringSubmatch(sources[name], -1) {
					typeName := strings.TrimSuffix(strings.Split(read[1], `"`)[1], "s")
					if resources[typeName] != "" {
						return typeName
					}
				}
				return others[0]
			}
			var left []string
			for name := range sources {
				if slices.Contains(names, of(name)) {
					left = append(left, name)
				}
			}
			slices.Sort(left)
			for len(left) > 0 {
				var taken, later []string
				for _, name := range left {
					reads := dataRead.FindAllString(sources[name], -1)
					if slices.ContainsFunc(reads, func(read string) bool { return slices.Contains(taken, read) }) {
						later = append(later, name)
						continue
					}
					taken = append(taken, reads...)
					terraform.write("data_"+name+".tf", sources[name])
				}
				terraform.must("apply", "-auto-approve")
				for _, name := range left {
					if !slices.Contains(later, name) {
						terraform.remove("data_" + name + ".tf")
					}
				}
				left = later
			}

			// A record has nothing but its id to be found by, which the example cannot know.
			ids, forgets := terraform.ids(), []string{"state", "rm"}
			for _, name := range names {
				to := importTo.FindStringSubmatch(imports[name])[1]
				forgets = append(forgets, to)
				terraform.write("import_"+name+".tf", recordID.ReplaceAllString(imports[name], "${1}"+ids[to]))
			}
			terraform.must(forgets...)
			for address, does := range terraform.planned("plan") {
				// A change is in order: what only a configuration has, such as deletion_policy, is not at the service.
				if does != "import" && does != "import, update" || !slices.Contains(forgets, address) {
					t.Errorf("the plan is to %s %s", does, address)
				}
			}

			if !terraform.hasQuery() {
				return
			}
			terraform.write("provider.tf", "provider \"billing\" {}\n")
			for _, name := range names {
				if queries[name] != "" {
					terraform.write(name+".tfquery.hcl", queries[name])
				}
			}
			terraform.must("query")
		})
	}
}

// TestAccScenarioTests: the scenarios' own tests pass as their READMEs say, and leave nothing behind.
func TestAccScenarioTests(t *testing.T) {
	t.Parallel()
	for name, passes := range map[string]string{"saas-tenants": "8 passed", "webhook-consumer": "4 passed",
		"key-renewal": "2 passed", "adopting": "4 passed", "adopt-or-create": "2 passed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, terraform := seeded(t, name)
			ana := acctest.NewIdentity(t)
			terraform.env["TF_VAR_age_recipient"], terraform.env["TF_VAR_age_identity"] = ana.Recipient(), ana.PrivateKey()
			customers := func() any {
				_, response := service.Call("GET", "/v1/customers", nil)
				return response["meta"].(acctest.JSON)["total"]
			}
			before := customers()
			if out := terraform.must("test"); !strings.Contains(out, "Success! "+passes+", 0 failed.") {
				t.Errorf("terraform test printed %s", out)
			}
			if after := customers(); after != before {
				t.Errorf("there are %v customers, and were %v", after, before)
			}
		})
	}
}

// TestAccMocks runs the mock data of the examples as their README says: without a service, and without an address or a
// token of one.
func TestAccMocks(t *testing.T) {
	t.Parallel()
	terraform := newCommand(t, "")
	if strings.Contains(terraform.must("version"), "OpenTofu") {
		t.Skip("OpenTofu does not load mocks from a folder")
	}
	terraform.remove("main.tf")
	terraform.example("mocks")
	terraform.must("get")
	if out := terraform.must("test"); !strings.Contains(out, "Success! 2 passed, 0 failed.") {
		t.Errorf("terraform test printed %s", out)
	}
}

// sandboxInPath builds billing-sandbox, and puts it into Terraform's PATH.
func (c *command) sandboxInPath() {
	c.t.Helper()
	dir := c.t.TempDir()
	build := exec.CommandContext(c.t.Context(), "go", "build", "-o", filepath.Join(dir, "billing-sandbox"),
		"../cmd/sandbox")
	if out, err := build.CombinedOutput(); err != nil {
		c.t.Fatalf("build the sandbox: %v\n%s", err, out)
	}
	c.env["PATH"] = dir + string(os.PathListSeparator) + c.env["PATH"]
}

// TestAccTestingModules: time, faults and another system work inside of terraform test. A module acts in every run,
// also in the same state with the same values, and no shell changes a value.
func TestAccTestingModules(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("the example moves the clock and injects faults")
	terraform := newCommand(t, "").at(service)
	terraform.remove("main.tf")
	terraform.example("testing")
	terraform.sandboxInPath()
	terraform.must("get")
	if out := terraform.must("test"); !strings.Contains(out, "Success! 9 passed, 0 failed.") {
		t.Errorf("terraform test printed %s", out)
	}

	const text = `O'Hara: "$HOME" %PATH% \ ${x}` // as a variable: not a template
	service.Call("POST", "/v1/customers", acctest.JSON{"external_id": "c-1", "name": "A", "notes": "before"})
	customer := "/v1/customers/" + found(t, service, "customers", "c-1")["id"].(string)
	for range 2 {
		terraform.must("-chdir=other_system", "apply", "-auto-approve", "-var=type=customer", "-var=object=external_id=c-1",
			"-var=fields={notes="+string(mustJSON(t, strings.ReplaceAll(text, "${", "$${")))+"}")
		if notes := found(t, service, "customers", "c-1")["notes"]; notes != text {
			t.Errorf("the notes are %v, want %s", notes, text)
		}
		service.Call("PATCH", customer, acctest.JSON{"notes": "before"})
	}
	before := service.Sandbox.Clock().Now()
	for range 2 {
		terraform.must("-chdir=clock", "apply", "-auto-approve", "-var=advance=24h")
	}
	if moved := service.Sandbox.Clock().Now().Sub(before); moved != 2*day {
		t.Errorf("the clock moved by %s, want two days", moved)
	}
	terraform.must("-chdir=fault", "apply", "-auto-approve", "-var=add=status=503,operation=customers.get")
	if status, _ := service.Call("GET", customer, nil); status != 503 {
		t.Errorf("status %d with the fault", status)
	}
	terraform.must("-chdir=fault", "apply", "-auto-approve")
	if status, _ := service.Call("GET", customer, nil); status != 200 {
		t.Errorf("status %d without the fault", status)
	}
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
