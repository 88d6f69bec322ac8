package sandbox_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Three services and the control listener, each with a token of its own.
func TestServicesAndEnvironment(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	for name, s := range map[string]struct{ url, token string }{
		"finance":     {server.FinanceURL(), server.FinanceToken()},
		"collections": {server.CollectionsURL(), server.CollectionsKey()},
	} {
		c := c
		c.base = s.url
		c.with(server.BillingToken()).do("GET", "/v1/accounts", "").want(401)
		if r := c.with(s.token).do("GET", "/v1/accounts", "").want(404); r.text("error", "code") != "route_not_found" {
			t.Errorf("%s answers %s", name, r.body)
		}
	}
	if parts := strings.Split(server.FinanceToken(), "."); len(parts) != 3 || !strings.HasPrefix(parts[0], "eyJhbGciOiJIUzUxMiI") {
		t.Errorf("the finance token is no HS512 JWT: %s", server.FinanceToken())
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

// Whoever reads the path may stand in another folder.
func TestCAFilePathIsAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	server := start(t, sandbox.Options{CAFile: "ca.pem"})
	if _, err := os.Stat(server.CAFile()); err != nil || !filepath.IsAbs(server.CAFile()) {
		t.Errorf("CA file %s, %v", server.CAFile(), err)
	}
}

// A seed makes runs repeat, and a restart over the same state does not repeat ids.
func TestSeed(t *testing.T) {
	t.Parallel()
	ids := func(o sandbox.Options) []string {
		server := start(t, o)
		c := call(t, server)
		made := []string{server.BillingToken(), c.create(`{"name":"Ana"}`), c.create(`{"name":"Bia"}`)}
		made = append(made, c.do("GET", "/v1/customers", "").names("name")...)
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		return made
	}
	first := ids(sandbox.Options{Seed: 42})
	if again := ids(sandbox.Options{Seed: 42}); !slices.Equal(first, again) {
		t.Errorf("runs differ: %v and %v", first, again)
	}
	if other := ids(sandbox.Options{Seed: 43}); other[1] == first[1] || !anUUID.MatchString(other[1]) {
		t.Errorf("another seed makes %v", other)
	}
	state := filepath.Join(t.TempDir(), "state.db")
	var runs [3][]string
	for i := range runs {
		runs[i] = ids(sandbox.Options{Seed: 42, StateFile: state})
	}
	if runs[0][0] != runs[2][0] || runs[0][1] == runs[1][1] || runs[1][1] == runs[2][1] {
		t.Errorf("restarts made %v", runs)
	}
}

// A restart over the same state file keeps rows, tokens and the authority.
func TestStateFile(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state.db")
	first := start(t, sandbox.Options{StateFile: state})
	c := call(t, first)
	path := "/v1/customers/" + c.create(everyCustomerField)
	gone := "/v1/customers/" + c.create(`{"name":"Bia"}`)
	c.do("DELETE", gone, "").want(200)
	before := c.do("GET", path, "").want(200)
	if _, err := sandbox.Start(t.Context(), sandbox.Options{StateFile: state}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second server on the same state: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(state); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("state file %v, %v", info, err)
	}

	second := start(t, sandbox.Options{StateFile: state})
	again := call(t, second)
	again.client = trusting(t, first.CAPEM(), nil)
	if r := again.do("GET", path, "").want(200); r.json() != before.json() || r.header.Get("ETag") != before.header.Get("ETag") {
		t.Errorf("after the restart %s, before %s", r.body, before.body)
	}
	again.do("GET", gone, "").want(404)
	if second.BillingToken() != first.BillingToken() || second.ControlToken() != first.ControlToken() || second.Organization() != first.Organization() {
		t.Error("credentials or organization differ after a restart")
	}
	if second.CAFile() != state+".ca.pem" {
		t.Errorf("CA file %s", second.CAFile())
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

// The log tells what was asked, and never holds a token.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	created := c.do("POST", "/v1/customers", `{"name":"Ana"}`)
	c.do("GET", "/v1/customers?search=Ana", "")
	c.with("unknown-token").do("GET", "/v1/nothing", "")
	server.AddFault(sandbox.Fault{DropAfter: true, Times: 1})
	if _, err := c.try("GET", "/v1/me", ""); err == nil {
		t.Error("no drop")
	}
	log := server.Requests()
	if len(log) != 4 {
		t.Fatalf("%d entries", len(log))
	}
	create := log[0]
	if create.Operation != "customers.create" || create.Method != "POST" || create.Path != "/v1/customers" || create.Status != 201 ||
		create.RequestID != created.header.Get("Request-Id") || string(create.Body) != `{"name":"Ana"}` || create.Service != sandbox.Billing {
		t.Errorf("create is logged as %+v", create)
	}
	if create.Token == "" || !strings.HasPrefix(server.BillingToken(), create.Token) || create.Token == server.BillingToken() {
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

// Writers and readers at once: each external_id is given once, and every
// answered customer is there.
func TestConcurrentRequests(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{StateFile: filepath.Join(t.TempDir(), "state.db")})
	c := call(t, server)
	var created, taken sync.Map
	var group sync.WaitGroup
	for i := range 24 {
		group.Go(func() {
			r, err := c.try("POST", "/v1/customers", `{"name":"Ana","external_id":"`+string(rune('a'+i%8))+`"}`)
			switch {
			case err != nil:
				t.Error(err)
			case r.status == 201:
				created.Store(r.text("data", "customer", "external_id"), true)
			case r.status == 422:
				taken.Store(i, true)
			}
			if _, err := c.try("GET", "/v1/customers?sort_by=name", ""); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	count := func(m *sync.Map) (n int) { m.Range(func(any, any) bool { n++; return true }); return n }
	if count(&created) != 8 || count(&taken) != 16 {
		t.Errorf("%d created and %d refused, want 8 and 16", count(&created), count(&taken))
	}
	if got := c.do("GET", "/v1/customers", "").json("meta", "total"); got != "8" {
		t.Errorf("total %s", got)
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
		"unknown organization": {Tokens: []sandbox.Token{{Organization: "nobody"}}},
		"unknown service":      {Tokens: []sandbox.Token{{Service: "payments"}}},
		"no such host":         {Addr: "203.0.113.1"},
	} {
		if server, err := sandbox.Start(t.Context(), o); err == nil {
			t.Errorf("%s: started", name)
			server.Close()
		}
	}
}
