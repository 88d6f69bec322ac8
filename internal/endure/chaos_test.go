//go:build unix

package endure_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// shortCount is the number of schedules in `make test`, always the same ones.
const shortCount = 8

// TestChaos kills real Terraform runs and restarts their service by -count schedules, starting with -seed, and checks
// the resulting state and objects. Without -count it runs a few.
func TestChaos(t *testing.T) {
	long, n := *count > 0, uint64(shortCount)
	if long {
		n = *count
	}
	r := &report{classes: map[string][]string{}, baseline: applied{dir: t.TempDir()}}
	begun := time.Now()
	t.Run("schedules", func(t *testing.T) {
		for i := range n {
			s := drawn(*seed + i)
			t.Run(strconv.FormatUint(s.seed, 10), func(t *testing.T) {
				t.Parallel()
				r.play(t, s, long, n == 1)
			})
		}
	})
	for _, class := range slices.Sorted(maps.Keys(r.classes)) {
		fmt.Printf("%s: %d\n", class, len(r.classes[class]))
		if long {
			fmt.Printf("  %s\n", strings.Join(r.classes[class], "\n  "))
		}
	}
	fmt.Printf("seeds %d to %d: %d schedules (%d without a result: truncated state file), %d runs "+
		"of Terraform, %d kills, "+
		"%d requests, %s\n", *seed, *seed+n-1, r.schedules, r.lost, r.runs, r.kills, r.requests,
		time.Since(begun).Round(time.Second))
}

// report is the result of all schedules.
type report struct {
	baseline applied

	mu                                     sync.Mutex
	schedules, lost, runs, kills, requests int
	classes                                map[string][]string // class: the violations
}

// play runs one schedule.
func (r *report) play(t *testing.T, s schedule, long, alone bool) {
	from := ""
	if s.phase != create {
		from = r.baseline.folder(t)
	}
	w := begin(t, s, from)
	if w.play(); !w.lost {
		w.judge()
	}
	r.mu.Lock()
	r.schedules++
	if w.lost {
		r.lost++
	}
	r.runs += w.runs
	r.kills += w.signals
	r.requests += w.seen()
	for _, v := range w.broken {
		r.classes[v.class] = append(r.classes[v.class], fmt.Sprintf("seed %d: %s", s.seed, v.what))
	}
	r.mu.Unlock()
	if alone {
		t.Logf("%s\n%s", s, readable(w.printed.String()))
	}
	for _, v := range w.broken {
		t.Errorf("%s: %s\n%s\nmake chaos SEED=%d replays it.", v.class, v.what, s, s.seed)
	}
	if long {
		fmt.Printf("seed %d: %d violations, %s: %s\n", s.seed, len(w.broken), time.Since(w.started).Round(time.Second), s)
	}
}

// readable returns the output of Terraform with -json, one message per line, with its details.
func readable(printed string) string {
	var out strings.Builder
	for line := range strings.Lines(printed) {
		var message struct {
			Time       string `json:"@timestamp"`
			Text       string `json:"@message"`
			Diagnostic struct{ Detail string }
		}
		if json.Unmarshal([]byte(line), &message) != nil {
			out.WriteString(line)
			continue
		}
		fmt.Fprintf(&out, "%s %s\n", message.Time, message.Text)
		if message.Diagnostic.Detail != "" {
			fmt.Fprintf(&out, "\t%s\n", strings.ReplaceAll(message.Diagnostic.Detail, "\n", "\n\t"))
		}
	}
	return out.String()
}
