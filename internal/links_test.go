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

var (
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	anchor  = regexp.MustCompile(`<a id="([^"]+)"`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// dropped matches the characters that a heading's anchor omits.
	dropped = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// pages returns the text without code of the pages for readers, by path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, place := range []string{"README.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md",
		"SUPPORT.md", ".github", "docs", "examples", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, place), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			content, err := os.ReadFile(path)
			texts[path] = fenced.ReplaceAllString(string(content), "")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// slug returns the anchor of a heading.
func slug(heading string) string {
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// anchors returns the anchors of a page.
func anchors(text string) []string {
	var names []string
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		names = append(names, slug(match[1]))
	}
	for _, match := range anchor.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

// here matches addresses of files in this repository, for pages that a registry shows separately.
var here = regexp.MustCompile(`^https://(?:github\.com/recurring-billing/terraform-provider-billing/(?:tree|blob)|` +
	`raw\.githubusercontent\.com/recurring-billing/terraform-provider-billing)/main/`)

// TestLinksLeadSomewhere checks that a link within the repository refers to an existing file and heading, with the
// extension .md: GitHub needs it, and registries remove it themselves.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	texts := pages(t)
	checked := 0
	for from, text := range texts {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			base, path := filepath.Dir(from), match[1]
			if prefix := here.FindString(path); prefix != "" {
				base, path = root, strings.TrimPrefix(path, prefix)
			}
			if strings.Contains(path, "://") {
				continue
			}
			checked++
			target, place, _ := strings.Cut(path, "#")
			to := from
			if target != "" {
				to = filepath.Join(base, target)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which does not exist", from, match[1])
			} else if place != "" && !slices.Contains(anchors(texts[to]), place) {
				t.Errorf("%s links to %s, but this heading does not exist", from, match[1])
			}
		}
	}
	if checked < 100 {
		t.Errorf("found only %d links", checked)
	}
}
