package golden

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Message is a message with the address of the object that it refers to; "" if there is none.
type Message struct {
	*tfprotov6.Diagnostic
	Address string
}

// Said compares messages with sections of testdata/messages.txt, regardless of ids. names are the names of the
// sections, separated by spaces. UPDATE_MESSAGES=1 writes them instead, see update.
func Said(t *testing.T, names string, all []*tfprotov6.Diagnostic) {
	t.Helper()
	var messages []Message
	for _, d := range all {
		messages = append(messages, Message{Diagnostic: d})
	}
	SaidOf(t, names, messages, nil)
}

// SaidOf is Said with names for ids, such as the address of the object with the id.
func SaidOf(t *testing.T, names string, all []Message, ids map[string]string) {
	t.Helper()
	var have []string
	for _, m := range all {
		have = append(have, strings.TrimSpace(m.Heading(ids)+"\n"+stable(m.Detail, ids)))
	}
	writing.Lock()
	defer writing.Unlock()
	file, sections := read(t), strings.Fields(names)
	if os.Getenv("UPDATE_MESSAGES") != "" {
		update(file, sections, have)
		if err := save(file); err != nil {
			t.Fatal(err)
		}
		return
	}
	file[names] = joined(messages(file, sections))
	compare(t, file, names, joined(have))
}

// update replaces each message of the sections that is gone by the most similar new one, and adds the rest to the first
// section.
func update(file map[string]string, sections, have []string) {
	known := messages(file, sections)
	added := slices.DeleteFunc(slices.Clone(have), func(text string) bool { return slices.Contains(known, text) })
	for _, section := range sections {
		texts := messages(file, []string{section})
		for i, old := range texts {
			if len(added) == 0 || slices.Contains(have, old) {
				continue
			}
			nearest := api.Nearest(old, added, 1)[0]
			texts[i] = nearest
			added = slices.DeleteFunc(added, func(text string) bool { return text == nearest })
		}
		if section != sections[0] {
			texts = slices.DeleteFunc(texts, func(text string) bool { return !slices.Contains(have, text) })
		}
		file[section] = joined(texts)
	}
	first := append(messages(file, sections[:1]), added...)
	file[sections[0]] = joined(slices.DeleteFunc(first, func(text string) bool { return !slices.Contains(have, text) }))
}

// messages returns the messages of sections, which are used then.
func messages(file map[string]string, names []string) (all []string) {
	for _, name := range names {
		used[name] = true
		var lines []string
		for line := range strings.Lines(file[name]) {
			if heading.MatchString(line) && len(lines) > 0 {
				all, lines = append(all, strings.TrimSpace(strings.Join(lines, ""))), nil
			}
			lines = append(lines, line)
		}
		if len(lines) > 0 {
			all = append(all, strings.TrimSpace(strings.Join(lines, "")))
		}
	}
	return all
}

// joined returns messages in the format of a section.
func joined(all []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(all))), "\n\n")
}

// Heading returns the first line of a message: its severity, the argument or address, and its summary.
func (m Message) Heading(names map[string]string) string {
	at := strings.Trim(m.Address+"."+Argument(m.Diagnostic), ".")
	if at != "" {
		at = " at " + at
	}
	return fmt.Sprintf("%s%s: %s", strings.ToLower(m.Severity.String()), at, stable(m.Summary, names))
}

// stable removes from a text the parts that differ between runs.
func stable(text string, names map[string]string) string {
	text = id.ReplaceAllStringFunc(text, func(id string) string { return cmp.Or(names[id], "<id>") })
	for pattern, same := range varying {
		text = pattern.ReplaceAllString(text, same)
	}
	return text
}

// Argument returns the path of a message's argument, such as authentication.name; "" if there is none.
func Argument(d *tfprotov6.Diagnostic) string {
	if d.Attribute == nil {
		return ""
	}
	return step.ReplaceAllString(d.Attribute.String(), "$1")
}

// Summaries returns the summaries of sections as patterns, for outputs that show messages in another format.
func Summaries(t *testing.T, names []string) (patterns []string) {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	for _, text := range messages(read(t), names) {
		if m := heading.FindStringSubmatch(text); m != nil {
			patterns = append(patterns, unstable.ReplaceAllString(regexp.QuoteMeta(m[2]), ".*"))
		}
	}
	return patterns
}

// used holds the sections that tests have compared.
var used = map[string]bool{}

// Unused reports the sections that no test has used, after all tests of a package. UPDATE_MESSAGES=1 removes them
// instead.
func Unused() error {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return nil // not all tests have run
		}
	}
	file, err := load()
	unused := maps.Clone(file)
	maps.DeleteFunc(unused, func(name, _ string) bool { return used[name] })
	switch {
	case err != nil || len(unused) == 0 || len(used) == 0: // Messages has compared all sections
		return err
	case os.Getenv("UPDATE_MESSAGES") != "":
		maps.DeleteFunc(file, func(name, _ string) bool { return !used[name] })
		return save(file)
	}
	return fmt.Errorf("no test uses %q of %s (UPDATE_MESSAGES=1 removes them)", slices.Sorted(maps.Keys(unused)), path)
}

var (
	heading  = regexp.MustCompile(`^(error|warning)(?: at [^ ]*(?: \(deposed\))?)?: (.*)`)
	writing  sync.Mutex
	step     = regexp.MustCompile(`\w+\("?([^")]*)"?\)`)
	id       = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)
	unstable = regexp.MustCompile(`<[^<>]*>`)
	// varying maps other texts that differ between runs to placeholders.
	varying = map[*regexp.Regexp]string{
		regexp.MustCompile(`https://(127\.0\.0\.1:[0-9]+|\w+\.sandbox\.test)`): "<base_url>",
		regexp.MustCompile(`sent at [-0-9T:]+Z`):                               "sent at <time>",
		regexp.MustCompile(`\bck_\w+`):                                         "<prefix>",
	}
)
