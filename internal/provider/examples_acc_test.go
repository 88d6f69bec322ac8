package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const examples = "../../examples"

var (
	dataRead   = regexp.MustCompile(`(?m)^data "(\w+)"`)
	importTo   = regexp.MustCompile(`(?m)^\s*to\s*=\s*(\S+)`)
	stateID    = regexp.MustCompile(`\bid\s+= "([^"]+)"`)
	recordID   = regexp.MustCompile(`(payables/)[0-9a-f-]{36}`)
	importsOne = regexp.MustCompile(`Plan: 1 to import, 0 to add, \d to change, 0 to destroy\.`)
)

// exampleFiles are the examples of one kind, by the name of their type.
func exampleFiles(t *testing.T, pattern string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(examples, pattern))
	if err != nil {
		t.Fatal(err)
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

// example is Terraform over an example in its own sandbox, which goes with all that the example leaves there.
func example(t *testing.T, text string) *command {
	t.Helper()
	// The clock runs, as an age in an example is compared with today.
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("the examples leave objects behind")
	return newCommand(t, text).at(service)
}

// TestAccExamples_resources: the example of every resource can be applied unchanged, and its next plan is empty.
func TestAccExamples_resources(t *testing.T) {
	t.Parallel()
	resources := exampleFiles(t, "resources/*/resource.tf")
	if len(resources) == 0 {
		t.Fatal("there is no example")
	}
	for name, text := range resources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terraform := example(t, text)
			terraform.must("apply", "-auto-approve")
			terraform.must("plan", "-detailed-exitcode")
		})
	}
}

// TestAccExamples_dataSources: the example of every data source can be read once the examples of what it reads are
// applied.
func TestAccExamples_dataSources(t *testing.T) {
	t.Parallel()
	resources, dataSources := exampleFiles(t, "resources/*/resource.tf"), exampleFiles(t, "data-sources/*/data-source.tf")
	if len(dataSources) == 0 {
		t.Fatal("there is no example")
	}
	for name, text := range dataSources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terraform := example(t, "")
			for _, read := range dataRead.FindAllStringSubmatch(text, -1) {
				name := strings.TrimSuffix(read[1], "s")
				terraform.write(name+".tf", resources[name])
			}
			terraform.must("apply", "-auto-approve")
			terraform.write("data.tf", text)
			terraform.must("plan", "-out=plan")
			terraform.must("apply", "plan")
		})
	}
}

// TestAccExamples_imports: the import blocks of the examples take over what the example of the resource has made.
func TestAccExamples_imports(t *testing.T) {
	t.Parallel()
	resources := exampleFiles(t, "resources/*/resource.tf")
	for name, text := range exampleFiles(t, "resources/*/import-by-string-id.tf") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := importTo.FindStringSubmatch(text)
			if to == nil {
				t.Fatalf("the example imports nothing: %s", text)
			}
			terraform := example(t, resources[name])
			terraform.must("apply", "-auto-approve")
			// A record has nothing but its id to be found by, which the example cannot know.
			made := stateID.FindStringSubmatch(terraform.must("state", "show", to[1]))
			if made == nil {
				t.Fatal("the state shows no id")
			}
			terraform.must("state", "rm", to[1])
			terraform.write("import.tf", recordID.ReplaceAllString(text, "${1}"+made[1]))
			// A change is in order: what only a configuration knows, such as deletion_policy, is not part of the service's
			// object.
			if out := terraform.must("plan"); !importsOne.MatchString(out) {
				t.Errorf("the plan does something else: %s", out)
			}
		})
	}
}
