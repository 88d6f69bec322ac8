package sandbox

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// SetPastDue is what a user requests with `subscription past-due` and `subscription pay`.
func (s *Server) SetPastDue(id string, on bool) error { return s.billing.SetPastDue(id, on) }

// SetSubscriptionStatus is what a user requests with `subscription status`.
func (s *Server) SetSubscriptionStatus(id, status string) error {
	return s.billing.SetStatus(id, status)
}

// NotACopy lets a sandbox with the objects of a copy write every field itself, and know what things cost.
func (s *Server) NotACopy() { s.core.Copy = false }

// ControlPatterns are the routes of the control listener.
func ControlPatterns() (patterns []string) {
	for _, route := range new(Server).controlRoutes() {
		patterns = append(patterns, route.pattern)
	}
	return patterns
}

// Reset is what a user requests with `reset`.
func (s *Server) Reset(ctx context.Context) error { return s.reset(ctx) }

// A latency ends with the client that waits; the request is then not processed.
func TestLatencyObeysDisconnect(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.AddFault(server.Fault{Latency: time.Hour})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	request := httptest.NewRequestWithContext(gone, http.MethodPost, "/v1/customers", strings.NewReader(`{"name":"Ana"}`))
	request.Header.Set("Authorization", "Bearer "+s.BillingToken())
	request.Header.Set("Content-Type", "application/json")
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
			t.Error("the connection was not dropped")
		}
		if log := s.Requests(); len(log) != 1 || log[0].Status != 0 || !log[0].Dropped {
			t.Errorf("log %+v", log)
		}
	}()
	s.server.Handler(s.sites()[0]).ServeHTTP(httptest.NewRecorder(), request)
}

// The tables of routes are the wire contract's operations of recurring billing
// and collections: the same names, methods and paths, none missing and none
// besides.
func TestRoutesAreTheOperations(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, o := range evidence.Operations() {
		if !strings.HasPrefix(o.Name, "finance.") {
			want[o.Name] = o.Method + " " + o.Path
		}
	}
	for _, r := range slices.Concat(new(billing.Service).Routes(), new(collections.Service).Routes()) {
		got := r.Method + " " + r.Pattern
		if there, known := want[r.Name]; !known {
			t.Errorf("the sandbox serves %s as %s, which is not in evidence.Operations: add it there (operations.go), "+
				"and a recorded exchange", r.Name, got)
		} else if there != got {
			t.Errorf("%s is %s, want %s", r.Name, got, there)
		}
		delete(want, r.Name)
	}
	if len(want) != 0 {
		t.Errorf("evidence.Operations has these, and the sandbox does not serve them: %v", want)
	}
}

// Reads need the read scope of their objects, everything else the write scope
// (Recurring billing §5); managing keys is administration (wire contract: a key
// with empty scopes).
func TestScopesOfRoutes(t *testing.T) {
	t.Parallel()
	for _, r := range slices.Concat(new(billing.Service).Routes(), new(collections.Service).Routes()) {
		if r.Name == "me.get" {
			continue
		}
		object, _, _ := strings.Cut(r.Name, ".")
		want := object + ":write"
		if r.Method == "GET" {
			want = object + ":read"
		}
		switch object {
		case "api_keys":
			want = "api_keys:*"
		case "records":
			want = "{collection}:read"
		}
		if r.Scope != want {
			t.Errorf("%s needs %s, want %s", r.Name, r.Scope, want)
		}
	}
}
