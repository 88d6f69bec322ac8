package api

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
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

// relay passes connections on to a server, and can make the open ones fall silent.
type relay struct {
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

func (r *relay) listen(t *testing.T, target string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				_ = near.Close()
				continue
			}
			quiet := new(atomic.Bool)
			r.mu.Lock()
			r.quiet = append(r.quiet, quiet)
			r.mu.Unlock()
			go forward(far, near, quiet)
			go forward(near, far, quiet)
		}
	}()
	return listener.Addr().String()
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
			r := &relay{}
			var connections atomic.Int32
			c := serve(t, func(w http.ResponseWriter, request *http.Request) {
				if got := request.ProtoMajor == 2; got != http2 {
					t.Errorf("spoken is %s", request.Proto)
				}
				time.Sleep(20 * time.Millisecond)
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"data":{"id":"c1"}}`)
			}, func(server *httptest.Server) {
				server.EnableHTTP2 = http2
				server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
					if state == http.StateNew {
						connections.Add(1)
					}
				}
			}, func(cfg *Config) {
				cfg.BaseURL = "https://" + r.listen(t, cfg.BaseURL[len("https://"):])
				cfg.RequestTimeout = 2 * time.Second
			})
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
			if took := time.Since(start); took > 20*time.Second { // of a busy machine
				t.Errorf("16 reads took %s", took)
			}
			if before := connections.Load(); before > 48 { // three for each read
				t.Errorf("%d connections were made", before)
			}
		})
	}
}

// TestSilentHTTP2IsPinged: a connection that falls silent under a request is noticed long before that request times
// out.
func TestSilentHTTP2IsPinged(t *testing.T) {
	t.Parallel()
	r := &relay{}
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":{"id":"c1"}}`)
	}, func(server *httptest.Server) { server.EnableHTTP2 = true }, func(cfg *Config) {
		cfg.BaseURL = "https://" + r.listen(t, cfg.BaseURL[len("https://"):])
		cfg.RequestTimeout = time.Minute
	})
	if _, err := c.Do(t.Context(), getCustomer); err != nil {
		t.Fatal(err)
	}
	r.silence()
	start := time.Now()
	_, err := c.Do(t.Context(), getCustomer)
	if took := time.Since(start); err != nil || took > 30*time.Second {
		t.Errorf("a read took %s: %v", took, err)
	}
}

// TestHandshakesThatCannotGetBetter are not repeated.
func TestHandshakesThatCannotGetBetter(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*tls.Config){
		"version": func(cfg *tls.Config) { cfg.MaxVersion = tls.VersionTLS11; cfg.MinVersion = tls.VersionTLS10 },
		"a client certificate": func(cfg *tls.Config) {
			cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		},
		"a failure": func(cfg *tls.Config) {
			cfg.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return nil, errors.New("not now") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var handshakes atomic.Int32
			c := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
				func(server *httptest.Server) {
					server.TLS = &tls.Config{}
					change(server.TLS)
					server.Config.ErrorLog = log.New(io.Discard, "", 0)
					server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
						if state == http.StateNew {
							handshakes.Add(1)
						}
					}
				}, func(cfg *Config) { cfg.MaxRetries = 2 })
			_, err := c.Do(t.Context(), getCustomer)
			least, most := int32(1), int32(1)
			switch name {
			case "a failure":
				least, most = 3, 3 // internal_error: it may pass
			case "a client certificate":
				most = 3 // TLS 1.3: the request may meet the closed connection before the alert is read
			}
			if n := handshakes.Load(); outcomeOf(err) != noResponse || n < least || n > most {
				t.Errorf("%v after %d handshakes, want %d to %d", err, n, least, most)
			}
		})
	}
}
