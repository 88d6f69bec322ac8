package sandbox_test

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Recurring billing §1: TLS 1.2 and 1.3 with the documented suites, no others.
func TestTLSPolicy(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	only := func(version uint16, suites ...uint16) *tls.Config {
		return &tls.Config{MinVersion: version, MaxVersion: version, CipherSuites: suites}
	}
	tests := map[string]struct {
		config *tls.Config
		served bool
	}{
		"TLS 1.3":                       {only(tls.VersionTLS13), true},
		"ECDHE-RSA-AES128-GCM-SHA256":   {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256), true},
		"ECDHE-RSA-AES128-SHA256":       {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256), true},
		"ECDHE-RSA-AES256-GCM-SHA384":   {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384), true},
		"ECDHE-RSA-CHACHA20-POLY1305":   {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256), true},
		"ECDHE-RSA-AES128-SHA refused":  {only(tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA), false},
		"RSA-AES128-GCM-SHA256 refused": {only(tls.VersionTLS12, tls.TLS_RSA_WITH_AES_128_GCM_SHA256), false},
		"TLS 1.1 refused":               {only(tls.VersionTLS11), false},
		"TLS 1.0 refused":               {only(tls.VersionTLS10), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, address := range []string{server.BillingURL(), server.FinanceURL(), server.CollectionsURL(),
				server.ControlURL()} {
				response, err := trusting(t, server.CAPEM(), test.config.Clone()).Get(address)
				if err == nil {
					response.Body.Close()
				} else if test.config.MaxVersion < tls.VersionTLS12 && !strings.Contains(err.Error(), "protocol version") {
					t.Errorf("%s: refused for another reason than the version: %v", address, err)
				}
				if (err == nil) != test.served {
					t.Errorf("%s: error %v, want served %v", address, err, test.served)
				}
			}
		})
	}
}

// Recurring billing §1: certificates are 2048-bit RSA, and hold for loopback.
func TestCertificate(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	address, err := url.Parse(server.BillingURL())
	if err != nil {
		t.Fatal(err)
	}
	transport := trusting(t, server.CAPEM(), nil).Transport.(*http.Transport)
	for _, name := range []string{"127.0.0.1", "::1", "localhost"} {
		config := transport.TLSClientConfig.Clone()
		config.ServerName = name
		connection, err := tls.Dial("tcp", address.Host, config)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		key, ok := connection.ConnectionState().PeerCertificates[0].PublicKey.(interface{ Size() int })
		if !ok || key.Size()*8 != 2048 {
			t.Errorf("the key is no RSA key of 2048 bits")
		}
		connection.Close()
	}
}

// Whatever host a sandbox listens on, its addresses work on this machine, and the certificate is valid for them.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for listen, host := range map[string]string{"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "localhost": "localhost"} {
		server := start(t, sandbox.Options{Addr: listen})
		if address, err := url.Parse(server.Env()["BILLING_BASE_URL"]); err != nil || address.Hostname() != host {
			t.Errorf("%q: the address is %s, %v", listen, address, err)
		}
		call(t, server).do("GET", "/v1/me", "").want(200)
	}
}

// Plain HTTP is not served (Recurring billing §5.7).
func TestPlainHTTPIsRefused(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	plain := strings.Replace(server.BillingURL(), "https:", "http:", 1)
	response, err := http.Get(plain + "/v1/me")
	if err != nil {
		return
	}
	defer response.Body.Close()
	if response.StatusCode != 400 {
		t.Errorf("plain HTTP returns %d", response.StatusCode)
	}
}
