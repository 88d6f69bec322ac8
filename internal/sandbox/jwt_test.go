package sandbox_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// financeToken makes a token of financial management.
func financeToken(t *testing.T, server *sandbox.Server, token sandbox.Token) string {
	t.Helper()
	token.Service = sandbox.Finance
	value, err := server.NewToken(token)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// A token ends at exactly its expiry on the sandbox's clock.
func TestJWTExpiry(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning})
	c := book(t, server)
	c.token = financeToken(t, server, sandbox.Token{Expires: morning.Add(time.Hour)})
	c.do("GET", "/v1/accounts", "").want(200)
	for _, step := range []struct {
		at     time.Duration
		status int
	}{
		{time.Hour - time.Millisecond, 200}, {time.Hour, 401}, {48 * time.Hour, 401}, {time.Minute, 200},
	} {
		server.Clock().Set(morning.Add(step.at))
		if r := c.do("GET", "/v1/accounts", ""); r.status != step.status {
			t.Errorf("after %v: %d %s", step.at, r.status, r.body)
		}
	}
	server.Clock().Set(morning.AddDate(50, 0, 0))
	c.with(server.FinanceToken()).do("GET", "/v1/accounts", "").want(200)
}

// What each scope opens.
func TestJWTScopes(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := book(t, server)
	payable := "/v1/payables/" + c.do("POST", "/v1/payables", `{}`).want(201).text("data", "id")
	note := "/v1/notes/" + c.do("POST", "/v1/notes", `{}`).want(201).text("data", "id")
	requests := []struct{ name, method, path string }{
		{"payables read", "GET", "/v1/payables"}, {"payable read", "GET", payable}, {"payable written", "PATCH", payable},
		{"payables written", "POST", "/v1/payables"}, {"payables2 read", "GET", "/v1/payables2"},
		{"receivables read", "GET", "/v1/receivables"}, {"accounts read", "GET", "/v1/accounts"},
		{"notes read", "GET", "/v1/notes"}, {"note read", "GET", note}, {"notes written", "POST", "/v1/notes"},
		{"described", "GET", "/api/v1/openapi.yaml"},
	}
	for scopes, want := range map[string]string{
		"payables:read":             "payables read, payable read, described",
		"payables:write":            "payable written, payables written, described",
		"payables:*":                "payables read, payable read, payable written, payables written, described",
		"payables*:read":            "payables read, payable read, payables2 read, described",
		"accounts:read notes:write": "accounts read, notes written, described",
		"*:read": "payables read, payable read, payables2 read, receivables read, accounts read, " +
			"notes read, note read, described",
		"*:write": "payable written, payables written, notes written, described",
		"*": "payables read, payable read, payable written, payables written, payables2 " +
			"read, receivables read, accounts read, notes read, note read, notes written, described",
		"Payables:read payables customer": "described",
		" ":                               "described",
	} {
		token := financeToken(t, server, sandbox.Token{Scopes: strings.Split(scopes, " ")})
		var got []string
		for _, request := range requests {
			r := c.with(token).do(request.method, request.path, `{}`)
			if r.status < 300 {
				got = append(got, request.name)
			} else if r.status != 403 || r.text("error", "code") != "insufficient_scope" {
				t.Errorf("%q, %s: %d %s", scopes, request.name, r.status, r.body)
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%q: %s, want %s", scopes, got, want)
		}
	}
	blocked := financeToken(t, server, sandbox.Token{Blocked: true})
	if r := c.with(blocked).do("GET", "/v1/accounts", "").want(403); r.text("error", "code") != "access_blocked" {
		t.Errorf("blocked: %s", r.body)
	}
}

// A revoked token ends immediately, however it is named, and stays so over a restart.
func TestJWTsOverRevocationAndRestart(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{StateFile: filepath.Join(t.TempDir(), "state.db")}
	server := start(t, o)
	c := book(t, server)
	byValue, byName, other := financeToken(t, server, sandbox.Token{}), financeToken(t, server, sandbox.Token{}),
		financeToken(t, server, sandbox.Token{Scopes: []string{"accounts:read"}})
	var claims struct{ JTI string }
	if err := json.Unmarshal([]byte(payloadOf(t, byName)), &claims); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{byValue, "jwt_sandbox_" + claims.JTI} {
		if err := server.RevokeToken(token); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.RevokeToken("jwt_sandbox_none"); err == nil {
		t.Error("an unknown token is revoked")
	}
	shown := func(c caller) {
		t.Helper()
		for token, status := range map[string]int{c.token: 200, other: 200, byValue: 401, byName: 401} {
			c.with(token).do("GET", "/v1/accounts", "").want(status)
		}
		c.with(other).do("GET", "/v1/payables", "").want(403)
	}
	shown(c)
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	again := start(t, o)
	if again.FinanceToken() != c.token {
		t.Error("the first token is another one after the restart")
	}
	shown(book(t, again))
}

// A JWT is made by the sandbox, and so cannot be chosen.
func TestJWTCannotBeChosen(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	if _, err := server.NewToken(sandbox.Token{Service: sandbox.Finance, Value: "chosen"}); err == nil {
		t.Error("a token that cannot be verified was made")
	}
}

// The log names the token, and contains neither its value nor its signing key.
func TestJWTsAreNotLogged(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	server, err := sandbox.Start(t.Context(),
		sandbox.Options{Logger: slog.New(slog.NewJSONHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	c := book(t, server)
	forged := c.token + "A"
	narrow := financeToken(t, server, sandbox.Token{Scopes: []string{"notes:read"}})
	c.do("GET", "/v1/accounts", "").want(200)
	c.do("POST", "/v1/notes", `{"a":1}`).want(201)
	c.with(narrow).do("GET", "/v1/accounts", "").want(403)
	c.with(forged).do("GET", "/v1/accounts", "").want(401)
	log, err := json.Marshal(server.Requests())
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil { // nothing writes lines any more
		t.Fatal(err)
	}
	for _, entry := range server.Requests() {
		if named := strings.HasPrefix(entry.Token, "jwt_sandbox_"); named != (entry.Status != 401) {
			t.Errorf("%s %s %d by %q", entry.Method, entry.Path, entry.Status, entry.Token)
		}
	}
	if n := bytes.Count(lines.Bytes(), []byte(`"msg":"request"`)); n != 4 || len(server.Requests()) != 4 {
		t.Errorf("%d lines of 4 requests", n)
	}
	for _, token := range []string{c.token, narrow, forged} {
		for _, secret := range append(strings.Split(token, ".")[1:], token, server.SigningKey()) {
			if bytes.Contains(log, []byte(secret)) || bytes.Contains(lines.Bytes(), []byte(secret)) {
				t.Errorf("%q is in the log", secret)
			}
		}
	}
}
