package rehearsal_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/mirror"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

func TestMain(m *testing.M) { acctest.RunTests(m) }

// team is the module of the trials: a customer, its account and its subscription.
const team = acctest.Versions + `
variable "name" { type = string }
variable "plan" { type = string }
variable "payer" { default = null }
variable "status" { default = "active" }
variable "timing" { default = "immediate" }
resource "billing_customer" "this" {
  name                   = var.name
  external_id            = var.name
  create_billing_account = false
}
resource "billing_account" "this" {
  customer_id = billing_customer.this.id
  external_id = var.name
  status      = var.status
}
resource "billing_subscription" "this" {
  billing_account_id = coalesce(var.payer, billing_account.this.id)
  external_id        = var.name
  plan_id            = var.plan
  plan_change        = { timing = var.timing }
}
output "account" { value = billing_account.this.id }
`

const (
	gold   = "11111111-1111-4111-8111-111111111111"
	silver = "22222222-2222-4222-8222-222222222222"
)

// infrastructure is a configuration that refers to a module above its folder.
type infrastructure struct {
	*acctest.Terraform
	t       *testing.T
	service *sandbox.Server
	folder  string
}

func newInfrastructure(t *testing.T) *infrastructure {
	t.Helper()
	t.Parallel()
	service := acctest.Start(t)
	service.NeedsSandbox("it plays the service")
	i := &infrastructure{Terraform: acctest.NewTerraformWithoutProvider(t).At(service), t: t, service: service.Sandbox}
	i.install()
	i.folder = filepath.Join(i.Dir, "infra")
	for _, folder := range []string{i.folder, filepath.Join(i.Dir, "modules", "team")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	i.Write("modules/team/main.tf", team)
	return i
}

// newApplied is an infrastructure with this main module, which is applied.
func newApplied(t *testing.T, main string) *infrastructure {
	t.Helper()
	i := newInfrastructure(t)
	i.Write("infra/main.tf", main)
	i.run("init", "-input=false")
	i.run("apply", "-auto-approve", "-input=false")
	return i
}

// install puts the provider where init finds it.
func (i *infrastructure) install() {
	i.t.Helper()
	built, err := acctest.BuiltProvider()
	if err != nil {
		i.t.Fatal(err)
	}
	program, err := mirror.Inspect(i.t.Context(), acctest.TerraformProgram())
	if err != nil {
		i.t.Fatal(err)
	}
	folder := i.t.TempDir()
	own := program.Executable(folder)
	for _, executable := range []string{own, strings.Replace(own, "recurring-billing", "acme", 1)} {
		if err := os.MkdirAll(filepath.Dir(executable), 0o700); err != nil {
			i.t.Fatal(err)
		}
		if err := os.Link(filepath.Join(built, "terraform-provider-billing"), executable); err != nil {
			i.t.Fatal(err)
		}
	}
	i.Write("cli.tfrc", string(mirror.Only(folder)))
}

// teams is a configuration of the module for each name.
func teams(n int, change func(i int) string) string {
	text := acctest.Versions
	for i := range n {
		plan := gold
		if i%2 == 1 {
			plan = silver
		}
		body := fmt.Sprintf("  name = \"team-%d\"\n  plan = %q\n", i, plan)
		if change != nil {
			if other := change(i); other != "" {
				body = other
			}
		}
		if body != "-" {
			text += fmt.Sprintf("module \"team_%d\" {\n  source = \"../modules/team\"\n%s}\n", i, body)
		}
	}
	return text
}

// run runs Terraform in the folder of the configuration.
func (i *infrastructure) run(arguments ...string) {
	i.t.Helper()
	command := i.Command(arguments...)
	command.Dir = i.folder
	if out, err := command.CombinedOutput(); err != nil {
		i.t.Fatalf("terraform %v: %v\n%s", arguments, err, out)
	}
}

// plan is a saved plan of the configuration.
func (i *infrastructure) plan(arguments ...string) string {
	i.t.Helper()
	file := filepath.Join(i.t.TempDir(), "pr.tfplan")
	i.run(append([]string{"plan", "-input=false", "-out=" + file}, arguments...)...)
	return file
}

// rehearse rehearses a plan of the configuration, and first makes one if there is none. Nothing of the folder changes,
// and the service gets only GET requests.
func (i *infrastructure) rehearse(ctx context.Context, o rehearsal.Options) (*rehearsal.Report, error) {
	i.t.Helper()
	if o.Plan == nil {
		o.File = i.plan()
		o.Plan = i.read(o.File)
	}
	files, requests := i.files(), len(i.service.Requests())
	o.Folder, o.Program, o.Temporary = i.folder, cmp.Or(o.Program, acctest.TerraformProgram()), i.t.TempDir()
	o.Environ = append(o.Environ, "HTTPS_PROXY=http://127.0.0.1:1", "PATH="+os.Getenv("PATH"))
	for _, name := range slices.Sorted(maps.Keys(i.Env)) {
		o.Environ = append(o.Environ, name+"="+i.Env[name])
	}
	report, err := rehearsal.Run(ctx, o)
	if left, err := os.ReadDir(o.Temporary); err != nil || len(left) > 0 {
		i.t.Errorf("%v stays (%v)", left, err)
	}
	if now := i.files(); now != files {
		i.t.Errorf("the files were\n%sand are\n%s", files, now)
	}
	for _, q := range i.service.Requests()[requests:] {
		if q.Method != http.MethodGet || !strings.HasPrefix(q.Client, "billing-sandbox-copy") {
			i.t.Errorf("the service got %s %s from %s", q.Method, q.Path, q.Client)
		}
	}
	return report, err
}

func (i *infrastructure) read(file string) []byte {
	i.t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		i.t.Fatal(err)
	}
	return content
}

// files are the names and contents of everything in the folder.
func (i *infrastructure) files() (all string) {
	i.t.Helper()
	err := filepath.Walk(i.Dir, func(name string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		all += fmt.Sprintf("%s %s %x\n", name, info.Mode(), sha256.Sum256(content))
		return err
	})
	if err != nil {
		i.t.Fatal(err)
	}
	return all
}

const hooks = `
resource "billing_webhook_endpoint" "hooks" {
  url = "https://hooks.example.com/billing"
}
resource "billing_api_key" "ci" {
  name                = "ci"
  scopes              = ["webhook_endpoints:*"]
  rotate_when_changed = { v = "1" }
}
`

// A change that the service rejects is refused, and the report has the reason.
func TestRehearsalRefused(t *testing.T) {
	i := newApplied(t, teams(2, nil))
	w := &world{t: t, server: i.service, client: clientOf(i.service)}
	w.send("", "POST", "/v1/customers", fields{"name": "Other", "external_id": "crm-1"})
	i.Write("infra/main.tf", teams(3, func(n int) string {
		if n == 2 { // the external_id is taken
			return fmt.Sprintf("  name = \"crm-1\"\n  plan = %q\n", gold)
		}
		return ""
	}))
	i.run("init", "-input=false")
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 30})
	if err != nil {
		t.Fatal(err)
	}
	if report.Result != rehearsal.Refused || len(report.Refused) == 0 {
		t.Errorf("%+v", report)
	}
	rejected := slices.ContainsFunc(report.Sent, func(s rehearsal.Sent) bool { return s.Code == "external_id_taken" })
	if !rejected {
		t.Errorf("sent %+v", report.Sent)
	}
}

// A customer whose subscription another system has is not deleted: the rehearsal says so, and so does the apply.
func TestRehearsalOfRefusedDestroy(t *testing.T) {
	i := newApplied(t, teams(2, nil))
	w := &world{t: t, server: i.service, client: clientOf(i.service)}
	account := ""
	for id, of := range w.state(i.service, time.Time{}) {
		if strings.HasPrefix(id, "account ") && of["external_id"] == "team-1" {
			account = fmt.Sprint(of["id"])
		}
	}
	if w.send("", "POST", "/v1/subscriptions", fields{"billing_account_id": account, "plan_id": gold}) == "" {
		t.Fatal("the subscription of another system was not created")
	}
	i.Write("infra/main.tf", teams(1, nil))
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 30})
	if err != nil {
		t.Fatal(err)
	}
	refused := slices.ContainsFunc(report.Sent, func(s rehearsal.Sent) bool {
		return s.Code == "customer_has_active_subscriptions" || s.Code == "billing_account_has_active_subscriptions"
	})
	if report.Result != rehearsal.Refused || !refused {
		t.Errorf("%+v", report)
	}
	if out, err := i.inFolder("apply", "-auto-approve", "-input=false").CombinedOutput(); err == nil {
		t.Errorf("the apply succeeds: %s", out)
	}
}

// A copy without what the state has is no copy to rehearse on: the plan would create it again.
func TestRehearsalWithFewScopes(t *testing.T) {
	i := newApplied(t, teams(1, nil))
	i.Write("infra/main.tf", teams(0, nil))
	file := i.plan()
	token, err := i.service.NewToken(sandbox.Token{Scopes: []string{"customers:read", "billing_accounts:read"}})
	if err != nil {
		t.Fatal(err)
	}
	i.Env["BILLING_TOKEN"] = token
	_, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1, File: file, Plan: i.read(file)})
	if want := "the copy leaves out subscriptions (the token lacks the scope subscriptions:read)"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// An interrupt ends the rehearsal whatever Terraform does at that time, and the folder is as it was.
func TestRehearsalInterrupted(t *testing.T) {
	acctest.Long(t)
	i := newInfrastructure(t)
	i.Write("infra/main.tf", teams(4, nil))
	i.run("init", "-input=false")
	file := i.plan()
	for wait := 20 * time.Millisecond; wait < 200*time.Millisecond; wait += 15 * time.Millisecond {
		ctx, stop := context.WithCancel(t.Context())
		_, err := i.rehearse(ctx, rehearsal.Options{Days: 30, File: file, Plan: i.read(file), Progress: func(text string) {
			if text == "apply on the copy" {
				time.AfterFunc(wait, stop)
			}
		}})
		if err == nil {
			t.Errorf("it came to its end within %s", wait)
		}
	}
}

// inFolder is a run of Terraform in the folder of the configuration.
func (i *infrastructure) inFolder(arguments ...string) *exec.Cmd {
	command := i.Command(arguments...)
	command.Dir = filepath.Clean(i.folder)
	return command
}
