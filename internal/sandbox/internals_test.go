package sandbox

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A latency ends with the client that waits; the request is then not processed.
func TestLatencyObeysDisconnect(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.AddFault(Fault{Latency: time.Hour})
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
	s.serviceHandler(Billing, billingRoutes).ServeHTTP(httptest.NewRecorder(), request)
}

func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := wait(t.Context(), time.Minute); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("waited %v, %v", time.Since(begin), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		if err := wait(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("waited %v, %v", time.Since(begin), err)
		}
	})
}

// The log forgets its oldest lines instead of growing without end.
func TestRequestLogIsBounded(t *testing.T) {
	t.Parallel()
	var log requestLog
	for range logCapacity + 1 {
		log.add(Request{})
	}
	kept := log.since(0)
	if len(kept) != logCapacity/2+1 || kept[len(kept)-1].Sequence != logCapacity+1 {
		t.Errorf("%d lines, the last is number %d", len(kept), kept[len(kept)-1].Sequence)
	}
	if newer := log.since(logCapacity); len(newer) != 1 {
		t.Errorf("%d lines after number %d", len(newer), logCapacity)
	}
}
