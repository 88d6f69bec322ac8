package acctest

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Hosts that the sandbox of a receiver knows. The provider rejects loopback addresses, as it must, so the receiver goes
// by a public name, which its certificate is for; the other name is one that turns out to be internal.
const (
	receiverHost = "example.com"
	internalHost = "intranet.example.com"
)

// InternalURL looks public, and leads into an internal network.
const InternalURL = "https://" + internalHost + "/hook"

// Receiver is a consumer of webhooks.
type Receiver struct {
	// URL is the address to register.
	URL string

	pool     *x509.CertPool
	mu       sync.Mutex
	status   int
	response string
	got      []Received
}

// Received is one request that a receiver got.
type Received struct {
	Header http.Header
	Body   string
}

// NewReceiver starts a consumer that accepts everything.
func NewReceiver(t *testing.T) *Receiver {
	t.Helper()
	r := &Receiver{status: http.StatusOK, response: "ok", pool: x509.NewCertPool()}
	server := httptest.NewTLSServer(r)
	t.Cleanup(server.Close)
	r.pool.AddCert(server.Certificate())
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	r.URL = "https://" + net.JoinHostPort(receiverHost, address.Port()) + "/hook"
	return r
}

// Receiving is the option of a sandbox that can reach the receiver.
func Receiving(r *Receiver) Option {
	return func(o *sandbox.Options) {
		o.AllowLoopbackReceivers, o.ReceiverCAs, o.Resolver = true, r.pool,
			hosts{receiverHost: "127.0.0.1", internalHost: "10.1.2.3"}
	}
}

type hosts map[string]string

// LookupNetIP implements sandbox.Resolver.
func (h hosts) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	address, known := h[host]
	if !known {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return nil, fmt.Errorf("the test's address of %s: %w", host, err)
	}
	return []netip.Addr{parsed}, nil
}

// Respond sets what the receiver returns from now on.
func (r *Receiver) Respond(status int, body string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.response = status, body
}

// Got lists what has come, oldest first.
func (r *Receiver) Got() []Received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Received(nil), r.got...)
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.got = append(r.got, Received{Header: req.Header.Clone(), Body: string(body)})
	status, response := r.status, r.response
	r.mu.Unlock()
	w.WriteHeader(status)
	_, _ = io.WriteString(w, response) // the sandbox notes what became of it
}
