package server

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

func TestDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"46d": 46 * 24 * time.Hour, "1d12h": 36 * time.Hour, "-2d1h": -49 * time.Hour, "90m": 90 * time.Minute,
		"-24h": -24 * time.Hour, "-0d5h": -5 * time.Hour, "0d": 0, "99999d": 99999 * 24 * time.Hour,
		"3 days": 72 * time.Hour, "2w": 14 * 24 * time.Hour, "1 hour 30 minutes": 90 * time.Minute,
		"2 weeks and 1 day": 15 * 24 * time.Hour, "-1 day": -24 * time.Hour,
	} {
		if got, err := ParseDuration(text); got != want || err != nil {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "4", "1.5d", "1dd", "106752d", "106751d24h", "--1d", "1.5 days", "3 months",
		"a day", "1000000d", "1000000w", "99999999999999999999d"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// TestRuns checks that requests are one run while their process has a connection, even if a fault or timeout cuts the
// last one.
func TestRuns(t *testing.T) {
	t.Parallel()
	s := newConnections()
	connections := map[string]*connection{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
		end, _ := net.Pipe()
		connections[name] = s.add(end, "billing")
	}
	ask := func(name, agent string, want uint64) {
		t.Helper()
		r := httptest.NewRequestWithContext(withConnection(t.Context(), connections[name]), http.MethodGet, "/", nil)
		r.Header.Set("User-Agent", agent)
		s.follow(connections[name], http.StateActive)
		if got := s.join(r); got != want {
			t.Errorf("%s of %s: run %d, want %d", name, agent, got, want)
		}
	}
	answered := func(name string) {
		ctx := withConnection(t.Context(), connections[name])
		s.answered(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), false)
	}
	idle := func(name string) { s.follow(connections[name], http.StateIdle) }
	closed := func(name string) {
		connections[name].Close()
		s.follow(connections[name], http.StateClosed)
	}

	ask("a", "one", 1)
	ask("b", "one", 1) // in parallel
	ask("c", "two", 2)
	idle("a")
	closed("a")
	ask("b", "one", 1)
	idle("b")
	closed("b") // the process exits
	ask("d", "one", 3)
	ask("c", "two", 2)
	idle("c")
	closed("d") // cut in a request
	ask("e", "one", 3)
	idle("e")
	closed("e") // reconnected, then closed
	ask("f", "one", 4)
	ask("g", "one", 4)
	idle("g")
	closed("f")
	closed("g") // its client closes idle connections when a request times out
	ask("h", "one", 4)
	idle("h")
	if len(s.open) != 6 {
		t.Errorf("%d connections are open, want c, h, i, j, k and l", len(s.open))
	}
	s.reset() // an outage
	closed("h")
	ask("i", "one", 4)
	closed("i")
	s.newest["one"].cut = time.Now().Add(-2 * retryTime)
	ask("j", "one", 5) // too late
	answered("j")
	closed("j") // the client keeps no connections
	ask("k", "one", 5)
	idle("k")
	ask("k", "one", 5)
	answered("k")
	closed("k")        // as it asked for: Connection: close
	ask("l", "one", 6) // another process
	ask("c", "two", 2)
	idle("c")
	closed("c")
	if len(s.newest) != 1 {
		t.Errorf("after the end of all but one: %d runs", len(s.newest))
	}
}

// Collections §5: scopes are wildcard patterns.
func TestCovers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scope, permission string
		want              bool
	}{
		{"customers:read", "customers:read", true},
		{"customers:read", "customers:write", false},
		{"customers:read", "customers:reader", false},
		{"customers", "customers:read", false},
		{"*", "customers:read", true},
		{"customers:*", "customers:read", true},
		{"customers:*", "customers_2:read", false},
		{"*:read", "customers:read", true},
		{"*:read", "customers:write", false},
		{"c*s:r*d", "customers:read", true},
		{"c*x*d", "customers:read", false},
		{"customers:read*read", "customers:read", false},
		{"**", "customers:read", true},
		{"", "customers:read", false},
		{"api_keys:*", Administration, true},
		{"*", Administration, true},
		{"api_keys:read", Administration, false},
	} {
		if got := Covers(test.scope, test.permission); got != test.want {
			t.Errorf("%q covers %q: %v", test.scope, test.permission, got)
		}
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := Wait(t.Context(), time.Minute); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("waited %v, %v", time.Since(begin), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		if err := Wait(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("waited %v, %v", time.Since(begin), err)
		}
	})
}

// The log drops its oldest entries, which limits its size.
func TestRequestLogIsBounded(t *testing.T) {
	t.Parallel()
	var log RequestLog
	for range logCapacity + 1 {
		log.add(Request{})
	}
	kept := log.Since(0)
	if len(kept) != logCapacity/2+1 || kept[len(kept)-1].Sequence != logCapacity+1 {
		t.Errorf("%d lines, the last is number %d", len(kept), kept[len(kept)-1].Sequence)
	}
	if newer := log.Since(logCapacity); len(newer) != 1 {
		t.Errorf("%d lines after number %d", len(newer), logCapacity)
	}
}

// Reads lose their bodies without taking those of writes and failures with them.
func TestRequestLogKeepsWritesLonger(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), maxOldBody+1)
	request := func(method string, status int) Request {
		return Request{Method: method, Status: status, Body: body, Response: body, Headers: map[string]string{"A": "b"}}
	}
	var log RequestLog
	log.add(request(http.MethodPost, 422))
	log.add(request(http.MethodGet, 404))
	for range keptOfReads.bodies + 1 {
		log.add(request(http.MethodGet, 200))
	}
	first := log.Since(0)[:3]
	for _, r := range first[:2] {
		if len(r.Response) != len(body) || len(r.Body) != len(body) || r.Headers == nil {
			t.Errorf("%s %d has lost its bodies", r.Method, r.Status)
		}
	}
	if r := first[2]; r.Response != nil || len(r.Body) != maxOldBody || r.Headers != nil {
		t.Error("an old read has its bodies")
	}
	for range keptOfOthers.bodies {
		log.add(request(http.MethodPatch, 200))
	}
	if r := log.Since(0)[1]; r.Response != nil || len(r.Body) != maxOldBody || r.Headers != nil {
		t.Error("an old failure has its bodies")
	}
}
