package rehearsal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A copy holds what the configuration refers to above its folder, in the same places.
func TestAbove(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  int
	}{
		"alone":                  {map[string]string{"main.tf": ""}, 0},
		"a module above":         {map[string]string{"main.tf": `module "x" { source = "../modules/x" }`}, 1},
		"a file two above":       {map[string]string{"main.tf": `locals { x = file("${path.module}/../../x") }`}, 2},
		"a module within":        {map[string]string{"main.tf": "", "m/x/main.tf": `locals { x = file("../../y") }`}, 0},
		"above from a module":    {map[string]string{"main.tf": "", "m/main.tf": `module "y" { source = "../../y" }`}, 1},
		"what Terraform ignores": {map[string]string{"main.tf": "", ".terraform/m/main.tf": `"../../../../.."`}, 0},
	} {
		folder := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(folder, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := above(folder); got != c.want || err != nil {
			t.Errorf("%s: %d, %v, want %d", name, got, err, c.want)
		}
	}
	if _, err := above(t.TempDir()); err == nil {
		t.Error("an empty folder is a configuration")
	}
}

// A provider block that leads past the copy is rejected, whatever the configuration calls the provider.
func TestProviderUnderAnotherName(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := "terraform {\n  required_providers {\n    pay = { source = \"recurring-billing/billing\" }\n  }\n}\n" +
		"provider \"pay\" {\n  token = var.token\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "main.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := prepare(folder, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.check(true), w.remove())
	want := "main.tf, line 6 sets token, which leads past the copy"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// Folders that are copied only because they are next to a module are not checked.
func TestFoldersThatAreNotUsed(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"infra/main.tf": "module \"t\" {\n  source = \"../modules/t\"\n}\n",
		"infra/.terraform/modules/modules.json": `{"Modules":[{"Key":"t","Dir":"../modules/t"},` +
			`{"Key":"t.r","Dir":".terraform/modules/t.r"}]}`,
		"infra/.terraform/modules/t.r/main.tf": "resource \"time_sleep\" \"s\" {}\n",
		"modules/t/main.tf":                    "module \"r\" {\n  source = \"a/b/c\"\n}\n",
		"other/main.tf":                        "provider \"billing\" {\n  token = \"x\"\n}\nresource \"null_resource\" \"n\" {}\n",
	} {
		name = filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	w, err := prepare(filepath.Join(root, "infra"), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.check(false); err != nil {
		t.Error(err)
	}
	if got := w.others(); !slices.Equal(got, []string{"time_sleep"}) {
		t.Errorf("other providers: %v", got)
	}
}
