package apikey_test

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const keys = "/api/v1/api-keys"

var says = acctest.Says

// works holds a token to being accepted, or to being rejected.
func works(t *testing.T, service *acctest.Service, token string, accepted bool) {
	t.Helper()
	status, _ := service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil)
	if (status == 200) != accepted || status != 200 && status != 401 {
		t.Errorf("the token gets status %d; accepted should be %v", status, accepted)
	}
}

func unquoted(s string) string { return strings.Trim(s, `"`) }

// TestEphemeral: the key is created on open and works until it is revoked on close; it is not renewed, and what
// Terraform remembers in clear text has no token in it. By the clock of the service it ends within the hour, should it
// never be closed; an expiry that is written down is kept as it is written.
func TestEphemeral(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	for configured, c := range map[any]struct{ shown, remote string }{
		nil:                         {"2026-03-14T13:00:00Z", "2026-03-14T13:00:00.000Z"},
		"2098-01-01T00:00:00-03:00": {"2098-01-01T00:00:00-03:00", "2098-01-01T03:00:00.000Z"},
	} {
		service.Sandbox.ResetRequests()
		o := service.Core().Open("billing_api_key", acctest.JSON{"name": "run", "description": "d",
			"scopes": []any{"webhook_endpoints:*"}, "expires_at": configured})
		if text := core.Errors(o.Diagnostics) + core.Warnings(o.Diagnostics); text != "" {
			t.Fatal(text)
		}
		token, id := unquoted(o.Text("token")), unquoted(o.Text("id"))
		remote := service.Must("GET", keys+"/"+id, nil)
		if remote["name"] != "run" || remote["description"] != "d" || remote["expiresAt"] != c.remote ||
			unquoted(o.Text("expires_at")) != c.shown || !strings.HasPrefix(token, unquoted(o.Text("key_prefix"))) {
			t.Errorf("token %s, expires_at %s, at the service: %v", token, o.Text("expires_at"), remote)
		}
		if o.Renews || strings.Contains(o.Private(), token) {
			t.Errorf("renews: %v, private: %s", o.Renews, o.Private())
		}
		works(t, service, token, true)
		if text := core.Errors(o.Close()); text != "" {
			t.Error(text)
		}
		works(t, service, token, false)
		if created, revoked := service.Count("api_keys.create"), service.Count("api_keys.revoke"); created*revoked != 1 {
			t.Errorf("%d were created and %d revoked", created, revoked)
		}
	}
}

// TestEphemeral_fails: what is wrong is on its argument, and the error says what becomes of a key that may exist.
func TestEphemeral_fails(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	for name, config := range map[string]acctest.JSON{
		"name":       {"name": ""},
		"scopes":     {"name": "run", "scopes": []any{" "}},
		"expires_at": {"name": "run", "expires_at": "soon"},
	} {
		says(t, core.Errors(service.Core().Open("billing_api_key", config).Diagnostics), `AttributeName("`+name+`")`)
	}
	if n := service.Count("api_keys.create"); n != 0 {
		t.Errorf("%d keys were created", n)
	}
	o := service.Core().Open("billing_api_key", acctest.JSON{"name": "run", "expires_at": "2020-01-01"})
	says(t, core.Errors(o.Diagnostics), `AttributeName("expires_at")`, `Could not create the ephemeral API key "run"`,
		`must be in the future (got "2020-01-01")`, "validation_error")
	service.Sandbox.AddFault(sandbox.Fault{Operation: "api_keys.create", Times: 1, DropAfter: true})
	o = service.Core().Open("billing_api_key", acctest.JSON{"name": "run"})
	golden.Said(t, "ephemeral-lost", o.Diagnostics)

	// Terraform closes nothing that failed to open, so a key whose token is not shown is revoked at once.
	service.Sandbox.ResetRequests()
	service.Shows(bend.Data(func(object acctest.JSON) { delete(object, "token") }))
	o = service.Core().Open("billing_api_key", acctest.JSON{"name": "run"})
	golden.Said(t, "ephemeral-token-not-shown", o.Diagnostics)
	if n := service.Count("api_keys.revoke"); n != 1 {
		t.Errorf("%d keys were revoked", n)
	}
}

// TestEphemeral_revokeFails: a key that could not be revoked is reported with its id, and that it works until it
// expires. One that is revoked already, or unknown, is closed.
func TestEphemeral_revokeFails(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	o := service.Core().Open("billing_api_key", acctest.JSON{"name": "run"})
	service.Sandbox.AddFault(sandbox.Fault{Operation: "api_keys.revoke", Times: 1, Status: 403,
		Code: "insufficient_scope"})
	said := core.Errors(o.Close())
	says(t, said, "Could not revoke the ephemeral API key "+unquoted(o.Text("id")), "works until it expires",
		"insufficient_scope")
	if strings.Contains(said, unquoted(o.Text("token"))) {
		t.Errorf("the token is said: %s", said)
	}
	if text := core.Errors(o.Close()) + core.Errors(o.Close()); text != "" {
		t.Error(text)
	}
	service.Sandbox.AddFault(sandbox.Fault{Operation: "api_keys.revoke", Times: 1, Status: 404})
	if text := core.Errors(o.Close()); text != "" {
		t.Error(text)
	}
}
