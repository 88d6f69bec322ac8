package sandbox_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// listeners are the addresses of a sandbox where it serves as the services do.
func listeners(s *sandbox.Server) []string {
	return []string{s.BillingURL(), s.FinanceURL(), s.CollectionsURL(), s.ControlURL()}
}

// Whoever waits for the sandbox, or does not trust it yet, has no token.
func TestPathsWithoutToken(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	server.AddFault(sandbox.Fault{Status: 503})
	c := call(t, server)
	for _, c.base = range listeners(server) {
		c := c.with("")
		for range 2 {
			r := c.do("GET", "/healthz", "").want(200)
			if r.text("status") != "ok" || r.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %s", c.base, r.body)
			}
		}
		if r := c.do("HEAD", "/healthz", "").want(200); len(r.body) != 0 {
			t.Errorf("HEAD: %s", r.body)
		}
		if r := c.do("GET", "/openapi.json", "").want(200); r.at("servers", 0, "url") != c.base {
			t.Errorf("%s: %s", c.base, r.body)
		}
		if r := c.do("GET", "/ca.pem", "").want(200); string(r.body) != string(server.CAPEM()) {
			t.Errorf("%s: %s", c.base, r.body)
		}
		r := c.do("GET", "/healthz", "", "Origin", "http://localhost:3000")
		if r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Error("scripts of any origin may call the sandbox")
		}
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests are in the log", n)
	}
	server.ClearFaults()
	call(t, server).do("POST", "/healthz", "{}").want(404)
}

// Another container reaches the sandbox by a name that this machine may not even know.
func TestHosts(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Addr: "0.0.0.0", Hosts: []string{"billing-sandbox", "192.0.2.7", "sandbox.test"}})
	c := call(t, server)
	here := c.client.Transport.(*http.Transport)
	here.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
	}
	for _, address := range listeners(server) {
		exported, err := url.Parse(address)
		if err != nil || exported.Hostname() != "billing-sandbox" {
			t.Errorf("exported %s, %v", address, err)
		}
		for _, host := range []string{"billing-sandbox", "192.0.2.7", "sandbox.test", "localhost", "127.0.0.1"} {
			c.base = "https://" + net.JoinHostPort(host, exported.Port())
			c.do("GET", "/healthz", "").want(200)
		}
		c.base = "https://" + net.JoinHostPort("other.test", exported.Port())
		if _, err := c.try("GET", "/healthz", ""); err == nil {
			t.Error("the certificate is valid for any name")
		}
	}
}

func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{PlainHTTP: true, Addr: "localhost"})
	c := call(t, server)
	for _, address := range listeners(server) {
		if !strings.HasPrefix(address, "http://localhost:") {
			t.Errorf("address %s", address)
		}
		c.base = address
		c.with("").do("GET", "/healthz", "").want(200)
	}
	call(t, server).do("GET", "/v1/me", "").want(200)
	call(t, server).do("GET", "/ca.pem", "").want(404)
	if name, ok := server.Env()["BILLING_CA_CERTIFICATE_FILE"]; ok || server.CAFile() != "" {
		t.Errorf("CA file %q", name)
	}
	server.AddFault(sandbox.Fault{DropBefore: true, Times: 1})
	if _, err := call(t, server).try("GET", "/v1/me", ""); err == nil {
		t.Error("the connection is not dropped")
	}
	for _, addr := range []string{"0.0.0.0", "192.0.2.1", "::", "example.com"} {
		if server, err := sandbox.Start(t.Context(), sandbox.Options{PlainHTTP: true, Addr: addr}); err == nil {
			t.Errorf("tokens are sent over the network in plain text at %s", addr)
			server.Close()
		}
	}
}

// Scripts of a page may call every listener, with any header, and read those that a client needs.
func TestOrigins(t *testing.T) {
	t.Parallel()
	const page = "http://localhost:3000"
	server := start(t, sandbox.Options{Origins: []string{page}})
	c := call(t, server)
	for _, c.base = range listeners(server) {
		asked := func(origin string) http.Header {
			return c.with("").do("OPTIONS", "/v1/customers/x", "", "Origin", origin, "Access-Control-Request-Method", "PATCH",
				"Access-Control-Request-Headers", "authorization,content-type,idempotency-key").header
		}
		if h := asked(page); h.Get("Access-Control-Allow-Origin") != page ||
			h.Get("Access-Control-Allow-Methods") != "PATCH" ||
			h.Get("Access-Control-Allow-Headers") != "authorization,content-type,idempotency-key" {
			t.Errorf("%s: %v", c.base, h)
		}
		if h := asked("http://localhost:3001"); h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: scripts of another origin may call: %v", c.base, h)
		}
		r := c.with("none").do("GET", "/v1/me", "", "Origin", page).want(401)
		if r.header.Get("Access-Control-Allow-Origin") != page ||
			!strings.Contains(r.header.Get("Access-Control-Expose-Headers"), "Retry-After") {
			t.Errorf("%s: a script cannot read the response: %v", c.base, r.header)
		}
	}
}

func settled(service sandbox.Service, value string, scopes ...string) sandbox.SettledToken {
	return sandbox.SettledToken{Token: sandbox.Token{Service: service, Scopes: scopes}, Value: value}
}

// Settled tokens are valid from the start, and again after a reset and a restart, whatever has become of them.
func TestSettledTokens(t *testing.T) {
	t.Parallel()
	options := sandbox.Options{
		StateFile: filepath.Join(t.TempDir(), "state.db"), ControlToken: "control-for-tests",
		Tokens: []sandbox.SettledToken{
			settled(sandbox.Billing, "billing-reader", "customers:read"),
			settled(sandbox.Billing, "billing-for-tests"), settled(sandbox.Finance, "finance-for-tests"),
			settled(sandbox.Collections, "collections-for-tests"),
			settled(sandbox.Collections, "collections-reader", "webhook_endpoints:read"),
		},
	}
	server := start(t, options)
	valid := func() {
		t.Helper()
		c := call(t, server)
		if server.BillingToken() != "billing-for-tests" || server.FinanceToken() != "finance-for-tests" ||
			server.CollectionsKey() != "collections-for-tests" || server.ControlToken() != "control-for-tests" {
			t.Errorf("the exports are %v", server.Env())
		}
		c.with("billing-for-tests").do("GET", "/v1/subscriptions", "").want(200)
		c.with("billing-reader").do("GET", "/v1/customers", "").want(200)
		c.with("billing-reader").do("POST", "/v1/customers", `{"name":"A"}`).want(403)
		c.base = server.FinanceURL()
		c.with("finance-for-tests").do("GET", "/v1/notes", "").want(200)
		c.with("billing-for-tests").do("GET", "/v1/notes", "").want(401)
		c.base = server.CollectionsURL()
		c.with("collections-for-tests").do("GET", "/api/v1/api-keys", "").want(200)
		c.with("collections-reader").do("GET", "/api/v1/webhook-endpoints", "").want(200)
		c.with("collections-reader").do("GET", "/api/v1/api-keys", "").want(403)
		c.base = server.ControlURL()
		c.with("control-for-tests").do("GET", "/status", "").want(200)
	}
	end := func() {
		t.Helper()
		for _, token := range []string{"billing-for-tests", "collections-for-tests"} {
			if err := server.RevokeToken(token); err != nil {
				t.Fatal(err)
			}
		}
		call(t, server).do("GET", "/v1/me", "").want(401)
		c := call(t, server).with("collections-reader")
		c.base = server.CollectionsURL()
		c.do("GET", "/api/v1/webhook-endpoints", "").want(200)
	}
	valid()
	end()
	if err := server.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	valid()
	end()
	keys := func() int {
		c := call(t, server).with("collections-for-tests")
		c.base = server.CollectionsURL()
		return len(c.do("GET", "/api/v1/api-keys", "").want(200).at("data").([]any))
	}
	for range 2 {
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
		server = start(t, options)
		valid()
	}
	if n := keys(); n != 2 {
		t.Errorf("%d keys, want the two settled ones", n)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	options.Tokens[0].Scopes = []string{"subscriptions:read"}
	server = start(t, options)
	call(t, server).with("billing-reader").do("GET", "/v1/customers", "").want(403)
	call(t, server).with("billing-reader").do("GET", "/v1/subscriptions", "").want(200)
}

func TestUnusableTokens(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		says    string
	}{
		"short":   {sandbox.Options{Tokens: []sandbox.SettledToken{settled(sandbox.Billing, "short")}}, "8 characters"},
		"quote":   {sandbox.Options{Tokens: []sandbox.SettledToken{settled(sandbox.Billing, "it's a token")}}, "letters"},
		"control": {sandbox.Options{ControlToken: "control token"}, "letters"},
		"scope":   {sandbox.Options{Tokens: []sandbox.SettledToken{settled(sandbox.Billing, "a-good-token", "customer:read")}}, "customers:read?"},
		"service": {sandbox.Options{Tokens: []sandbox.SettledToken{settled("bill", "a-good-token")}}, "no service"},
		"twice": {sandbox.Options{ControlToken: "a-good-token", Tokens: []sandbox.SettledToken{
			settled(sandbox.Finance, "a-good-token")}}, "same value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sandbox.Start(t.Context(), test.options)
			var unusable *sandbox.TokenError
			if !errors.As(err, &unusable) || !strings.Contains(unusable.Problem, test.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}
