package provider_test

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestStorm changes 52 objects at the same time, for the race detector, while requests meet 429s, resets, lost
// responses, a rejected token, silent connections, an outage and an interrupt.
func TestStorm(t *testing.T) {
	built, _ := debug.ReadBuildInfo()
	if built == nil || !slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("finds races only with the race detector: make test-race")
	}
	text, err := os.ReadFile("testdata/storm.tf")
	if err != nil {
		t.Fatal(err)
	}
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			var requests, last atomic.Int64 // an interrupt follows the last one
			var interrupt atomic.Value      // a context.CancelFunc
			service := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) {
				o.MaxPerPage, o.NoExampleData, o.HTTP2 = 0, true, http2
				o.OnRequest = func(sandbox.Request) {
					if requests.Add(1) == last.Load() {
						interrupt.Load().(context.CancelFunc)()
					}
				}
			})
			service.Serve = func() tfprotov6.ProviderServer { return provider.Server("test")() }
			workspace := service.Core()
			workspace.Turn = func(string) {}
			for i, s := range storms {
				c, err := core.Parse(string(text), map[string]string{"revision": strconv.Itoa(i % 2)})
				if err != nil {
					t.Fatal(err)
				}
				running, end := context.WithCancel(t.Context())
				interrupt.Store(end)
				workspace.Interrupted, c.Destroy = running.Done(), s.destroy
				c.Provider = acctest.JSON{"retry_timeout": "30s", "request_timeout": "3s", "requests_per_second": 500}
				for _, f := range s.faults {
					service.Sandbox.AddFault(f)
				}
				if last.Store(0); s.interrupt > 0 {
					last.Store(requests.Load() + s.interrupt)
				}
				var said []string
				plan := workspace.Plan(c)
				if said = plan.Errors; len(said) == 0 {
					said = workspace.Apply(plan, false).Errors
				}
				end()
				service.Sandbox.ClearFaults()
				t.Logf("%d requests, %d errors", requests.Load(), len(said))
			}
		})
	}
}

// storms lists consecutive runs.
var storms = []struct {
	faults    []sandbox.Fault
	interrupt int64 // after this number of requests; 0: never
	destroy   bool
}{
	{faults: []sandbox.Fault{
		{Method: "POST", Skip: 3, Times: 4, DropAfter: true},
		{Method: "POST", Skip: 5, Times: 4, Status: 503, After: true},
		{Skip: 40, Outage: time.Second, Status: 429, RetryAfter: "1"},
		{Skip: 60, Times: 10, DropBefore: true},
	}},
	{interrupt: 150, faults: []sandbox.Fault{
		{Method: "PATCH", Skip: 3, Times: 5, TruncateBody: true},
		{Skip: 30, Silent: true},
		{Lag: 500 * time.Millisecond},
	}},
	{faults: []sandbox.Fault{{Skip: 60, Outage: time.Second}, {Method: "GET", Skip: 20, Times: 10, Status: 429}}},
	{faults: []sandbox.Fault{{Skip: 30, Times: 5, Status: 401}, {Method: "GET", Skip: 5, Times: 3, Foreign: "html"}}},
	{interrupt: 120, destroy: true, faults: []sandbox.Fault{
		{Method: "DELETE", Skip: 3, Times: 5, DropAfter: true}, {Method: "DELETE", Times: 5, Status: 409, After: true}}},
	{destroy: true},
}
