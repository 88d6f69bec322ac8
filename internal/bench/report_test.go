//go:build linux

package bench_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Names of the variants in table and plots.
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

// report logs all that was measured, and writes what users compare between the marks of the guide, and as plots: the
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
	for _, p := range []struct {
		file, title string
		of          func(run) float64
	}{
		{"requests", "Requests", func(r run) float64 { return float64(r.Requests) }},
		{"time", "Time, s", func(r run) float64 { return r.Wall.Seconds() }},
	} {
		path := filepath.Join(repository, "examples", "performance-"+p.file+".svg")
		if err := os.WriteFile(path, []byte(plot(p.title, shown, p.of)), 0o644); err != nil { //nolint:gosec // part of the repository
			t.Fatal(err)
		}
	}
}

// table is what was measured, a row each.
func table(all []run) string {
	var table strings.Builder
	fmt.Fprintf(&table, "Measured on %s.\n\n| objects | latency | | requests | time | CPU of the provider | CPU in all "+
		"| memory of the provider |\n|--:|--:|---|--:|--:|--:|--:|--:|\n", machine())
	for _, r := range all {
		peak, cpu := fmt.Sprintf("%d MB", r.Peak>>20), seconds(r.CPU.Seconds())
		if r.Peak == 0 {
			peak, cpu = "–", "–"
		}
		fmt.Fprintf(&table, "| %d | %d ms | `%s` | %d | %s | %s | %s | %s |\n", r.Objects, r.LatencyMS, r.Variant, r.Requests,
			seconds(r.Wall.Seconds()), cpu, seconds(r.All.Seconds()), peak)
	}
	return table.String() + "\n"
}

func seconds(s float64) string { return fmt.Sprintf("%.2f s", s) }

// ratios are those that the provider is held to.
func ratios(all []run) string {
	of := func(variant string, objects, latency int) (run, bool) {
		at := slices.IndexFunc(all, func(r run) bool {
			return r.Variant == variant && r.Objects == objects &&
				r.LatencyMS == latency
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
		fmt.Fprintf(&lines, "- `%s`, %d objects, %d ms:", r.Variant, r.Objects, r.LatencyMS)
		if other, ok := of(unread, r.Objects, r.LatencyMS); ok && r.Variant == bulk {
			fmt.Fprintf(&lines, " time %.2f of `%s`;", r.Wall.Seconds()/other.Wall.Seconds(), unread)
		}
		if other, ok := of(same, r.Objects, 0); ok {
			fmt.Fprintf(&lines, " CPU of the provider %.2f of an empty provider with 30 texts;",
				r.CPU.Seconds()/other.CPU.Seconds())
		}
		if other, ok := of(r.Variant+byBaseline, r.Objects, r.LatencyMS); ok {
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

// plot draws a value over the number of objects, on two logarithmic scales: a line for each variant and latency.
func plot(title string, all []run, of func(run) float64) string {
	const width, height, left, top, right, bottom = 760, 360, 70, 40, 250, 40
	colors := map[string]string{bulk: "#1f77b4", single: "#d62728", unread: "#2ca02c", builtIn: "#8c564b",
		create: "#17becf", apply: "#ff7f0e"}
	all = slices.DeleteFunc(slices.Clone(all), func(r run) bool { return colors[r.Variant] == "" })
	low, high, least, most := math.MaxInt, 0, math.Inf(1), math.Inf(-1)
	for _, r := range all {
		if v := of(r); v > 0 {
			low, high, least, most = min(low, r.Objects), max(high, r.Objects), min(least, v), max(most, v)
		}
	}
	least, most = math.Pow(10, math.Floor(math.Log10(least))), math.Pow(10, math.Ceil(math.Log10(most)))
	x := func(n int) float64 {
		return left + (width-left-right)*math.Log(float64(n)/float64(low))/max(math.Log(float64(high)/float64(low)), 1e-9)
	}
	y := func(v float64) float64 { return top + (height-top-bottom)*(1-math.Log(v/least)/math.Log(most/least)) }
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
<rect width="100%%" height="100%%" fill="white"/>
<text x="%d" y="22" font-size="15">%s</text>
`, width, height, left, title)
	for v := least; v <= most*1.001; v *= 10 {
		fmt.Fprintf(&svg,
			`<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g</text>`+"\n",
			left, width-right, y(v), y(v), left-8, y(v)+4, v)
	}
	var shown []int
	type line struct {
		variant string
		latency int
	}
	var lines []line
	points := map[line][]string{}
	for _, r := range all {
		if of(r) <= 0 {
			continue
		}
		if !slices.Contains(shown, r.Objects) {
			shown = append(shown, r.Objects)
			fmt.Fprintf(&svg, `<text x="%.1f" y="%d" text-anchor="middle">%d objects</text>`+"\n", x(r.Objects),
				height-16, r.Objects)
		}
		l := line{r.Variant, r.LatencyMS}
		if points[l] == nil {
			lines = append(lines, l)
		}
		points[l] = append(points[l], fmt.Sprintf("%.1f,%.1f", x(r.Objects), y(of(r))))
	}
	for i, l := range lines {
		dash, label := "", l.variant
		if l.latency > 0 {
			dash, label = ` stroke-dasharray="6 4"`, fmt.Sprintf("%s, %d ms", l.variant, l.latency)
		}
		at := top + 18*i
		fmt.Fprintf(&svg, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>
<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="%s" stroke-width="2"%s/><text x="%d" y="%d">%s</text>
`, strings.Join(points[l], " "), colors[l.variant], dash, width-right+12, width-right+40, at, at, colors[l.variant],
			dash, width-right+46, at+4, label)
	}
	return svg.String() + "</svg>\n"
}
