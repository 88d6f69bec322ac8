package main

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// receiving starts a sandbox that may send to a consumer on loopback, which
// returns the status, with one endpoint there.
func receiving(t *testing.T, status int) (steer, *running) {
	t.Helper()
	consumer := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "session=s3cret")
		w.WriteHeader(status)
	}))
	t.Cleanup(consumer.Close)
	pool := x509.NewCertPool()
	pool.AddCert(consumer.Certificate())
	server, err := sandbox.Start(t.Context(), sandbox.Options{
		Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), AllowLoopbackReceivers: true, ReceiverCAs: pool,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	s := steer{t, server.Env()}
	asking := s.asking(server.CollectionsKey())
	asking.env["BILLING_BASE_URL"] = server.CollectionsURL()
	if code, body := asking.ask("POST", "/api/v1/webhook-endpoints", `{"url":"`+consumer.URL+`/in"}`); code != 201 {
		t.Fatalf("%d %s", code, body)
	}
	return s, asking
}

// An event goes out, and what became of it can be seen.
func TestEventAndDeliveriesCommands(t *testing.T) {
	t.Parallel()
	s, _ := receiving(t, http.StatusServiceUnavailable)
	id := strings.TrimSpace(s.ok("event", "emit", "charge.paid"))
	s.ok("event", "emit", "agreement.accepted", "--unlisted", "--data", `{"id":"a-1"}`)
	list := s.ok("deliveries")
	if strings.Count(list, "\n") != 3 ||
		!strings.Contains(list, "2026-05-04T12:00:00Z  failed  1         2026-05-04T12:04:00Z  charge.paid") {
		t.Errorf("deliveries: %s", list)
	}
	s.ok("clock", "advance", "4m")
	detail := s.ok("deliveries", "--event", "charge.paid", "--attempts")
	if !strings.Contains(detail, "failed  2 ") || strings.Contains(detail, "agreement") ||
		strings.Contains(detail, "s3cret") ||
		!strings.Contains(detail, `"X-Webhook-Signature": "[REDACTED]"`) || !strings.Contains(detail, id) ||
		!strings.Contains(detail, `"http_code": 503`) {
		t.Errorf("in detail: %s", detail)
	}
	s.ok("clock", "advance", "9h")
	if got := s.ok("deliveries", "--status", "exhausted"); strings.Contains(got, " failed ") ||
		strings.Count(got, "exhausted  8") != 2 {
		t.Errorf("in the end: %s", got)
	}
	if got := s.ok("deliveries", "--endpoint", "nobody"); got != "" {
		t.Errorf("deliveries of nobody: %s", got)
	}
	if code, _, complaint := s.run("event", "emit", "a.b", "--unlisted", "--data", "[]"); code != exitFailure ||
		!strings.Contains(complaint, "JSON object") {
		t.Errorf("exit %d: %s", code, complaint)
	}
}

func TestKeyCommand(t *testing.T) {
	t.Parallel()
	s, asking := receiving(t, http.StatusOK)
	if code, body := asking.ask("POST", "/api/v1/api-keys",
		`{"name":"erp","scopes":["webhook_endpoints:*"],"expiresAt":"2026-06-01T00:00:00Z"}`); code != 201 {
		t.Fatalf("%d %s", code, body)
	}
	list := s.ok("key", "list")
	if strings.Count(list, "\n") != 3 || !strings.Contains(list, "2026-06-01T00:00:00Z  never ") ||
		!strings.Contains(list, "active  ck_sandbox_") || !strings.Contains(list, "webhook_endpoints:*") {
		t.Errorf("keys: %s", list)
	}
	s.ok("clock", "set", "2026-07-01T00:00:00Z")
	if got := s.ok("key", "list"); !strings.Contains(got, "expired  ck_sandbox_") {
		t.Errorf("keys after the expiry: %s", got)
	}
	if got := s.ok("token", "list"); strings.Count(got, "collections") != 2 {
		t.Errorf("tokens: %s", got)
	}
}

func TestCollectionsCommandLines(t *testing.T) {
	t.Parallel()
	nowhere := steer{t, nil}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"event", "emit"}, exitUsage, "emit NAME"},
		{[]string{"event", "emit", "a.b", "--data", "{"}, exitUsage, "not valid JSON"},
		{[]string{"event", "emit", "--data", "{}", "a.b"}, exitFailure, "BILLING_SANDBOX_CONTROL_URL"},
		{[]string{"event", "--nonsense"}, exitUsage, "flag provided but not defined: -nonsense"},
		{[]string{"deliveries", "all"}, exitUsage, "unexpected"},
		{[]string{"deliveries"}, exitFailure, "BILLING_SANDBOX_CONTROL_URL"},
		{[]string{"key"}, exitUsage, "say list"},
		{[]string{"key", "list"}, exitFailure, "BILLING_SANDBOX_CONTROL_URL"},
		{[]string{"serve", "--receiver-ca", "/no/such/file"}, exitUsage, "no such file"},
	} {
		code, _, complaint := nowhere.run(test.args...)
		if code != test.code || !strings.Contains(complaint, test.says) {
			t.Errorf("%v: exit %d, want %d saying %q: %s", test.args, code, test.code, test.says, complaint)
		}
	}
}

// The flags of serve reach the options; a file without a certificate is rejected.
func TestReceiverFlags(t *testing.T) {
	t.Parallel()
	consumer := httptest.NewTLSServer(nil)
	defer consumer.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: consumer.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	p := program{err: io.Discard}
	set := p.flags(serveManual)
	options := &p.serveFlags(set).options
	if err := set.Parse([]string{"--allow-loopback-receivers", "--receiver-ca", ca, "--collections-auth-header",
		"X-Key"}); err != nil {
		t.Fatal(err)
	}
	if _, err := consumer.Certificate().Verify(x509.VerifyOptions{Roots: options.ReceiverCAs,
		DNSName: "127.0.0.1"}); err != nil {
		t.Errorf("the consumer is not trusted: %v", err)
	}
	if !options.AllowLoopbackReceivers || options.CollectionsAuthHeader != "X-Key" {
		t.Errorf("options %+v", options)
	}
	if err := os.WriteFile(ca, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := set.Parse([]string{"--receiver-ca", ca}); err == nil {
		t.Error("a file without a certificate passes")
	}
}
