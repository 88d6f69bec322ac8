package acctest

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Shows changes the responses that the provider gets from now on; tests still see what the service has.
func (s *Service) Shows(change func(*bend.Exchange)) {
	s.Sandbox.Bend(bend.Rule{Do: func(x *bend.Exchange) {
		if strings.HasPrefix(x.Client, "terraform-provider-billing") {
			change(x)
		}
	}})
}

// through returns the same service behind proxies that process every response.
func (s *Service) through(seen func(*http.Response) error) *Service {
	s.t.Helper()
	through := *s
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
type wire struct{ sandbox *sandbox.Server }

// RoundTrip implements http.RoundTripper.
func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(73 * time.Millisecond)
	return w.sandbox.RoundTrip(r)
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
