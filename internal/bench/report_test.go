//go:build linux

package bench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Names of the variants in the table.
const (
	create     = "plan of creations"
	apply      = "apply"
	bulk       = "plan"
	single     = "plan, bulk_refresh = false"
	unread     = "plan -refresh=false"
	byBaseline = ", baseline" // after the name of what the other build does
	empty      = "empty provider"
	builtIn    = "terraform_data"
)

const repository = "../.."

// report logs all that was measured, and writes what users compare between the marks of the guide: the
// baseline and the empty provider are for those who work on the project.
func report(t *testing.T, all []run) {
	t.Helper()
	t.Log("\n" + table(all) + ratios(all))
	if os.Getenv("BENCH_WRITE") == "" {
		return
	}
	shown := slices.DeleteFunc(slices.Clone(all), func(r run) bool {
		return strings.HasSuffix(r.Variant, byBaseline) || strings.HasPrefix(r.Variant, empty)
	})
	for _, page := range []string{"templates/guides/performance.md.tmpl", "docs/guides/performance.md"} {
		between(t, filepath.Join(repository, page), table(shown))
	}
}

// table is what was measured, a row each.
func table(all []run) string {
	var table strings.Builder
	fmt.Fprintf(&table, "Measured on %s, with a service that responds after %v.\n\n| objects | | requests | time | "+
		"CPU of the provider | CPU in all | memory of the provider |\n|--:|---|--:|--:|--:|--:|--:|\n", machine(), latency)
	for _, r := range all {
		peak, cpu := fmt.Sprintf("%d MB", r.Peak>>20), seconds(r.CPU.Seconds())
		if r.Peak == 0 {
			peak, cpu = "–", "–"
		}
		fmt.Fprintf(&table, "| %d | `%s` | %d | %s | %s | %s | %s |\n", r.Objects, r.Variant, r.Requests, seconds(r.Wall.Seconds()), cpu, seconds(r.All.Seconds()), peak)
	}
	return table.String() + "\n"
}

func seconds(s float64) string { return fmt.Sprintf("%.2f s", s) }

// ratios are those that the provider is held to.
func ratios(all []run) string {
	of := func(variant string, objects int) (run, bool) {
		at := slices.IndexFunc(all, func(r run) bool {
			return r.Variant == variant && r.Objects == objects
		})
		if at < 0 {
			return run{}, false
		}
		return all[at], true
	}
	var lines strings.Builder
	for _, r := range all {
		if r.Variant != bulk && r.Variant != create && r.Variant != apply {
			continue
		}
		same := empty // the empty provider doing the same
		if r.Variant != bulk {
			same += ", " + r.Variant
		}
		fmt.Fprintf(&lines, "- `%s`, %d objects:", r.Variant, r.Objects)
		if other, ok := of(unread, r.Objects); ok && r.Variant == bulk {
			fmt.Fprintf(&lines, " time %.2f of `%s`;", r.Wall.Seconds()/other.Wall.Seconds(), unread)
		}
		if other, ok := of(same, r.Objects); ok {
			fmt.Fprintf(&lines, " CPU of the provider %.2f of an empty provider with 30 texts;",
				r.CPU.Seconds()/other.CPU.Seconds())
		}
		if other, ok := of(r.Variant+byBaseline, r.Objects); ok {
			fmt.Fprintf(&lines, " CPU of the provider %.2f, in all %.2f, time %.2f, memory %.2f of the baseline;",
				r.CPU.Seconds()/other.CPU.Seconds(), r.All.Seconds()/other.All.Seconds(), r.Wall.Seconds()/other.Wall.Seconds(),
				float64(r.Peak)/float64(other.Peak))
		}
		fmt.Fprintf(&lines, " %.2f ms of CPU for each object.\n", r.CPU.Seconds()*1000/float64(r.Objects))
	}
	return lines.String()
}

// machine describes where it was measured.
func machine() string {
	name := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s", name, runtime.NumCPU(), runtime.GOOS)
}

// between replaces what is between the marks of a page.
func between(t *testing.T, path, text string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- bench: written by make bench -->\n", "<!-- bench: end -->"
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no marks", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+"\n"+text+end+after), 0o644); err != nil { //nolint:gosec // part of the repository
		t.Fatal(err)
	}
}
