package rehearsal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes files, and returns their folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A workspace repeats the path up to the root of the repository. What Terraform could read by any path is there.
func TestWorkspaceRepeatsThePath(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		"outside/o.txt": "o", "repo/.git/HEAD": "main", "repo/common.txt": "c", "repo/modules/team/main.tf": "",
		"repo/stacks/prod/main.tf":                         "terraform {\n  backend \"s3\" {}\n}\n",
		"repo/stacks/prod/data/deep/x.txt":                 "x",
		"repo/stacks/prod/prod.tfvars":                     "n = 1",
		"repo/stacks/prod/.terraform.lock.hcl":             "lock",
		"repo/stacks/prod/terraform.tfstate":               "{}",
		"repo/stacks/prod/.terraform/terraform.tfstate":    "{}",
		"repo/stacks/prod/.terraform/modules/modules.json": "{}",
		"repo/stacks/prod/.terraform/modules/m/main.tf":    "",
		"repo/stacks/net/terraform.tfstate":                "net",
	})
	folder := filepath.Join(root, "repo", "stacks", "prod")
	if err := os.Chmod(filepath.Join(folder, "data", "deep", "x.txt"), 0); err != nil {
		t.Fatal(err) // it is never opened
	}
	w, err := prepare(folder, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(w.folder, filepath.Join("repo", "stacks", "prod")) {
		t.Errorf("the folder is %s", w.folder)
	}
	for name, there := range map[string]bool{
		"../../common.txt": true, "../../modules/team/main.tf": true, "../net/terraform.tfstate": true,
		"data/deep/x.txt": true, "prod.tfvars": true, ".terraform.lock.hcl": true, "../../.git/HEAD": true,
		".terraform/modules/m/main.tf": true, ".terraform/modules/modules.json": true, "main.tf": true,
		"terraform.tfstate": false, ".terraform/terraform.tfstate": false, "../../../outside": false,
	} {
		if exists(filepath.Join(w.folder, name)) != there {
			t.Errorf("%s is there: %t, want %t", name, !there, there)
		}
	}
	for _, name := range []string{"main.tf", ".terraform.lock.hcl", ".terraform/modules/modules.json"} {
		info, err := os.Lstat(filepath.Join(w.folder, name))
		if err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s is %v (%v), want a copy", name, info, err)
		}
	}
	if content, err := os.ReadFile(filepath.Join(w.folder, "main.tf")); strings.Contains(string(content), "s3") {
		t.Errorf("the backend stays: %s (%v)", content, err)
	}
	temporary := w.temporary
	if err := w.remove(); err != nil || exists(temporary) || !exists(filepath.Join(folder, "data")) {
		t.Errorf("removed: %v", err)
	}
	if _, err := prepare(filepath.Join(root, "outside"), "", t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "has no Terraform configuration") {
		t.Errorf("a folder without configuration: %v", err)
	}
}

// Where links are not possible, files and folders are copied, and a file that is too large for that is named.
func TestWorkspaceWithoutLinks(t *testing.T) {
	t.Parallel()
	from, to := tree(t, map[string]string{"a.txt": "a", "data/b.txt": "b", "huge": ""}), t.TempDir()
	if err := os.Truncate(filepath.Join(from, "huge"), mostBytes+1); err != nil {
		t.Fatal(err)
	}
	w := &workspace{}
	for _, name := range []string{"a.txt", "data", "huge"} {
		w.copy(filepath.Join(from, name), filepath.Join(to, name))
	}
	for name, there := range map[string]bool{"a.txt": true, "data/b.txt": true, "huge": false} {
		if exists(filepath.Join(to, name)) != there {
			t.Errorf("%s is there: %t, want %t", name, !there, there)
		}
	}
	if len(w.notLinked) != 1 || filepath.Base(w.notLinked[0]) != "huge" {
		t.Errorf("%q are named", w.notLinked)
	}
}

// The temporary folder can be inside of the configuration, and is not linked into itself.
func TestWorkspaceInsideTheFolder(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{".git/HEAD": "", "main.tf": "", "tmp/keep": ""})
	w, err := prepare(root, "", filepath.Join(root, "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(w.folder, "tmp")) {
		t.Error("the temporary folder contains itself")
	}
	if err := w.remove(); err != nil {
		t.Error(err)
	}
}

// A killed rehearsal's folder is removed by the next one; that of a running one stays.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	root, temporary := tree(t, map[string]string{"main.tf": ""}), t.TempDir()
	running, err := prepare(root, "", temporary)
	if err != nil {
		t.Fatal(err)
	}
	killed, err := prepare(root, "", temporary)
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.lock.Close(); err != nil { // as the kernel does
		t.Fatal(err)
	}
	next, err := prepare(root, "", temporary)
	if err != nil {
		t.Fatal(err)
	}
	if exists(killed.temporary) || exists(killed.temporary+lockFile) || !exists(running.temporary) {
		t.Errorf("the killed one is there: %t, the running one: %t", exists(killed.temporary), exists(running.temporary))
	}
	if err := errors.Join(running.remove(), next.remove()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v stays (%v)", left, err)
	}
}

// Backends are removed from every kind of file, and nothing else is.
func TestWithoutBackend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, want string }{
		"native": {"main.tf", "terraform {\n  required_version = \">= 1\"\n  backend \"s3\" {\n    key = \"x\"\n  }\n}\n",
			"terraform {\n  required_version = \">= 1\"\n}\n"},
		"cloud":   {"c_override.tofu", "terraform {\n  cloud {\n    organization = \"x\"\n  }\n}\n", "terraform {\n}\n"},
		"untouch": {"main.tf", "terraform {}\n# backend\nlocals{x=1}\n", "terraform {}\n# backend\nlocals{x=1}\n"},
		"json": {"main.tf.json", `{"terraform":{"backend":{"s3":{}},"required_version":"1"},"x":{"backend":1},"x":12345678901234567890}`,
			`{"terraform":{"required_version":"1"},"x":{"backend":1},"x":12345678901234567890}`},
		"several": {"m.tofu.json", `{"terraform":[{"cloud":{}},{"backend":{"local":{}},"a":1}]}`, `{"terraform":[{},{"a":1}]}`},
	} {
		got, invalid := withoutBackend(c.file, []byte(c.text))
		if string(got) != c.want || len(invalid) > 0 {
			t.Errorf("%s: %s, %v, want %s", name, got, invalid, c.want)
		}
	}
	for file, text := range map[string]string{"main.tf": "terraform {\n", "main.tf.json": `{"terraform":`, "x.tf.json": `[]`} {
		if got, invalid := withoutBackend(file, []byte(text)); string(got) != text || len(invalid) == 0 {
			t.Errorf("%s %q: %s, %v", file, text, got, invalid)
		}
	}
}

// Provisioners of removed blocks are in no plan.
func TestRemovedProvisioners(t *testing.T) {
	t.Parallel()
	removed := "removed {\n  from = billing_customer.x\n  provisioner \"local-exec\" {\n    when = destroy\n  }\n}\n"
	root := tree(t, map[string]string{".git/x": "", "infra/main.tf": "removed {\n  from = a.b\n}\n",
		"m/removed.tf":                          removed,
		"unused/removed.tf":                     removed,
		"infra/.terraform/modules/modules.json": `{"Modules":[{"Key":"","Dir":"."},{"Key":"m","Dir":"../m"}]}`})
	w, err := prepare(filepath.Join(root, "infra"), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	places, err := w.removedProvisioners()
	if err != nil || len(places) != 1 || places[0] != "removed.tf, line 1" {
		t.Errorf("%q, %v", places, err)
	}
	if err := w.remove(); err != nil {
		t.Error(err)
	}
}

// Only Terraform's own record proves that the backend of the rehearsal is in use.
func TestProofOfTheBackend(t *testing.T) {
	t.Parallel()
	w := &workspace{temporary: "/t", folder: tree(t, map[string]string{".terraform/x": ""}), data: ".terraform"}
	local := func(kind, path, workspaces string) string {
		return `{"backend":{"type":"` + kind + `","config":{"path":"` + path + `","workspace_dir":"` + workspaces + `"}}}`
	}
	for record, proven := range map[string]bool{
		local("local", "/t/state/terraform.tfstate", "/t/state/terraform.tfstate.d"): true,
		local("s3", "/t/state/terraform.tfstate", "/t/state/terraform.tfstate.d"):    false,
		local("local", "/prod.tfstate", "/t/state/terraform.tfstate.d"):              false,
		local("local", "/t/state/terraform.tfstate", "/prod"):                        false,
		"{}": false, "": false,
	} {
		name := filepath.Join(w.folder, ".terraform", stateFile)
		if err := os.WriteFile(name, []byte(record), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := w.prove(); (err == nil) != proven {
			t.Errorf("%s: %v", record, err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.prove(); err == nil {
		t.Error("no record proves the backend")
	}
}
