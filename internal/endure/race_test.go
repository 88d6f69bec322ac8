//go:build unix

package endure_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
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
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "storm.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			var after atomic.Int64 // the request with which a run is interrupted
			var when atomic.Value
			service := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) {
				o.MaxPerPage, o.NoExampleData, o.HTTP2 = 0, true, http2
				o.OnRequest = func(sandbox.Request) {
					if requests.Add(1) == after.Load() {
						close(when.Load().(chan struct{}))
					}
				}
			})
			terraform := acctest.NewTerraform(t).At(service)
			terraform.Supervise(built)
			terraform.Write("main.tf", string(text))
			reports := filepath.Join(terraform.Dir, "race")
			maps.Copy(terraform.Env, map[string]string{"GORACE": "log_path=" + reports, "BILLING_RETRY_TIMEOUT": "30s",
				"BILLING_REQUEST_TIMEOUT": "3s", "BILLING_REQUESTS_PER_SECOND": "500"})
			for i, s := range storms {
				terraform.Env["TF_VAR_revision"] = []string{"1", "2"}[i%2]
				for _, f := range s.faults {
					service.Sandbox.AddFault(f)
				}
				interrupted := make(chan struct{})
				when.Store(interrupted)
				if after.Store(0); s.after > 0 {
					after.Store(requests.Load() + s.after)
				}
				apply := []string{"apply", "-json", "-auto-approve", "-parallelism=40"}
				terraform.Killed(s.kill, interrupted, func() {}, append(apply, s.arguments...)...)
				service.Sandbox.ClearFaults()
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
			t.Logf("%d requests", requests.Load())
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
	kill      acctest.Kill
	after     int64 // requests until the kill; 0: none
	arguments []string
}{
	{faults: []sandbox.Fault{
		{Method: "POST", Skip: 3, Times: 4, DropAfter: true},
		{Method: "POST", Skip: 5, Times: 4, Status: 503, After: true},
		{Skip: 40, Outage: time.Second, Status: 429, RetryAfter: "1"},
		{Skip: 60, Times: 10, DropBefore: true},
	}},
	{kill: acctest.Kill{Interrupt: true, Target: "terraform"}, after: 150, faults: []sandbox.Fault{
		{Method: "PATCH", Skip: 3, Times: 5, TruncateBody: true},
		{Skip: 30, Silent: true},
		{Lag: 500 * time.Millisecond},
	}},
	{faults: []sandbox.Fault{{Skip: 60, Outage: time.Second}, {Method: "GET", Skip: 20, Times: 10, Status: 429}}},
	{faults: []sandbox.Fault{{Skip: 30, Times: 5, Status: 401}, {Method: "GET", Skip: 5, Times: 3, Foreign: "html"}}},
	{kill: acctest.Kill{Interrupt: true, Target: "both"}, after: 120, arguments: []string{"-destroy"}, faults: []sandbox.Fault{
		{Method: "DELETE", Skip: 3, Times: 5, DropAfter: true}, {Method: "DELETE", Times: 5, Status: 409, After: true}}},
	{arguments: []string{"-destroy"}},
}
