package conn

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const secret = "rb_sandbox_1234_verysecretvalue"

// logged are the entries that a use of Log leaves.
func logged(t *testing.T, use func(ctx context.Context, l Log)) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	use(tflogtest.RootLogger(t.Context(), &out), Log{Secrets: []string{secret}})
	if strings.Contains(out.String(), secret) {
		t.Errorf("the log holds the secret:\n%s", out.String())
	}
	entries, err := tflogtest.MultilineJSONDecode(&out)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func exchange() api.Exchange {
	return api.Exchange{
		Service: "billing", Operation: "customers.create", Method: "POST", Path: "/v1/customers", Attempt: 2,
		Status: 201, RequestID: "request-1", Duration: 1500 * time.Millisecond,
		RequestBody:  func() string { return `{"name":"A"}` },
		ResponseBody: func() string { return `{"data":{}}` },
	}
}

// TestLog_levels: requests and responses are DEBUG, bodies TRACE, and a pause INFO, all in the service's own subsystem.
func TestLog_levels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		use  func(ctx context.Context, l Log)
		want []map[string]any
	}{
		"request": {func(ctx context.Context, l Log) { l.Observe(ctx, at(api.Sending, exchange())) }, []map[string]any{
			{"@level": "debug", "@message": "Sending request"},
			{"@level": "trace", "@message": "Request body", "body": `{"name":"A"}`},
		}},
		"response": {func(ctx context.Context, l Log) { l.Observe(ctx, at(api.Received, exchange())) }, []map[string]any{
			{"@level": "debug", "@message": "Received response", "status": 201.0, "request_id": "request-1",
				"duration_ms": 1500.0},
			{"@level": "trace", "@message": "Response body", "body": `{"data":{}}`},
		}},
		"no response": {func(ctx context.Context, l Log) {
			e := exchange()
			e.Err, e.Status = errors.New("connection reset"), 0
			l.Observe(ctx, at(api.Received, e))
		}, []map[string]any{{"@level": "debug", "@message": "Request failed", "error": "connection reset"}}},
		"without bodies": {func(ctx context.Context, l Log) {
			e := exchange()
			e.RequestBody, e.ResponseBody = nil, nil
			l.Observe(ctx, at(api.Sending, e))
			l.Observe(ctx, at(api.Received, e))
		}, []map[string]any{{"@level": "debug", "@message": "Sending request"},
			{"@level": "debug", "@message": "Received response"}}},
		"waiting": {func(ctx context.Context, l Log) {
			e := exchange()
			e.Delay, e.Reason = 3*time.Second, "status 429"
			l.Observe(ctx, at(api.Waiting, e))
		}, []map[string]any{{"@level": "info", "@message": "Waiting before the next attempt", "delay_ms": 3000.0,
			"reason": "status 429"}}},
		"fallback": {func(ctx context.Context, l Log) {
			e := exchange()
			e.Reason, e.Err = "the list cannot be used", errors.New("no ids")
			l.Observe(ctx, at(api.FallingBack, e))
		}, []map[string]any{{"@level": "warn", "@message": "Falling back to single requests",
			"reason": "the list cannot be used", "error": "no ids"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries := logged(t, c.use)
			if len(entries) != len(c.want) {
				t.Fatalf("entries %v, want %d", entries, len(c.want))
			}
			for i, want := range c.want {
				maps.Copy(want, map[string]any{"operation": "customers.create", "method": "POST", "path": "/v1/customers",
					"attempt": 2.0})
				for _, key := range slices.Sorted(maps.Keys(want)) {
					if entries[i][key] != want[key] {
						t.Errorf("entry %d: %s is %v, want %v", i, key, entries[i][key], want[key])
					}
				}
				if module, _ := entries[i]["@module"].(string); !strings.HasSuffix(module, "billing") {
					t.Errorf("entry %d is of %q, not of the service's subsystem", i, module)
				}
			}
		})
	}
}

// TestLog_masksSecrets: a token that turns up where nobody expects it is masked, wherever that is.
func TestLog_masksSecrets(t *testing.T) {
	t.Parallel()
	entries := logged(t, func(ctx context.Context, l Log) {
		e := exchange()
		echo := func() string { return `{"echo":"Bearer ` + secret + `"}` }
		e.RequestBody, e.ResponseBody, e.RequestID, e.Path, e.Reason = echo, echo, secret, "/"+secret, "because of "+secret
		l.Observe(ctx, at(api.Sending, e))
		l.Observe(ctx, at(api.Received, e))
		l.Observe(ctx, at(api.Waiting, e))
		e.Err = errors.New("proxy refused " + secret)
		l.Observe(ctx, at(api.Received, e))
		l.Observe(ctx, at(api.FallingBack, e))
	})
	if len(entries) != 7 {
		t.Errorf("%d entries, want 7: %v", len(entries), entries)
	}
}

// at returns an exchange at an event.
func at(event api.Event, e api.Exchange) api.Exchange {
	e.Event = event
	return e
}
