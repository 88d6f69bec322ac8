package subscription_test

import (
	"encoding/json"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestInvoice_reason: the reason goes with the request, and is left out when there is none.
func TestInvoice_reason(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("requests are looked at")
	id := subscribed(service)
	for reason, want := range map[any]any{nil: nil, "setup fee": "setup fee"} {
		service.Sandbox.ResetRequests()
		if _, diagnostics := service.Invoke("billing_subscription_invoice",
			acctest.JSON{"subscription_id": id, "reason": reason}); len(diagnostics) > 0 {
			t.Fatal(acctest.Errors(diagnostics))
		}
		for _, request := range service.Sandbox.Requests() {
			var body acctest.JSON
			if err := json.Unmarshal(request.Body, &body); len(request.Body) > 0 && err != nil {
				t.Fatal(err)
			}
			if body["reason"] != want {
				t.Errorf("reason %v was sent, want %v", body["reason"], want)
			}
		}
	}
	_, diagnostics := service.Invoke("billing_subscription_invoice", acctest.JSON{"subscription_id": id, "reason": " "})
	says(t, acctest.Errors(diagnostics), `AttributeName("reason")`)
}

// TestInvoice_once: whatever keeps the outcome unknown ends the action after one request; a rate limit, which creates
// no invoice, is waited out; a rejection is reported.
func TestInvoice_once(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    sandbox.Fault
		requests int
		says     []string
	}{
		"server error": {sandbox.Fault{Status: 503}, 1, []string{"the outcome is unknown", "Could not invoice subscription"}},
		"timeout":      {sandbox.Fault{Status: 408}, 1, []string{"the outcome is unknown"}},
		"cut short":    {sandbox.Fault{TruncateBody: true}, 1, []string{"the outcome is unknown"}},
		"refused": {sandbox.Fault{Status: 422, Code: "validation_error"}, 1, []string{"Could not invoice subscription",
			"code: validation_error"}},
		"rate limit": {sandbox.Fault{Status: 429, RetryAfter: "0", Times: 1}, 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			service.NeedsSandbox("failures are made on purpose")
			id := subscribed(service)
			c.fault.Operation = "subscriptions.invoice"
			service.Sandbox.AddFault(c.fault)
			_, diagnostics := service.Invoke("billing_subscription_invoice", acctest.JSON{"subscription_id": id})
			text := acctest.Errors(diagnostics)
			says(t, text, c.says...)
			if n := service.Count("subscriptions.invoice"); n != c.requests || (text == "") != (len(c.says) == 0) {
				t.Errorf("%d requests, want %d: %s", n, c.requests, text)
			}
		})
	}
}
