//go:build unix

package endure_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestRaceUnderStorm checks that a provider built with the race detector has no race while 40 parallel operations meet
// 429s, resets, lost responses, a rejected token, silent connections, an outage and an interrupt. `make test-race` runs
// it with -storm.
func TestRaceUnderStorm(t *testing.T) {
	if !*storm {
		t.Skip("make test-race runs this")
	}
	compiler, err := exec.CommandContext(t.Context(), "go", "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath(strings.Fields(string(compiler))[0]); err != nil {
		t.Skipf("the race detector needs a C compiler: %v", err)
	}
	built, err := raced(t)
	for name, s := range map[string]schedule{"HTTP/1.1": {seed: 1}, "HTTP/2": {seed: 2}} {
		t.Run(name, func(t *testing.T) {
			w := begin(t, s, "")
			w.supervise(built, err)
			text, err := os.ReadFile(filepath.Join("testdata", "storm.tf"))
			if err != nil {
				t.Fatal(err)
			}
			w.runner.Write("main.tf", string(text))
			reports := filepath.Join(w.runner.Dir, "race")
			w.runner.Env["GORACE"] = "log_path=" + reports
			w.runner.Env["BILLING_REQUESTS_PER_SECOND"] = "500"
			apply := []string{"apply", "-json", "-auto-approve", "-parallelism=40"}
			for i, s := range storms {
				w.runner.Env["TF_VAR_revision"] = []string{"1", "2"}[i%2]
				for _, f := range s.faults {
					w.service.Sandbox.AddFault(f)
				}
				w.killed(s.kill, append(apply, s.arguments...)...)
				w.service.Sandbox.ClearFaults()
			}
			found, err := filepath.Glob(reports + ".*")
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range found {
				report, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				t.Errorf("%s", report)
			}
			t.Logf("%d requests, %s", w.seen(), time.Since(w.started).Round(time.Second))
		})
	}
}

// raced returns the folder of a provider with the race detector.
func raced(t *testing.T) (string, error) {
	t.Helper()
	t.Setenv("CGO_ENABLED", "1")
	return acctest.BuildProvider("-race")
}

// storms lists consecutive runs.
var storms = []struct {
	faults    []sandbox.Fault
	kill      *kill
	arguments []string
}{
	{faults: []sandbox.Fault{
		{Method: "POST", Skip: 3, Times: 4, DropAfter: true},
		{Method: "POST", Skip: 5, Times: 4, Status: 503, After: true},
		{Skip: 40, Outage: time.Second, Status: 429, RetryAfter: "1"},
		{Skip: 60, Times: 10, DropBefore: true},
	}},
	{kill: &kill{signal: "INT", target: "terraform", after: 150}, faults: []sandbox.Fault{
		{Method: "PATCH", Skip: 3, Times: 5, TruncateBody: true},
		{Skip: 30, Silent: true},
		{Lag: 500 * time.Millisecond},
	}},
	{faults: []sandbox.Fault{{Skip: 60, Outage: time.Second}, {Method: "GET", Skip: 20, Times: 10, Status: 429}}},
	{faults: []sandbox.Fault{{Skip: 30, Times: 5, Status: 401}, {Method: "GET", Skip: 5, Times: 3, Foreign: "html"}}},
	{kill: &kill{signal: "INT", target: "both", after: 120}, arguments: []string{"-destroy"}, faults: []sandbox.Fault{
		{Method: "DELETE", Skip: 3, Times: 5, DropAfter: true}, {Method: "DELETE", Times: 5, Status: 409, After: true}}},
	{arguments: []string{"-destroy"}},
}
