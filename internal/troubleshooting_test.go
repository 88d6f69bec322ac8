package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// serviceCode is an error code, as an error on the wire and as the sandbox has it.
	serviceCode = regexp.MustCompile(
		`"error": \{\s*"code": "(\w+)"|"error_code": "(\w+)"|\bcode: "(\w+)"|http\.Status\w+: +"(\w+)"`)
	// summary is the beginning of a diagnostic that is written in the code.
	summary = regexp.MustCompile(`Add(?:Attribute)?(?:Error|Warning)\((?:[^"()]|\([^()]*\))*"([^"]+)"`)
	// refusal is the same of a validator that is made of a description, a summary and a check.
	refusal = regexp.MustCompile(`\b(?:text|check)\{"[^"]+", "([^"]+)", func`)
)

// found are all places of a pattern's groups in the files below a folder that
// have the ending: text → file.
func found(t *testing.T, folder, ending string, pattern *regexp.Regexp) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)),
		func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ending) || strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			for _, match := range pattern.FindAllStringSubmatch(string(content), -1) {
				texts[strings.Join(match[1:], "")] = path
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) == 0 {
		t.Fatalf("nothing of the kind in %s", folder)
	}
	return texts
}

// Every message that a user can see is in the guide that says what to do about it.
func TestTroubleshootingKnowsEveryMessage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "templates", "guides", "troubleshooting.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	guide := string(page)
	for _, place := range []struct{ folder, ending string }{{"internal/evidence/testdata", ".json"},
		{"internal/sandbox", ".go"}} {
		for code, path := range found(t, place.folder, place.ending, serviceCode) {
			if !strings.Contains(guide, "`"+code+"`") {
				t.Errorf("the guide does not have the code %s of %s", code, path)
			}
		}
	}
	for _, pattern := range []*regexp.Regexp{summary, refusal} {
		for title, path := range found(t, "internal/provider", ".go", pattern) {
			if title = strings.Trim(title, " :"); !strings.Contains(guide, title) {
				t.Errorf("the guide does not have %q of %s", title, path)
			}
		}
	}
}
