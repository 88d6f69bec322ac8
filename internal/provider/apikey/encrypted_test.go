package apikey_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const keys = "/api/v1/api-keys"

var same, says = acctest.Same, acctest.Says

// works holds a token to being accepted, or to being rejected.
func works(t *testing.T, service *acctest.Service, token string, accepted bool) {
	t.Helper()
	status, _ := service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil)
	if (status == 200) != accepted || status != 200 && status != 401 {
		t.Errorf("the token gets status %d; accepted should be %v", status, accepted)
	}
}

// trigger is a value of the trigger, and other lines.
func trigger(value string, more acctest.JSON) acctest.JSON {
	lines := acctest.JSON{"rotate_when_changed": acctest.JSON{"version": value}}
	for name := range more {
		lines[name] = more[name]
	}
	return lines
}

// TestEncrypted_invalid: a recipient that is none is an error of the plan, and of the apply before anything is sent
// when it was not known. A private key is never repeated.
func TestEncrypted_invalid(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	s := service.Subject("billing_api_key", acctest.JSON{"name": "ci", "scopes": []any{"webhook_endpoints:*"}})
	ana := acctest.NewIdentity(t)
	lines := func(recipient any) acctest.JSON {
		return acctest.JSON{"age_recipients": []any{ana.Recipient(), recipient}}
	}
	p := s.Plan(s.With(lines(ana.PrivateKey())))
	says(t, acctest.Errors(p.Diagnostics), "Invalid age recipient", "age_recipients[1]: it is a private key")
	if text := acctest.Errors(p.Diagnostics); strings.Contains(text, ana.PrivateKey()) ||
		strings.Contains(text, "AttributeName") {
		t.Errorf("the message shows the key, or the line that has it: %s", text)
	}
	for _, version := range []string{"1", "2"} {
		service.Sandbox.ResetRequests()
		p = s.Plan(s.With(trigger(version, lines(acctest.Unknown))))
		turned, err := tftypes.Transform(p.Value, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if strings.Contains(at.String(), "age_recipients") && !v.IsKnown() {
				return tftypes.NewValue(tftypes.String, "age1oops"), nil
			}
			return v, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Value = turned
		says(t, acctest.Errors(s.Apply(p)), "Invalid age recipient", "age_recipients[1]")
		same(t, "calls", s.Calls())
		s.Configure(trigger("1", lines(ana.Recipient())))
	}
}
