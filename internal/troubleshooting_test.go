package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// serviceCode is an error code, as an error on the wire and as the sandbox has it.
var serviceCode = regexp.MustCompile(
	`"error": \{\s*"code": "(\w+)"|"error_code": "(\w+)"|\bcode: "(\w+)"|http\.Status\w+: +"(\w+)"`)

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

// Every error code of the services is in the guide that says what to do about it, at its own anchor.
func TestTroubleshootingKnowsEveryCode(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "templates", "guides", "troubleshooting.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	places := anchors(fenced.ReplaceAllString(string(page), ""))
	for i, place := range places {
		if slices.Contains(places[:i], place) {
			t.Errorf("the guide has the anchor %s twice", place)
		}
	}
	for _, place := range []struct{ folder, ending string }{{"internal/evidence/testdata", ".json"},
		{"internal/sandbox", ".go"}} {
		for code, path := range found(t, place.folder, place.ending, serviceCode) {
			if !slices.Contains(places, strings.ToLower(code)) {
				t.Errorf("the guide has no anchor for the code %s of %s", code, path)
			}
		}
	}
}
