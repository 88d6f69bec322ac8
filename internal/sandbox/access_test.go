package sandbox_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Recurring billing §5.2: nothing of another organization is seen.
func TestOrganizationsAreApart(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Organization: sandbox.Organization{Name: "Mine", Environment: "production"}})
	other, err := server.NewOrganization(sandbox.Organization{Name: "Theirs"})
	if err != nil {
		t.Fatal(err)
	}
	token, err := server.NewToken(sandbox.Token{Organization: other.ID})
	if err != nil {
		t.Fatal(err)
	}
	mine, theirs := call(t, server), call(t, server).with(token)
	created := mine.do("POST", "/v1/customers", `{"name":"Ana","external_id":"a"}`).want(201)
	path := "/v1/customers/" + created.text("data", "customer", "id")
	theirs.do("GET", path, "").want(404)
	theirs.do("PATCH", path, `{}`).want(404)
	theirs.do("DELETE", path, "").want(404)
	theirs.do("GET", "/v1/billing-accounts/"+created.text("data", "billing_account", "id"), "").want(404)
	for _, list := range []string{"/v1/customers", "/v1/billing-accounts"} {
		if got := theirs.do("GET", list, "").json("meta", "total"); got != "0" {
			t.Errorf("%s: total %s", list, got)
		}
	}
	theirs.create(`{"name":"Ana","external_id":"a"}`)
	me := mine.do("GET", "/v1/me", "").want(200)
	if me.text("name") != "Mine" || me.text("environment") != "production" ||
		theirs.do("GET", "/v1/me", "").text("name") != "Theirs" {
		t.Errorf("me %s", me.body)
	}
	if server.Organization().ID != me.text("id") {
		t.Errorf("Organization %v is not what /v1/me returns", server.Organization())
	}
	stranger := collect(t, server)
	endpoint, _ := stranger.endpoint(`{"url":"https://hooks.example.com/in","active":false}`)
	note := book(t, server).put("notes", "a")[0]
	key, err := server.NewToken(sandbox.Token{Service: sandbox.Collections, Organization: other.ID})
	if err != nil {
		t.Fatal(err)
	}
	stranger.with(key).do("GET", endpoint, "").want(404)
	for path, total := range map[string]string{endpointsPath: "0", keysPath: "1"} {
		if got := stranger.with(key).do("GET", path, "").want(200).json("meta", "total"); got != total {
			t.Errorf("%s: total %s, want %s", path, got, total)
		}
	}
	outsider := book(t, server).with(financeToken(t, server, sandbox.Token{Organization: other.ID}))
	outsider.do("GET", note, "").want(404)
	if got := outsider.walk("/v1/notes", ""); got != "" {
		t.Errorf("another organization sees notes %s", got)
	}
	subscription, _ := mine.subscribe("")
	theirs.do("GET", subscription, "").want(404)
	theirs.do("POST", subscription+"/cancel", "").want(404)
	theirs.do("POST", accounts, `{"customer":{"id":"`+created.text("data", "customer", "id")+`"}}`).blames("customer.id")
	theirs.do("POST", subscriptions, `{"billing_account_id":"`+mine.account()+`","plan_id":"`+plan+`"}`).
		blames("billing_account_id")
}

// Tokens that no client can create: blocked, of another service, revoked by their names.
func TestTokensFromOutside(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	blocked, err := server.NewToken(sandbox.Token{Blocked: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		got    result
		status int
		code   string
	}{
		"blocked": {c.with(blocked).do("GET", "/v1/me", ""), 403, "access_blocked"},
		"blocked JWT": {book(t, server).with(financeToken(t, server, sandbox.Token{Blocked: true})).
			do("GET", "/v1/accounts", ""), 403, "access_blocked"},
		"before the route":  {c.with("").do("GET", "/v1/nothing", ""), 401, "invalid_token"},
		"key of a service":  {collect(t, server).uses(server.BillingToken()), 401, "invalid_token"},
		"token of a header": {c.with("").do("GET", "/v1/me", "", "Authorization", "Basic YTpi"), 401, "invalid_token"},
	} {
		if test.got.status != test.status || test.got.text("error", "code") != test.code {
			t.Errorf("%s: %d %s, want %d %s", name, test.got.status, test.got.body, test.status, test.code)
		}
	}
	if flat := c.with(server.FinanceToken()).do("GET", "/v1/me", "").want(401); flat.text("error_code") != "unauthorized" {
		t.Errorf("of another service: %s", flat.body)
	}
	if err := server.RevokeToken(server.BillingToken()); err != nil {
		t.Fatal(err)
	}
	c.do("GET", "/v1/me", "").want(401)
	for _, wrong := range []sandbox.Token{{Service: "payments"}, {Organization: "nobody"}} {
		if _, err := server.NewToken(wrong); err == nil {
			t.Errorf("%+v was created", wrong)
		}
	}
}

// Keys made from outside the service are keys like any other.
func TestKeysFromOutside(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := collect(t, server)
	value, err := server.NewToken(sandbox.Token{Service: sandbox.Collections, Scopes: []string{"webhook_endpoints:read"}})
	if err != nil {
		t.Fatal(err)
	}
	c.uses(value).want(200)
	if r := c.do("GET", keysPath, ""); r.json("data", 1, "scopes") != `["webhook_endpoints:read"]` ||
		r.text("data", 1, "source") != "sandbox" {
		t.Errorf("listed as %s", r.body)
	}
	if err := server.RevokeToken(value); err != nil {
		t.Fatal(err)
	}
	c.uses(value).want(401)
	if err := server.RevokeToken("nobody"); err == nil {
		t.Error("revoked a key that nobody has")
	}
}

// wire contract: the header that carries the key.
func TestKeyInAnotherHeader(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{CollectionsAuthHeader: "x-api-key"})
	c := collect(t, server)
	c.do("GET", keysPath, "").want(401)
	bare := c.with("")
	bare.do("GET", keysPath, "", "X-Api-Key", server.CollectionsKey()).want(200)
	bare.do("GET", keysPath, "", "X-Api-Key", "Bearer "+server.CollectionsKey()).want(401)
	bare.do("GET", keysPath, "", "X-Api-Key", "").want(401)
	call(t, server).do("GET", "/v1/me", "").want(200)
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

// payloadOf is what a token says.
func payloadOf(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("a token of %d parts", len(parts))
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	return string(payload)
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
		for _, secret := range append(strings.Split(token, ".")[1:], token) {
			if bytes.Contains(log, []byte(secret)) || bytes.Contains(lines.Bytes(), []byte(secret)) {
				t.Errorf("%q is in the log", secret)
			}
		}
	}
}

// Collections §5: credentials are in no log.
func TestRequestLogHoldsNoCredentials(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := collect(t, server)
	path, _ :=
		c.endpoint(
			`{"url":"https://hooks.example.com/","authentication":{"type":"basic","username":"ana","password":"s3cret"}}`)
	for _, body := range []string{
		`{"authentication":{"type":"bearer","token":"s3cret"}}`,
		`{"authentication":{"type":"header","name":"X-Key","value":"s3cret"}}`,
		`{"authentication":{"type":"bearer","tokne":"s3cret"}}`,
		`{"authentication":"s3cret"}`,
		`{"authentication":{"type":"bearer","token":"s3cret"}`,
		`["s3cret"]`,
	} {
		c.do("PATCH", path, body)
	}
	log := server.Requests()
	if len(log) != 7 {
		t.Fatalf("%d lines", len(log))
	}
	for _, r := range log {
		if strings.Contains(string(r.Body), "s3cret") {
			t.Errorf("logged %s", r.Body)
		}
	}
	var first map[string]any
	if err := json.Unmarshal(log[0].Body, &first); err != nil || first["url"] != "https://hooks.example.com/" ||
		!strings.Contains(string(log[0].Body), `"username":"ana"`) {
		t.Errorf("the log has lost what is no secret: %s", log[0].Body)
	}
}
