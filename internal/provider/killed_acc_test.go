package provider_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// unowned is one object of each type that can exist twice.
const unowned = `
resource "billing_webhook_endpoint" "this" {
  url = "https://hooks.example.com/in"
}

resource "billing_api_key" "this" {
  name                = "ci"
  rotate_when_changed = { version = var.key }
}

resource "billing_customer" "this" {
  name            = "Padaria Aurora"
  document_number = "529.982.247-25"
}

variable "key" {
  default = "1"
}
`

// ids are those of the objects of unowned at the service.
func ids(t *testing.T, s *acctest.Service) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	note := func(typeName string, response acctest.JSON, is func(acctest.JSON) bool) {
		items, _ := response["data"].([]any)
		for _, item := range items {
			if object, ok := item.(acctest.JSON); ok && is(object) {
				found[typeName] = append(found[typeName], object["id"].(string))
			}
		}
	}
	_, endpoints := s.CallCollections("GET", "/api/v1/webhook-endpoints", nil)
	note("billing_webhook_endpoint", endpoints, func(acctest.JSON) bool { return true })
	for page := 1; page < 5; page++ {
		_, keys := s.CallCollections("GET", fmt.Sprintf("/api/v1/api-keys?page=%d", page), nil)
		note("billing_api_key", keys, func(k acctest.JSON) bool { return k["name"] == "ci" && k["revokedAt"] == nil })
	}
	_, customers := s.Call("GET", "/v1/customers?search=Padaria+Aurora", nil)
	note("billing_customer", customers, func(c acctest.JSON) bool { return c["name"] == "Padaria Aurora" })
	return found
}

// TestAccKilled_creations: a run was killed before it could write its state. The next plan names every object that
// exists already, with its import block. Where the blocks are followed, nothing is created twice.
func TestAccKilled_creations(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) { o.NoExampleData = true })
	s.NeedsSandbox("its objects are counted")
	terraform := newCommand(t, unowned).at(s)
	terraform.must("apply", "-auto-approve")
	if err := os.Remove(filepath.Join(terraform.dir, "terraform.tfstate")); err != nil {
		t.Fatal(err)
	}
	left := ids(t, s)
	out := terraform.must("plan")
	blocks := ""
	for _, typeName := range []string{"billing_webhook_endpoint", "billing_api_key", "billing_customer"} {
		if len(left[typeName]) != 1 {
			t.Fatalf("%s: %v", typeName, left)
		}
		block := fmt.Sprintf("import {\n    to = %s.this\n    id = %q\n  }\n", typeName, left[typeName][0])
		if !strings.Contains(out, strings.Join(strings.Fields(block), " ")) {
			t.Errorf("%s %s is not named in:\n%s", typeName, left[typeName][0], out)
		}
		blocks += block
	}
	for _, part := range []string{`Warning: Webhook endpoint with the url "https://hooks.example.com/in" exists already`,
		`Warning: API key with the name "ci" exists already`, "Warning: Customer with the document number",
		"add a moved block"} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is not in:\n%s", part, out)
		}
	}
	terraform.write("imports.tf", blocks)
	terraform.must("apply", "-auto-approve")
	terraform.must("plan", "-detailed-exitcode")
	if now := ids(t, s); fmt.Sprint(now) != fmt.Sprint(left) {
		t.Errorf("there is %v, and was %v", now, left)
	}
	// What is replaced is not its own duplicate.
	if err := os.Remove(filepath.Join(terraform.dir, "imports.tf")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-replace=billing_webhook_endpoint.this"},
		{"-refresh=false", "-replace=billing_webhook_endpoint.this"}} {
		if out := terraform.must(append([]string{"plan"}, args...)...); strings.Contains(out, "exists already") {
			t.Errorf("%v: %s", args, out)
		}
	}
}

// TestAccKilled_rotation: a run was killed after it had rotated a key. The old key keeps its grace period, the next
// apply gets a token, and the plan names the key that the killed run has left.
func TestAccKilled_rotation(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) { o.NoExampleData = true })
	s.NeedsSandbox("its keys are counted")
	terraform := newCommand(t, unowned+"\noutput \"token\" {\n  value     = billing_api_key.this.token\n  sensitive = "+
		"true\n}\n").at(s)
	terraform.must("apply", "-auto-approve")
	before, token := terraform.read("terraform.tfstate"), terraform.raw("output", "-raw", "token")
	terraform.must("apply", "-auto-approve", "-var=key=2")
	terraform.write("terraform.tfstate", before)
	out := terraform.must("plan", "-var=key=2")
	if !strings.Contains(out, "0 to add, 1 to change, 0 to destroy") || !strings.Contains(out, "never used") {
		t.Error(out)
	}
	terraform.must("apply", "-auto-approve", "-var=key=2")
	terraform.must("plan", "-var=key=2", "-detailed-exitcode")
	for _, token := range []string{token, terraform.raw("output", "-raw", "token")} {
		if status, _ := s.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil); status != 200 {
			t.Errorf("a key responds with %d", status)
		}
	}
	state := terraform.read("terraform.tfstate")
	for _, id := range ids(t, s)["billing_api_key"] {
		if !strings.Contains(state, id) && !strings.Contains(out, "unused keys of its name exist (id "+id+")") {
			t.Errorf("the key %s is in no state, and not named", id)
		}
	}
}

// TestAccInnocent: creations that the service does not process find the objects that another workspace has created just
// before. Nothing of them is touched, and the next apply creates what is missing.
func TestAccInnocent(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, acctest.RunningClock, func(o *sandbox.Options) { o.NoExampleData = true })
	s.NeedsSandbox("its requests are counted")
	terraform := newCommand(t, unowned).at(s)
	secret := s.MustCollections("POST", "/api/v1/webhook-endpoints", acctest.JSON{"url": "https://hooks.example.com/in"})
	key := s.MustCollections("POST", "/api/v1/api-keys", acctest.JSON{"name": "ci"})
	s.Sandbox.ResetRequests()
	for _, operation := range []string{"webhook_endpoints.create", "api_keys.create"} {
		s.Sandbox.AddFault(sandbox.Fault{Operation: operation, Times: 1, Status: 503})
	}
	if out, err := terraform.run("apply", "-auto-approve"); err == nil ||
		!strings.Contains(out, "Could not register webhook endpoint https://hooks.example.com/in: the outcome is unknown") {
		t.Errorf("%v: %s", err, out)
	}
	terraform.must("apply", "-auto-approve")
	for _, operation := range []string{"webhook_endpoints.rotate_secret", "api_keys.revoke"} {
		if n := s.Count(operation); n > 0 {
			t.Errorf("%d times %s", n, operation)
		}
	}
	if status, _ := s.CallWithKey(key["token"].(string), "GET", "/api/v1/webhook-endpoints", nil); status != 200 {
		t.Errorf("the other key responds with %d", status)
	}
	if state := terraform.read("terraform.tfstate"); strings.Contains(state, secret["id"].(string)) ||
		strings.Contains(state, key["id"].(string)) {
		t.Error("an object of the other workspace is in the state")
	}
	terraform.must("plan", "-detailed-exitcode")
}

// TestAccKilled_parent: the provider does not outlive the process that has started it.
func TestAccKilled_parent(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run with TF_ACC=1")
	}
	dir, err := acctest.BuiltProvider()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.CommandContext(t.Context(), "sh", "-c", `"$0" & echo $!; wait`,
		filepath.Join(dir, "terraform-provider-billing"))
	parent.Env = append(os.Environ(), "PLUGIN_PROTOCOL_VERSIONS=6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	// The provider has the pipe too, so that it ends with the last of both.
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	number, _ := lines.ReadString('\n')
	id, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.FindProcess(id)
	if err != nil {
		t.Fatal(err)
	}
	if handshake, _ := lines.ReadString('\n'); !strings.HasPrefix(handshake, "1|6|") {
		t.Errorf("the provider does not serve: %q", handshake)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	outlived := time.AfterFunc(time.Minute, func() { _ = child.Kill() })
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Error(err)
	}
	if !outlived.Stop() {
		t.Error("the provider still ran a minute after its parent was killed")
	}
	_ = parent.Wait()
}
