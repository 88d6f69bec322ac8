package api

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// serve starts a TLS server and a client that trusts it, over the real
// transport.
func serve(t *testing.T, handler http.HandlerFunc, change func(*httptest.Server), configure ...func(*Config)) *Client {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // rejected handshakes are meant
	server.EnableHTTP2 = true
	if change != nil {
		change(server)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	configure = append([]func(*Config){func(cfg *Config) { cfg.BaseURL, cfg.RootCAs = server.URL, roots }}, configure...)
	c := newClient(t, nil, configure...)
	c.random = func() float64 { return 0 }
	return c
}

func TestPlainHTTPBehindTheAddressIsNotRepeated(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	c := newClient(t, nil, func(cfg *Config) { cfg.BaseURL = "https" + strings.TrimPrefix(server.URL, "http") })
	var transport *TransportError
	if _, err := c.Do(t.Context(), getCustomer); !errors.As(err, &transport) || transport.Attempts != 1 {
		t.Errorf("got %v", err)
	}
}

func TestRefusedConnectionLeavesAPostRepeatable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, nil, func(cfg *Config) { cfg.BaseURL, cfg.MaxRetries = "https://"+address, 2 })
	c.random = func() float64 { return 0 }
	var transport *TransportError
	if _, err := c.Do(t.Context(), createCustomer); !errors.As(err, &transport) || transport.Attempts != 3 {
		t.Errorf("got %v", err)
	}
}

// TestProxyThatDoesNotConnect: the error is that of the proxy, with its status.
func TestProxyThatDoesNotConnect(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(407) }))
	t.Cleanup(proxy.Close)
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := newTransport(Config{})
	transport.Proxy = http.ProxyURL(address)
	c := newClient(t, transport, func(cfg *Config) { cfg.MaxRetries = 0 })
	var failure *net.OpError
	_, err = c.Do(t.Context(), getCustomer)
	if !errors.As(err, &failure) || failure.Op != "proxyconnect" || !strings.Contains(err.Error(), "status 407") {
		t.Error(err)
	}
	proxy.Close() // what net/http itself reports has the same form
	transport.CloseIdleConnections()
	if _, err := c.Do(t.Context(), getCustomer); !errors.As(err, &failure) || failure.Op != "proxyconnect" {
		t.Error(err)
	}
}

// drop ends the connection without a response.
func drop(w http.ResponseWriter) {
	if connection, _, err := w.(http.Hijacker).Hijack(); err == nil {
		_ = connection.Close()
	}
}

func http1(s *httptest.Server) { s.EnableHTTP2 = false }

// TestDroppedConnections uses a connection that was used before, which is where
// net/http replays on its own if it is allowed to.
func TestDroppedConnections(t *testing.T) {
	t.Parallel()
	for _, r := range []Request{createCustomer, updateCustomer,
		{Operation: "subscriptions.resume", Path: map[string]string{"id": "s1"}}} {
		var asked atomic.Int32
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) == 2 {
				drop(w)
				return
			}
			_, _ = io.WriteString(w, `{"data":{"id":"c1"}}`)
		}, http1)
		if _, err := c.Do(t.Context(), getCustomer); err != nil {
			t.Fatal(err)
		}
		_, err := c.Do(t.Context(), r)
		want, sent := isAmbiguous, int32(2)
		if r.Operation == "customers.update" {
			want, sent = succeeds, 3
		}
		if outcomeOf(err) != want || asked.Load() != sent {
			t.Errorf("%s: %v, the server was asked %d times, want %s and %d", r.Operation, err, asked.Load(), want, sent)
		}
	}
}

func TestTruncatedResponses(t *testing.T) {
	t.Parallel()
	for _, r := range []Request{getCustomer, createCustomer} {
		var asked atomic.Int32
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Request-Id", "r1")
			if asked.Add(1) == 1 {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, `{"data":`)
				return
			}
			_, _ = io.WriteString(w, `{"data":{"id":"c1"}}`)
		}, http1)
		_, err := c.Do(t.Context(), r)
		if r.Operation == "customers.get" && (err != nil || asked.Load() != 2) {
			t.Errorf("GET: %v after %d", err, asked.Load())
		}
		if ambiguous, ok := AsAmbiguous(err); r.Operation == "customers.create" &&
			(!ok || ambiguous.RequestID != "r1" || asked.Load() != 1) {
			t.Errorf("POST: %v after %d", err, asked.Load())
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var followed atomic.Bool
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/elsewhere") {
			followed.Store(true)
		}
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}, nil)
	for _, r := range []Request{getCustomer, createCustomer} {
		_, err := c.Do(t.Context(), r)
		if e, ok := AsError(err); !ok || e.Status != 307 || outcomeOf(err) != plainError {
			t.Errorf("got %v", err)
		}
	}
	if followed.Load() {
		t.Error("the redirect was followed")
	}
}

func TestHeaderCap(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Large", strings.Repeat("x", 2*maxHeaderBytes))
	}, http1, func(cfg *Config) { cfg.MaxRetries = 0 })
	if _, err := c.Do(t.Context(), getCustomer); outcomeOf(err) != noResponse {
		t.Errorf("got %v", err)
	}
}

func TestSlowResponsesEndWithTheAttempt(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) }) // runs before the server's own
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"data":`)
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}, nil, func(cfg *Config) { cfg.MaxRetries, cfg.RequestTimeout = 1, 100*time.Millisecond })
	if _, err := c.Do(t.Context(), getCustomer); outcomeOf(err) != noResponse || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestGarbageInsteadOfHTTP(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		connection, buffer, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer connection.Close()
		writeGarbage(buffer)
	}, http1, func(cfg *Config) { cfg.MaxRetries = 0 })
	if _, err := c.Do(t.Context(), createCustomer); outcomeOf(err) != isAmbiguous {
		t.Errorf("got %v", err)
	}
}

func writeGarbage(buffer *bufio.ReadWriter) {
	_, _ = buffer.WriteString("SMTP ready\r\n\r\n")
	_ = buffer.Flush()
}
