package finance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// service is what a test runs against. It stands between the tests and the server that answers, so that they need not know which one.
type service struct {
	fake    *fake
	baseURL string
	token   string
	caFile  string
	client  *http.Client
	keys    int // used by Must
	t       *testing.T
}

// start gives the test a service of its own.
func start(t *testing.T) *service {
	t.Helper()
	if os.Getenv("BILLING_ACC_LIVE") == "1" {
		t.Skip("needs a service of its own: what a live one keeps in its collections is not known")
	}
	s := &service{token: "eyJhbGciOiJIUzUxMiJ9.eyJzdWIiOiJ0ZXN0In0.c2lnbmF0dXJl", t: t}
	fake, server := newFake(s.token)
	t.Cleanup(server.Close)
	s.fake, s.baseURL, s.client = fake, server.URL, server.Client()
	s.caFile = filepath.Join(t.TempDir(), "ca.pem")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(s.caFile, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// Config is a configuration with the provider block for this service before it. extra are further lines of the provider block.
func (s *service) Config(body string, extra ...string) string {
	block := fmt.Sprintf("provider \"billing\" {\n  finance_base_url = %q\n  finance_token = %q\n  ca_certificate_file = %q\n", s.baseURL, s.token, s.caFile)
	for _, line := range extra {
		block += "  " + line + "\n"
	}
	return block + "}\n\n" + body
}

// Must speaks to the service directly, as another system would, and answers the data of the answer.
func (s *service) Must(method, path string, body acctest.JSON) acctest.JSON {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(context.WithoutCancel(s.t.Context()), method, s.baseURL+path, bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPost {
		s.keys++
		req.Header.Set("X-Idempotency-Key", fmt.Sprintf("99999999-9999-4999-8999-%012d", s.keys))
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var answer struct{ Data acctest.JSON }
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &answer)
	}
	if err != nil || resp.StatusCode/100 != 2 {
		s.t.Fatalf("%s %s: status %d: %s", method, path, resp.StatusCode, raw)
	}
	return answer.Data
}

// All are the records of a collection, as the service stores them.
func (s *service) All(collection string) []acctest.JSON {
	s.fake.mu.Lock()
	defer s.fake.mu.Unlock()
	return append([]acctest.JSON(nil), s.fake.records[collection]...)
}

// Only is the one record of a collection.
func (s *service) Only(collection string) acctest.JSON {
	s.t.Helper()
	all := s.All(collection)
	if len(all) != 1 {
		s.t.Fatalf("%s has %d records, want one", collection, len(all))
	}
	return all[0]
}

// Set changes how the service behaves from now on.
func (s *service) Set(change func(*fake)) {
	s.fake.mu.Lock()
	defer s.fake.mu.Unlock()
	change(s.fake)
}

// Asked counts the requests with a method and path so far.
func (s *service) Asked(request string) (n int) {
	s.fake.mu.Lock()
	defer s.fake.mu.Unlock()
	for _, asked := range s.fake.asked {
		if asked == request {
			n++
		}
	}
	return n
}
