package golden

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Said compares messages with the section of a name in testdata/messages.txt, whatever the ids in them are.
// UPDATE_MESSAGES=1 writes the section instead.
func Said(t *testing.T, name string, all []*tfprotov6.Diagnostic) {
	t.Helper()
	var texts []string
	for _, d := range all {
		at := Argument(d)
		if at != "" {
			at = " at " + at
		}
		text := fmt.Sprintf("%s%s: %s\n%s\n", strings.ToLower(d.Severity.String()), at, d.Summary, d.Detail)
		for pattern, stable := range varying {
			text = pattern.ReplaceAllString(text, stable)
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	have := strings.TrimRight(strings.Join(slices.Compact(texts), "\n"), "\n")

	writing.Lock()
	defer writing.Unlock()
	file := read(t)
	if os.Getenv("UPDATE_MESSAGES") != "" {
		file[name] = have
		write(t, file)
		return
	}
	compare(t, file, name, have)
}

// Argument is the path of the argument that a message is about, such as authentication.name; "" for none.
func Argument(d *tfprotov6.Diagnostic) string {
	if d.Attribute == nil {
		return ""
	}
	return step.ReplaceAllString(d.Attribute.String(), "$1")
}

// Summaries are those of a section, as patterns: for what shows messages in another form.
func Summaries(t *testing.T, name string) (patterns []string) {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	for line := range strings.Lines(read(t)[name]) {
		if m := summary.FindStringSubmatch(line); m != nil {
			patterns = append(patterns, strings.ReplaceAll(regexp.QuoteMeta(m[1]), "<id>", ".*"))
		}
	}
	return patterns
}

// Unused reports the sections that neither a scenario nor a test of this package asks for. UPDATE_MESSAGES=1 removes
// them instead.
func Unused(t *testing.T) {
	t.Helper()
	scenarios, _ := filepath.Glob("testdata/*.txt")
	tests, _ := filepath.Glob("*_test.go")
	var all strings.Builder
	for _, file := range slices.Concat(scenarios, tests) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if file != path {
			all.Write(text)
		}
	}
	writing.Lock()
	defer writing.Unlock()
	sections := read(t)
	maps.DeleteFunc(sections, func(name, _ string) bool { return !asks(all.String(), name) })
	if os.Getenv("UPDATE_MESSAGES") != "" && len(sections) > 0 {
		write(t, sections)
		return
	}
	for name := range read(t) {
		if _, asked := sections[name]; !asked {
			t.Errorf("no scenario and no test uses %q of %s (UPDATE_MESSAGES=1 removes it)", name, path)
		}
	}
}

// asks reports whether a command of a scenario or a Go string names a section.
func asks(text, name string) bool {
	quoted := regexp.QuoteMeta(name)
	return regexp.MustCompile(`(?m)^expect messages ` + quoted + `\s|"` + quoted + `"`).MatchString(text)
}

var (
	summary = regexp.MustCompile(`^(?:error|warning)(?: at [^:]*)?: (.*)\n?$`)
	writing sync.Mutex
	step    = regexp.MustCompile(`\w+\("?([^")]*)"?\)`)
	// varying are the texts that differ from run to run.
	varying = map[*regexp.Regexp]string{
		regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`):   "<id>",
		regexp.MustCompile(`https://127\.0\.0\.1:[0-9]+`): "<base_url>",
		regexp.MustCompile(`sent at [-0-9T:]+Z`):          "sent at <time>",
		regexp.MustCompile(`\bck_\w+`):                    "<prefix>",
	}
)
