package provider_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// secretRun is a life of Terraform with its log at its most talkative.
type secretRun struct {
	*command
	printed, kept []string // what is on the screen and in the log, and what is in plans and states
}

func newSecretRun(t *testing.T, service *acctest.Service, variables map[string]string) *secretRun {
	t.Helper()
	r := &secretRun{command: newCommand(t, "").at(service)}
	r.env["TF_LOG"], r.env["TF_LOG_PATH"] = "TRACE", "trace.log"
	for name, value := range variables {
		r.env["TF_VAR_"+name] = value
	}
	return r
}

func (r *secretRun) step(args ...string) { r.printed = append(r.printed, r.must(args...)) }

func (r *secretRun) apply(config string) {
	r.t.Helper()
	r.write("main.tf", acctest.Versions+config)
	r.step("plan", "-out=plan")
	r.kept = append(r.kept, r.must("show", "-json", "plan"))
	r.step("apply", "plan")
	r.kept = append(r.kept, r.read("terraform.tfstate"))
}

// ends collects the last states and the log, which holds these lines: a log that holds nothing would pass.
func (r *secretRun) ends(lines ...string) {
	r.t.Helper()
	log := r.read("trace.log")
	for _, line := range lines {
		if !strings.Contains(log, line) {
			r.t.Errorf("the log has no %q", line)
		}
	}
	r.printed = append(r.printed, log)
	r.kept = append(r.kept, r.read("terraform.tfstate"), r.read("terraform.tfstate.backup"))
}

// hides holds that texts have none of the secrets.
func (r *secretRun) hides(texts []string, secrets ...string) {
	r.t.Helper()
	for i, text := range texts {
		for j, secret := range secrets {
			if at := strings.Index(text, secret); at >= 0 || secret == "" {
				r.t.Errorf("secret %d is in output %d: …%s…", j, i, text[max(0, at-200):max(0, at)])
			}
		}
	}
}

// TestAccSecrets_stayOut: in a run that creates, reads, changes, rotates, fails and destroys, log and screen have no
// secret of the provider, of an endpoint or of a key. The state has the endpoint's secret and the key's token, as it
// must; tokens of the provider, credentials and the ephemeral key are not even there.
func TestAccSecrets_stayOut(t *testing.T) {
	t.Parallel()
	const credential = "cr3dential-of-the-consumer"
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.RunningClock, acctest.Receiving(receiver))
	service.NeedsSandbox("its tokens are known to the test")
	r := newSecretRun(t, service, map[string]string{"credential": credential})
	config := func(version string) string { return strings.ReplaceAll(clearConfig(receiver.URL), "VERSION", version) }
	fail := func(operation string, f sandbox.Fault) {
		f.Operation, f.Times = operation, 1
		service.Sandbox.AddFault(f)
	}
	fail("finance.records.create", sandbox.Fault{DropAfter: true})
	r.apply(config("1"))
	if got := delivery(t, service, receiver); got.Header.Get("Authorization") != "Bearer "+credential {
		t.Errorf("the consumer got %v", got)
	}
	fail("finance.records.update", sandbox.Fault{Status: 503})
	fail("customers.update", sandbox.Fault{Status: 503})
	fail("webhook_endpoints.rotate_secret", sandbox.Fault{Status: 429})
	fail("api_keys.get", sandbox.Fault{TruncateBody: true})
	r.apply(config("2"))
	fail("webhook_endpoints.delete", sandbox.Fault{Status: 409})
	out, err := r.run("destroy", "-auto-approve")
	if err == nil {
		t.Error("the destroy that was to fail did not")
	}
	r.printed = append(r.printed, out)
	r.step("destroy", "-auto-approve")
	r.ends("Sending request", "Received response", "Request body", "Response body", "Waiting before the next attempt",
		"/v1/customers", "customers.delete", "finance.accounts.list", "finance.records.update", `\"name\":\"v2\"`,
		"webhook_endpoints.create", "webhook_endpoints.rotate_secret", "api_keys.rotate", "api_keys.revoke",
		"the text of the response is not shown")

	jwt := r.env["BILLING_FINANCE_TOKEN"]
	everywhere := slices.Concat(r.printed, r.kept)
	r.hides(everywhere, credential, jwt, jwt[strings.LastIndex(jwt, ".")+1:], r.env["BILLING_TOKEN"],
		r.env["BILLING_COLLECTIONS_API_KEY"])
	for i, text := range r.printed {
		if at := regexp.MustCompile(`whsec_[0-9a-f]{16,}|ck_sandbox_[0-9a-f]{8}_[0-9a-f]{16,}`).FindStringIndex(
			text); at != nil {
			t.Errorf("a secret is in output %d: …%s…", i, text[max(0, at[0]-200):at[1]])
		}
	}
	opened := 0
	for page := 1; page <= 5; page++ {
		_, response := service.Call("GET", fmt.Sprintf("/api/v1/api-keys?per_page=2&page=%d", page), nil)
		items, _ := response["data"].([]any)
		for _, item := range items {
			if key := item.(acctest.JSON); key["name"] == "run" {
				opened++
				if key["revokedAt"] == nil {
					t.Errorf("the ephemeral key %s is not revoked", key["id"])
				}
				r.hides(r.kept, key["keyPrefix"].(string), key["id"].(string))
			}
		}
	}
	if opened < 2 {
		t.Errorf("%d ephemeral keys were opened", opened)
	}
}

func clearConfig(url string) string {
	return `
variable "credential" {
  type      = string
  ephemeral = true
}
resource "billing_customer" "test" {
  external_id     = "secrets-1"
  name            = "vVERSION"
  custom_metadata = { team = "growth" }
}
resource "billing_finance_record" "test" {
  collection = "payables"
  body       = { name = "vVERSION", amount = "10.50" }
}
data "billing_finance_accounts" "all" { limit = 3 }
data "billing_organization" "me" {}
resource "billing_webhook_endpoint" "test" {
  url    = "` + url + `"
  events = ["charge.paid"]
  authentication = {
    type                   = "bearer"
    token_wo               = var.credential
    credentials_wo_version = VERSION
  }
  rotate_secret_when_changed = { version = "VERSION" }
}
resource "billing_api_key" "test" {
  name                = "ci"
  rotate_when_changed = { version = "VERSION" }
}
ephemeral "billing_api_key" "run" {
  name   = "run"
  scopes = ["webhook_endpoints:read"]
}
provider "billing" {
  alias               = "reader"
  collections_api_key = ephemeral.billing_api_key.run.token
}
data "billing_webhook_endpoints" "all" { provider = billing.reader }
output "organization" { value = data.billing_organization.me.name }
`
}

// TestAccSecrets_encrypted: with age_recipients no artefact of Terraform has a token or a secret in clear text, also
// of rotations whose response is lost. A token goes into a write-only argument in the apply that has created it, by an
// ephemeral identity.
func TestAccSecrets_encrypted(t *testing.T) {
	acctest.Long(t)
	t.Parallel()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.RunningClock, acctest.Receiving(receiver))
	service.NeedsSandbox("it loses responses")
	ana, bia := acctest.NewIdentity(t), acctest.NewIdentity(t)
	r := newSecretRun(t, service, map[string]string{
		"identity": bia.PrivateKey() + "\n# created: 2026-01-01\n" + ana.PrivateKey() + "\n"})
	secrets := []string{ana.PrivateKey(), bia.PrivateKey()}
	// renewed are a token and a secret that were not there before; the receiver gets the token.
	renewed := func() {
		t.Helper()
		token, secret := ana.Decrypt(r.raw("output", "-raw", "token")), ana.Decrypt(r.raw("output", "-raw", "secret"))
		if token == "" || secret == "" || slices.Contains(secrets, token) || slices.Contains(secrets, secret) {
			t.Fatal("a secret is not a new one, or cannot be decrypted")
		}
		secrets = append(secrets, token, secret)
		got := delivery(t, service, receiver)
		if got.Header.Get("Authorization") != "Bearer "+token || !got.SignedWith(secret) {
			t.Errorf("the consumer got %v", got)
		}
		if changes := r.must("plan"); !strings.Contains(changes, "No changes.") {
			t.Errorf("the plan after the apply is not empty: %s", changes)
		}
	}
	config := func(version string, recipients ...string) string {
		return strings.NewReplacer("URL", receiver.URL, "VERSION", version, "RECIPIENTS",
			`"`+strings.Join(recipients, `", "`)+`"`).Replace(encryptedConfig)
	}
	r.apply(config("1", ana.Recipient()))
	renewed()
	// A rotation whose response is lost is an error, and the next one brings a secret.
	for version, operation := range map[string]string{"2": "webhook_endpoints.rotate_secret", "3": "api_keys.rotate"} {
		service.Sandbox.AddFault(sandbox.Fault{Operation: operation, Times: 1, DropAfter: true})
		r.write("main.tf", acctest.Versions+config(version, ana.Recipient()))
		lost, err := r.run("apply", "-auto-approve")
		if err == nil {
			t.Errorf("%s: a lost secret is no error", operation)
		}
		r.printed = append(r.printed, lost)
		r.kept = append(r.kept, r.read("terraform.tfstate"))
		r.apply(config(version, ana.Recipient()))
		renewed()
	}

	r.env["TF_VAR_identity"] = bia.PrivateKey()
	out, err := r.run("plan")
	if err == nil || !strings.Contains(out, "encrypted for other recipients") {
		t.Errorf("the wrong identity: %v\n%s", err, out)
	}
	r.printed = append(r.printed, out)
	r.write("main.tf", acctest.Versions+config("3", bia.Recipient(), ana.PrivateKey()))
	out, err = r.run("plan")
	if err == nil || !strings.Contains(out, "age_recipients[1]: this is a private key") {
		t.Errorf("a private key as a recipient: %v\n%s", err, out)
	}
	r.printed = append(r.printed, out)
	r.env["TF_VAR_identity"] = ana.PrivateKey()
	r.write("main.tf", acctest.Versions)
	r.step("apply", "-auto-approve")
	r.ends("Response body", "api_keys.rotate", "webhook_endpoints.rotate_secret")
	r.hides(slices.Concat(r.printed, r.kept), secrets...)
}

const encryptedConfig = `
variable "identity" {
  type      = string
  ephemeral = true
}
resource "billing_api_key" "erp" {
  name                = "erp"
  age_recipients      = [RECIPIENTS]
  rotate_when_changed = { version = "VERSION" }
}
resource "billing_webhook_endpoint" "erp" {
  url                        = "URL"
  age_recipients             = [RECIPIENTS]
  rotate_secret_when_changed = { version = "VERSION" }
  authentication = {
    type                   = "bearer"
    token_wo               = provider::billing::age_decrypt(billing_api_key.erp.encrypted_token, var.identity)
    credentials_wo_version = VERSION
  }
}
output "token" { value = billing_api_key.erp.encrypted_token }
output "secret" { value = billing_webhook_endpoint.erp.encrypted_secret }
`
