package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// controlTimeout limits one request to the control listener.
const controlTimeout = 10 * time.Second

type controller struct {
	p           program
	base, token string
	client      *http.Client // nil: not connected yet
}

func (c *controller) connect() error {
	if c.client != nil {
		return nil
	}
	c.base = cmp.Or(c.base, c.p.getenv("BILLING_SANDBOX_CONTROL_URL"))
	c.token = c.p.getenv("BILLING_SANDBOX_CONTROL_TOKEN")
	caFile := c.p.getenv("BILLING_CA_CERTIFICATE_FILE")
	if c.base != "" && !isAddress(c.base) {
		return errors.New("BILLING_SANDBOX_CONTROL_URL or --control-url is not an address")
	}
	plain := strings.HasPrefix(c.base, "http://")
	if c.base == "" || c.token == "" || caFile == "" && !plain {
		return errors.New("no sandbox is selected: set BILLING_SANDBOX_CONTROL_URL, BILLING_SANDBOX_CONTROL_TOKEN and " +
			"BILLING_CA_CERTIFICATE_FILE, as 'eval \"$(" + c.p.called() + " env)\"' does for a sandbox that runs")
	}
	if plain {
		c.client = &http.Client{Timeout: controlTimeout}
		return nil
	}
	pem, err := os.ReadFile(caFile)
	if errors.Is(err, fs.ErrNotExist) {
		return c.p.notRunning(c.base)
	}
	if err != nil {
		return fmt.Errorf("read BILLING_CA_CERTIFICATE_FILE: %w", withoutPath(err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return errors.New("the file BILLING_CA_CERTIFICATE_FILE holds no PEM certificate")
	}
	c.client = &http.Client{Timeout: controlTimeout, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
	}}
	return nil
}

// isAddress reports whether a text is the address of a service. An error does not repeat one that is not: it may be a
// token.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// withoutPath removes the path from the error of a file whose name may be a token.
func withoutPath(err error) error {
	if wrapped := new(fs.PathError); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// get sends a GET request and decodes the response.
func get[T any](ctx context.Context, c *controller, path string) (response T, err error) {
	err = c.ask(ctx, http.MethodGet, path, nil, &response)
	return response, err
}

// do sends a command and ignores the response body.
func (c *controller) do(ctx context.Context, method, path string, body any) error {
	var nothing struct{}
	return c.ask(ctx, method, path, body, &nothing)
}

// ask sends body, if any, and decodes the response into into.
func (c *controller) ask(ctx context.Context, method, path string, body, into any) error {
	if err := c.connect(); err != nil {
		return err
	}
	var payload bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&payload).Encode(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, &payload)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return c.p.unreachable(c.base, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read the response of the sandbox: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return rejected(response, content)
	}
	return json.Unmarshal(content, into)
}

type endedError struct{ text string }

func (e *endedError) Error() string { return e.text }

// notRunning explains a missing CA certificate. A sandbox removes it on exit; if something is still listening, the path
// is wrong.
func (p program) notRunning(base string) error {
	dialer := net.Dialer{Timeout: controlTimeout}
	conn, err := dialer.DialContext(context.Background(), "tcp", strings.TrimPrefix(base, "https://"))
	if err != nil {
		return p.unreachable(base, err)
	}
	return errors.Join(conn.Close(), fmt.Errorf("the file with the CA certificate of the sandbox at %s does not exist; "+
		"that sandbox is running: correct BILLING_CA_CERTIFICATE_FILE or --ca-certificate-file", base))
}

// unreachable explains why a request got no response. On a local address without a listener, the sandbox has exited.
func (p program) unreachable(base string, err error) error {
	var dial *net.OpError
	if address, parseErr := url.Parse(base); parseErr == nil && errors.As(err, &dial) && dial.Op == "dial" &&
		!dial.Timeout() &&
		!errors.Is(err, context.Canceled) &&
		sandbox.Loopback(address.Hostname()) {
		return &endedError{p.expand("the sandbox at " + address.Host + " is no longer running. Start it with " +
			"\"{sandbox} serve --detach\", then load the new exports: eval \"$({sandbox} env)\"")}
	}
	return fmt.Errorf("the sandbox at %s does not respond: %w", base, err)
}

// whetherEnded returns an endedError if the sandbox in the environment is no longer running, otherwise nil.
func (p program) whetherEnded(ctx context.Context) error {
	var ended *endedError
	if _, err := get[sandbox.ClockState](ctx, &controller{p: p}, "/clock"); errors.As(err, &ended) {
		return ended
	}
	return nil
}

// rejected converts an error response of the control listener. Validation errors refer to the command line.
func rejected(response *http.Response, content []byte) error {
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(content, &body); {
	case response.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("the sandbox rejected the token: set BILLING_SANDBOX_CONTROL_TOKEN to the control token of "+
			"this sandbox, %s", response.Request.URL.Host)
	case err != nil || body.Error.Message == "":
		return fmt.Errorf("the sandbox responded with %s", response.Status)
	case body.Error.Code == "validation_error":
		return usageError{body.Error.Message}
	default:
		return errors.New(body.Error.Message)
	}
}
