package main

import (
	"bytes"
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

// controlTimeout bounds one question to the control listener.
const controlTimeout = 10 * time.Second

// controller talks to the control listener of a running sandbox.
type controller struct {
	p           program
	base, token string
	client      *http.Client
}

// controller finds the running sandbox by the environment.
func (p program) controller() (*controller, error) {
	base, token := p.getenv("BILLING_SANDBOX_CONTROL_URL"), p.getenv("BILLING_SANDBOX_CONTROL_TOKEN")
	caFile := p.getenv("BILLING_CA_CERTIFICATE_FILE")
	if base == "" || token == "" || caFile == "" {
		return nil, errors.New("which sandbox? Set BILLING_SANDBOX_CONTROL_URL, BILLING_SANDBOX_CONTROL_TOKEN and " +
			"BILLING_CA_CERTIFICATE_FILE: load the exports that \"" + p.called() + " serve\" printed or wrote")
	}
	pem, err := os.ReadFile(caFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, p.ended(base)
	}
	if err != nil {
		return nil, fmt.Errorf("read BILLING_CA_CERTIFICATE_FILE: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("BILLING_CA_CERTIFICATE_FILE: %s holds no PEM certificate", caFile)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	return &controller{p: p, base: base, token: token, client: &http.Client{Transport: transport,
		Timeout: controlTimeout}}, nil
}

// ask sends body, when there is one, and reads the response into into.
func (c *controller) ask(ctx context.Context, method, path string, body, into any) error {
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
		return refusal(response.Status, content)
	}
	return json.Unmarshal(content, into)
}

// endedError says that the sandbox which the environment names does not run any more.
type endedError struct{ text string }

func (e *endedError) Error() string { return e.text }

// ended names a sandbox that has ended, by one of its addresses.
func (p program) ended(base string) error {
	return &endedError{p.expand("the sandbox at " + strings.TrimPrefix(base, "https://") +
		" is not running any more. Start it with " +
		"\"{sandbox} serve --env-file sandbox.env\", then load the new exports with \". ./sandbox.env\"")}
}

// unreachable explains why a request got no response. Nothing listens on an address of this machine when the sandbox
// there has ended.
func (p program) unreachable(base string, err error) error {
	var dial *net.OpError
	if address, parseErr := url.Parse(base); parseErr == nil && errors.As(err, &dial) && dial.Op == "dial" &&
		!dial.Timeout() &&
		!errors.Is(err, context.Canceled) &&
		sandbox.Loopback(address.Hostname()) {
		return p.ended(base)
	}
	return fmt.Errorf("the sandbox at %s does not respond: %w", base, err)
}

// whetherEnded asks the sandbox that the environment names whether it still runs: an endedError when it does not, else
// nil.
func (p program) whetherEnded(ctx context.Context) error {
	var ended *endedError
	control, err := p.controller()
	if err == nil {
		var clock sandbox.ClockState
		err = control.ask(ctx, http.MethodGet, "/clock", nil, &clock)
	}
	if errors.As(err, &ended) {
		return ended
	}
	return nil
}

// refusal makes an error of what the control listener says.
func refusal(status string, response []byte) error {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(response, &body); err != nil || body.Error.Message == "" {
		return fmt.Errorf("the sandbox responded with %s", status)
	}
	return errors.New(body.Error.Message)
}
