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

// argument is the beginning of an argument of a call.
const argument = `(?:[^"(),]|\([^()]*\))*`

var (
	// serviceCode is an error code, as an error on the wire and as the sandbox has it.
	serviceCode = regexp.MustCompile(
		`"error": \{\s*"code": "(\w+)"|"error_code": "(\w+)"|\bcode: "(\w+)"|http\.Status\w+: +"(\w+)"`)
	// summary is the summary of a diagnostic, which follows the path of an attribute if there is one. It may begin with
	// an expression.
	summary = regexp.MustCompile(`Add(?:(?:Error|Warning)\(|Attribute(?:Error|Warning)\(` + argument + `,)` +
		argument + `"([^"]+)"`)
	// refusal is the same of a validator that is made of a description, a summary and a check.
	refusal = regexp.MustCompile(`\b(?:text|check)\{"[^"]+", "([^"]+)", func`)
	// shared is a summary that several packages use.
	shared = regexp.MustCompile(`is the summary of .*\nconst \w+ = "([^"]+)"`)
	// row is a row of a table, by its first cell.
	row = regexp.MustCompile(`(?m)^\| ([^|]+?) \|`)
	// written is a code or message of a row. The next one begins with a capital letter or an ellipsis.
	written = regexp.MustCompile(`; |, (?:<a id="[^"]+"></a>)?[A-Z…\x60]`)
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

// Every message that a user can see is in the guide that says what to do about it, at an anchor that follows from its
// words.
func TestTroubleshootingKnowsEveryMessage(t *testing.T) {
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
	for _, pattern := range []*regexp.Regexp{summary, refusal, shared} {
		for title, path := range found(t, "internal/provider", ".go", pattern) {
			// The rest of the words may be a name that only a run knows.
			words := strings.Trim(slug(strings.Trim(title, " :")), "-")
			if !slices.ContainsFunc(places, func(place string) bool { return strings.Contains(place, words) }) {
				t.Errorf("the guide has no anchor for %q of %s", title, path)
			}
		}
	}
}

// Each code and each message of the tables has its own anchor.
func TestTroubleshootingRowsHaveAnchors(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "templates", "guides", "troubleshooting.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	_, tables, _ := strings.Cut(string(page), "## By code of the service")
	tables, _, _ = strings.Cut(tables, "## When a plan is unexpected")
	checked := 0
	for _, match := range row.FindAllStringSubmatch(tables, -1) {
		if cell := match[1]; cell != "code" && cell != "message" && strings.Trim(cell, "-") != "" {
			checked++
			// A message that is a heading too has its anchor there.
			messages := len(written.FindAllString(cell, -1)) + 1 - strings.Count(cell, ", Invalid value")
			if n := strings.Count(cell, "<a id="); n != messages {
				t.Errorf("%d anchors for %d messages in the row %s", n, messages, cell)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d rows were found", checked)
	}
}
