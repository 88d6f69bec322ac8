package billing

import (
	"net/http"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// TestNow waits for the service's time as for any other response: longer than for what a caller can do without.
func TestNow(t *testing.T) {
	t.Parallel()
	undated := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			w.Header().Set("Retry-After", "12")
			w.WriteHeader(status)
		}
	}
	apitest.Each(t, map[string]int{"rate limit": http.StatusTooManyRequests, "outage": http.StatusServiceUnavailable},
		func(t *testing.T, status int) {
			s := newService(t, newWire(map[string]http.HandlerFunc{
				"GET /v1/me": apitest.Turns(undated(status), respond(200, `{"id":"o1"}`))}))
			began := time.Now()
			if now, err := s.Now(t.Context()); err != nil || now.IsZero() || time.Since(began) < 12*time.Second {
				t.Errorf("%s after %s: %v", now, time.Since(began), err)
			}
		})
}
