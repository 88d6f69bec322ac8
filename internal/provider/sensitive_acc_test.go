package provider_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// sensitiveConfig sets every argument to a sensitive value, which also `terraform validate` knows.
const sensitiveConfig = `
locals {
  v = sensitive(jsondecode(file("values.json")))
}
resource "billing_customer" "c" {
  name            = local.v.name
  external_id     = local.v.external_id
  nickname        = local.v.nickname
  legal_name      = local.v.legal_name
  document_number = local.v.document_number
  birthday        = local.v.birthday
  email           = local.v.email
  phones          = [{ value = local.v.phone, kind = local.v.phone_kind }]
  notes           = local.v.notes
  addresses       = [{ street = local.v.street, city = local.v.city, kind = local.v.address_kind }]
  websites        = [{ value = local.v.website }]
  tags            = [local.v.tag]
  custom_metadata = { a = local.v.metadata, b = { c = [local.v.metadata_list] } }
  billing_email   = local.v.billing_email
}
resource "billing_account" "a" {
  customer_id     = billing_customer.c.id
  external_id     = "${local.v.external_id}-a"
  billing_email   = local.v.billing_email
  status          = local.v.status
  status_reason   = local.v.status_reason
  custom_metadata = { a = local.v.metadata }
}
resource "billing_subscription" "s" {
  billing_account_id  = billing_customer.c.billing_account_id
  external_id         = "${local.v.external_id}-s"
  plan_id             = local.v.plan_id
  notes               = local.v.notes
  cancellation_reason = local.v.cancellation_reason
  plan_change         = { timing = "immediate", reason = local.v.plan_reason }
  custom_metadata     = { a = local.v.metadata }
}
resource "billing_webhook_endpoint" "e" {
  url                        = local.v.url
  description                = local.v.description
  events                     = [local.v.event]
  rotate_secret_when_changed = { a = local.v.trigger }
  authentication = {
    type                   = "basic"
    username               = local.v.username
    password_wo            = local.v.password
    credentials_wo_version = local.v.version
  }
}
resource "billing_api_key" "k" {
  name                = "${local.v.name}-k"
  description         = local.v.description
  scopes              = [local.v.scope]
  rotate_when_changed = { a = local.v.trigger }
}
resource "billing_finance_record" "r" {
  collection = "payables"
  body       = { name = local.v.body, amount = local.v.amount, deep = { a = local.v.body_deep } }
}
`

// sensitiveValues are the values of a version. Only those of shown may be in a message.
func sensitiveValues(version int, wrong ...string) (all map[string]any, secrets []string) {
	all = map[string]any{"version": version}
	for _, name := range strings.Fields("nickname legal_name phone_kind notes street city address_kind tag metadata " +
		"metadata_list status_reason cancellation_reason plan_reason description trigger username password body body_deep") {
		all[name] = fmt.Sprintf("leak-%s-%d", name, version)
	}
	all["document_number"] = []string{"529.982.247-25", "111.444.777-35", "934.268.310-93"}[version-1]
	all["birthday"] = fmt.Sprintf("19%d-03-04", 70+version)
	all["email"] = fmt.Sprintf("leak-email-%d@example.com", version)
	all["billing_email"] = fmt.Sprintf("leak-billing-%d@example.com", version)
	all["phone"] = fmt.Sprintf("+55 11 91234-900%d", version)
	all["website"] = fmt.Sprintf("https://leak-website-%d.example.com", version)
	all["plan_id"] = fmt.Sprintf("5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a0%d", version)
	all["event"] = fmt.Sprintf("leak.event.%d", version)
	all["scope"] = fmt.Sprintf("leak-scope-%d", version)
	all["status"] = []string{"active", "suspended", "active"}[version-1]
	all["amount"] = fmt.Sprintf("77%d.12", version)
	all["url"] = fmt.Sprintf("https://hooks.example.com/leak-path-%d", version)
	for _, name := range wrong {
		all[name] = "leak-wrong-" + name
	}
	for _, value := range all {
		if text, isText := value.(string); isText && text != all["status"] && len(text) > len("12345") {
			secrets = append(secrets, text)
		}
	}
	all["name"], all["external_id"] = fmt.Sprintf("shown-name-%d", version), fmt.Sprintf("shown-id-%d", version)
	secrets = append(secrets, fmt.Sprintf("leak-path-%d", version))
	return all, secrets
}

// TestAccSensitiveValues: with sensitive values in every argument, no diagnostic of validate, plan, apply and import
// quotes another one than name, external_id and the host of a url: a provider cannot see what is sensitive.
func TestAccSensitiveValues(t *testing.T) {
	t.Parallel()
	t.Run("reworded", func(t *testing.T) {
		t.Parallel()
		r := newSensitiveRun(t, func(o *sandbox.Options) { o.Bend = bend.Must("cut") })
		r.use(sensitiveConfig, 1)
		r.one(false, "-json", "apply", "-auto-approve")
		r.each(false, "plan")
		r.expect("The service stored a different value of description")
	})
	t.Run("life", func(t *testing.T) {
		t.Parallel()
		acctest.Long(t)
		r := newSensitiveRun(t)
		r.use(sensitiveConfig, 1)
		r.each(false, "validate")
		r.each(false, "plan")
		r.each(false, "apply", "-auto-approve")
		r.use(sensitiveConfig, 2)
		for operation, fields := range map[string]string{"customers.update": "notes emails[0].value addresses[0].street",
			"billing_accounts.update": "billing_email", "subscriptions.update": "notes",
			"webhook_endpoints.update": "url description", "finance.records.update": "name deep.a"} {
			r.rejects(operation, strings.Fields(fields)...)
		}
		r.each(false, "plan")
		r.each(true, "apply", "-auto-approve")
		r.service.Sandbox.ClearFaults()
		r.expect("Invalid value for notes", "Invalid value for url", "Invalid value for body.name")
		r.each(false, "apply", "-auto-approve")
		imports := ""
		for _, instance := range r.State() {
			id, _ := instance.Attributes["id"].(string)
			if strings.HasPrefix(instance.Address, "billing_finance_record") {
				id = "payables/" + id
			}
			imports += fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", instance.Address, id)
		}
		r.remove("terraform.tfstate")
		r.use(sensitiveConfig+imports, 3)
		r.each(false, "plan")
		r.each(false, "apply", "-auto-approve")
		r.use("", 3)
		r.each(false, "plan")
	})
	t.Run("wrong", func(t *testing.T) {
		t.Parallel()
		r := newSensitiveRun(t)
		r.use(sensitiveConfig, 3, "birthday", "url")
		r.each(true, "validate")
		r.each(true, "plan")
		r.expect("Invalid birthday", "Invalid url")
		r.use(sensitiveConfig, 3, "email", "billing_email", "document_number", "phone")
		r.each(true, "plan")
		r.expect("Invalid email", "Invalid document_number")
		for _, name := range []string{"plan_id", "status"} {
			r.use(sensitiveConfig, 3, name)
			r.each(true, "plan")
			r.expect("Invalid " + name)
		}
	})
}

// sensitiveRun is Terraform with sensitive values in every argument.
type sensitiveRun struct {
	*command
	service *acctest.Service
	secrets []string
	said    strings.Builder // all diagnostics
}

func newSensitiveRun(t *testing.T, options ...acctest.Option) *sensitiveRun {
	t.Helper()
	service := acctest.Start(t, append(options, acctest.RunningClock)...)
	service.NeedsSandbox("it rewords and rejects")
	r := &sensitiveRun{command: newCommand(t, "").at(service), service: service}
	r.env["TF_CLI_ARGS"] = "" // colors come with the frames of diagnostics
	return r
}

// use writes a configuration with the values of a version.
func (r *sensitiveRun) use(config string, version int, wrong ...string) {
	r.t.Helper()
	values, secrets := sensitiveValues(version, wrong...)
	text, err := json.Marshal(values)
	if err != nil {
		r.t.Fatal(err)
	}
	r.secrets = append(r.secrets, secrets...)
	r.write("values.json", string(text))
	r.write("main.tf", acctest.Versions+config)
}

// rejects makes the service reject fields of the next two requests of an operation.
func (r *sensitiveRun) rejects(operation string, fields ...string) {
	wrong := map[string]string{}
	for _, field := range fields {
		wrong[field] = "is not accepted"
	}
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"code": "validation_error", "message": "invalid",
		"details": map[string]any{"fields": wrong}}})
	r.service.Sandbox.AddFault(sandbox.Fault{Operation: operation, Times: 2, Status: 422, Body: string(body)})
}

// failures matches the errors in Terraform's JSON.
var failures = regexp.MustCompile(`"severity":"error".*`)

// framed matches the lines of a diagnostic in Terraform's text.
var framed = regexp.MustCompile(`[│╷╵]`)

// each runs a command with its output as text and as JSON.
func (r *sensitiveRun) each(fails bool, args ...string) {
	r.t.Helper()
	for _, form := range []string{"", "-json"} {
		r.one(fails, form, args...)
	}
}

// one runs a command, and holds that its diagnostics have no secret.
func (r *sensitiveRun) one(fails bool, form string, args ...string) {
	r.t.Helper()
	command := slices.DeleteFunc(append([]string{args[0], form}, args[1:]...), func(arg string) bool { return arg == "" })
	out, err := r.run(command...)
	if (err != nil) != fails {
		r.t.Errorf("terraform %v %s: %v\n%s", args, form, err, strings.Join(failures.FindAllString(out, -1), "\n"))
	}
	for line := range strings.Lines(out) {
		if form == "-json" && args[0] != "validate" && !strings.Contains(line, `"diagnostic"`) ||
			form != "-json" && !framed.MatchString(line) {
			continue
		}
		r.said.WriteString(line)
		for _, secret := range r.secrets {
			if at := strings.Index(line, secret); at >= 0 {
				r.t.Errorf("terraform %v %s shows %s: …%s…", args, form, secret, line[max(0, at-200):at+len(secret)])
			}
		}
	}
}

// expect holds that a test without messages does not pass.
func (r *sensitiveRun) expect(messages ...string) {
	r.t.Helper()
	for _, message := range messages {
		if !strings.Contains(r.said.String(), message) {
			r.t.Errorf("no diagnostic says %q", message)
		}
	}
}
