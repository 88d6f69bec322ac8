package rehearsal_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/hello"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const required = "terraform {\n  required_providers {\n    billing = { source = \"recurring-billing/billing\" " +
	"}\n  }\n}\n"

// customer is a resource with a name.
func customer(label, name string) string {
	return fmt.Sprintf("resource \"billing_customer\" %q {\n  name = %q\n}\n", label, name)
}

// sent are the operations of a report, sorted.
func operations(report *rehearsal.Report) (all []string) {
	if report == nil {
		return nil
	}
	for _, s := range report.Sent {
		all = append(all, s.Operation)
	}
	slices.Sort(all)
	return all
}

// states is a service that keeps states, as backend "http" wants it, and counts what is more than reading.
type states struct {
	*httptest.Server
	mu     sync.Mutex
	state  []byte
	writes []string
}

func newStates(t *testing.T) *states {
	s := &states{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.Method != http.MethodGet {
			s.writes = append(s.writes, r.Method)
		}
		switch {
		case r.Method == http.MethodPost:
			s.state, _ = io.ReadAll(r.Body)
		case r.Method == http.MethodGet && s.state == nil:
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodGet:
			_, _ = w.Write(s.state)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Wherever the state is, and however the configuration says so, a rehearsal reads it and changes nothing there.
func TestStateCannotBeReached(t *testing.T) {
	for name, c := range map[string]struct {
		files     map[string]string // DIR is the folder of the test, ADDRESS a service with states
		env       []string
		init      []string
		workspace string
	}{
		"in an override file": {files: map[string]string{"main.tf": "terraform {\n  backend \"local\" {}\n}\n",
			"zz_override.tf": "terraform {\n  backend \"local\" {\n    path = \"DIR/prod.tfstate\"\n  }\n}\n"}},
		"in a late JSON override": {files: map[string]string{"zzz_override.tf.json": `{"terraform":[{"backend":` +
			`{"local":[{"path":"DIR/prod.tfstate"}]}}]}`, "a_override.tf": "terraform {\n  backend \"local\" {}\n}\n"}},
		"at a service": {files: map[string]string{"b.tf": "terraform {\n  backend \"http\" {\n    address        = \"ADDRESS\"\n" +
			"    lock_address   = \"ADDRESS/lock\"\n    unlock_address = \"ADDRESS/lock\"\n  }\n}\n"}},
		"in partial configuration": {files: map[string]string{"b.tf": "terraform {\n  backend \"http\" {}\n}\n"},
			init: []string{"-backend-config=address=ADDRESS"},
			env:  []string{"TF_CLI_ARGS_init=-backend-config=address=ADDRESS"}},
		"in a workspace": {files: map[string]string{"b.tf": "terraform {\n  backend \"local\" {}\n}\n"}, workspace: "prod"},
		"in another data folder": {files: map[string]string{"b.tf": "terraform {\n  backend \"local\" {\n    path = \"x/y\"\n  }\n}\n"},
			env: []string{"TF_DATA_DIR=.data"}},
		"in a data folder elsewhere": {env: []string{"TF_DATA_DIR=DIR/elsewhere/data"}},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInfrastructure(t)
			service := newStates(t)
			put := strings.NewReplacer("DIR", i.Dir, "ADDRESS", service.URL)
			for file, text := range c.files {
				i.Write("infra/"+file, put.Replace(text))
			}
			environ := []string{}
			for _, one := range c.env {
				name, value, _ := strings.Cut(put.Replace(one), "=")
				environ = append(environ, name+"="+value)
				if name == "TF_DATA_DIR" {
					i.Env[name] = value
				}
			}
			i.Write("infra/customers.tf", required+customer("c", "C")+"output \"w\" {\n  value = terraform.workspace\n}\n")
			arguments := []string{"init", "-input=false"}
			for _, one := range c.init {
				arguments = append(arguments, put.Replace(one))
			}
			i.run(arguments...)
			if c.workspace != "" {
				i.run("workspace", "new", c.workspace)
			}
			i.run("apply", "-auto-approve", "-input=false")
			i.Write("infra/customers.tf", required+customer("c", "C2")+customer("d", "D"))
			written := len(service.writes)
			report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, Environ: environ})
			if err != nil || report.Result != rehearsal.Applied {
				t.Fatalf("%v %+v", err, report)
			}
			if got := operations(report); !slices.Equal(got, []string{"customers.create", "customers.update"}) {
				t.Errorf("sent %v", got)
			}
			if now := service.writes; len(now) > written {
				t.Errorf("the service with the state got %v", now[written:])
			}
			if said := strings.Join(report.LeftOut, " "); (c.init != nil) != strings.Contains(said,
				"TF_CLI_ARGS_init (-backend-config)") {
				t.Errorf("left out: %s", said)
			}
		})
	}
}

// program writes a script that plays Terraform. TERRAFORM in it is the real one.
func (i *infrastructure) program(script string) string {
	i.t.Helper()
	name := filepath.Join(i.t.TempDir(), "wrapper")
	script = "#!/bin/sh\n" + strings.ReplaceAll(script, "TERRAFORM", acctest.TerraformProgram())
	if err := os.WriteFile(name, []byte(script), 0o700); err != nil {
		i.t.Fatal(err)
	}
	return name
}

// Whatever a program that starts Terraform does, nothing but the copy gets a request that changes something.
func TestProgramsAroundTerraform(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"sets the variables again": {"export BILLING_BASE_URL=@BASE@ BILLING_TOKEN=@TOKEN@\nexec TERRAFORM \"$@\"\n", ""},
		"empties the environment": {"exec env -i CHECKPOINT_DISABLE=1 PATH=\"$PATH\" HOME=\"$HOME\" TF_CLI_CONFIG_FILE=\"$TF_CLI_CONFIG_FILE\" " +
			"BILLING_BASE_URL=@BASE@ BILLING_TOKEN=@TOKEN@ BILLING_CA_CERTIFICATE_FILE=\"$BILLING_CA_CERTIFICATE_FILE\" TERRAFORM \"$@\"\n",
			"BILLING_REHEARSAL is not set"},
		"unsets it for the apply": {"[ \"$1\" = apply ] && unset BILLING_REHEARSAL\nexec TERRAFORM \"$@\"\n", "has not said in the apply"},
		"changes the folder":      {"cd @FOLDER@\nexec TERRAFORM \"$@\"\n", "does not work in the folder in which it is started"},
		"has its own data folder": {"export TF_DATA_DIR=@FOLDER@/.terraform\nexec TERRAFORM \"$@\"\n",
			"does not work in the folder in which it is started"},
	} {
		t.Run(name, func(t *testing.T) {
			i := newApplied(t, required+customer("c", "C"))
			i.Write("infra/main.tf", required+customer("c", "C2")+customer("d", "D"))
			put := strings.NewReplacer("@BASE@", i.Env["BILLING_BASE_URL"], "@TOKEN@", i.Env["BILLING_TOKEN"], "@FOLDER@",
				i.folder)
			// The program reads the state too, and is not the sandbox's client.
			report, err := i.rehearseWith(i.program(put.Replace(c.script)),
				rehearsal.Options{Days: 1})
			switch {
			case c.want == "" && (err != nil || report.Result != rehearsal.Applied || len(report.Sent) != 2):
				t.Errorf("%v %+v", err, report)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %s (%+v)", err, c.want, report)
			}
		})
	}
}

// rehearseWith rehearses with a program. It compares only the state of the files, and that the service gets only GETs.
func (i *infrastructure) rehearseWith(program string, o rehearsal.Options) (*rehearsal.Report, error) {
	i.t.Helper()
	files, requests := i.files(), len(i.service.Requests())
	o.Folder, o.Program, o.Temporary = i.folder, program, i.t.TempDir()
	o.Environ = append(o.Environ, "PATH="+os.Getenv("PATH"), "HOME="+os.Getenv("HOME"))
	for name, value := range i.Env {
		o.Environ = append(o.Environ, name+"="+value)
	}
	report, err := rehearsal.Run(i.t.Context(), o)
	if now := i.files(); now != files {
		i.t.Errorf("the files were\n%sand are\n%s", files, now)
	}
	for _, q := range i.service.Requests()[requests:] {
		if q.Method != http.MethodGet {
			i.t.Errorf("the service got %s %s from %s", q.Method, q.Path, q.Client)
		}
	}
	return report, err
}

// Provider blocks with the same organization's addresses and tokens are rehearsed, in modules and for aliases too.
// Those of another organization are rejected by name. The environment's guards hold.
func TestProviderBlocks(t *testing.T) {
	i := newInfrastructure(t)
	same := fmt.Sprintf("  base_url = %q\n  token = var.token\n", i.Env["BILLING_BASE_URL"]+"/")
	i.Write("infra/main.tf", required+"variable \"token\" {}\nprovider \"billing\" {\n"+same+"}\nprovider "+
		"\"billing\" {\n  alias = \"a\"\n"+
		same+"}\n"+customer("c", "C")+strings.Replace(customer("d", "D"), "{", "{\n  provider = billing.a", 1))
	i.run("init", "-input=false")
	token := "-var=token=" + i.Env["BILLING_TOKEN"]
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, Arguments: []string{token}})
	if err != nil || report.Result != rehearsal.Applied || len(report.Sent) != 2 || len(report.Warnings) != 0 {
		t.Fatalf("%v %+v", err, report)
	}
	if got := report.Plan; got != (rehearsal.Counts{Add: 2, Billing: 2}) {
		t.Errorf("the plan has %+v", got)
	}
	theirs, err := i.service.NewOrganization(sandbox.Organization{Name: "Theirs"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := i.service.NewToken(sandbox.Token{Organization: theirs.ID})
	if err != nil {
		t.Fatal(err)
	}
	_, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1, Arguments: []string{"-var", "token=" + other}})
	if err == nil || !strings.Contains(err.Error(), "the provider argument token has another token than BILLING_TOKEN") {
		t.Errorf("another organization: %v", err)
	}
	i.Env["BILLING_ENVIRONMENT"] = "production"
	report, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1, Arguments: []string{token}})
	if err != nil || report.Result != rehearsal.Refused || report.Refused[0].Summary != "Wrong environment" {
		t.Errorf("wrong environment: %v %+v", err, report)
	}
}

// A variable that is still set in another shell never leads the real configuration to a copy.
func TestVariableOfARehearsal(t *testing.T) {
	i := newInfrastructure(t)
	i.Write("infra/main.tf", required+customer("c", "C"))
	i.run("init", "-input=false")
	var said []byte
	var failed error
	temporary := t.TempDir()
	o := rehearsal.Options{Folder: i.folder, Program: acctest.TerraformProgram(), Days: 1, Temporary: temporary}
	o.Progress = func(text string) {
		if text == "terraform apply" {
			found, err := filepath.Glob(filepath.Join(temporary, "*", hello.FileName))
			if err != nil || len(found) != 1 {
				t.Errorf("%v, %v", found, err)
				return
			}
			command := i.inFolder("plan", "-input=false", "-no-color")
			command.Env = append(command.Environ(), hello.Variable+"="+found[0])
			said, failed = command.CombinedOutput()
		}
	}
	for name, value := range i.Env {
		o.Environ = append(o.Environ, name+"="+value)
	}
	if _, err := rehearsal.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(strings.Fields(string(said)), " "); failed == nil || !strings.Contains(text,
		"Not in a rehearsal") ||
		!strings.Contains(text, "Unset BILLING_REHEARSAL") {
		t.Errorf("%v %s", failed, said)
	}
}

// Without being asked to, a rehearsal runs no provisioner and carries out no change of another provider, and it leaves
// no billing change out silently.
func TestOthersAreLeftAlone(t *testing.T) {
	i := newInfrastructure(t)
	ran := filepath.Join(t.TempDir(), "ran")
	// created and destroyed run something; the state of quiet exists nowhere else.
	others := func(version string) string {
		return fmt.Sprintf(`
resource "terraform_data" "loud" {
  triggers_replace = %[1]q
  input            = "loud %[1]s"
  provisioner "local-exec" { command = "echo created >> %[2]s" }
  provisioner "local-exec" {
    when    = destroy
    command = "echo destroyed >> %[2]s"
  }
}
resource "terraform_data" "quiet" { input = "quiet %[1]s" }
`, version, ran)
	}
	module := "module \"m\" {\n  source   = \"../modules/one\"\n  for_each = toset(%s)\n  name     = each.key\n}\n"
	if err := os.MkdirAll(filepath.Join(i.Dir, "modules", "one"), 0o700); err != nil {
		t.Fatal(err)
	}
	i.Write("modules/one/main.tf", required+"variable \"name\" {}\n"+
		"resource \"billing_customer\" \"c\" {\n  count = 2\n  name  = \"${var.name} ${count.index}\"\n}\n")
	i.Write("infra/main.tf", required+others("1")+fmt.Sprintf(module, `["a"]`)+customer("q", "${terraform_data.quiet.output}")+
		customer("l", "${terraform_data.loud.output}"))
	i.run("init", "-input=false")
	i.run("apply", "-auto-approve", "-input=false")
	if err := os.Remove(ran); err != nil {
		t.Fatal(err)
	}
	moved := "moved {\n  from = terraform_data.quiet\n  to   = terraform_data.calm\n}\n"
	next := strings.ReplaceAll(others("2"), `"quiet"`, `"calm"`)
	i.Write("infra/main.tf", required+next+moved+fmt.Sprintf(module, `["a", "b[\"x"]`)+customer("q", "${terraform_data.calm.output}")+
		customer("l", "loud 1"))
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1})
	if err != nil || report.Result != rehearsal.Applied {
		t.Fatalf("%v %+v", err, report)
	}
	if got, want := operations(report), []string{"customers.create", "customers.create",
		"customers.update"}; !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
	if want := (rehearsal.Counts{Add: 3, Change: 2, Destroy: 1, Billing: 3}); report.Plan != want {
		t.Errorf("the plan is %+v, want %+v", report.Plan, want)
	}
	if len(report.LeftOut) != 1 || !strings.Contains(report.LeftOut[0], "terraform_data.loud") {
		t.Errorf("left out: %q", report.LeftOut)
	}
	i.Write("infra/main.tf", required+next+moved+fmt.Sprintf(module, `["a", "b"]`)+customer("q", "${terraform_data.calm.output}")+
		customer("l", "${terraform_data.loud.output}"))
	_, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1})
	if err == nil || !strings.Contains(err.Error(), "carried out for real: terraform_data.loud.") {
		t.Errorf("a dependency with a provisioner: %v", err)
	}
	report, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1, Partial: true})
	if err != nil || report.Result != rehearsal.Applied || report.NotRehearsed != 1 || len(report.Sent) != 3 {
		t.Errorf("%v %+v", err, report)
	}
	var text strings.Builder
	if err := report.Page().Text(&text); err != nil || !strings.Contains(text.String(),
		"1 of 4 billing changes not rehearsed\n") {
		t.Errorf("%v %s", err, text.String())
	}
	i.Write("infra/removed.tf", "removed {\n  from = billing_customer.gone\n  lifecycle {\n    destroy = true\n  }\n"+
		"  provisioner \"local-exec\" {\n    when    = destroy\n    command = \"echo removed >> "+ran+"\"\n  }\n}\n")
	_, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1, Partial: true})
	if err == nil || !strings.Contains(err.Error(), "a removed block has a provisioner") {
		t.Errorf("a removed block: %v", err)
	}
	if content, err := os.ReadFile(ran); err == nil {
		t.Errorf("provisioners ran: %s", content)
	}
	i.Write("infra/removed.tf", "")
	if report, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1, All: true}); err != nil ||
		report.Result != rehearsal.Applied {
		t.Errorf("%v %+v", err, report)
	}
	if content, err := os.ReadFile(ran); err != nil || string(content) != "destroyed\ncreated\n" {
		t.Errorf("with All, %q ran (%v)", content, err)
	}
}

// The arguments and files of the user's plans are those of the rehearsal's.
func TestArgumentsOfPlans(t *testing.T) {
	i := newInfrastructure(t)
	i.Write("infra/main.tf", required+"variable \"n\" { default = \"default\" }\nvariable \"m\" { default = "+
		"\"default\" }\n"+
		"locals { up = \"..\" }\n"+
		"locals {\n  text = trimspace(file(\"${local.up}/common.txt\"))\n}\n"+
		customer("n", "${var.n} ${var.m} ${basename(abspath(path.root))} ${basename(path.cwd)} ${local.text}"))
	i.Write("common.txt", "common")
	i.Write("prod.tfvars", "n = \"prod\"")
	i.run("init", "-input=false")
	i.run("apply", "-auto-approve", "-input=false", "-var-file=../prod.tfvars", "-var=m=x")
	for name, c := range map[string]rehearsal.Options{
		"variables": {Environ: []string{"TF_CLI_ARGS_plan=-var-file=../prod.tfvars -lock-timeout=1s"}},
		"flags":     {Environ: []string{"TF_CLI_ARGS_plan='-var-file=../prod.tfvars'", "TF_CLI_ARGS=-no-color"}, Arguments: []string{"-var", "m=x"}},
		"destroy":   {Environ: []string{"TF_CLI_ARGS_plan=-destroy"}},
		"apply":     {Environ: []string{"TF_CLI_ARGS_apply=-auto-approve -var=m=x"}},
	} {
		c.Days = 1
		report, err := i.rehearse(t.Context(), c)
		want := map[string]string{"variables": "TF_CLI_ARGS_plan has -lock-timeout, which a rehearsal cannot use",
			"destroy": "TF_CLI_ARGS_plan has -destroy, which a rehearsal cannot use", "apply": "TF_CLI_ARGS_apply sets -var, and the plan"}[name]
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", name, err, want)
		case want == "" && (err != nil || report.Result != rehearsal.Applied || len(report.Sent) != 0):
			t.Errorf("%s: %v %+v", name, err, report)
		}
	}
}

// With a provider under development init installs nothing. Its error is the reason only where that matters.
func TestProviderUnderDevelopment(t *testing.T) {
	i := newInfrastructure(t)
	built, err := acctest.BuiltProvider()
	if err != nil {
		t.Fatal(err)
	}
	i.Write("cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n}\n",
		"recurring-billing/billing", built))
	for name, c := range map[string]struct{ more, want string }{
		"applied":       {"", rehearsal.Applied},
		"another token": {"provider \"billing\" {\n  token = \"other\"\n}\n", "has another token than BILLING_TOKEN"},
		"invalid":       {"resource \"billing_customer\" \"x\" {}\n", rehearsal.Refused},
		"no variable":   {"variable \"must\" {}\n", "No value for required variable"},
	} {
		i.Write("infra/main.tf", required+customer("c", "C")+c.more)
		report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1})
		if err == nil && report.Result != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v %+v, want %s", name, err, report, c.want)
		}
	}
	i.Write("cli.tfrc", "provider_installation {\n  filesystem_mirror {\n    path = \""+t.TempDir()+"\"\n  }\n}\n")
	i.Write("infra/main.tf", required+customer("c", "C"))
	if _, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1}); err == nil || !strings.Contains(err.Error(),
		"init failed") {
		t.Errorf("not installed: %v", err)
	}
}
