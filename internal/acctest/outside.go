package acctest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// ReadLag is slightly longer than reads may lag behind a write: a provider that does not find a recently written object
// waits for it, which takes long if the service's clock is stopped.
const ReadLag = 11 * time.Second

// JSON is an object on the wire.
type JSON = map[string]any

// Call sends a request directly, as another system would: without Terraform and the provider's client. The path selects
// the service. It returns the status and the decoded body.
func (s *Service) Call(method, path string, body any) (int, JSON) {
	s.t.Helper()
	url, token, _ := s.target(path)
	url += path
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
	if err := core.Decode(raw, &response); err != nil && len(raw) > 0 {
		s.t.Fatalf("%s %s: %s", method, url, raw)
	}
	// Reads may lag behind a write, so a provider waits after a deletion if the service's clock is stopped.
	if gone := method == http.MethodDelete && resp.StatusCode < http.StatusMultipleChoices; gone && s.Sandbox != nil &&
		s.Sandbox.Clock().Fixed() {
		s.Sandbox.Clock().Advance(ReadLag)
	}
	return resp.StatusCode, response
}

// target returns the address and the token of the service to which a path belongs, and its query for a large page.
func (s *Service) target(path string) (url, token, page string) {
	switch top, _, _ := strings.Cut(strings.TrimPrefix(path, "/v1/"), "/"); {
	case strings.HasPrefix(path, "/api/"):
		return s.CollectionsURL, s.CollectionsKey, "per_page=100"
	case billingPaths()[strings.Split(top, "?")[0]]: // other paths below /v1 are collections of finance records
		return s.BaseURL, s.Token, "per_page=100&sort_by=id" // otherwise each page has a different order
	}
	return s.FinanceURL, s.FinanceToken, "limit=100"
}

// billingPaths holds the first segments of the paths of recurring billing, after /v1/.
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

// Must is Call for a request that must succeed; it returns the data of the response, or nil.
func (s *Service) Must(method, path string, body any) JSON {
	s.t.Helper()
	status, response := s.Call(method, path, body)
	if status/100 != 2 {
		s.t.Fatalf("%s %s: status %d: %v", method, path, status, response)
	}
	data, _ := response["data"].(JSON)
	return data
}

// OtherToken returns a token of recurring billing for another organization, and the id of that organization.
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

// All returns the objects of a list, by its path.
func (s *Service) All(path string) (all []JSON) {
	s.t.Helper()
	_, _, query := s.target(path)
	for page, next := 1, ""; ; page++ {
		status, response := s.Call(http.MethodGet, path+"?"+query+next, nil)
		if status != http.StatusOK {
			s.t.Fatalf("GET %s: status %d: %v", path, status, response)
		}
		items, _ := response["data"].([]any)
		for _, item := range items {
			object, _ := item.(JSON)
			all = append(all, object)
		}
		meta, _ := response["meta"].(JSON)
		cursor, follows := meta["next_cursor"].(string)
		pages, _ := meta["total_pages"].(json.Number)
		last, _ := pages.Int64()
		switch {
		case follows:
			next = "&cursor=" + url.QueryEscape(cursor)
		case int64(page) < last:
			next = fmt.Sprintf("&page=%d", page+1)
		default:
			return all
		}
	}
}

// Operations lists the operations of the requests to the sandbox since the last reset, oldest first.
func (s *Service) Operations() []string {
	var names []string
	for _, request := range s.Sandbox.Requests() {
		names = append(names, request.Operation)
	}
	return names
}

// Count returns the number of requests of one operation.
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
	if s.Dial != nil {
		return &http.Client{Transport: s.Sandbox}
	}
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
