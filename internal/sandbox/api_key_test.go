package sandbox_test

import (
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// key creates an API key and returns its path.
func (c caller) key(body string) (path string, created result) {
	c.t.Helper()
	created = c.do("POST", keysPath, body).want(201)
	return keysPath + "/" + created.text("data", "id"), created
}

// uses asks for something that a key without scopes may ask for.
func (c caller) uses(token string) result {
	c.t.Helper()
	return c.with(token).do("GET", endpointsPath, "")
}

// Collections §2 API key: the public shape, and the token once.
func TestKeyShape(t *testing.T) {
	t.Parallel()
	c := collect(t, start(t, sandbox.Options{Start: morning}))
	path, created := c.key(`{"name":"erp"}`)
	token, prefix, id := created.text("data", "token"), created.text("data", "keyPrefix"), created.text("data", "id")
	if len(token) < len(prefix)+20 || token[:len(prefix)] != prefix {
		t.Errorf("token %q of prefix %q", token, prefix)
	}
	want := `{"createdAt":"2026-05-04T09:00:00.000Z","description":"","expiresAt":null,"id":"` + id +
		`","keyPrefix":"` + prefix +
		`","lastUsedAt":null,"name":"erp","revokedAt":null,"scopes":[],"source":"api"}`
	if got := c.do("GET", path, "").want(200).json("data"); got != want {
		t.Errorf("get %s, want %s", got, want)
	}
	if got := c.do("GET", keysPath, "").want(200).json("data", 1); got != want {
		t.Errorf("list %s, want %s", got, want)
	}
	full := `{"name":"n","description":"d","scopes":["a:*","b:read","a:*"],"expiresAt":"2026-06-01T00:00:00-03:00"}`
	_, created = c.key(full)
	if created.json("data", "scopes") != `["a:*","b:read"]` ||
		created.text("data", "expiresAt") != "2026-06-01T03:00:00.000Z" || created.text("data", "description") != "d" {
		t.Errorf("full %s", created.body)
	}
	for body, field := range map[string]string{
		`{}`: "name", `{"name":""}`: "name", `{"name":null}`: "name", `{"name":"n","scopes":"all"}`: "scopes",
		`{"name":"n","scopes":["a b"]}`: "scopes[0]", `{"name":"n","expiresAt":"soon"}`: "expiresAt",
		`{"name":"n","expiresAt":"2026-05-04T09:00:00Z"}`: "expiresAt", `{"name":"n","token":"mine"}`: "token",
	} {
		if r := c.do("POST", keysPath, body).want(422); r.text("error", "details", "fields", field) == "" {
			t.Errorf("%s: %s", body, r.body)
		}
	}
	c.do("PATCH", path, `{"name":"other"}`).want(405)
}

// Collections §5, and wire contract: a key with empty scopes.
func TestKeyScopes(t *testing.T) {
	t.Parallel()
	c := collect(t, start(t, sandbox.Options{}))
	endpoint, _ := c.endpoint(`{"url":"https://hooks.example.com/","active":false}`)
	for scopes, may := range map[string][4]int{ // endpoints read, endpoint write, deliveries read, keys read
		`[]`:                            {200, 200, 200, 403},
		`["*"]`:                         {200, 200, 200, 200},
		`["api_keys:*"]`:                {403, 403, 403, 200},
		`["api_keys:read"]`:             {403, 403, 403, 403},
		`["webhook_endpoints:read"]`:    {200, 403, 403, 403},
		`["webhook_endpoints:*"]`:       {200, 200, 403, 403},
		`["webhook_*:read"]`:            {200, 403, 200, 403},
		`["*:read"]`:                    {200, 403, 200, 403},
		`["charges:read"]`:              {403, 403, 403, 403},
		`["webhook_endpoints"]`:         {403, 403, 403, 403},
		`["charges:*","api_keys:*"]`:    {403, 403, 403, 200},
		`["webhook_deliveries:*:read"]`: {403, 403, 403, 403},
	} {
		_, created := c.key(`{"name":"n","scopes":` + scopes + `}`)
		k := c.with(created.text("data", "token"))
		for i, r := range []result{
			k.do("GET", endpointsPath, ""), k.do("PATCH", endpoint, `{}`), k.do("GET", endpoint+"/deliveries", ""),
			k.do("GET", keysPath, ""),
		} {
			if r.status != may[i] {
				t.Errorf("%s, request %d: %d, want %d", scopes, i, r.status, may[i])
			}
		}
	}
	_, created := c.key(`{"name":"n","scopes":["charges:read"]}`)
	if r := c.uses(created.text("data", "token")).want(403); r.text("error", "code") != "insufficient_scope" ||
		r.json("error", "details") != `{"granted":["charges:read"],"required":["webhook_endpoints:read"]}` {
		t.Errorf("refused with %s", r.body)
	}
}

// Collections §5: 401 for a missing, unknown, expired or revoked key, and when
// a key was last used.
func TestKeyAccess(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning})
	c := collect(t, server)
	path, created := c.key(`{"name":"erp","expiresAt":"2026-05-04T11:00:00Z"}`)
	token := created.text("data", "token")
	server.Clock().Advance(time.Hour)
	c.uses(token).want(200)
	if got := c.do("GET", path, "").text("data", "lastUsedAt"); got != "2026-05-04T10:00:00.000Z" {
		t.Errorf("last used at %s", got)
	}
	server.Clock().Advance(time.Hour)
	_, second := c.key(`{"name":"second"}`)
	c.do("DELETE", keysPath+"/"+second.text("data", "id"), "").want(204)
	for name, token := range map[string]string{
		"none": "", "unknown": "nobody", "expired": token, "revoked": second.text("data", "token"),
		"of another service": server.BillingToken(),
	} {
		if r := c.uses(token).want(401); r.text("error", "code") != "invalid_token" {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	if got := c.do("GET", path, "").text("data", "lastUsedAt"); got != "2026-05-04T10:00:00.000Z" {
		t.Errorf("a refused use counts: %s", got)
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

// Collections §3, §6 and §8; wire contract: api_keys.rotate.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning})
	c := collect(t, server)
	path, old :=
		c.key(`{"name":"erp","description":"d","scopes":["webhook_endpoints:*"],"expiresAt":"2026-12-01T00:00:00Z"}`)
	rotated := c.do("POST", path+"/rotate", "").want(200)
	for _, field := range []string{"name", "description", "scopes", "expiresAt", "source"} {
		if rotated.json("data", field) != old.json("data", field) {
			t.Errorf("%s of the successor is %s", field, rotated.json("data", field))
		}
	}
	if rotated.text("data", "predecessorId") != old.text("data", "id") ||
		rotated.text("data", "graceUntil") != "2026-05-11T09:00:00.000Z" {
		t.Errorf("rotated %s", rotated.body)
	}
	if got := c.do("GET", path, "").json("data", "expiresAt"); got != `"2026-05-11T09:00:00.000Z"` {
		t.Errorf("the old key expires at %s", got)
	}
	if r := c.do("POST", path+"/rotate", `{"graceDays":1}`).want(409); r.text("error", "code") != "key_not_active" {
		t.Errorf("rotating again: %s", r.body)
	}
	server.Clock().Advance(7*24*time.Hour - time.Millisecond)
	c.uses(old.text("data", "token")).want(200)
	server.Clock().Advance(time.Millisecond)
	c.uses(old.text("data", "token")).want(401)
	c.uses(rotated.text("data", "token")).want(200)

	short, _ := c.key(`{"name":"short","expiresAt":"2026-05-12T00:00:00Z"}`)
	if r := c.do("POST", short+"/rotate", `{"graceDays":30}`).want(200); r.text("data",
		"graceUntil") != "2026-06-10T09:00:00.000Z" {
		t.Errorf("longest grace: %s", r.body)
	}
	if got := c.do("GET", short, "").json("data", "expiresAt"); got != `"2026-05-12T00:00:00.000Z"` {
		t.Errorf("the expiry was moved later, to %s", got)
	}
	at, atOnce := c.key(`{"name":"at once"}`)
	c.do("POST", at+"/rotate", `{"graceDays":0}`).want(200)
	c.uses(atOnce.text("data", "token")).want(401)
	fresh, _ := c.key(`{"name":"fresh"}`)
	for _, body := range []string{`{"graceDays":-1}`, `{"graceDays":31}`, `{"graceDays":1.5}`, `{"graceDays":"7"}`,
		`{"graceDays":null}`, `{"days":7}`} {
		c.do("POST", fresh+"/rotate", body).want(422)
	}
	server.Clock().Advance(24 * time.Hour)
	expired, _ := c.key(`{"name":"expired","expiresAt":"2026-05-12T09:00:01Z"}`)
	server.Clock().Advance(time.Second)
	c.do("POST", expired+"/rotate", "").want(409)
}

// Collections §3: a revoked key returns 401 immediately and reads on.
func TestKeyRevocation(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning})
	c := collect(t, server)
	path, created := c.key(`{"name":"erp"}`)
	c.do("DELETE", path, "").want(204)
	c.uses(created.text("data", "token")).want(401)
	server.Clock().Advance(time.Hour)
	c.do("DELETE", path, "").want(204)
	if got := c.do("GET", path, "").want(200).text("data", "revokedAt"); got != "2026-05-04T09:00:00.000Z" {
		t.Errorf("revoked at %s", got)
	}
	if r := c.do("POST", path+"/rotate", "").want(409); r.text("error", "code") != "key_not_active" {
		t.Errorf("rotating: %s", r.body)
	}
	own := c.do("GET", keysPath, "").text("data", 0, "id")
	c.do("DELETE", keysPath+"/"+own, "").want(204)
	c.do("GET", keysPath, "").want(401)
}

// Keys made from outside the service are keys like any other.
func TestKeysFromOutside(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := collect(t, server)
	value, err := server.NewToken(sandbox.Token{Service: sandbox.Collections, Scopes: []string{"webhook_endpoints:read"},
		Value: "chosen"})
	if err != nil || value != "chosen" {
		t.Fatalf("%q, %v", value, err)
	}
	c.uses("chosen").want(200)
	if r := c.do("GET", keysPath, ""); r.json("data", 1, "scopes") != `["webhook_endpoints:read"]` ||
		r.text("data", 1, "source") != "sandbox" {
		t.Errorf("listed as %s", r.body)
	}
	if err := server.RevokeToken("chosen"); err != nil {
		t.Fatal(err)
	}
	c.uses("chosen").want(401)
	if err := server.RevokeToken("nobody"); err == nil {
		t.Error("revoked a key that nobody has")
	}
}
