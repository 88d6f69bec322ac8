package provider_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// shownSecrets are secrets as the sandbox makes them, whosever they are.
var shownSecrets = regexp.MustCompile(`whsec_[0-9a-f]{16,}|ck_sandbox_[0-9a-f]{8}_[0-9a-f]{16,}`)

// TestAccCollections_secretsStayOut: of a webhook endpoint and keys, in a run that creates, rotates, fails and
// destroys, the log at its most talkative and what is printed hold no secret at all. The state has the endpoint's
// secret and the key's token, as it must; the credentials and the ephemeral key are not even there.
func TestAccCollections_secretsStayOut(t *testing.T) {
	t.Parallel()
	const credential = "cr3dential-of-the-consumer"
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.RunningClock, acctest.Receiving(receiver))
	service.NeedsSandbox("its tokens are known to the test")
	config := func(version string) string { return collectionsConfig(receiver.URL, version) }
	terraform := newCommand(t, config("1")).at(service)
	terraform.env["TF_LOG"], terraform.env["TF_LOG_PATH"], terraform.env["TF_VAR_credential"] = "TRACE",
		"trace.log", credential

	var printed, kept []string
	step := func(args ...string) { printed = append(printed, terraform.must(args...)) }
	apply := func() {
		step("plan", "-out=plan")
		kept = append(kept, terraform.must("show", "-json", "plan"))
		step("apply", "plan")
		kept = append(kept, terraform.read("terraform.tfstate"))
	}
	apply()
	if _, err := service.Sandbox.Emit("webhook.test", acctest.JSON{}); err != nil {
		t.Fatal(err)
	}
	if err := service.Sandbox.WaitDeliveries(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := receiver.Got(); len(got) != 1 || got[0].Header.Get("Authorization") != "Bearer "+credential {
		t.Errorf("the consumer got %v", got)
	}
	terraform.write("main.tf", required+config("2"))
	service.Sandbox.AddFault(sandbox.Fault{Operation: "webhook_endpoints.rotate_secret", Times: 1, Status: 503})
	service.Sandbox.AddFault(sandbox.Fault{Operation: "api_keys.get", Times: 1, TruncateBody: true})
	apply()
	service.Sandbox.AddFault(sandbox.Fault{Operation: "webhook_endpoints.delete", Times: 1, Status: 409})
	out, err := terraform.run("destroy", "-auto-approve")
	if err == nil {
		t.Error("the destroy that was to fail did not")
	}
	printed = append(printed, out)
	step("destroy", "-auto-approve")

	log := terraform.read("trace.log")
	// A log that holds nothing would pass.
	for _, line := range []string{"Request body", "Response body", "webhook_endpoints.create",
		"webhook_endpoints.rotate_secret", "api_keys.rotate", "api_keys.revoke",
		`\"secret\":\"(masked)\"`, `\"token\":\"(masked)\"`} {
		if !strings.Contains(log, line) {
			t.Errorf("the log has no %q", line)
		}
	}
	for i, text := range append(printed, log) {
		if at := shownSecrets.FindStringIndex(text); at != nil {
			t.Errorf("a secret stands in output %d: …%s…", i, text[max(0, at[0]-200):at[1]])
		}
	}
	for i, text := range append(append(printed, log, terraform.read("terraform.tfstate"),
		terraform.read("terraform.tfstate.backup")), kept...) {
		if at := strings.Index(text, credential); at >= 0 {
			t.Errorf("the credential stands in output %d: …%s…", i, text[max(0, at-200):at])
		}
	}
	ephemeralStaysOut(t, service, kept)
}

// ephemeralStaysOut holds plans and states to know nothing of the keys that were opened, and the service to have
// revoked them.
func ephemeralStaysOut(t *testing.T, service *acctest.Service, kept []string) {
	t.Helper()
	opened := 0
	for page := range strings.SplitSeq("1 2 3 4 5", " ") {
		_, response := service.CallCollections("GET", "/api/v1/api-keys?per_page=2&page="+page, nil)
		items, _ := response["data"].([]any)
		for _, item := range items {
			key := item.(acctest.JSON)
			if key["name"] != "run" {
				continue
			}
			opened++
			if key["revokedAt"] == nil {
				t.Errorf("the ephemeral key %s is not revoked", key["id"])
			}
			for i, text := range kept {
				if strings.Contains(text, key["keyPrefix"].(string)) || strings.Contains(text, key["id"].(string)) {
					t.Errorf("the ephemeral key %s stands in plan or state %d", key["id"], i)
				}
			}
		}
	}
	if opened < 2 {
		t.Errorf("%d ephemeral keys were opened", opened)
	}
}

func collectionsConfig(url, version string) string {
	return `
variable "credential" {
  type      = string
  ephemeral = true
}

resource "billing_webhook_endpoint" "test" {
  url    = "` + url + `"
  events = ["webhook.test"]
  authentication = {
    type                   = "bearer"
    token_wo               = var.credential
    credentials_wo_version = ` + version + `
  }
  rotate_secret_when_changed = { version = "` + version + `" }
}

resource "billing_api_key" "test" {
  name                = "ci"
  rotate_when_changed = { version = "` + version + `" }
}

ephemeral "billing_api_key" "run" {
  name   = "run"
  scopes = ["webhook_endpoints:read"]
}

provider "billing" {
  alias               = "reader"
  collections_api_key = ephemeral.billing_api_key.run.token
}

data "billing_webhook_endpoints" "all" {
  provider = billing.reader
}
`
}

// TestAccQuery_generatedCollections: what a query writes of endpoints and keys can be planned as it is, also without
// the credentials that nobody shows, and changes nothing but to import.
func TestAccQuery_generatedCollections(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("the organization has just these objects")
	terraform := newCommand(t, "provider \"billing\" {}\n").at(service)
	terraform.needsQuery()
	for i, body := range []acctest.JSON{
		{},
		{"description": "all of it", "events": []string{"webhook.test", "charge.paid"}, "active": false,
			"authentication": acctest.JSON{"type": "basic", "username": "ana", "password": "p"}},
		{"authentication": acctest.JSON{"type": "bearer", "token": "t"}},
		{"authentication": acctest.JSON{"type": "header", "name": "X-A", "value": "v"}},
	} {
		body["url"] = "https://hooks.example.com/" + string(rune('a'+i))
		service.MustCollections("POST", "/api/v1/webhook-endpoints", body)
	}
	service.MustCollections("POST", "/api/v1/api-keys", acctest.JSON{"name": "minimal"})
	service.MustCollections("POST", "/api/v1/api-keys", acctest.JSON{"name": "full", "description": "d",
		"scopes": []string{"webhook_endpoints:*"}, "expiresAt": "2098-01-01"})
	terraform.write("all.tfquery.hcl", `
list "billing_webhook_endpoint" "all" {
  provider         = billing
  include_resource = true
}

list "billing_api_key" "all" {
  provider         = billing
  include_resource = true
}
`)
	terraform.must("query", "-generate-config-out=generated.tf")
	// The third key is the one that the sandbox starts with.
	if out := terraform.must("plan"); !strings.Contains(out, "Plan: 7 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Errorf("the plan changes something:\n%s\n\n%s", out, terraform.read("generated.tf"))
	}
}

// TestAccCollections_generatedByImport: what the guide on importing lists of endpoints and keys, with every attribute
// set and with every one null, and what Terraform writes for it, plans nothing on the first try. Neither does it with
// empty collections, as modules write them.
func TestAccCollections_generatedByImport(t *testing.T) {
	t.Parallel()
	const keys, endpoints = "/api/v1/api-keys", "/api/v1/webhook-endpoints"
	service := acctest.Start(t, acctest.RunningClock)
	service.NeedsSandbox("the organization has just these objects")
	// Terraform's plantimestamp has no fractions of a second: what has ended has to have ended a while ago.
	service.Sandbox.Clock().Advance(-5 * time.Second)
	made := 1 // the key that the sandbox starts with
	add := func(path string, body acctest.JSON) string {
		made++
		return service.MustCollections("POST", path, body)["id"].(string)
	}
	for i, body := range []acctest.JSON{
		{},
		{"description": "all of it", "events": []string{"webhook.test", "charge.paid"}, "active": false,
			"authentication": acctest.JSON{"type": "basic", "username": "ana", "password": "p"}},
		{"authentication": acctest.JSON{"type": "none"}},
		{"authentication": acctest.JSON{"type": "bearer", "token": "t"}},
		{"authentication": acctest.JSON{"type": "header", "name": "X-A", "value": "v"}},
	} {
		body["url"] = "https://hooks.example.com/" + string(rune('a'+i))
		add(endpoints, body)
	}
	add(keys, acctest.JSON{"name": "minimal"})
	add(keys, acctest.JSON{"name": "full", "description": "d", "scopes": []string{"webhook_endpoints:*"},
		"expiresAt": "2098-01-01"})
	service.MustCollections("POST", keys+"/"+add(keys, acctest.JSON{"name": "in its grace"})+"/rotate",
		acctest.JSON{"graceDays": 30})
	// What does not work any more is not listed: three keys, one of which has a successor that works.
	service.MustCollections("DELETE", keys+"/"+service.MustCollections("POST", keys,
		acctest.JSON{"name": "revoked"})["id"].(string), nil)
	service.MustCollections("POST", keys+"/"+service.MustCollections("POST", keys,
		acctest.JSON{"name": "rotated"})["id"].(string)+"/rotate", acctest.JSON{"graceDays": 0})
	service.Sandbox.Clock().Advance(-48 * time.Hour)
	service.MustCollections("POST", keys, acctest.JSON{"name": "expired", "expiresAt": time.Now().Add(-24 * time.Hour)})
	service.Sandbox.Clock().Advance(48*time.Hour + 5*time.Second)
	made += 2 // the successors

	terraform := newCommand(t, "").at(service)
	terraform.write("main.tf", guideCode(t, "import", `output "import_blocks"`))
	terraform.must("apply", "-auto-approve")
	blocks := terraform.raw("output", "-raw", "import_blocks")
	nothing := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", made)
	terraform = newCommand(t, "provider \"billing\" {}\n").at(service)
	terraform.write("imports.tf", blocks)
	if out := terraform.must("plan", "-generate-config-out=generated.tf"); !strings.Contains(out, nothing) {
		t.Errorf("the plan changes something:\n%s\n\n%s", out, terraform.read("generated.tf"))
	}
	generated := regexp.MustCompile(`(?m)^(\s*(?:rotate_\w*when_changed|events|scopes)\s*)= (?:null|\[\]|\{\})$`).
		ReplaceAllString(terraform.read("generated.tf"), "$1= null")
	for _, empty := range []string{"null", "{}"} {
		text := regexp.MustCompile(`(?m)(when_changed\s*)= null$`).ReplaceAllString(generated, "$1= "+empty)
		text = regexp.MustCompile(`(?m)((?:events|scopes)\s*)= null$`).ReplaceAllString(text,
			"$1= "+strings.Replace(empty, "{}", "[]", 1))
		terraform.write("generated.tf", text)
		if out := terraform.must("plan"); !strings.Contains(out, nothing) {
			t.Errorf("with %s the plan changes something:\n%s\n\n%s", empty, out, text)
		}
	}
}

// guideCode is the block of Terraform in a guide that holds a text.
func guideCode(t *testing.T, guide, holds string) string {
	t.Helper()
	text, err := os.ReadFile("../../templates/guides/" + guide + ".md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "```terraform\n") {
		if code, _, _ := strings.Cut(block, "\n```"); strings.Contains(code, holds) {
			return code
		}
	}
	t.Fatalf("no block with %q in the guide %s", holds, guide)
	return ""
}
