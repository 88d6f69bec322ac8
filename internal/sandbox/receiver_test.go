package sandbox_test

import (
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// consumer receives webhooks on loopback and returns the configured response.
type consumer struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []webhook
}

// webhook is a delivery as the consumer saw it.
type webhook struct {
	path   string
	header http.Header
	body   string
}

func consume(t *testing.T) *consumer {
	t.Helper()
	c := &consumer{status: http.StatusOK}
	c.Server = httptest.NewUnstartedServer(c)
	c.Config.ErrorLog = log.New(io.Discard, "", 0)
	c.StartTLS()
	t.Cleanup(c.Close)
	return c
}

func (c *consumer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	c.got = append(c.got, webhook{r.URL.Path, r.Header, string(body)})
	status := c.status
	c.mu.Unlock()
	w.Header().Set("Location", "/moved")
	w.WriteHeader(status)
}

// respond makes the consumer return the status from here on.
func (c *consumer) respond(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}

// take returns what has been received since the last call.
func (c *consumer) take() []webhook {
	c.mu.Lock()
	defer c.mu.Unlock()
	got := slices.Clone(c.got)
	c.got = nil
	return got
}

// reaching is a sandbox on a fixed clock that may send to the consumer.
func (c *consumer) reaching(t *testing.T) (*sandbox.Server, caller) {
	t.Helper()
	server := start(t, c.options())
	return server, collect(t, server)
}

func (c *consumer) options() sandbox.Options {
	pool := x509.NewCertPool()
	pool.AddCert(c.Certificate())
	return sandbox.Options{Start: morning, AllowLoopbackReceivers: true, ReceiverCAs: pool}
}

// settle waits until what is due has been sent.
func settle(t *testing.T, server *sandbox.Server) {
	t.Helper()
	if err := server.WaitDeliveries(t.Context()); err != nil {
		t.Fatal(err)
	}
}
