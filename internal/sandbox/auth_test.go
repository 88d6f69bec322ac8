package sandbox_test

import (
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Recurring billing §5 and §7: who may not ask, and the shapes of the rejection.
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
	for name, value := range map[string]string{"unknown": "nobody-made-this",
		"of another service": server.FinanceToken()} {
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

// Recurring billing §5.6: scopes, and what a rejection says of them.
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
	if me.text("name") != "Mine" || me.text("environment") != "production" ||
		theirs.do("GET", "/v1/me", "").text("name") != "Theirs" {
		t.Errorf("me %s", me.body)
	}
	if server.Organization().ID != me.text("id") {
		t.Errorf("Organization %v is not what /v1/me returns", server.Organization())
	}
}
