// Command dev builds the provider and the sandbox, and installs the provider for Terraform and OpenTofu. It does not
// change the user's settings:
//
//	go run ./internal/cmd/dev [terraform or tofu ...]    from the root of the repository
//
// It writes a filesystem mirror, the CLI configuration dev.tfrc and billing-sandbox to bin, and prints shell commands
// that enable them. Without arguments it installs the provider for both terraform and tofu if they are in PATH.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/recurring-billing/terraform-provider-billing/internal/mirror"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := install(ctx, os.Stdout, "bin", os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "dev: %v\n", err)
		os.Exit(1)
	}
}

// install builds the provider of the current folder and installs it in dir for each program.
func install(ctx context.Context, out io.Writer, dir string, programs []string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if len(programs) == 0 {
		programs = inPath()
	}
	if len(programs) == 0 {
		return errors.New("found neither terraform nor tofu: add one to PATH, or set TERRAFORM=/path/to/terraform")
	}
	fmt.Fprintln(out, "Building the provider and the sandbox. The first time this takes several minutes.")
	// The mirror of an earlier build remains in use until the new one is complete.
	providers, settings := filepath.Join(dir, "mirror"), filepath.Join(dir, "dev.tfrc")
	fresh := providers + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	for _, path := range programs {
		program, err := mirror.Inspect(ctx, path)
		if err != nil {
			return err
		}
		if err := mirror.Build(ctx, ".", ".", program.Executable(fresh), program.Platform); err != nil {
			return err
		}
		fmt.Fprintf(out, "Built the provider as %s %s for %s (version %s).\n", program.Address, mirror.Version, path,
			program.Version)
	}
	sandbox := filepath.Join(dir, "billing-sandbox")
	if runtime.GOOS == "windows" {
		sandbox += ".exe"
	}
	if err := mirror.Build(ctx, ".", "./internal/cmd/sandbox", sandbox, ""); err != nil {
		return err
	}
	if err := os.RemoveAll(providers); err != nil {
		return err
	}
	if err := os.Rename(fresh, providers); err != nil {
		return err
	}
	if err := os.WriteFile(settings, mirror.First(providers), 0o600); err != nil {
		return err
	}
	fmt.Fprintf(out, "Built %s.\n", sandbox)
	fmt.Fprintln(out, "After a new build, delete .terraform.lock.hcl and run init again: the build has another checksum.")
	fmt.Fprint(out, use(settings, runtime.GOOS))
	return nil
}

// inPath returns the programs that are in PATH.
func inPath() []string {
	var found []string
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	return found
}

// use returns instructions for using the settings and the sandbox, for the usual shell of the system first.
func use(settings, system string) string {
	quoted := func(text, quote string) string { return "'" + strings.ReplaceAll(text, "'", quote) + "'" }
	dir := filepath.Dir(settings)
	powershell := "  $env:TF_CLI_CONFIG_FILE = " + quoted(settings, "''") + "\n  $env:PATH = " + quoted(dir, "''") +
		" + [IO.Path]::PathSeparator + $env:PATH\n"
	bin := quoted(dir, `'\''`)
	if system == "windows" {
		bin = `"$(cygpath ` + bin + `)"` // a colon separates the folders of PATH
	}
	posix := "  export TF_CLI_CONFIG_FILE=" + quoted(settings, `'\''`) + "\n  export PATH=" + bin + ":\"$PATH\"\n"
	if system == "windows" {
		return "\nPaste these lines:\n\n" + powershell + "\nIn Git Bash instead:\n\n" + posix
	}
	return "\nPaste these lines:\n\n" + posix + "\nIn PowerShell instead:\n\n" + powershell
}
