package sandbox_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Recurring billing §1: TLS 1.2 and 1.3 with the documented suites, no others.
func TestTLSPolicy(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	only := func(version uint16, suites ...uint16) *tls.Config {
		return &tls.Config{MinVersion: version, MaxVersion: version, CipherSuites: suites}
	}
	tests := map[string]struct {
		config *tls.Config
		served bool
	}{
		"TLS 1.3":                       {only(tls.VersionTLS13), true},
		"ECDHE-RSA-AES128-GCM-SHA256":   {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256), true},
		"ECDHE-RSA-AES128-SHA256":       {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256), true},
		"ECDHE-RSA-AES256-GCM-SHA384":   {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384), true},
		"ECDHE-RSA-CHACHA20-POLY1305":   {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256), true},
		"ECDHE-RSA-AES128-SHA refused":  {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA), false},
		"RSA-AES128-GCM-SHA256 refused": {only(tls.VersionTLS12, tls.TLS_RSA_WITH_AES_128_GCM_SHA256), false},
		"TLS 1.1 refused":               {only(tls.VersionTLS11), false},
		"TLS 1.0 refused":               {only(tls.VersionTLS10), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, address := range []string{server.BillingURL(), server.FinanceURL(), server.CollectionsURL(), server.ControlURL()} {
				response, err := trusting(t, server.CAPEM(), test.config.Clone()).Get(address)
				if err == nil {
					response.Body.Close()
				} else if test.config.MaxVersion < tls.VersionTLS12 && !strings.Contains(err.Error(), "protocol version") {
					t.Errorf("%s: refused for another reason than the version: %v", address, err)
				}
				if (err == nil) != test.served {
					t.Errorf("%s: error %v, want served %v", address, err, test.served)
				}
			}
		})
	}
}

// Recurring billing §1: certificates are 2048-bit RSA, and hold for loopback.
func TestCertificate(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	address, err := url.Parse(server.BillingURL())
	if err != nil {
		t.Fatal(err)
	}
	transport := trusting(t, server.CAPEM(), nil).Transport.(*http.Transport)
	for _, name := range []string{"127.0.0.1", "::1", "localhost"} {
		config := transport.TLSClientConfig.Clone()
		config.ServerName = name
		connection, err := tls.Dial("tcp", address.Host, config)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		key, ok := connection.ConnectionState().PeerCertificates[0].PublicKey.(interface{ Size() int })
		if !ok || key.Size()*8 != 2048 {
			t.Errorf("the key is no RSA key of 2048 bits")
		}
		connection.Close()
	}
}

// Recurring billing §1: every response carries Request-Id.
func TestRequestIDIsOnEveryAnswer(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	etag := c.do("GET", "/v1/me", "").header.Get("ETag")
	server.AddFault(sandbox.Fault{Operation: "customers.delete", Status: 503})
	answers := map[string]result{
		"200": c.do("GET", "/v1/me", ""),
		"201": c.do("POST", "/v1/customers", `{"name":"Ana"}`),
		"304": c.do("GET", "/v1/me", "", "If-None-Match", etag),
		"400": c.do("POST", "/v1/customers", `{`),
		"401": c.with("").do("GET", "/v1/me", ""),
		"404": c.do("GET", "/v1/nothing", ""),
		"405": c.do("PUT", "/v1/me", ""),
		"422": c.do("POST", "/v1/customers", `{}`),
		"503": c.do("DELETE", "/v1/customers/x", ""),
	}
	var ids []string
	for status, r := range answers {
		if fmt.Sprint(r.status) != status {
			t.Errorf("status %d, want %s", r.status, status)
		}
		id := r.header.Get("Request-Id")
		if !anUUID.MatchString(id) || slices.Contains(ids, id) {
			t.Errorf("%s: Request-Id %q is no fresh UUID", status, id)
		}
		ids = append(ids, id)
	}
}

// Recurring billing §1 and §7: what is no request of an operation.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	c := call(t, start(t, sandbox.Options{}))
	untyped, form := c, c
	untyped.contentType, form.contentType = "", "application/x-www-form-urlencoded"
	utf8 := c
	utf8.contentType = "application/json; charset=utf-8"
	utf8.do("GET", "/v1/me", "").want(200)
	tests := map[string]struct {
		got    result
		status int
		code   string
	}{
		"no content type":    {untyped.do("GET", "/v1/me", ""), 400, "unsupported_content_type"},
		"other content type": {form.do("POST", "/v1/customers", "name=Ana"), 400, "unsupported_content_type"},
		"not JSON":           {c.do("POST", "/v1/customers", `{"name":`), 400, "malformed_request"},
		"two values":         {c.do("POST", "/v1/customers", `{"name":"Ana"} {}`), 400, "malformed_request"},
		"empty body":         {c.do("POST", "/v1/customers", ``), 400, "malformed_request"},
		"no object":          {c.do("POST", "/v1/customers", `["Ana"]`), 400, "malformed_request"},
		"too large":          {c.do("POST", "/v1/customers", `{"name":"`+strings.Repeat("a", 1<<20)+`"}`), 413, "body_too_large"},
		"no such route":      {c.do("GET", "/v1/customer", ""), 404, "route_not_found"},
		"empty id":           {c.do("GET", "/v1/customers/", ""), 404, "route_not_found"},
		"escaped slash":      {c.do("GET", "/v1/customers/a%2Fb", ""), 404, "not_found"},
		"no such method":     {c.do("PUT", "/v1/customers", "{}"), 405, "method_not_allowed"},
		"no such parameter":  {c.do("GET", "/v1/me?page=1", ""), 422, "validation_error"},
		"repeated parameter": {c.do("GET", "/v1/customers?page=1&page=2", ""), 422, "validation_error"},
		"malformed query":    {c.do("GET", "/v1/customers?search=%zz", ""), 400, "malformed_request"},
	}
	for name, test := range tests {
		test.got.t = t
		if test.got.status != test.status || test.got.text("error", "code") != test.code {
			t.Errorf("%s: %d %s, want %d %s", name, test.got.status, test.got.body, test.status, test.code)
		}
	}
	if r := c.do("HEAD", "/v1/customers", ""); r.status != 405 || r.header.Get("Allow") != "GET, POST" {
		t.Errorf("HEAD: %d, Allow %q", r.status, r.header.Get("Allow"))
	}
}

// Recurring billing §1: conditional requests.
func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)})
	c := call(t, server)
	path := "/v1/customers/" + c.create(`{"name":"Ana"}`)
	first := c.do("GET", path, "").want(200)
	etag, modified := first.header.Get("ETag"), first.header.Get("Last-Modified")
	if modified != "Mon, 04 May 2026 12:00:00 GMT" {
		t.Errorf("Last-Modified %q", modified)
	}
	long, stale := "Mon, 04 May 2026 12:00:01 GMT", "Mon, 04 May 2026 11:59:59 GMT"
	tests := []struct {
		name    string
		headers []string
		status  int
	}{
		{"same tag", []string{"If-None-Match", etag}, 304},
		{"weak tag in a list", []string{"If-None-Match", `"other", W/` + etag}, 304},
		{"any tag", []string{"If-None-Match", "*"}, 304},
		{"other tag", []string{"If-None-Match", `"other"`}, 200},
		{"same date", []string{"If-Modified-Since", modified}, 304},
		{"later date", []string{"If-Modified-Since", long}, 304},
		{"earlier date", []string{"If-Modified-Since", stale}, 200},
		{"no date", []string{"If-Modified-Since", "yesterday"}, 200},
		{"tag wins over date", []string{"If-None-Match", `"other"`, "If-Modified-Since", modified}, 200},
	}
	for _, test := range tests {
		r := c.do("GET", path, "", test.headers...)
		if r.status != test.status || (r.status == 304) != (len(r.body) == 0) || r.header.Get("ETag") != etag {
			t.Errorf("%s: %d with %d bytes, ETag %q", test.name, r.status, len(r.body), r.header.Get("ETag"))
		}
	}
	c.do("PATCH", path, `{"notes":"changed"}`).want(200)
	c.do("GET", path, "", "If-None-Match", etag).want(200)
}

// Recurring billing §5 and §7: who may not ask, and the shapes of the refusal.
func TestAuthentication(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)})
	token := func(more sandbox.Token) string {
		value, err := server.NewToken(more)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	c := call(t, server)
	expiring := c.with(token(sandbox.Token{Expires: server.Clock().Now().Add(time.Hour)}))
	expiring.do("GET", "/v1/me", "").want(200)
	server.Clock().Advance(time.Hour)

	tests := map[string]struct {
		got    result
		status int
		code   string
	}{
		"missing":      {c.with("").do("GET", "/v1/me", ""), 401, "invalid_token"},
		"malformed":    {c.with("a b").do("GET", "/v1/me", ""), 401, "invalid_token"},
		"other scheme": {c.with("").do("GET", "/v1/me", "", "Authorization", "Basic YTpi"), 401, "invalid_token"},
		"revoked":      {c.with(token(sandbox.Token{Revoked: true})).do("GET", "/v1/me", ""), 401, "invalid_token"},
		"expired":      {expiring.do("GET", "/v1/me", ""), 401, "invalid_token"},
		"blocked":      {c.with(token(sandbox.Token{Blocked: true})).do("GET", "/v1/me", ""), 403, "access_blocked"},
		"before route": {c.with("").do("GET", "/v1/nothing", ""), 401, "invalid_token"},
	}
	for name, test := range tests {
		test.got.t = t
		if test.got.status != test.status || test.got.text("error", "code") != test.code {
			t.Errorf("%s: %d %s, want %d %s", name, test.got.status, test.got.body, test.status, test.code)
		}
	}
	for name, value := range map[string]string{"unknown": "nobody-made-this", "of another service": server.FinanceToken()} {
		flat := c.with(value).do("GET", "/v1/me", "").want(401)
		if flat.text("error_code") != "unauthorized" || flat.text("error") == "" {
			t.Errorf("%s: %s", name, flat.body)
		}
	}
	if err := server.RevokeToken(server.BillingToken()); err != nil {
		t.Fatal(err)
	}
	c.do("GET", "/v1/me", "").want(401)
}

// Recurring billing §5.6: scopes, and what a refusal says of them.
func TestScopes(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Tokens: []sandbox.Token{
		{Value: "all"}, {Value: "reader", Scopes: []string{"customers:read"}},
		{Value: "writer", Scopes: []string{"customers:write"}},
		{Value: "both", Scopes: []string{"customers:*", "billing_accounts:read"}},
	}})
	c := call(t, server)
	id := c.with("all").create(`{"name":"Ana"}`)
	tests := []struct {
		token, method, path, body string
		status                    int
	}{
		{"reader", "GET", "/v1/customers/" + id, "", 200},
		{"reader", "GET", "/v1/customers", "", 200},
		{"reader", "POST", "/v1/customers", `{"name":"Bia"}`, 403},
		{"reader", "PATCH", "/v1/customers/" + id, `{}`, 403},
		{"reader", "DELETE", "/v1/customers/" + id, "", 403},
		{"reader", "GET", "/v1/billing-accounts", "", 403},
		{"reader", "GET", "/v1/me", "", 200},
		{"writer", "GET", "/v1/customers/" + id, "", 403},
		{"writer", "PATCH", "/v1/customers/" + id, `{}`, 200},
		{"both", "GET", "/v1/billing-accounts", "", 200},
		{"both", "DELETE", "/v1/customers/" + id, "", 200},
	}
	for _, test := range tests {
		r := c.with(test.token).do(test.method, test.path, test.body)
		if r.status != test.status {
			t.Errorf("%s %s %s: %d, want %d", test.token, test.method, test.path, r.status, test.status)
		}
	}
	refusal := c.with("reader").do("POST", "/v1/customers", `{"name":"Bia"}`).want(403)
	if got := refusal.json("error", "details"); got != `{"granted":["customers:read"],"required":["customers:write"]}` {
		t.Errorf("details %s", got)
	}
}

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
	if me.text("name") != "Mine" || me.text("environment") != "production" || theirs.do("GET", "/v1/me", "").text("name") != "Theirs" {
		t.Errorf("me %s", me.body)
	}
	if server.Organization().ID != me.text("id") {
		t.Errorf("Organization %v is not what /v1/me answers", server.Organization())
	}
}

// Plain HTTP is not served (Recurring billing §5.7).
func TestPlainHTTPIsRefused(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	plain := strings.Replace(server.BillingURL(), "https:", "http:", 1)
	response, err := http.Get(plain + "/v1/me")
	if err != nil {
		return
	}
	defer response.Body.Close()
	if response.StatusCode != 400 {
		t.Errorf("plain HTTP is answered %d", response.StatusCode)
	}
}
