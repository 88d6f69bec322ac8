package acctest

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Rewriting returns the same service behind a proxy that changes every response, to imitate a service that differs:
// change gets the requested path and the whole response, and then each object in it.
func (s *Service) Rewriting(change func(path string, object JSON)) *Service {
	s.t.Helper()
	return s.through(func(r *http.Response) error { return rewrite(r, change) })
}

// through returns the same service behind proxies that process every response.
func (s *Service) through(seen func(*http.Response) error) *Service {
	s.t.Helper()
	through := *s
	if s.Dial != nil {
		through.Dial = func() http.RoundTripper { return wire{s.Sandbox, seen} }
		return &through
	}
	through.CAFile = filepath.Join(s.t.TempDir(), "ca.pem")
	for _, address := range []*string{&through.BaseURL, &through.FinanceURL, &through.CollectionsURL} {
		if *address != "" {
			*address = s.proxy(*address, through.CAFile, seen)
		}
	}
	return &through
}

// wire reaches a sandbox without listeners. A request takes time, so that one that is repeated without a pause does not
// stop the virtual clock.
type wire struct {
	sandbox *sandbox.Server
	seen    func(*http.Response) error // processes each response; nil: nothing does
}

// RoundTrip implements http.RoundTripper.
func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(73 * time.Millisecond)
	response, err := w.sandbox.RoundTrip(r)
	if err == nil && w.seen != nil {
		err = w.seen(response)
	}
	return response, err
}

// proxy starts a proxy for one address, and writes its certificate, which is the same for every proxy.
func (s *Service) proxy(address, certificateFile string, seen func(*http.Response) error) string {
	s.t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		s.t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Transport:      s.http().Transport,
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: seen,
	}
	server := httptest.NewTLSServer(proxy)
	s.t.Cleanup(server.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(certificateFile, certificate, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return server.URL
}

func rewrite(r *http.Response, change func(path string, object JSON)) error {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := r.Body.Close(); err != nil {
		return err
	}
	var response JSON
	if modeltest.Decode(raw, &response) == nil {
		change(r.Request.URL.Path, response)
		switch data := response["data"].(type) {
		case JSON:
			change(r.Request.URL.Path, data)
		case []any:
			for _, item := range data {
				if object, ok := item.(JSON); ok {
					change(r.Request.URL.Path, object)
				}
			}
		}
		if raw, err = json.Marshal(response); err != nil {
			return err
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	r.Header.Set("Content-Length", strconv.Itoa(len(raw)))
	return nil
}
