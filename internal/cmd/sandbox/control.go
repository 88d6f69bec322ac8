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
	"net/http"
	"os"
	"time"
)

// controlTimeout bounds one question to the control listener.
const controlTimeout = 10 * time.Second

// controller talks to the control listener of a running sandbox.
type controller struct {
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
	if err != nil {
		return nil, fmt.Errorf("read BILLING_CA_CERTIFICATE_FILE: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("BILLING_CA_CERTIFICATE_FILE: %s holds no PEM certificate", caFile)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	return &controller{base: base, token: token, client: &http.Client{Transport: transport, Timeout: controlTimeout}}, nil
}

// ask sends body, when there is one, and reads the answer into into.
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
		return fmt.Errorf("is the sandbox running? %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read the sandbox's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return refusal(response.Status, answer)
	}
	return json.Unmarshal(answer, into)
}

// refusal makes an error of what the control listener says.
func refusal(status string, answer []byte) error {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(answer, &body); err != nil || body.Error.Message == "" {
		return fmt.Errorf("the sandbox answered %s", status)
	}
	return errors.New(body.Error.Message)
}
