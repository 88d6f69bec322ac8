package sandbox_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestNoListeners checks that a sandbox without listeners takes requests in virtual time, and that its faults cut them.
func TestNoListeners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, err := sandbox.Start(t.Context(), sandbox.Options{NoListeners: true})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = server.Close() }()
		create := func(fault sandbox.Fault) (status int, body string, err error) {
			ctx := sandbox.WithFault(t.Context(), func(operation string) (sandbox.Fault, bool) {
				return fault, operation == "customers.create"
			})
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.BillingURL()+"/v1/customers",
				strings.NewReader(`{"name":"Ana"}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+server.BillingToken())
			r.Header.Set("Content-Type", "application/json")
			response, err := server.RoundTrip(r)
			if err != nil {
				return 0, "", err
			}
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			return response.StatusCode, string(text), err
		}
		status, body, err := create(sandbox.Fault{Latency: 30 * time.Second})
		if err != nil || status != http.StatusCreated || !strings.Contains(body, "Ana") {
			t.Errorf("status %d, %s, %v", status, body, err)
		}
		for name, fault := range map[string]sandbox.Fault{"drop": {DropAfter: true}, "late": {Latency: time.Hour},
			"truncate": {TruncateBody: true}, "late response": {Latency: time.Hour, After: true}} {
			if _, body, err := create(fault); err == nil {
				t.Errorf("%s: %s", name, body)
			}
		}
		created := slices.DeleteFunc(server.Requests(), func(r sandbox.Request) bool { return len(r.Changes) == 0 })
		if len(created) != 4 {
			t.Errorf("%d requests were processed, and all but the late one are to be", len(created))
		}
	})
}
