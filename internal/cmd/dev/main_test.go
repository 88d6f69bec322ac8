package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestAccPastedLines checks that the printed lines suffice: init, a lock file, a local module, plan and apply work as
// with a release, and billing-sandbox is in PATH.
func TestAccPastedLines(t *testing.T) {
	acctest.Long(t)
	tf := acctest.NewTerraformWithoutProvider(t).At(acctest.Start(t))
	t.Chdir("../../..")
	bin := filepath.Join(t.TempDir(), "it's here")
	var out strings.Builder
	if err := install(t.Context(), &out, bin, []string{acctest.TerraformProgram()}); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(bin, "dev.tfrc")
	printed := use(settings, runtime.GOOS)
	if !strings.HasSuffix(out.String(), printed) {
		t.Errorf("dev printed\n%s", out.String())
	}
	if runtime.GOOS != "windows" {
		shell := exec.CommandContext(t.Context(), "sh", "-c", strings.Split(printed, "\n\n")[1]+"\nbilling-sandbox version")
		if version, err := shell.CombinedOutput(); err != nil || !strings.HasPrefix(string(version), "billing-sandbox ") {
			t.Errorf("in a shell with %s: %v, %s", printed, err, version)
		}
	}

	tf.Env["TF_CLI_CONFIG_FILE"] = settings
	tf.Write("main.tf", `
terraform {
  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

module "customer" {
  source = "./customer"
}
`)
	if err := os.Mkdir(filepath.Join(tf.Dir, "customer"), 0o755); err != nil {
		t.Fatal(err)
	}
	tf.Write("customer/main.tf", acctest.Versions+`
resource "billing_customer" "aurora" {
  external_id = "aurora-dev"
  name        = "Padaria Aurora"
}
`)
	tf.Run("init", "-no-color", "-input=false")
	if lock := tf.Read(".terraform.lock.hcl"); !strings.Contains(lock, "recurring-billing/billing") {
		t.Errorf("the lock file is\n%s", lock)
	}
	tf.Run("apply", "-no-color", "-auto-approve")
	if out := tf.Run("plan", "-no-color"); !strings.Contains(out, "No changes.") ||
		strings.Contains(out, "development overrides") {
		t.Errorf("the second plan is\n%s", out)
	}
}

func TestUse(t *testing.T) {
	t.Parallel()
	for system, want := range map[string]string{
		"windows": "Paste these lines:\n\n  $env:TF_CLI_CONFIG_FILE = '/o''brien/dev.tfrc'\n  $env:PATH = '/o''brien' + " +
			"[IO.Path]::PathSeparator + $env:PATH\n\nIn Git Bash instead:\n\n  export ",
		"linux": "Paste these lines:\n\n  export TF_CLI_CONFIG_FILE='/o'\\''brien/dev.tfrc'\n  export PATH='/o'\\''brien'" +
			":\"$PATH\"\n\nIn PowerShell instead:\n\n  $env:",
	} {
		if text := use(filepath.FromSlash("/o'brien/dev.tfrc"), system); !strings.Contains(text, want) {
			t.Errorf("on %s the text is\n%s", system, text)
		}
	}
}

// TestRejectedPrograms checks that programs that cannot use the provider are named, and that an earlier installation
// stays.
func TestRejectedPrograms(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	bin := t.TempDir()
	installed := filepath.Join(bin, "mirror", "installed")
	if err := os.MkdirAll(installed, 0o700); err != nil {
		t.Fatal(err)
	}
	rejected := map[string]string{"": "TERRAFORM=", filepath.Join(bin, "nope"): "nope"}
	if runtime.GOOS != "windows" {
		old := filepath.Join(bin, "old")
		script := "#!/bin/sh\necho '{\"terraform_version\": \"1.5.7\", \"platform\": \"linux_amd64\"}'\n"
		if err := os.WriteFile(old, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		rejected[old] = "old is version 1.5.7; the provider needs 1.11 or newer"
		rejected["/bin/echo"] = "/bin/echo is not Terraform or OpenTofu"
	}
	for program, want := range rejected {
		err := install(t.Context(), &strings.Builder{}, bin, strings.Fields(program))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %q: %v", program, err)
		}
		if _, err := os.Stat(installed); err != nil {
			t.Errorf("with %q: %v", program, err)
		}
	}
}
