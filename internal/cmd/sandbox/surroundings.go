package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Formats of --env-format.
const (
	envPOSIX      = "posix"
	envPowerShell = "powershell"
	envGitHub     = "github"
)

var envFormats = []string{envPOSIX, envPowerShell, envGitHub}

// envLines formats environment variables for the source command of a POSIX shell or PowerShell, or for a GITHUB_ENV
// file.
func envLines(format string, env map[string]string) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		switch {
		case format == envPowerShell:
			fmt.Fprintf(&lines, "$env:%s = '%s'\n", name, strings.ReplaceAll(value, "'", "''"))
		case format == envGitHub && strings.ContainsAny(value, "\r\n"):
			end := "END_OF_" + name
			for strings.Contains(value, end) {
				end += "_"
			}
			fmt.Fprintf(&lines, "%s<<%s\n%s\n%s\n", name, end, value, end)
		case format == envGitHub:
			fmt.Fprintf(&lines, "%s=%s\n", name, value)
		default:
			fmt.Fprintf(&lines, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
		}
	}
	return lines.String()
}

// envFile contains the environment variables while the sandbox runs.
type envFile struct{ path, content string }

// clear removes the file of a sandbox that has exited, so that waiting clients do not read stale addresses. If that
// sandbox is still running, it returns an error.
func (f envFile) clear(ctx context.Context, p program) error {
	info, err := os.Lstat(f.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	content, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	if base := p.runningIn(ctx, string(content)); base != "" {
		return errors.New(p.expand(fmt.Sprintf("the sandbox at %s, whose exports are in %s, is running. Use it, end it with "+
			"\"{sandbox} stop\", or name another file", base, f.path)))
	}
	return os.Remove(f.path)
}

// exported matches an export in any format.
var exported = regexp.MustCompile(`(?m)^(?:export |\$env:)?(BILLING_\w+)(?: = |=)'?([^'\r\n]*)'?\r?$`)

// exports are the values of variables.
type exports map[string]string

func (e exports) value(name string) string { return e[name] }

// exportsIn parses the exports in a file's content.
func exportsIn(content string) exports {
	all := exports{}
	for _, match := range exported.FindAllStringSubmatch(content, -1) {
		all[match[1]] = match[2]
	}
	return all
}

// runningIn returns the control address of the sandbox whose exports a file contains; empty if it has stopped.
func (p program) runningIn(ctx context.Context, content string) string {
	p.getenv = exportsIn(content).value
	c := &controller{p: p}
	_, err := get[sandbox.ClockState](ctx, c, "/clock")
	var ended *endedError
	var dial *net.OpError
	var other *tls.CertificateVerificationError // another sandbox now uses the port
	if errors.As(err, &ended) || errors.As(err, &other) || errors.As(err, &dial) && dial.Op == "dial" && !dial.Timeout() {
		return ""
	}
	return c.base
}

// remove removes the file unless another sandbox has overwritten it.
func (f envFile) remove() error {
	content, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(content) != f.content {
		return nil
	}
	return errors.Join(err, os.Remove(f.path))
}

// writeWhole replaces a file atomically with mode 0600, so that readers never see a partial file.
func writeWhole(path, content string) error {
	// CreateTemp sets mode 0600.
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

func receiverFlags(set *flag.FlagSet, o *sandbox.Options) {
	set.BoolVar(&o.AllowLoopbackReceivers, "allow-loopback-receivers", false, "allow webhook endpoints on this machine")
	set.Func("receiver-ca", "trust the authorities in this PEM `FILE` for webhook receivers too",
		func(file string) (err error) {
			o.ReceiverCAs, err = receiverAuthorities(file)
			return err
		})
	resolved := hosts{}
	set.Func("resolve", "resolve the host name of a webhook receiver to this address, repeatable; `HOST=IP`",
		func(spec string) error {
			o.Resolver = resolved
			return resolved.add(spec)
		})
}

// receiverAuthorities returns the system's authorities plus those in a PEM file.
func receiverAuthorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, withoutPath(err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // the machine has no system authorities
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("the file holds no PEM certificate")
	}
	return pool, nil
}

// hosts maps names of receivers to addresses set by the user. Other names are resolved as usual.
type hosts map[string]netip.Addr

func (h hosts) add(spec string) error {
	host, ip, found := strings.Cut(spec, "=")
	addr, err := netip.ParseAddr(ip)
	if !found || host == "" || err != nil {
		return errors.New("must be HOST=IP, such as hooks.example.com=127.0.0.1")
	}
	h[canonical(host)] = addr
	return nil
}

// LookupNetIP implements sandbox.Resolver.
func (h hosts) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if addr, ok := h[canonical(host)]; ok {
		return []netip.Addr{addr}, nil
	}
	return net.DefaultResolver.LookupNetIP(ctx, network, host)
}

// canonical normalizes a name for comparison.
func canonical(host string) string {
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
