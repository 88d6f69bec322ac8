package provider_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestAccProvider_secretsEncrypted: with age_recipients no artefact of Terraform has a token or a secret in clear text:
// neither the log at its most talkative, nor a plan, nor a state, nor what is printed. That holds for creations and
// rotations, for those whose response is lost, for clear text that is encrypted later, and for changed recipients.
func TestAccProvider_secretsEncrypted(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("it loses responses")
	ana, bia := acctest.NewIdentity(t), acctest.NewIdentity(t)
	terraform := newCommand(t, "").at(service)
	terraform.env["TF_LOG"], terraform.env["TF_LOG_PATH"] = "TRACE", "trace.log"
	var printed, secrets []string
	// apply plans and applies, and returns what both print.
	apply := func(config string) string {
		t.Helper()
		terraform.write("main.tf", required+config)
		out := terraform.must("plan", "-out=plan")
		printed = append(printed, terraform.raw("show", "-json", "plan"))
		out += terraform.must("apply", "plan")
		printed = append(printed, out, terraform.read("terraform.tfstate"))
		if changes := terraform.must("plan"); !strings.Contains(changes, "No changes.") {
			t.Errorf("the plan after the apply is not empty: %s", changes)
		}
		return out
	}
	// decrypted is what a pipeline gets from the outputs.
	decrypted := func(by *acctest.Identity) (both []string) {
		t.Helper()
		for _, name := range []string{"token", "secret"} {
			text := by.Decrypt(terraform.raw("output", "-raw", name))
			if text == "" {
				t.Fatalf("%s cannot be decrypted", name)
			}
			both = append(both, text)
		}
		if status, _ := service.CallWithKey(both[0], "GET", "/api/v1/webhook-endpoints", nil); status != 200 {
			t.Errorf("the decrypted token gets status %d", status)
		}
		for _, secret := range both {
			if slices.Contains(secrets, secret) {
				t.Error("a rotation has brought no new secret")
			}
		}
		secrets = append(secrets, both...)
		return both
	}

	apply(encryptedConfig("1", "", ana))
	decrypted(ana)
	if out := apply(encryptedConfig("2", "", ana)); strings.Contains(out, "recipients") &&
		strings.Contains(out, "encrypted secret") {
		t.Errorf("a rotation warns of recipients: %s", out)
	}
	before := decrypted(ana)
	out := apply(encryptedConfig("2", "", bia))
	for _, part := range []string{"The encrypted secret of", "keeps its recipients", "the API key \"ci\"",
		"the next rotation"} {
		if !strings.Contains(strings.ToLower(out), strings.ToLower(part)) {
			t.Errorf("other recipients: %q is not said in %s", part, out)
		}
	}
	if have := ana.Decrypt(terraform.raw("output", "-raw", "token")); have != before[0] {
		t.Error("other recipients have changed the encrypted token")
	}
	service.Sandbox.AddFault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Times: 1, DropAfter: true})
	apply(encryptedConfig("3", "", bia))
	decrypted(bia)
	// With ignore_changes the recipients stay, also for a rotation.
	apply(encryptedConfig("4", "lifecycle { ignore_changes = [age_recipients] }", ana))
	decrypted(bia)
	// A rotation of a key whose response is lost is an error, and the next one brings a token.
	service.Sandbox.AddFault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, DropAfter: true})
	terraform.write("main.tf", required+encryptedConfig("5", "", bia))
	lost, err := terraform.run("apply", "-auto-approve")
	if err == nil {
		t.Error("a lost token is no error")
	}
	printed = append(printed, lost, terraform.read("terraform.tfstate"))
	terraform.must("apply", "-auto-approve")
	decrypted(bia)
	printed = append(printed, terraform.must("destroy", "-auto-approve"))

	log := terraform.read("trace.log")
	for _, line := range []string{"Response body", "api_keys.rotate", "webhook_endpoints.rotate_secret"} {
		if !strings.Contains(log, line) {
			t.Errorf("the log has no %q", line)
		}
	}
	printed = append(printed, log, terraform.read("terraform.tfstate"), terraform.read("terraform.tfstate.backup"))
	for i, text := range printed {
		for j, secret := range secrets {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("secret %d is in output %d: …%s…", j, i, text[max(0, at-200):at])
			}
		}
	}

	// Clear text that the state has is encrypted without a request, and removed.
	apply(encryptedConfig("1", ""))
	var outputs map[string]struct{ Value string }
	if err := json.Unmarshal([]byte(terraform.raw("output", "-json")), &outputs); err != nil {
		t.Fatal(err)
	}
	token := outputs["clear"].Value
	service.Sandbox.ResetRequests()
	apply(encryptedConfig("1", "", ana))
	if sent := service.Count("api_keys.rotate") + service.Count("api_keys.create"); sent > 0 || token == "" ||
		decrypted(ana)[0] != token {
		t.Errorf("the token that the state had is not the encrypted one (%d requests)", sent)
	}
	if strings.Contains(terraform.read("terraform.tfstate"), token) {
		t.Error("the state still has the token in clear text")
	}
	terraform.write("main.tf", required+encryptedConfig("1", "", ana)+
		fmt.Sprintf("\nresource \"billing_api_key\" \"bad\" {\n  name = \"bad\"\n"+
			"  age_recipients = [\n    %q,\n    %q,\n  ]\n}\n", bia.Recipient(), ana.PrivateKey()))
	bad, err := terraform.run("plan")
	if err == nil || !strings.Contains(bad, "age_recipients[1]: it is a private key") ||
		strings.Contains(bad, ana.PrivateKey()) {
		t.Errorf("a private key as a recipient: %s", bad)
	}
	terraform.write("main.tf", required)
	terraform.must("destroy", "-auto-approve")
}

// encryptedConfig is a key and an endpoint with a trigger and further lines. Without recipients their secrets are in
// clear text.
func encryptedConfig(version, lines string, recipients ...*acctest.Identity) string {
	keys := make([]string, len(recipients))
	for i, r := range recipients {
		keys[i] = r.Recipient()
	}
	return fmt.Sprintf(`
locals {
  recipients = split(",", %[1]q)
}

resource "billing_api_key" "test" {
  name                = "ci"
  scopes              = ["webhook_endpoints:*"]
  age_recipients      = compact(local.recipients)
  rotate_when_changed = { version = %[2]q }
  %[3]s
}

resource "billing_webhook_endpoint" "test" {
  url                        = "https://hooks.example.com/billing"
  age_recipients             = compact(local.recipients)
  rotate_secret_when_changed = { version = %[2]q }
  %[3]s
}

output "token" {
  value = billing_api_key.test.encrypted_token
}

output "secret" {
  value = billing_webhook_endpoint.test.encrypted_secret
}

output "clear" {
  value     = billing_api_key.test.token
  sensitive = true
}
`, strings.Join(keys, ","), version, lines)
}
