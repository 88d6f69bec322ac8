package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// checkTimeout limits one request of a check.
const checkTimeout = time.Minute

// complete sets the target from the flags.
func (c *checking) complete(p program) error {
	t := &c.target
	for _, one := range []struct {
		service           claims.Service
		url, token, names string
	}{
		{claims.Billing, t.BaseURL, t.Token, "BILLING_BASE_URL and BILLING_TOKEN"},
		{claims.Finance, t.FinanceBaseURL, t.FinanceToken, "BILLING_FINANCE_BASE_URL and BILLING_FINANCE_TOKEN"},
		{claims.Collections, t.CollectionsBaseURL, t.CollectionsAPIKey,
			"BILLING_COLLECTIONS_BASE_URL and BILLING_COLLECTIONS_API_KEY"},
	} {
		if one.url != "" && one.token == "" {
			return misused("%s needs both an address and a token: set %s", one.service, one.names)
		}
		if one.url != "" && (!isAddress(one.url) || !strings.HasPrefix(one.url, "https://")) {
			return misused("the address of %s must begin with https://, and have a host", one.service)
		}
	}
	if t.BaseURL == "" && t.FinanceBaseURL == "" && t.CollectionsBaseURL == "" {
		return misused("no service configured: set BILLING_BASE_URL and BILLING_TOKEN, or load the exports that "+
			"\"%s serve\" printed or wrote", p.called())
	}
	var roots *x509.CertPool
	if c.caFile != "" {
		var err error
		if roots, err = receiverAuthorities(c.caFile); errors.Is(err, fs.ErrNotExist) &&
			p.getenv("BILLING_SANDBOX_CONTROL_URL") != "" {
			return p.notRunning(p.getenv("BILLING_SANDBOX_CONTROL_URL"))
		} else if err != nil {
			return misused("--ca-certificate-file: %v", err)
		}
	}
	c.file.sent = &counter{RoundTripper: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}
	t.Client = &http.Client{Timeout: checkTimeout, Transport: c.file.sent}
	documents, err := claims.Documented(func(name string) ([]byte, error) { return sandbox.OpenAPI(name, t.BaseURL) })
	t.Shapes = documents.Shapes()
	return err
}

// receive serves the address for deliveries until end is called. It receives for one claim at a time.
func (c *checking) receive(ctx context.Context) (end func(), err error) {
	if c.receiverURL == "" && c.receiverListen == "" {
		return func() {}, nil
	}
	address, err := url.Parse(c.receiverURL)
	if err != nil || address.Scheme != "https" || c.receiverListen == "" {
		return nil, misused("--receiver-url must be an https address, and --receiver-listen a HOST:PORT of this machine")
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", c.receiverListen)
	if err != nil {
		return nil, misused("--receiver-listen: %v", err)
	}
	var receiver atomic.Value // for the current claim
	dispatch := func(w http.ResponseWriter, r *http.Request) { receiver.Load().(http.HandlerFunc)(w, r) }
	server := &http.Server{
		Handler: http.HandlerFunc(dispatch), ReadHeaderTimeout: checkTimeout, ErrorLog: log.New(io.Discard, "", 0),
	}
	receiver.Store(http.HandlerFunc(http.NotFound))
	go func() {
		if c.receiverCertificate == "" {
			_ = server.Serve(listener) // ends with Close
			return
		}
		_ = server.ServeTLS(listener, c.receiverCertificate, c.receiverKey)
	}()
	c.target.Receive = func(_ context.Context, handler http.Handler) (string, func(), error) {
		// A late delivery for an earlier claim gets a 404.
		prefix := "/" + strings.ToLower(rand.Text())
		receiver.Store(http.HandlerFunc(http.StripPrefix(prefix, handler).ServeHTTP))
		stop := func() { receiver.Store(http.HandlerFunc(http.NotFound)) }
		return strings.TrimSuffix(c.receiverURL, "/") + prefix, stop, nil
	}
	return func() { _ = server.Close() }, nil
}

// useSandbox adds the features of a sandbox, a movable clock and rejected tokens, if the control listener in the
// environment belongs to the service under test. end revokes the tokens.
func (p program) useSandbox(ctx context.Context, c *checking, control *controller) (end func(), err error) {
	end = func() {}
	if p.getenv("BILLING_SANDBOX_CONTROL_URL") == "" || c.target.BaseURL == "" {
		return end, nil
	}
	clock, err := get[sandbox.ClockState](ctx, control, "/clock")
	if err != nil {
		return end, err
	}
	var prefixes []string
	end = func() {
		for _, prefix := range prefixes {
			path := "/tokens/" + url.PathEscape(prefix) + "/revoke"
			_ = control.do(context.WithoutCancel(ctx), http.MethodPost, path, nil) // such a token can at most read
		}
	}
	token := func(wanted sandbox.Token) string {
		var made sandbox.TokenState
		err = errors.Join(err, control.ask(ctx, http.MethodPost, "/tokens", wanted, &made))
		prefixes = append(prefixes, made.Prefix)
		return made.Value
	}
	t, past := &c.target, clock.Now.Add(-time.Hour)
	narrow := token(sandbox.Token{Scopes: []string{"customers:read"}})
	// Only this sandbox accepts the token.
	own := *t
	own.Token, own.FinanceBaseURL, own.CollectionsBaseURL = narrow, "", ""
	if _, foreign := claims.Reach(ctx, own); err != nil || foreign != nil {
		return end, err
	}
	t.NarrowToken = cmp.Or(t.NarrowToken, narrow)
	t.RevokedToken = cmp.Or(t.RevokedToken, token(sandbox.Token{Revoked: true}))
	t.ExpiredToken = cmp.Or(t.ExpiredToken, token(sandbox.Token{Expires: past}))
	t.FinanceExpiredToken = cmp.Or(t.FinanceExpiredToken, token(sandbox.Token{Service: sandbox.Finance, Expires: past}))
	t.FinanceNarrowToken = cmp.Or(t.FinanceNarrowToken, token(sandbox.Token{
		Service: sandbox.Finance, Scopes: []string{"accounts:read"},
	}))
	if !c.keepClock {
		t.Advance = func(ctx context.Context, by time.Duration) error {
			return control.ask(ctx, http.MethodPost, "/clock", sandbox.ClockMove{Advance: by.String()}, &clock)
		}
	}
	return end, err
}
