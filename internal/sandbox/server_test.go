package sandbox_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Three services and the control listener, each with its own token.
func TestServicesAndEnvironment(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	for name, s := range map[string]struct{ url, token, elsewhere string }{
		"finance":     {server.FinanceURL(), server.FinanceToken(), "/v1/me/too/deep"},
		"collections": {server.CollectionsURL(), server.CollectionsKey(), "/v1/accounts"},
	} {
		c := c
		c.base = s.url
		c.with(server.BillingToken()).do("GET", s.elsewhere, "").want(401)
		if r := c.with(s.token).do("GET", s.elsewhere, "").want(404); r.text("error", "code") != "route_not_found" {
			t.Errorf("%s returns %s", name, r.body)
		}
	}
	if parts := strings.Split(server.FinanceToken(), "."); len(parts) != 3 ||
		!strings.HasPrefix(parts[0], "eyJhbGciOiJIUzUxMiI") {
		t.Errorf("the finance token is no HS512 JWT: %s", server.FinanceToken())
	}
	signature := func(token string) string { return token[strings.LastIndex(token, ".")+1:] }
	if signature(financeToken(t, server, sandbox.Token{})) == signature(server.FinanceToken()) {
		t.Error("two finance tokens have the same signature")
	}
	env := server.Env()
	for name, want := range map[string]string{
		"BILLING_BASE_URL": server.BillingURL(), "BILLING_TOKEN": server.BillingToken(),
		"BILLING_FINANCE_BASE_URL": server.FinanceURL(), "BILLING_FINANCE_TOKEN": server.FinanceToken(),
		"BILLING_COLLECTIONS_BASE_URL": server.CollectionsURL(), "BILLING_COLLECTIONS_API_KEY": server.CollectionsKey(),
		"BILLING_CA_CERTIFICATE_FILE": server.CAFile(), "BILLING_SANDBOX_CONTROL_URL": server.ControlURL(),
		"BILLING_SANDBOX_CONTROL_TOKEN": server.ControlToken(),
	} {
		if env[name] != want || want == "" {
			t.Errorf("%s is %q, want %q", name, env[name], want)
		}
	}
}

func TestCAFileLivesAsLongAsTheServer(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(server.CAFile())
	if err != nil || string(content) != string(server.CAPEM()) {
		t.Errorf("CA file %q, %v", content, err)
	}
	for range 2 {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(server.CAFile()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary CA file is left: %v", err)
	}
}

// Whoever reads the path may be in another folder.
func TestCAFilePathIsAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	server := start(t, sandbox.Options{CAFile: "ca.pem"})
	if _, err := os.Stat(server.CAFile()); err != nil || !filepath.IsAbs(server.CAFile()) {
		t.Errorf("CA file %s, %v", server.CAFile(), err)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	fixed := start(t, sandbox.Options{Start: at}).Clock()
	fixed.Advance(36 * time.Hour)
	if got := fixed.Now(); !fixed.Fixed() || !got.Equal(at.Add(36*time.Hour)) {
		t.Errorf("fixed clock %v", got)
	}
	fixed.Set(at)
	if got := fixed.Now(); !got.Equal(at) {
		t.Errorf("after Set %v", got)
	}
	running := start(t, sandbox.Options{}).Clock()
	running.Set(at)
	first := running.Now()
	running.Advance(time.Hour)
	if got := running.Now(); running.Fixed() || first.Before(at) || got.Sub(first) < time.Hour {
		t.Errorf("running clock %v after %v", got, first)
	}
}

func TestControlNeedsItsToken(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	c.base = server.ControlURL()
	for _, token := range []string{"", server.BillingToken()} {
		c.with(token).do("GET", "/requests", "").want(http.StatusUnauthorized)
	}
	c.with(server.ControlToken()).do("GET", "/requests", "").want(200)
	c.with(server.ControlToken()).do("GET", "/nothing", "").want(404)
	c.with(server.ControlToken()).do("POST", "/clock", `{}`).want(422)
	c.with(server.ControlToken()).do("POST", "/clock", `{"forward":"1h"}`).want(400)
	c.with(server.ControlToken()).do("POST", "/clock", `{"set":"2500-01-01T00:00:00Z"}`).want(422) // it would wrap around
	c.with(server.ControlToken()).do("POST", "/clock", `{"advance":"2540400h"}`).want(422)
	for _, path := range []string{"/tokens//revoke", "/subscriptions/", "/tokens/../revoke", "/subscriptions/."} {
		r := c.with(server.ControlToken()).do("POST", path, "").want(422)
		if want := "The id is empty, \".\" or \"..\"."; r.text("error", "message") != want {
			t.Errorf("%s: %s", path, r.body)
		}
	}
	c.with(server.ControlToken()).do("POST", "/subscriptions/x", `{"status":"draft"}`).want(422)
	c.with(server.ControlToken()).do("POST", "/subscriptions/x", `{"status":"draft","force":true}`).want(404)
}

func TestStartRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]sandbox.Options{
		"state is no database": {StateFile: text},
		"no such folder":       {StateFile: filepath.Join(t.TempDir(), "none", "state.db")},
		"CA file in no folder": {CAFile: filepath.Join(t.TempDir(), "none", "ca.pem")},
		"no such host":         {Addr: "203.0.113.1"},
	} {
		if server, err := sandbox.Start(t.Context(), o); err == nil {
			t.Errorf("%s: started", name)
			server.Close()
		}
	}
	address, err := url.Parse(start(t, sandbox.Options{}).BillingURL())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	_, err = sandbox.Start(t.Context(), sandbox.Options{FinancePort: port})
	if err == nil || !strings.Contains(err.Error(), "listen for finance on "+address.Host+": ") {
		t.Errorf("a port that is in use: %v", err)
	}
	if runtime.GOOS != "windows" && !strings.Contains(err.Error(), "another program uses this port; choose another one") {
		t.Errorf("a port that is in use: %v", err)
	}
}

// The log contains the requests, and never a token.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	created := c.do("POST", "/v1/customers", `{"name":"Ana"}`)
	c.do("GET", "/v1/customers?search=Ana", "")
	c.with("unknown-token").do("GET", "/v1/nothing/there", "")
	server.AddFault(sandbox.Fault{DropAfter: true, Times: 1})
	if _, err := c.try("GET", "/v1/me", ""); err == nil {
		t.Error("no drop")
	}
	log := server.Requests()
	if len(log) != 4 {
		t.Fatalf("%d entries", len(log))
	}
	create := log[0]
	if create.Operation != "customers.create" || create.Method != "POST" || create.Path != "/v1/customers" ||
		create.Status != 201 ||
		create.RequestID != created.header.Get("Request-Id") || string(create.Body) != `{"name":"Ana"}` ||
		create.Service != sandbox.Billing {
		t.Errorf("create is logged as %+v", create)
	}
	if create.Token == "" || !strings.HasPrefix(server.BillingToken(), create.Token) ||
		create.Token == server.BillingToken() {
		t.Errorf("token %q", create.Token)
	}
	if log[1].Query != "search=Ana" || log[2].Operation != "" || log[2].Status != 401 || log[2].Token != "" {
		t.Errorf("log %+v", log[1:3])
	}
	if !log[3].Dropped || log[3].Status != 200 || log[3].Fault == "" {
		t.Errorf("dropped request is logged as %+v", log[3])
	}
	server.ResetRequests()
	if left := server.Requests(); len(left) != 0 {
		t.Errorf("%d entries after a reset", len(left))
	}
}
