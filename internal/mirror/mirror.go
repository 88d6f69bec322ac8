// Package mirror installs a build of the provider the way Terraform and OpenTofu install a release: from a filesystem
// mirror, with a normal init, a lock file and modules.
package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Version is the version of the installed build. The examples require it or newer.
const Version = "0.1.0"

// Source is the source address of the provider. Terraform and OpenTofu each add the host of their own registry, so both
// can use the same CLI configuration.
const Source = "recurring-billing/billing"

// Program is a Terraform or OpenTofu program.
type Program struct {
	Path     string // of the executable
	Version  string // such as 1.11.4
	Platform string // such as linux_amd64; not always that of this machine
	Address  string // the provider's address with the host of the program's registry
}

var address = regexp.MustCompile(`provider\[(\S+/` + Source + `)\]`)

// Inspect returns a program's version, platform and address of the provider, and an error if it is too old. The program
// reads a configuration in a temporary folder, without a registry or init, and with an empty CLI configuration, because
// the user's may refer to missing files.
func Inspect(ctx context.Context, path string) (p Program, err error) {
	dir, err := os.MkdirTemp("", "billing-mirror-")
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	config := "terraform {\n  required_providers {\n    billing = { source = \"" + Source + "\" }\n  }\n}\n"
	settings := filepath.Join(dir, "none.tfrc")
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "main.tf"), []byte(config), 0o600),
		os.WriteFile(settings, nil, 0o600)); err != nil {
		return p, err
	}
	run := func(arguments ...string) ([]byte, error) {
		command := exec.CommandContext(ctx, path, arguments...)
		command.Dir = dir
		command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+settings, "CHECKPOINT_DISABLE=1")
		out, err := command.Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				out = append(out, exit.Stderr...)
			}
			return nil, fmt.Errorf("%s %s: %w\n%s", path, arguments[0], err, out)
		}
		return out, nil
	}
	out, err := run("version", "-json")
	if err != nil {
		return p, err
	}
	var release struct {
		Version  string `json:"terraform_version"` // OpenTofu uses the same names
		Platform string `json:"platform"`
	}
	if err := json.Unmarshal(out, &release); err != nil {
		return p, fmt.Errorf("%s is not Terraform or OpenTofu: version -json printed %q", path, out)
	}
	p = Program{Path: path, Version: release.Version, Platform: release.Platform}
	if !p.AtLeast(11) {
		return p, fmt.Errorf("%s is version %s; the provider needs 1.11 or newer", path, p.Version)
	}
	if out, err = run("providers"); err != nil {
		return p, err
	}
	found := address.FindSubmatch(out)
	if found == nil {
		return p, fmt.Errorf("%s providers does not name %s:\n%s", path, Source, out)
	}
	p.Address = string(found[1])
	return p, nil
}

// AtLeast reports whether the version is 1.minor or newer.
func (p Program) AtLeast(minor int) bool {
	var major, second int
	_, err := fmt.Sscanf(p.Version, "%d.%d", &major, &second)
	return err == nil && (major > 1 || major == 1 && second >= minor)
}

// Executable returns the path of the provider's executable in a mirror for this program.
func (p Program) Executable(mirror string) string {
	name := "terraform-provider-billing_v" + Version
	if strings.HasPrefix(p.Platform, "windows_") {
		name += ".exe"
	}
	return filepath.Join(p.Folder(mirror), Version, p.Platform, name)
}

// Folder returns the folder of a mirror for the provider's release archives for this program.
func (p Program) Folder(mirror string) string {
	return filepath.Join(mirror, filepath.FromSlash(p.Address))
}

// Build compiles a package of the repository at root. platform is Program.Platform; empty: this machine's.
func Build(ctx context.Context, root, pkg, output, platform string) error {
	command := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", output, pkg)
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if system, machine, found := strings.Cut(platform, "_"); found {
		command.Env = append(command.Env, "GOOS="+system, "GOARCH="+machine)
	}
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// Only returns a CLI configuration that installs providers only from the mirror, without network access.
func Only(mirror string) []byte {
	return fmt.Appendf(nil, "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n",
		filepath.ToSlash(mirror))
}

// First returns a CLI configuration that installs this provider from the mirror and all others as usual. The patterns
// have no host, so each program uses its own registry's.
func First(mirror string) []byte {
	return fmt.Appendf(nil, `provider_installation {
  filesystem_mirror {
    path    = %q
    include = [%q]
  }
  direct {
    exclude = [%q]
  }
}
`, filepath.ToSlash(mirror), Source, Source)
}
