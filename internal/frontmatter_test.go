package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var frontMatter = regexp.MustCompile(`(?s)\A---\n(.*?)\n---\n`)

// descriptionLimit is how many characters of a description registries and search engines show.
const descriptionLimit = 160

// Registries group pages by subcategory and show one sentence of the description. Both come from the templates.
func TestFrontMatter(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*", "*.md"))
	if err != nil || len(pages) < 40 {
		t.Fatalf("found %d pages: %v", len(pages), err)
	}
	for _, path := range append(pages, filepath.Join(root, "docs", "index.md")) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := frontMatter.FindStringSubmatch(string(content))
		if found == nil {
			t.Errorf("%s has no front matter", path)
			continue
		}
		_, description, _ := strings.Cut(found[1], "description: |-\n")
		description = strings.TrimPrefix(description, "  ")
		if n := utf8.RuneCountInString(description); n == 0 || n > descriptionLimit || strings.Contains(description, "\n") ||
			!strings.HasSuffix(description, ".") {
			t.Errorf("%s: the description is not one sentence of at most %d characters, but %d: %s", path,
				descriptionLimit, n, description)
		}
		wanted := subcategory(filepath.Base(path))
		if kind := filepath.Base(filepath.Dir(path)); kind == "guides" || kind == "docs" {
			continue
		}
		if !strings.Contains(found[1], "\nsubcategory: \""+wanted+"\"\n") {
			t.Errorf("%s: the subcategory is not %q", path, wanted)
		}
	}
}

// subcategory is the service that the type or function with this page belongs to.
func subcategory(page string) string {
	switch {
	case strings.Contains(page, "finance"):
		return "Financial management"
	case strings.Contains(page, "webhook"), strings.Contains(page, "api_key"):
		return "Collections"
	}
	return "Recurring billing"
}
