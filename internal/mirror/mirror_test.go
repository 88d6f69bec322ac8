package mirror_test

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/mirror"
)

const root = "../.."

// released is the part of the release configuration that Terraform depends on.
type released struct {
	ProjectName string `yaml:"project_name"`
	Builds      []struct {
		ID     string `yaml:"id"`
		Binary string `yaml:"binary"`
	} `yaml:"builds"`
	Archives []struct {
		ID      string   `yaml:"id"`
		Formats []string `yaml:"formats"`
		Name    string   `yaml:"name_template"`
		Files   []string `yaml:"files"`
	} `yaml:"archives"`
}

// TestAccReleaseArchiveInstalls checks that terraform init can install a release archive: the names of the archive and
// of the program in it, and the protocol. It packs the archive according to .goreleaser.yml, because GoReleaser is not
// a dependency of the project; make release-check sets RELEASE_DIST to the folder with GoReleaser's own archives.
func TestAccReleaseArchiveInstalls(t *testing.T) {
	acctest.Long(t)
	tf := acctest.NewTerraformWithoutProvider(t).At(acctest.Start(t))
	dir := t.TempDir()
	program, err := mirror.Inspect(t.Context(), acctest.TerraformProgram())
	if err != nil {
		t.Fatal(err)
	}

	providers := filepath.Join(dir, "mirror")
	name, binary, files := release(t, program.Platform)
	archive := filepath.Join(program.Folder(providers), name)
	if dist := os.Getenv("RELEASE_DIST"); dist != "" {
		if err := os.CopyFS(filepath.Dir(archive), os.DirFS(dist)); err != nil {
			t.Fatal(err)
		}
	} else {
		built := filepath.Join(dir, binary)
		if err := mirror.Build(t.Context(), root, ".", built, program.Platform); err != nil {
			t.Fatal(err)
		}
		contents := map[string]string{binary: built}
		for _, file := range files {
			contents[file] = filepath.Join(root, file)
		}
		pack(t, archive, contents)
	}

	tf.Write("cli.tfrc", string(mirror.Only(providers)))
	tf.Write("main.tf", `
terraform {
  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

data "billing_organization" "this" {}

output "organization" { value = data.billing_organization.this.name }
`)
	tf.Run("init", "-no-color", "-input=false")
	if lock := tf.Read(".terraform.lock.hcl"); !strings.Contains(lock, `"zh:`) && !strings.Contains(lock, `"h1:`) {
		t.Errorf("the lock file has no checksum:\n%s", lock)
	}
	if out := tf.Run("apply", "-no-color", "-auto-approve"); !strings.Contains(out, "organization = ") {
		t.Errorf("apply printed\n%s", out)
	}
}

// TestAccInstallPage runs the scripts of the guide: build an archive with its sum, install it, and init. With
// -trimpath, all packages would be compiled again.
func TestAccInstallPage(t *testing.T) {
	acctest.Long(t)
	tf := acctest.NewTerraformWithoutProvider(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the scripts are those of linux on amd64")
	}
	for _, needed := range []string{"sh", "zip", "curl", "sha256sum"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(root, "templates", "guides", "install.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	scripts := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	if len(scripts) != 2 {
		t.Fatalf("%d scripts", len(scripts))
	}
	tf.Write("cli.tfrc", "")
	tf.Write("main.tf", `
terraform {
  required_providers {
    billing = {
      source = "recurring-billing/billing"
    }
  }
}
`)
	dist := t.TempDir()
	sh := func(dir, script string, more ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "sh", "-c", script)
		command.Dir, command.Env = dir, append(os.Environ(), more...)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	sh(root, strings.NewReplacer(`"dist/`, `"`+dist+"/", "cd dist", "cd "+dist, "-trimpath ", "").Replace(scripts[0][1]))
	terraform := t.TempDir()
	if err := os.Symlink(acctest.TerraformProgram(), filepath.Join(terraform, "terraform")); err != nil {
		t.Fatal(err)
	}
	sh(tf.Dir, scripts[1][1], "RELEASE=file://"+dist, "HOME="+tf.Dir, "PATH="+terraform+":"+os.Getenv("PATH"),
		"TF_CLI_CONFIG_FILE="+filepath.Join(tf.Dir, "cli.tfrc"))
	out := tf.Run("init", "-no-color", "-input=false")
	if !strings.Contains(out, "Installed recurring-billing/billing v0.1.0") {
		t.Errorf("init printed\n%s", out)
	}
}

// release returns the names of the provider's archive, of the program in it and of the other files, according to the
// release configuration.
func release(t *testing.T, platform string) (archive, binary string, files []string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, ".goreleaser.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var config released
	if err := yaml.Unmarshal(content, &config); err != nil {
		t.Fatal(err)
	}
	system, machine, _ := strings.Cut(platform, "_")
	expand := strings.NewReplacer("{{ .ProjectName }}", config.ProjectName, "{{ .Version }}", mirror.Version,
		"{{ .Os }}", system, "{{ .Arch }}", machine).Replace
	for _, build := range config.Builds {
		if build.ID == "provider" {
			binary = expand(build.Binary)
		}
	}
	for _, a := range config.Archives {
		if a.ID == "provider" && len(a.Formats) == 1 {
			archive, files = expand(a.Name)+"."+a.Formats[0], a.Files
		}
	}
	if archive == "" || binary == "" || strings.Contains(archive+binary, "{{") {
		t.Fatalf("the release configuration names the archive %q and the program %q", archive, binary)
	}
	return archive, binary, files
}

// pack writes files to a zip archive, by their names in it.
func pack(t *testing.T, path string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(out)
	for name, from := range files {
		in, err := os.Open(from)
		if err != nil {
			t.Fatal(err)
		}
		header := &zip.FileHeader{Name: name, Method: zip.Deflate}
		header.SetMode(0o755)
		entry, err := archive.CreateHeader(header)
		if err == nil {
			_, err = io.Copy(entry, in)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestExecutable(t *testing.T) {
	t.Parallel()
	p := mirror.Program{Platform: "windows_amd64", Address: "registry.example/recurring-billing/billing"}
	want := filepath.Join("m", "registry.example", "recurring-billing", "billing", mirror.Version, "windows_amd64",
		"terraform-provider-billing_v"+mirror.Version+".exe")
	if got := p.Executable("m"); got != want {
		t.Errorf("Executable = %s, not %s", got, want)
	}
}
