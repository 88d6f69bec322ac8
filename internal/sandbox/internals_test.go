package sandbox

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

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
