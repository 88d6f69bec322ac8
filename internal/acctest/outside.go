package acctest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// ReadLag is a little longer than reads may lag behind a write: a provider that does not find an object which was just
// written waits for it, which would be for long where the service's clock stands.
const ReadLag = 11 * time.Second

// JSON is an object on the wire.
type JSON = map[string]any

// Call speaks to a service directly, as another system would: past Terraform, and past the provider's own client. The
// path says which service. It returns the status and the decoded body.
func (s *Service) Call(method, path string, body any) (int, JSON) {
	s.t.Helper()
	url, token := s.FinanceURL+path, s.FinanceToken
	switch top, _, _ := strings.Cut(strings.TrimPrefix(path, "/v1/"), "/"); {
	case strings.HasPrefix(path, "/api/"):
		url, token = s.CollectionsURL+path, s.CollectionsKey
	case billingPaths()[strings.Split(top, "?")[0]]: // what is below /v1 otherwise is a collection of finance
		url, token = s.BaseURL+path, s.Token
	}
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.http().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	response := JSON{}
	if err := modeltest.Decode(raw, &response); err != nil && len(raw) > 0 {
		s.t.Fatalf("%s %s: %s", method, url, raw)
	}
	// Reads may lag behind a write, so a provider waits where the service's clock stands and something has disappeared.
	if gone := method == http.MethodDelete && resp.StatusCode < http.StatusMultipleChoices; gone && s.Sandbox != nil &&
		s.Sandbox.Clock().Fixed() {
		s.Sandbox.Clock().Advance(ReadLag)
	}
	return resp.StatusCode, response
}

// billingPaths are the first parts of the paths of recurring billing, after /v1/.
var billingPaths = sync.OnceValue(func() map[string]bool {
	paths := map[string]bool{}
	for _, o := range sandbox.Operations() {
		if o.Service == sandbox.Billing {
			paths[strings.Split(o.Path, "/")[2]] = true
		}
	}
	return paths
})

// CallWithKey is Call for collections with another API key.
func (s *Service) CallWithKey(key, method, path string, body any) (int, JSON) {
	s.t.Helper()
	other := *s
	other.CollectionsKey = key
	return other.Call(method, path, body)
}

// Must is Call for what has to succeed; it returns the data of the response, or nothing where there is none.
func (s *Service) Must(method, path string, body any) JSON {
	s.t.Helper()
	status, response := s.Call(method, path, body)
	if status/100 != 2 {
		s.t.Fatalf("%s %s: status %d: %v", method, path, status, response)
	}
	data, _ := response["data"].(JSON)
	return data
}

// OtherToken is a token of recurring billing that belongs to another organization, and the id of that.
func (s *Service) OtherToken() (token, organization string) {
	s.t.Helper()
	other, err := s.Sandbox.NewOrganization(sandbox.Organization{Name: "Padaria Bela Vista"})
	if err != nil {
		s.t.Fatal(err)
	}
	token, err = s.Sandbox.NewToken(sandbox.Token{Service: sandbox.Billing, Organization: other.ID})
	if err != nil {
		s.t.Fatal(err)
	}
	return token, other.ID
}

// FinanceRecords are all records of a collection of financial management, as the service returns them.
func (s *Service) FinanceRecords(collection string) (records []JSON) {
	s.t.Helper()
	for cursor := ""; ; {
		path := "/v1/" + collection + "?limit=100" + cursor
		status, response := s.Call(http.MethodGet, path, nil)
		if status != http.StatusOK {
			s.t.Fatalf("GET %s: status %d: %v", path, status, response)
		}
		items, _ := response["data"].([]any)
		for _, item := range items {
			record, _ := item.(JSON)
			records = append(records, record)
		}
		meta, _ := response["meta"].(JSON)
		next, more := meta["next_cursor"].(string)
		if !more {
			return records
		}
		cursor = "&cursor=" + url.QueryEscape(next)
	}
}

// Operations lists the operations of the requests that the sandbox has served since they were last reset, oldest first.
func (s *Service) Operations() []string {
	var names []string
	for _, request := range s.Sandbox.Requests() {
		names = append(names, request.Operation)
	}
	return names
}

// Count is how often one operation was requested.
func (s *Service) Count(operation string) int {
	n := 0
	for name := range slices.Values(s.Operations()) {
		if name == operation {
			n++
		}
	}
	return n
}

func (s *Service) http() *http.Client {
	roots, err := x509.SystemCertPool()
	if err != nil {
		s.t.Fatal(err)
	}
	if s.CAFile != "" {
		pem, err := os.ReadFile(s.CAFile)
		if err != nil {
			s.t.Fatal(err)
		}
		roots.AppendCertsFromPEM(pem)
	}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true,
	}}
}
