package api

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are meant
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

func TestTLSPolicy(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		server *tls.Config
		works  bool
	}{
		"1.3":                         {&tls.Config{MinVersion: tls.VersionTLS13}, true},
		"1.2 AES128-GCM":              {only12(tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256), true},
		"1.2 AES256-GCM":              {only12(tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384), true},
		"1.2 CHACHA20":                {only12(tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256), true},
		"1.2 AES128-SHA256":           {only12(tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256), true},
		"1.2 AES128-SHA, unlisted":    {only12(tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA), false},
		"1.2 without ECDHE, unlisted": {only12(tls.TLS_RSA_WITH_AES_128_GCM_SHA256), false},
		"1.1":                         {&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{}`) },
				func(s *httptest.Server) { s.TLS = test.server; s.EnableHTTP2 = false },
				func(cfg *Config) { cfg.MaxRetries = 0 })
			_, err := c.Do(t.Context(), getCustomer)
			if (err == nil) != test.works {
				t.Errorf("got %v, want works = %v", err, test.works)
			}
		})
	}
}

func TestTLSFloor(t *testing.T) {
	t.Parallel()
	if cfg := tlsConfig(nil); cfg.MinVersion != tls.VersionTLS12 || cfg.InsecureSkipVerify || len(cfg.CipherSuites) != 4 {
		t.Errorf("%+v", cfg)
	}
}

func only12(suite uint16) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite}}
}

func TestHTTP2IsUsed(t *testing.T) {
	t.Parallel()
	var protocol atomic.Value
	c := serve(t, func(w http.ResponseWriter, r *http.Request) { protocol.Store(r.Proto); _, _ = io.WriteString(w, `{}`) }, nil)
	if _, err := c.Do(t.Context(), getCustomer); err != nil || protocol.Load() != "HTTP/2.0" {
		t.Errorf("%v over %v", err, protocol.Load())
	}
}

func TestUnknownAuthorityIsNotRepeated(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	c := serve(t, func(http.ResponseWriter, *http.Request) {}, func(s *httptest.Server) {
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
	}, func(cfg *Config) { cfg.RootCAs = x509.NewCertPool() })
	_, err := c.Do(t.Context(), createCustomer)
	if outcomeOf(err) != noAnswer || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
	if connections.Load() != 1 {
		t.Errorf("connected %d times", connections.Load())
	}
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

// drop ends the connection without an answer.
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
	for _, r := range []Request{createCustomer, updateCustomer, {Operation: "subscriptions.resume", Path: map[string]string{"id": "s1"}}} {
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

func TestTruncatedAnswers(t *testing.T) {
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
		if ambiguous, ok := AsAmbiguous(err); r.Operation == "customers.create" && (!ok || ambiguous.RequestID != "r1" || asked.Load() != 1) {
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
	if _, err := c.Do(t.Context(), getCustomer); outcomeOf(err) != noAnswer {
		t.Errorf("got %v", err)
	}
}

func TestSlowAnswersEndWithTheAttempt(t *testing.T) {
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
	if _, err := c.Do(t.Context(), getCustomer); outcomeOf(err) != noAnswer || errors.Is(err, context.DeadlineExceeded) {
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

func TestLoadCertPool(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	pool, err := LoadCertPool(write("ca.pem", "# a comment\n"+certificate+certificate))
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, nil, func(cfg *Config) { cfg.BaseURL, cfg.RootCAs = server.URL, pool })
	if _, err := c.Do(t.Context(), getCustomer); err != nil {
		t.Error(err)
	}
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("k")}))
	broken := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("no DER")}))
	for want, path := range map[string]string{
		"no such file":            filepath.Join(folder, "absent.pem"),
		"is a folder":             folder,
		"holds no PEM":            write("text", "hello"),
		"of type \"PRIVATE KEY\"": write("key.pem", certificate+key),
		"certificate 2 cannot":    write("broken.pem", certificate+broken),
		"more than":               write("huge.pem", strings.Repeat("x", maxPEMBytes+1)),
	} {
		if _, err := LoadCertPool(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
