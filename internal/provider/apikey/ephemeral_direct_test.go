package apikey_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

func unquoted(s string) string { return strings.Trim(s, `"`) }

// TestEphemeral: the key is created on open and works until it is revoked on close; it is not renewed, and what
// Terraform remembers in clear text has no token in it.
func TestEphemeral(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	before := time.Now()
	o := s.service.Open("billing_api_key", acctest.JSON{"name": "run", "description": "d",
		"scopes": []any{"webhook_endpoints:*"}})
	if text := acctest.Errors(o.Diagnostics) + acctest.Warnings(o.Diagnostics); text != "" {
		t.Fatal(text)
	}
	token, id := unquoted(o.Text("token")), unquoted(o.Text("id"))
	remote := s.remote(id)
	if remote["name"] != "run" || remote["description"] != "d" ||
		!strings.HasPrefix(token, unquoted(o.Text("key_prefix"))) {
		t.Errorf("token %s, at the service: %v", token, remote)
	}
	// It ends within the hour, should it never be closed.
	for _, moment := range []string{unquoted(o.Text("expires_at")), remote["expiresAt"].(string)} {
		expiry, err := time.Parse(time.RFC3339, moment)
		if life := expiry.Sub(before); err != nil || life < time.Hour-time.Minute || life > time.Hour+time.Minute {
			t.Errorf("it lives for %s (%v)", life, err)
		}
	}
	if o.Renews || strings.Contains(o.Private(), token) {
		t.Errorf("renews: %v, private: %s", o.Renews, o.Private())
	}
	s.works(token)
	if text := acctest.Errors(o.Close()); text != "" {
		t.Error(text)
	}
	s.refused(token)
	same(t, "calls", s.Calls(), "api_keys.create", "api_keys.revoke")
}

// TestEphemeral_expiry: an expiry that is written down is kept as it is written.
func TestEphemeral_expiry(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	const expiry = "2098-01-01T00:00:00-03:00"
	o := s.service.Open("billing_api_key", acctest.JSON{"name": "run", "expires_at": expiry})
	if have := unquoted(o.Text("expires_at")); have != expiry {
		t.Errorf("expires_at is %s", have)
	}
	if have := s.remote(unquoted(o.Text("id")))["expiresAt"]; have != "2098-01-01T03:00:00.000Z" {
		t.Errorf("expiresAt is %v", have)
	}
	o.Close()
}

// TestEphemeral_refused: what is wrong is on its argument, and nothing is created.
func TestEphemeral_refused(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	for name, config := range map[string]acctest.JSON{
		"name":       {"name": ""},
		"scopes":     {"name": "run", "scopes": []any{" "}},
		"expires_at": {"name": "run", "expires_at": "soon"},
	} {
		says(t, acctest.Errors(s.service.Open("billing_api_key", config).Diagnostics), `AttributeName("`+name+`")`)
	}
	same(t, "calls", s.Calls())
	o := s.service.Open("billing_api_key", acctest.JSON{"name": "run", "expires_at": "2020-01-01"})
	says(t, acctest.Errors(o.Diagnostics), `AttributeName("expires_at")`, `Could not create the ephemeral API key "run"`,
		"validation_error")
}

// TestEphemeral_revokeFails: a key that could not be revoked is reported with its id, and that it works until it
// expires.
func TestEphemeral_revokeFails(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	o := s.service.Open("billing_api_key", acctest.JSON{"name": "run"})
	s.Fault(sandbox.Fault{Operation: "api_keys.revoke", Times: 1, Status: 403, Code: "insufficient_scope"})
	said := acctest.Errors(o.Close())
	says(t, said, "Could not revoke the ephemeral API key "+unquoted(o.Text("id")), "works until it expires",
		"insufficient_scope")
	if strings.Contains(said, unquoted(o.Text("token"))) {
		t.Errorf("the token is said: %s", said)
	}
	// One that is revoked already, or unknown, is closed.
	if text := acctest.Errors(o.Close()) + acctest.Errors(o.Close()); text != "" {
		t.Error(text)
	}
	s.Fault(sandbox.Fault{Operation: "api_keys.revoke", Times: 1, Status: 404})
	if text := acctest.Errors(o.Close()); text != "" {
		t.Error(text)
	}
}

// TestEphemeral_lostResponse: the key whose token was lost is named; it ends within the hour.
func TestEphemeral_lostResponse(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	s.Fault(sandbox.Fault{Operation: "api_keys.create", Times: 1, DropAfter: true})
	o := s.service.Open("billing_api_key", acctest.JSON{"name": "run"})
	says(t, acctest.Errors(o.Diagnostics), "was lost; it may be", "this one ends at")
	same(t, "calls", s.Calls(), "api_keys.create")
}

// TestEphemeral_withoutToken: a key whose token is not shown is of no use, so it is revoked immediately: Terraform
// closes nothing that failed to open.
func TestEphemeral_withoutToken(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	hidden := s.service.Rewriting(func(_ string, object acctest.JSON) { delete(object, "token") })
	says(t, acctest.Errors(hidden.Open("billing_api_key", acctest.JSON{"name": "run"}).Diagnostics),
		"The service has not shown the token", "is revoked")
	same(t, "calls", s.Calls(), "api_keys.create", "api_keys.revoke")
}
