package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const examples = "../../examples"

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

func emptyPlan(config string) resource.TestStep {
	return resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}}
}

// TestAccExamples_resources: the example of every resource can be applied as it stands, and its next plan is empty.
func TestAccExamples_resources(t *testing.T) {
	t.Parallel()
	resources := exampleFiles(t, "resources/*/resource.tf")
	if len(resources) == 0 {
		t.Fatal("there is no example")
	}
	for name, text := range resources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := acctest.Start(t).Config(text)
			run(t, resource.TestStep{Config: config}, emptyPlan(config))
		})
	}
}

// TestAccExamples_dataSources: the example of every data source can be read once the example of its resource is applied.
func TestAccExamples_dataSources(t *testing.T) {
	t.Parallel()
	resources, dataSources := exampleFiles(t, "resources/*/resource.tf"), exampleFiles(t, "data-sources/*/data-source.tf")
	if len(dataSources) == 0 {
		t.Fatal("there is no example")
	}
	for name, text := range dataSources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			steps := []resource.TestStep{{Config: service.Config(text)}}
			if seed, ok := resources[strings.TrimSuffix(name, "s")]; ok {
				steps = []resource.TestStep{{Config: service.Config(seed)}, {Config: service.Config(seed + "\n" + text)}}
			}
			run(t, steps...)
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
			service := acctest.Start(t)
			service.NeedsSandbox("the objects are forgotten and found again")
			first := newCommand(t, resources[name]).at(service)
			first.must("apply", "-auto-approve")
			second := newCommand(t, text+resources[name]).at(service)
			if out := second.must("plan"); !strings.Contains(out, "1 to import") {
				t.Errorf("the plan imports something else: %s", out)
			}
		})
	}
}
