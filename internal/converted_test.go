package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// conversion is the declaration of a function that makes a model of what a service returns.
var conversion = regexp.MustCompile(`(?m)^func (\w*[fF]romAPI)\(.*\) \(?\w*[mM]odel\b`)

// Acceptance tests see a conversion through Terraform, which forgives much. So
// each has a unit test next to it.
func TestEveryConversionHasAUnitTest(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob(filepath.Join(root, "internal", "provider", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared, called := map[string]string{}, map[string]string{} // by folder: names, tests
	for _, path := range sources {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Dir(path)
		if strings.HasSuffix(path, "_test.go") {
			called[folder] += string(content)
			continue
		}
		for _, found := range conversion.FindAllStringSubmatch(string(content), -1) {
			declared[folder+":"+found[1]] = folder
		}
	}
	if len(declared) == 0 {
		t.Fatal("found no conversion")
	}
	for name, folder := range declared {
		call := strings.TrimPrefix(name, folder+":")
		if !regexp.MustCompile(`\b` + call + `[(,]`).MatchString(called[folder]) {
			t.Errorf("no test in %s calls %s, or passes it on", folder, call)
		}
	}
}
