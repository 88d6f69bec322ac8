package internal_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// forbidden is what no file of the repository says. The patterns are written
// so that they do not match themselves.
var forbidden = []struct {
	pattern *regexp.Regexp
	because string
}{
	{regexp.MustCompile(`registry[.](terraform|opentofu)[.]|(proxy|sum)[.]golang[.]org`),
		"where packages come from is the business of whoever installs them"},
	{regexp.MustCompile(`(^|[^\w.])/(home|Users|root|work)/\w`), "a path of somebody's machine leads nowhere elsewhere"},
	{regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`),
		"what is not done yet is written down where work is planned"},
}

func TestNoFileSaysWhatItShouldNot(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{".git", "bin", "dist", ".terraform"}, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		// Lists of modules and checksums are Go's own text; ".git" is a file in a second work tree; the rest is built, not
		// written.
		if !entry.Type().IsRegular() || entry.Name() == "go.sum" || entry.Name() == ".git" || filepath.Ext(path) == ".test" ||
			filepath.Ext(path) == ".out" {
			return nil
		}
		read++
		return inspect(t, path)
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 50 {
		t.Errorf("only %d files were read", read)
	}
}

func inspect(t *testing.T, path string) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone since it was listed
	}
	if err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		for _, f := range forbidden {
			if found := f.pattern.FindString(line); found != "" {
				t.Errorf("%s:%d says %q: %s", path, number, found, f.because)
			}
		}
	}
	return nil
}

func TestForbiddenTextIsFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line  string
		found bool
	}{
		{"see registry" + ".terraform.io/providers", true},
		{"GOPROXY=https://proxy" + ".golang.org", true},
		{"cp /ho" + "me/ana/x .", true},
		{"// TO" + "DO: later", true},
		{"Terraform Registry", false},
		{"METHOD /v1/customers/{id}", false},
		{"a method, to do it", false},
	} {
		found := slices.ContainsFunc(forbidden, func(f struct {
			pattern *regexp.Regexp
			because string
		}) bool {
			return f.pattern.MatchString(test.line)
		})
		if found != test.found {
			t.Errorf("%q: found = %t", test.line, found)
		}
	}
}

// block is a configuration in a page.
var block = regexp.MustCompile("(?ms)^( *)```(?:terraform|hcl)\\n(.*?)^ *```")

// The examples, and the configurations that pages show, are formatted.
func TestExamplesAreFormatted(t *testing.T) {
	t.Parallel()
	terraform := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if terraform == "" {
		var err error
		if terraform, err = exec.LookPath("terraform"); err != nil {
			t.Skip("needs terraform to say what is formatted")
		}
	}
	shown := t.TempDir()
	guides, err := filepath.Glob(filepath.Join(root, "docs", "guides", "*.md"))
	if err != nil || len(guides) == 0 {
		t.Fatalf("no guides: %v", err)
	}
	for _, page := range append(guides, filepath.Join(root, "README.md"), filepath.Join(root, "docs", "index.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, match := range block.FindAllStringSubmatch(string(text), -1) {
			code := strings.ReplaceAll("\n"+match[2], "\n"+match[1], "\n") // a block in a list is indented
			name := strings.TrimSuffix(filepath.Base(page), ".md") + "-" + strconv.Itoa(i+1) + ".tf"
			if err := os.WriteFile(filepath.Join(shown, name), []byte(code[1:]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, folder := range []string{root, shown} {
		command := exec.CommandContext(t.Context(), terraform, "fmt", "-check", "-diff", "-recursive", "-no-color", folder)
		// The file that the variable names need not exist.
		command.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "TF_CLI_") })
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("terraform fmt: %v\n%s", err, out)
		}
	}
}
