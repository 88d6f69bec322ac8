// Package hello is what a rehearsal and the provider say to each other: the file that leads the provider to a copy, and
// the greeting by which the provider proves, each time it is configured, that it talks to that copy.
package hello

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Variable is the environment variable with the name of the file.
const Variable = "BILLING_REHEARSAL"

// Protocol is the version of the file and the greeting. A provider and a command with different versions reject each
// other.
const Protocol = 1

// Summaries of the provider's diagnostics in a rehearsal. Terraform shows warnings with equal summaries as one.
const (
	Warning = "Rehearsal on a copy"
	Refused = "Not the copy of this configuration"
	Outside = "Not in a rehearsal"
)

// Services are the names of the services, in the order of the provider's arguments.
var Services = []string{"billing", "finance", "collections"}

// Service is how the provider reaches a service of the copy.
type Service struct {
	Address string `json:"address"`
	Token   string `json:"token"`
}

// File leads a provider to the copy.
type File struct {
	Protocol int    `json:"protocol"`
	Number   string `json:"number"` // of the run: random, and known only to the copy
	Folder   string `json:"folder"` // the temporary folder, in which the provider must run
	// Hello is the address that the greeting is sent to.
	Hello string `json:"hello"`
	// Services are those of the copy by name.
	Services map[string]Service `json:"services"`
	// AuthHeader is the header for the key of collections; empty: Authorization.
	AuthHeader string `json:"auth_header,omitempty"`
	// CACertificateFile is the file with the certificate of the copy's authority, in PEM.
	CACertificateFile string `json:"ca_certificate_file"`
}

// FileName is the name of the file, in the temporary folder of a rehearsal.
const FileName = "billing-rehearsal.json"

// Write writes the file into the folder, readable only by its owner, and returns its name.
func (f File) Write() (name string, err error) {
	f.Protocol = Protocol
	content, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	name = filepath.Join(f.Folder, FileName)
	return name, os.WriteFile(name, content, 0o600)
}

// Find returns the file of the rehearsal in which this process runs, or nil outside of one. It is an error if the
// process runs in the folder of a rehearsal without the variable: a program between has removed it, and the plan at
// hand is for the copy.
func Find(getenv func(string) string) (*File, error) {
	if name := getenv(Variable); name != "" {
		f, err := Read(name)
		return &f, err
	}
	working, err := os.Getwd()
	if err != nil {
		return nil, nil //nolint:nilerr // then it is not that of a rehearsal
	}
	for parent := filepath.Dir(working); parent != working; working, parent = parent, filepath.Dir(parent) {
		if _, err := os.Stat(filepath.Join(working, FileName)); err == nil {
			return nil, fmt.Errorf("this run is in %s, the folder of a rehearsal, and %s is not set: the program that starts "+
				"Terraform removes it. The provider uses no service", working, Variable)
		}
	}
	return nil, nil
}

// unset ends every error about a file that cannot be used.
const unset = "The provider uses no service. Unset " + Variable + ", which only \"billing-sandbox rehearse\" sets"

// largest limits the size of the file in bytes.
const largest = 1 << 20

// Read reads the file, and checks that it leads to a copy on this machine: it must be readable only by its owner, its
// addresses https on a loopback address, and the working directory of this process in the folder of the rehearsal. So
// a variable that stays behind in a shell never leads a plan of a real configuration to a copy.
func Read(name string) (File, error) {
	f, err := read(name)
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return File{}, fmt.Errorf("%s is %q: %w. %s", Variable, name, err, unset)
	}
	return f, nil
}

func read(name string) (f File, err error) {
	file, err := os.Open(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return f, errors.New("there is no such file; that rehearsal has ended")
	case err != nil:
		return f, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	info, err := file.Stat()
	switch {
	case err != nil:
		return f, err
	case !info.Mode().IsRegular():
		return f, errors.New("it is not a file")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return f, fmt.Errorf("others may read or write the file (mode %04o); a rehearsal writes it with mode 0600",
			info.Mode().Perm())
	}
	content, err := io.ReadAll(io.LimitReader(file, largest))
	if err != nil {
		return f, err
	}
	if json.Unmarshal(content, &f) != nil || f.Number == "" {
		return f, errors.New("it is not the file of a rehearsal")
	}
	return f, nil
}

func (f File) check() error {
	if f.Protocol != Protocol {
		return fmt.Errorf("it has version %d, and this provider reads version %d; use a provider and a billing-sandbox "+
			"of the same release", f.Protocol, Protocol)
	}
	addresses := []string{f.Hello}
	for _, service := range f.Services {
		addresses = append(addresses, service.Address)
	}
	for _, address := range addresses {
		if err := loopback(address); err != nil {
			return err
		}
	}
	working, err := os.Getwd()
	if err != nil {
		return err
	}
	if !within(working, f.Folder) {
		return fmt.Errorf("the rehearsal runs in %s, and this is %s", f.Folder, working)
	}
	return nil
}

// loopback accepts https on a literal loopback address. A name could be resolved to any address.
func loopback(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("it has an invalid address")
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme != "https" || ip == nil || !ip.IsLoopback() || u.User != nil {
		return fmt.Errorf("its address %s://%s is not https on a loopback address such as 127.0.0.1", u.Scheme, u.Host)
	}
	return nil
}

// within reports whether a folder is another one, or is in it.
func within(folder, in string) bool {
	root, err := os.Stat(in)
	if err != nil {
		return false
	}
	for {
		info, err := os.Stat(folder)
		if err != nil {
			return false
		}
		if os.SameFile(info, root) {
			return true
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return false
		}
		folder = parent
	}
}

// Use is a service as the configuration and the environment would reach it without a rehearsal.
type Use struct {
	Address string `json:"address,omitempty"`
	// Digest is the token's, made by Digest. It shows whether two tokens are the same one, and nothing else.
	Digest string `json:"digest,omitempty"`
	// From names the argument or variable of each, for messages.
	AddressFrom string `json:"address_from,omitempty"`
	TokenFrom   string `json:"token_from,omitempty"`
}

// Greeting is what a configured provider says.
type Greeting struct {
	Protocol int            `json:"protocol"`
	Version  string         `json:"version"` // of the provider
	Services map[string]Use `json:"services"`
}

// Digest returns the keyed hash of a token; "" for none. The key is the number of the run.
func Digest(number, token string) string {
	if token == "" {
		return ""
	}
	hash := hmac.New(sha256.New, []byte(number))
	hash.Write([]byte(token))
	return hex.EncodeToString(hash.Sum(nil))
}

// SameAddress reports whether two addresses of a service are the same but for a slash at the end.
func SameAddress(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// timeout limits a greeting, which stays on this machine.
const timeout = 30 * time.Second

// Send sends the greeting. An error is the copy's reason to refuse this provider, or that it does not answer.
func (f File) Send(ctx context.Context, g Greeting) error {
	g.Protocol = Protocol
	body, err := json.Marshal(g)
	if err != nil {
		return err
	}
	pem, err := os.ReadFile(f.CACertificateFile)
	if err != nil {
		return fmt.Errorf("the certificate of the rehearsal: %w. %s", err, unset)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem) // without one, the copy's is rejected
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.Hello+"/"+url.PathEscape(f.Number),
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(request)
	if err != nil {
		return fmt.Errorf("the copy at %s does not answer: %w. %s", f.Hello, err, unset)
	}
	defer func() { _ = response.Body.Close() }() // it has been read
	text, err := io.ReadAll(io.LimitReader(response.Body, largest))
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusNoContent:
		return nil
	case response.StatusCode == http.StatusConflict:
		return errors.New(string(text))
	}
	return fmt.Errorf("the server at %s does not know this rehearsal (status %d). %s", f.Hello, response.StatusCode, unset)
}
