package claims_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// open starts a sandbox that sends webhooks to this machine.
func open(t *testing.T, options sandbox.Options) sandbox.Options {
	t.Helper()
	options.AllowLoopbackReceivers, options.ReceiverCAs = true, receiverAuthorities(t)
	return options
}

// documents are those of every sandbox.
var documents = sync.OnceValues(func() (claims.Documents, error) { return claims.Documented(openAPI) })

var openAPITexts sync.Map

// openAPI is the document of a service, which takes a while to generate.
func openAPI(name string) ([]byte, error) {
	if text, is := openAPITexts.Load(name); is {
		return text.([]byte), nil
	}
	text, err := sandbox.OpenAPI(name, "https://sandbox")
	openAPITexts.Store(name, text)
	return text, err
}

// startSandbox starts a sandbox and returns it with everything that claims can use.
func startSandbox(t *testing.T, options sandbox.Options) (*sandbox.Server, claims.Target) {
	t.Helper()
	server, err := sandbox.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	token := func(wanted sandbox.Token) string {
		value, err := server.NewToken(wanted)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(server.CAPEM())
	described, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	past := server.Clock().Now().Add(-time.Hour)
	return server, claims.Target{
		BaseURL: server.BillingURL(), Token: server.BillingToken(),
		Client:       &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}},
		RevokedToken: token(sandbox.Token{Revoked: true}), ExpiredToken: token(sandbox.Token{Expires: past}),
		NarrowToken:    token(sandbox.Token{Scopes: []string{"customers:read"}}),
		FinanceBaseURL: server.FinanceURL(), FinanceToken: server.FinanceToken(),
		FinanceExpiredToken: token(sandbox.Token{Service: sandbox.Finance, Expires: past}),
		FinanceNarrowToken:  token(sandbox.Token{Service: sandbox.Finance, Scopes: []string{"accounts:read"}}),
		CollectionsBaseURL:  server.CollectionsURL(), CollectionsAPIKey: server.CollectionsKey(),
		Shapes: described.Shapes(), MaxPerPage: options.MaxPerPage, Settle: server.WaitDeliveries,
		Advance: func(_ context.Context, by time.Duration) error { server.Clock().Advance(by); return nil },
		Receive: func(_ context.Context, handler http.Handler) (string, func(), error) {
			receiver := httptest.NewTLSServer(handler)
			return receiver.URL, receiver.Close, nil
		},
	}
}

// receiverAuthorities contains the certificate that all test servers of net/http/httptest share.
func receiverAuthorities(t *testing.T) *x509.CertPool {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return pool
}

type object = map[string]any
