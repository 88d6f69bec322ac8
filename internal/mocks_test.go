package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	mockBlock     = regexp.MustCompile(`(?ms)^(mock_resource|mock_data) "(\w+)" \{\n(.*?)^\}`)
	mockAttribute = regexp.MustCompile(`(?m)^    (\w+) *=`)
)

// The mock data of the examples covers every resource, and names attributes that exist: Terraform ignores those of
// types that a test does not use.
func TestMocksFitTheSchema(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(root, "examples", "mocks", "billing", "billing.tfmock.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	attributes := map[string]map[string]string{}
	for _, r := range everything(t) {
		switch r.kind {
		case "resources":
			attributes["mock_resource "+r.name] = r.attributes
		case "data-sources":
			attributes["mock_data "+r.name] = r.attributes
		}
	}
	mocked := map[string]bool{}
	for _, block := range mockBlock.FindAllStringSubmatch(string(content), -1) {
		name := block[1] + " " + block[2]
		mocked[name] = true
		for _, attribute := range mockAttribute.FindAllStringSubmatch(block[3], -1) {
			if _, exists := attributes[name][attribute[1]]; !exists {
				t.Errorf("%s has no attribute %s", name, attribute[1])
			}
		}
	}
	for _, r := range everything(t) {
		if r.kind == "resources" && !mocked["mock_resource "+r.name] {
			t.Errorf("%s has no mock", r)
		}
	}
}
