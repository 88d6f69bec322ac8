package api

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// HTTP/2 frames (RFC 9113, section 6).
const (
	frameData, frameHeaders, frameReset, frameSettings, frameGoAway = 0, 1, 3, 4, 7

	protocolError = 1
	endStream     = 1
	endOfHeaders  = 4
)

// streams is an HTTP/2 server without a library, so that it can do what libraries do not do on demand. react gets each
// request, counted from 1 over all connections, and reports whether it has dealt with it.
type streams struct {
	react    func(w *bufio.Writer, stream uint32, request int32) bool
	requests atomic.Int32
}

func (s *streams) serve(connection net.Conn) {
	defer connection.Close()
	in, out := bufio.NewReader(connection), bufio.NewWriter(connection)
	if _, err := io.CopyN(io.Discard, in, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
		return
	}
	writeFrame(out, frameSettings, 0, 0, nil)
	for out.Flush() == nil {
		var head [9]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return
		}
		length := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		if _, err := io.CopyN(io.Discard, in, length); err != nil {
			return
		}
		stream := binary.BigEndian.Uint32(head[5:]) & 0x7fffffff
		switch kind, flags := head[3], head[4]; {
		case kind == frameSettings && flags == 0:
			writeFrame(out, frameSettings, 1, 0, nil) // acknowledged
		case (kind == frameHeaders || kind == frameData) && flags&endStream != 0:
			if !s.react(out, stream, s.requests.Add(1)) {
				// :status 200, content-type: application/json
				writeFrame(out, frameHeaders, endOfHeaders, stream, append([]byte{0x88, 0x0f, 0x10, 16}, "application/json"...))
				writeFrame(out, frameData, endStream, stream, []byte(`{"data":{"id":"c1"}}`))
			}
		}
	}
}

func writeFrame(w *bufio.Writer, kind, flags byte, stream uint32, payload []byte) {
	n := len(payload)
	head := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags}
	_, _ = w.Write(binary.BigEndian.AppendUint32(head, stream))
	_, _ = w.Write(payload)
}

func number(values ...uint32) (payload []byte) {
	for _, v := range values {
		payload = binary.BigEndian.AppendUint32(payload, v)
	}
	return payload
}

// TestUnprocessedIsSentAgain: what HTTP/2 proves unprocessed is sent again, also a POST; what it does not prove is not.
func TestUnprocessedIsSentAgain(t *testing.T) {
	t.Parallel()
	resume := Request{Operation: "subscriptions.resume", Path: map[string]string{"id": "s1"}}
	once := func(react func(w *bufio.Writer, stream uint32)) func(*bufio.Writer, uint32, int32) bool {
		return func(w *bufio.Writer, stream uint32, request int32) bool {
			// The first request of all opens the connection.
			if request != 2 {
				return false
			}
			react(w, stream)
			return true
		}
	}
	goAway := func(last, code uint32) func(*bufio.Writer, uint32) {
		return func(w *bufio.Writer, _ uint32) { writeFrame(w, frameGoAway, 0, 0, number(last, code)) }
	}
	for name, test := range map[string]struct {
		react    func(*bufio.Writer, uint32, int32) bool
		request  Request
		want     outcome
		requests int32
	}{
		"refused stream": {once(func(w *bufio.Writer, stream uint32) {
			writeFrame(w, frameReset, 0, stream, number(refusedStream))
		}), createCustomer, succeeds, 3},
		"refused stream, no body": {once(func(w *bufio.Writer, stream uint32) {
			writeFrame(w, frameReset, 0, stream, number(refusedStream))
		}), resume, succeeds, 3},
		"refused stream, PATCH": {once(func(w *bufio.Writer, stream uint32) {
			writeFrame(w, frameReset, 0, stream, number(refusedStream))
		}), updateCustomer, succeeds, 3},
		"goes away before it":      {once(goAway(1, 0)), createCustomer, succeeds, 3},
		"goes away, with a reason": {once(goAway(1, 11)), createCustomer, succeeds, 3},
		"reset by a protocol error": {once(func(w *bufio.Writer, stream uint32) {
			writeFrame(w, frameReset, 0, stream, number(protocolError))
		}), createCustomer, isAmbiguous, 2},
		"reset by an internal error": {once(func(w *bufio.Writer, stream uint32) {
			writeFrame(w, frameReset, 0, stream, number(2))
		}), createCustomer, isAmbiguous, 2},
		"turned down from the start": {func(w *bufio.Writer, _ uint32, request int32) bool {
			if request != 1 {
				return false
			}
			goAway(0, 11)(w, 0)
			return true
		}, createCustomer, succeeds, 2},
		"nothing happens": {func(*bufio.Writer, uint32, int32) bool { return false }, createCustomer, succeeds, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &streams{react: test.react}
			c := serve(t, nil, func(server *httptest.Server) {
				server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
					"h2": func(_ *http.Server, connection *tls.Conn, _ http.Handler) { s.serve(connection) },
				}
				server.TLS = &tls.Config{NextProtos: []string{"h2"}}
				server.EnableHTTP2 = false
			})
			if name != "turned down from the start" {
				if _, err := c.Do(t.Context(), getCustomer); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.Do(t.Context(), test.request)
			if outcomeOf(err) != test.want || s.requests.Load() != test.requests {
				t.Errorf("%v after %d requests, want %s after %d", err, s.requests.Load(), test.want, test.requests)
			}
		})
	}
}

// relay is a listener in memory, whose open connections can be made silent. It needs no real time in a bubble.
type relay struct {
	accepted chan net.Conn
	closed   sync.Once

	mu    sync.Mutex
	quiet []*atomic.Bool
}

func (r *relay) silence() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, quiet := range r.quiet {
		quiet.Store(true)
	}
}

func (r *relay) dial(context.Context, string, string) (net.Conn, error) {
	client, near := net.Pipe()
	far, server := net.Pipe()
	quiet := new(atomic.Bool)
	r.mu.Lock()
	r.quiet = append(r.quiet, quiet)
	r.mu.Unlock()
	go forward(far, near, quiet)
	go forward(near, far, quiet)
	r.accepted <- server
	return client, nil
}

func (r *relay) Accept() (net.Conn, error) {
	if c, ok := <-r.accepted; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (r *relay) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

func (r *relay) Close() error {
	r.closed.Do(func() { close(r.accepted) })
	return nil
}

// relayed is a client of a server behind a relay.
func relayed(t *testing.T, http2 bool, timeout time.Duration) (*Client, *relay) {
	t.Helper()
	r := &relay{accepted: make(chan net.Conn)}
	c := serve(t, func(w http.ResponseWriter, request *http.Request) {
		if got := request.ProtoMajor == 2; got != http2 {
			t.Errorf("spoken is %s", request.Proto)
		}
		time.Sleep(20 * time.Millisecond)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":{"id":"c1"}}`)
	}, func(server *httptest.Server) {
		server.EnableHTTP2 = http2
		_ = server.Listener.Close()
		server.Listener = r
	}, func(cfg *Config) { cfg.RequestTimeout = timeout })
	inUse, _ := c.transport.(*connections)
	usual := inUse.make
	inUse.make = func() *http.Transport {
		transport := usual()
		transport.DialContext = r.dial
		return transport
	}
	t.Cleanup(func() {
		transport, _ := inUse.get()
		transport.CloseIdleConnections()
	})
	return c, r
}

// forward copies until quiet, and then swallows.
func forward(to, from net.Conn, quiet *atomic.Bool) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if quiet.Load() {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// TestSilentConnections: when the open connections fall silent, the next attempts use new ones, with HTTP/1.1 and
// with HTTP/2.
func TestSilentConnections(t *testing.T) {
	t.Parallel()
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, r := relayed(t, http2, time.Second)
				all := func() {
					var group sync.WaitGroup
					for range 16 {
						group.Go(func() {
							if _, err := c.Do(t.Context(), getCustomer); err != nil {
								t.Error(err)
							}
						})
					}
					group.Wait()
				}
				all()
				r.silence()
				start := time.Now()
				all()
				if took := time.Since(start); took > 3*time.Second {
					t.Errorf("16 reads took %s", took)
				}
				if made := len(r.quiet); made > 48 { // three for each read
					t.Errorf("%d connections were made", made)
				}
			})
		})
	}
}

// Several requests on silent connections time out one after the other. Only the first replaces the connections.
func TestSilentConnectionsAreReplacedOnce(t *testing.T) {
	t.Parallel()
	c := &connections{make: func() *http.Transport { return &http.Transport{} }}
	silent, number := c.get()
	c.renew(number)
	replaced, _ := c.get()
	c.renew(number)
	if now, _ := c.get(); replaced == silent || now != replaced {
		t.Errorf("replaced at the first timeout: %t, again at the second: %t", replaced != silent, now != replaced)
	}
}

// TestSilentHTTP2IsPinged: a connection that falls silent under a request is noticed long before that request times
// out.
func TestSilentHTTP2IsPinged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, r := relayed(t, true, time.Minute)
		if _, err := c.Do(t.Context(), getCustomer); err != nil {
			t.Fatal(err)
		}
		r.silence()
		start := time.Now()
		_, err := c.Do(t.Context(), getCustomer)
		if took := time.Since(start); err != nil || took > 16*time.Second {
			t.Errorf("a read took %s: %v", took, err)
		}
	})
}

// TestCreationsAvoidOldConnections: creations share connections, and a server that drops those that were idle for two
// seconds, without announcing it, loses none.
func TestCreationsAvoidOldConnections(t *testing.T) {
	t.Parallel()
	var idle sync.Map // net.Conn → time.Time
	var connections atomic.Int32
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":{"id":"`+rand.Text()+`"}}`)
	}, func(server *httptest.Server) {
		server.EnableHTTP2 = false
		server.Config.ConnState = func(conn net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				connections.Add(1)
			case http.StateIdle:
				idle.Store(conn, time.Now())
			case http.StateActive:
				if since, used := idle.Load(conn); used && time.Since(since.(time.Time)) >= 2*time.Second {
					_ = conn.Close()
				}
			}
		}
	})
	create := func() {
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				for range 20 {
					if _, err := One[thing](t.Context(), c, createCustomer); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
	}
	create()
	if n := connections.Load(); n > 20 {
		t.Errorf("100 creations opened %d connections", n)
	}
	time.Sleep(2100 * time.Millisecond)
	create()
}

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
	if _, err := c.Do(t.Context(), createCustomer); !errors.As(err, &transport) || transport.Attempts != 3 ||
		!transport.Capped {
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
		want := plainError
		if r.Operation == createCustomer.Operation {
			want = isAmbiguous // what redirects may have passed it on
		}
		if e, ok := AsError(err); !ok || e.Status != 307 || outcomeOf(err) != want {
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

// TestTLSPolicy_offered: no version before TLS 1.2 is offered, whatever the server takes.
func TestTLSPolicy_offered(t *testing.T) {
	t.Parallel()
	if config := newTransport(Config{}).TLSClientConfig; config.MinVersion != tls.VersionTLS12 || config.MaxVersion != 0 {
		t.Errorf("offered from %x to %x", config.MinVersion, config.MaxVersion)
	}
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
		"1.2, a client certificate":   {&tls.Config{MaxVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert}, false},
		"1.3, a client certificate, h2": {&tls.Config{MinVersion: tls.VersionTLS13, ClientAuth: tls.RequireAnyClientCert},
			false},
		"1.3, a client certificate": {&tls.Config{MinVersion: tls.VersionTLS13, ClientAuth: tls.RequireAnyClientCert}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			http2 := strings.Contains(name, "h2")
			c := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{}`) },
				func(s *httptest.Server) { s.TLS = test.server; s.EnableHTTP2 = http2 },
				func(cfg *Config) { cfg.RetryTimeout = 3 * time.Second })
			for _, request := range []Request{getCustomer, createCustomer} {
				_, err := c.Do(t.Context(), request)
				var transport *TransportError
				var connection *net.OpError
				// With HTTP/2, net/http may fail to write before it reads the alert: then nothing proves a rejection.
				unread := http2 && errors.As(err, &connection) && connection.Op == "write"
				rejected := errors.As(err, &transport) && transport.Rejected() && (transport.Attempts == 1 || http2)
				if test.works != (err == nil) || err != nil && !unread && !rejected {
					t.Errorf("%s: got %v, want works = %v", request.Operation, err, test.works)
				}
			}
		})
	}
}

func only12(suite uint16) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite}}
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
	if outcomeOf(err) != noResponse || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
	if connections.Load() != 1 {
		t.Errorf("connected %d times", connections.Load())
	}
}

func TestLoadCertPool(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{}`)
	}))
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
		"contains no PEM":         write("text", "hello"),
		"of type \"PRIVATE KEY\"": write("key.pem", certificate+key),
		"certificate 2 cannot":    write("broken.pem", certificate+broken),
		"at most":                 write("huge.pem", strings.Repeat("x", maxPEMBytes+1)),
	} {
		if _, err := LoadCertPool(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
