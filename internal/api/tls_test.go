package api

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

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
	c := serve(t, func(w http.ResponseWriter, r *http.Request) { protocol.Store(r.Proto); _, _ = io.WriteString(w, `{}`) },
		nil)
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
