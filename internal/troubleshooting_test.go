package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// serviceCode matches an error code, in an error on the wire or in the sandbox's code.
var serviceCode = regexp.MustCompile(
	`"error": \{\s*"code": "(\w+)"|"error_code": "(\w+)"|\bcode: "(\w+)"|http\.Status\w+: +"(\w+)"`)

// found returns the matches of a pattern's groups in the files with the extension below a folder, each with its file.
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
		t.Fatalf("no match in %s", folder)
	}
	return texts
}

// TestTroubleshootingKnowsEveryCode checks that the troubleshooting guide has an anchor for every error code of the
// services.
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
	for _, place := range []struct{ folder, ending string }{{"internal/evidence/testdata", ".txtar"},
		{"internal/sandbox", ".go"}} {
		for code, path := range found(t, place.folder, place.ending, serviceCode) {
			if !slices.Contains(places, strings.ToLower(code)) {
				t.Errorf("the guide lacks an anchor for the code %s of %s", code, path)
			}
		}
	}
}

// messages returns the string literals in Go files, joined if they are concatenated. Format verbs and inserted values
// are gaps.
func messages(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)),
		func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				expression, is := node.(ast.Expr)
				if !is {
					return true
				}
				text := literal(expression)
				all.WriteString(text + "\n")
				return text == ""
			})
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// literal returns the text of a literal or a concatenation of literals; empty for any other expression.
func literal(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		left, right := literal(e.X), literal(e.Y)
		switch {
		case e.Op != token.ADD || left == "" && right == "":
			return ""
		case left == "":
			left = "\n"
		case right == "":
			right = "\n"
		}
		return left + right
	}
	return ""
}

// TestTroubleshootingQuotesMessages checks that the guide explains only existing messages. In them, … stands for an
// inserted value.
func TestTroubleshootingQuotesMessages(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "templates", "guides", "troubleshooting.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	said := messages(t, "internal/provider") + messages(t, "internal/api")
	_, rest, _ := strings.Cut(string(page), "## What does this message mean?\n")
	list, _, _ := strings.Cut(rest, "\n## ")
	quoted := regexp.MustCompile(`(?m)^- \*\*(.+?)\*\*: `).FindAllStringSubmatch(list, -1)
	if len(quoted) == 0 {
		t.Fatal("the list of messages is missing in the guide")
	}
	for _, message := range quoted {
		for part := range strings.SplitSeq(message[1], "…") {
			if part = strings.TrimSpace(part); !strings.Contains(said, part) {
				t.Errorf("the guide explains %q, but no message contains %q", message[1], part)
			}
		}
	}
}
