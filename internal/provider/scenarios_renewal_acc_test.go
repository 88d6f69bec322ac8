package provider_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccScenario_keyRenewsItself: a key is renewed before it expires, and gets other scopes, while the old one works;
// each new token is in the file and at the second provider, and in clear text nowhere. The guide on rotation includes
// the configuration.
func TestAccScenario_keyRenewsItself(t *testing.T) {
	t.Parallel()
	receiver, ana := acctest.NewReceiver(t), acctest.NewIdentity(t)
	service := acctest.Start(t, ago(0), acctest.Receiving(receiver))
	c := scenario(t, "key-renewal", service)
	c.replace("main.tf", "https://hooks.aurora.example/erp", receiver.URL)
	c.write("pair.auto.tfvars", fmt.Sprintf("age_recipient = %q\nage_identity = %q\n", ana.Recipient(), ana.PrivateKey()))
	secrets := []string{ana.PrivateKey()}
	responds := func(token string) int {
		status, _ := service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil)
		return status
	}
	// renewed is the new token, after a run that may have printed it.
	renewed := func(printed string) string {
		t.Helper()
		token := ana.Decrypt(c.raw("output", "-raw", "token_age"))
		if token == "" || slices.Contains(secrets, token) {
			t.Fatalf("there is no new token:\n%s", printed)
		}
		secrets = append(secrets, token)
		if status := responds(token); status == http.StatusUnauthorized {
			t.Errorf("the service returns %d to the new key", status)
		}
		if _, err := service.Sandbox.Emit("charge.paid", nil); err != nil {
			t.Fatal(err)
		}
		if err := service.Sandbox.WaitDeliveries(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := receiver.Got()
		if len(got) == 0 || got[len(got)-1].Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("the second provider does not have the new token: %v", got)
		}
		for _, secret := range secrets {
			for place, text := range map[string]string{"output": printed, "state": c.read("terraform.tfstate")} {
				if strings.Contains(text, secret) {
					t.Errorf("the %s has a secret in clear text", place)
				}
			}
		}
		c.settled()
		return token
	}
	resources := []string{"billing_api_key.erp", "billing_webhook_endpoint.erp"}
	first := renewed(c.applies("create", resources))
	service.Sandbox.Clock().Advance(82 * day)
	c.settled()
	service.Sandbox.Clock().Advance(2 * day)
	second := renewed(c.applies("update", resources))
	if status := responds(first); status == http.StatusUnauthorized {
		t.Errorf("six days before its expiry the service returns %d to the old key", status)
	}
	service.Sandbox.Clock().Advance(7 * day)
	if status := responds(first); status != http.StatusUnauthorized {
		t.Errorf("after its expiry the service returns %d to the old key", status)
	}
	c.settled()
	c.replace("main.tf", `["charges:read"]`, `["charges:read", "payables:read"]`)
	renewed(c.applies("update", resources))
	if status := responds(second); status == http.StatusUnauthorized {
		t.Errorf("after a change of the scopes the service returns %d to the old key", status)
	}
}
