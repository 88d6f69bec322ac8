package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccProvider_decrypted: a token that is encrypted in the state goes into a write-only argument in the apply that
// has created it, by an ephemeral identity. Neither of the two is in a plan, a state or what is printed.
func TestAccProvider_decrypted(t *testing.T) {
	t.Parallel()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.RunningClock, acctest.Receiving(receiver))
	service.NeedsSandbox("it delivers to a consumer in this process")
	ana, bia := acctest.NewIdentity(t), acctest.NewIdentity(t)
	terraform := newCommand(t, fmt.Sprintf(`
variable "identity" {
  type      = string
  ephemeral = true
}

resource "billing_api_key" "erp" {
  name           = "erp"
  age_recipients = [%q]
}

resource "billing_webhook_endpoint" "erp" {
  url = %q
  authentication = {
    type                   = "bearer"
    token_wo               = provider::billing::age_decrypt(billing_api_key.erp.encrypted_token, var.identity)
    credentials_wo_version = 1
  }
}

output "encrypted" { value = billing_api_key.erp.encrypted_token }
output "endpoint" { value = billing_webhook_endpoint.erp.id }
`, ana.Recipient(), receiver.URL)).at(service)
	terraform.env["TF_VAR_identity"] = bia.PrivateKey() + "\n# created: 2026-01-01\n" + ana.PrivateKey() + "\n"
	printed := []string{terraform.must("plan", "-out=plan"), terraform.raw("show", "-json", "plan"),
		terraform.must("apply", "plan"), terraform.read("terraform.tfstate")}
	token := ana.Decrypt(terraform.raw("output", "-raw", "encrypted"))
	if token == "" {
		t.Fatal("the token cannot be decrypted")
	}
	test := "/api/v1/webhook-endpoints/" + terraform.raw("output", "-raw", "endpoint") + "/test"
	if status, body := service.CallCollections("POST", test, acctest.JSON{}); status != 202 {
		t.Errorf("the test event: %d %v", status, body)
	}
	if err := service.Sandbox.WaitDeliveries(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all := receiver.Got(); len(all) != 1 || all[0].Header.Get("Authorization") != "Bearer "+token {
		t.Errorf("the consumer got %v", all)
	}
	terraform.env["TF_VAR_identity"] = bia.PrivateKey()
	out, err := terraform.run("plan")
	if err == nil || !strings.Contains(out, "encrypted for other recipients") {
		t.Errorf("the wrong identity: %v\n%s", err, out)
	}
	for i, text := range append(printed, out) {
		for _, secret := range []string{token, ana.PrivateKey(), bia.PrivateKey()} {
			if strings.Contains(text, secret) {
				t.Errorf("a secret is in output %d", i)
			}
		}
	}
}
