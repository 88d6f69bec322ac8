// Package hook implements a receiver of webhooks for tests.
package hook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Delivery is a request as the receiver got it.
type Delivery struct {
	Path   string
	Header http.Header
	Body   string
	Status int // of the response; 0 before
}

// Signature returns the time and the value of the signature.
func (d Delivery) Signature() (at, value string) {
	at, value, _ = strings.Cut(strings.TrimPrefix(d.Header.Get("X-Webhook-Signature"), "t="), ",v1=")
	return at, value
}

// SignedWith verifies the signature (service description, Collections §5).
func (d Delivery) SignedWith(secret string) bool {
	at, value := d.Signature()
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s", at, d.Body)
	return hmac.Equal([]byte(value), []byte(hex.EncodeToString(mac.Sum(nil))))
}

// Response writes the response to a delivery.
type Response func(w http.ResponseWriter, d Delivery)

// Status is a response with a body, which may be empty.
func Status(code int, body string) Response {
	return func(w http.ResponseWriter, _ Delivery) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body) // the sender notes what became of it
	}
}

// Receiver is a consumer of webhooks. It accepts everything unless told otherwise.
type Receiver struct {
	// URL is its address, on loopback.
	URL string

	certificate *x509.Certificate
	mu          sync.Mutex
	got         []*Delivery
	response    Response
}

// Start starts a receiver that the test closes at its end.
func Start(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{response: Status(http.StatusOK, "")}
	server := httptest.NewUnstartedServer(r)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	r.URL, r.certificate = server.URL, server.Certificate()
	return r
}

// At is the address under the name of a host, for which the certificate is valid if it is example.com or below.
func (r *Receiver) At(host string) string {
	_, port, _ := strings.Cut(strings.TrimPrefix(r.URL, "https://"), ":")
	return "https://" + net.JoinHostPort(host, port)
}

// CAs trust the certificate.
func (r *Receiver) CAs() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(r.certificate)
	return pool
}

// PEM is the certificate as a file has it.
func (r *Receiver) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.certificate.Raw})
}

// Respond sets the response from now on.
func (r *Receiver) Respond(response Response) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.response = response
}

// Got lists what has come, oldest first.
func (r *Receiver) Got() []Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	var got []Delivery
	for _, d := range r.got {
		got = append(got, *d)
	}
	return got
}

// Take is Got since the last call.
func (r *Receiver) Take() []Delivery {
	got := r.Got()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = slices.Clone(r.got[len(got):])
	return got
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the sender has gone away
	}
	d := &Delivery{Path: request.URL.Path, Header: request.Header.Clone(), Body: string(body)}
	r.mu.Lock()
	r.got = append(r.got, d)
	response := r.response
	r.mu.Unlock()
	response(&noting{w, r, d}, *d)
}

// noting keeps the status of a response.
type noting struct {
	http.ResponseWriter
	of *Receiver
	d  *Delivery
}

// WriteHeader implements http.ResponseWriter.
func (n *noting) WriteHeader(status int) {
	n.of.mu.Lock()
	n.d.Status = status
	n.of.mu.Unlock()
	n.ResponseWriter.WriteHeader(status)
}
