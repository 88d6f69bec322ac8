package api

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	maxHeaderBytes = 256 << 10
	// maxPEMBytes bounds a certificate file: far more than any system's bundle.
	maxPEMBytes = 8 << 20
)

// connections is the real transport. It can start again with fresh connections,
// because a connection that has gone silent looks like any other one until a
// request on it has timed out.
type connections struct {
	make func() *http.Transport

	mu     sync.Mutex
	inUse  *http.Transport
	number int
}

// RoundTrip sends a request on the connections in use.
func (c *connections) RoundTrip(r *http.Request) (*http.Response, error) {
	transport, _ := c.get()
	return transport.RoundTrip(r)
}

func (c *connections) get() (transport *http.Transport, number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inUse == nil {
		c.inUse = c.make()
	}
	return c.inUse, c.number
}

// renew makes later requests use new connections, after a request on those with
// this number has timed out. Requests under way are left alone.
func (c *connections) renew(number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inUse == nil || c.number != number {
		return
	}
	c.inUse.CloseIdleConnections()
	c.inUse = nil
	c.number++
}

// newTransport is used without an http.Client around it, so no redirect is
// ever followed and no cookie kept.
func newTransport(cfg Config) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
			if r.StatusCode == http.StatusOK {
				return nil
			}
			// Of the status net/http would show the text alone, such as "Forbidden".
			return &net.OpError{Op: "proxyconnect", Net: "tcp",
				Err: errors.New("the proxy responded with status " + cleanLine(r.Status, maxHintRunes))}
		},
		// An address that drops packets is known before the attempt ends.
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig:     tlsConfig(cfg.RootCAs),
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true, // a TLS configuration of one's own switches it off otherwise
		// A connection that has gone silent is closed before its requests time out.
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second},
		MaxIdleConnsPerHost:    32, // above Terraform's usual parallelism of 10
		IdleConnTimeout:        60 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// permanent reports whether the next minutes will not change this error: the
// peer is another host, or does not use TLS.
func (c *Client) permanent(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var lookup *net.DNSError
	switch {
	case errors.As(err, &certificate), errors.As(err, &record):
		return true
	case errors.As(err, &lookup):
		// A name that was never found is probably misspelt. One that was found
		// before comes back.
		return lookup.IsNotFound && !c.outage.hasServed()
	}
	return false
}

// streamError has the fields of the HTTP/2 stream error inside net/http, which
// fills any such struct for errors.As.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return "stream error" }

const refusedStream = 7 // RFC 9113, section 7

// unprocessed reports whether HTTP/2 has proven that the server did not process
// the request: it rejected the stream, or said that it goes away and that this
// stream is after the last one that it looks at (RFC 9113, section 8.7). Such a
// request may be sent again, whatever it is.
//
// net/http knows these cases itself. But it does not send a request again whose
// body it has begun to send and cannot rewind, and then it shows its reason as
// text only. The text is its own, and nothing of the server's is in it.
func unprocessed(err error) bool {
	if err == nil {
		return false
	}
	var stream streamError
	if errors.As(err, &stream) {
		return stream.Code == refusedStream
	}
	reason, unsent := strings.CutPrefix(err.Error(), "http2: Transport: cannot retry err [")
	return unsent && strings.HasPrefix(reason, "http2: Transport received Server's graceful shutdown GOAWAY]") ||
		unsent && strings.HasPrefix(reason, "stream error: ") && strings.Contains(reason, "; REFUSED_STREAM") ||
		// Only used for streams after the last one, on a connection whose first
		// stream the server turned down.
		strings.HasPrefix(reason, "http2: Transport received GOAWAY from server ErrCode:")
}

// tlsConfig offers TLS 1.2 and 1.3 with the ciphers that all three services
// document (service description, Recurring billing §1).
//
// Two things Go decides: the suites of TLS 1.3 cannot be configured, and the
// three it offers are exactly the three documented ones; and
// ECDHE-RSA-AES256-SHA384 (CBC with SHA-384) does not exist in crypto/tls, so
// of the five documented suites of TLS 1.2 the four others are offered.
//
// AES128-SHA256 is a CBC suite that Go counts as insecure and never picks
// while one of the others is shared; it is listed because it is documented.
func tlsConfig(roots *x509.CertPool) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		RootCAs:    roots,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
			tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256,
		},
	}
}

// LoadCertPool returns the system's certificate authorities and those of a PEM
// file. It fails when the file cannot be read, holds no certificate, or holds
// one that cannot be parsed; private keys in it are rejected, because a private
// key is not a certificate authority.
func LoadCertPool(pemFile string) (*x509.CertPool, error) {
	info, err := os.Stat(pemFile)
	if err != nil {
		return nil, fmt.Errorf("read the CA certificate file: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("read the CA certificate file: %s is a folder, name the PEM file in it", pemFile)
	}
	if info.Size() > maxPEMBytes {
		return nil, fmt.Errorf("read the CA certificate file: %s has %d bytes, more than the %d a bundle may have", pemFile,
			info.Size(), maxPEMBytes)
	}
	data, err := os.ReadFile(pemFile)
	if err != nil {
		return nil, fmt.Errorf("read the CA certificate file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("load the system's certificate authorities: %w", err)
	}
	if err := addCertificates(pool, data); err != nil {
		return nil, fmt.Errorf("read the CA certificate file: %s: %w", pemFile, err)
	}
	return pool, nil
}

func addCertificates(pool *x509.CertPool, data []byte) error {
	count := 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return fmt.Errorf("it holds a PEM block of type %q; only CERTIFICATE blocks belong into it", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("certificate %d cannot be parsed: %w", count+1, err)
		}
		pool.AddCert(certificate)
		count++
	}
	if count == 0 {
		return fmt.Errorf("it holds no PEM certificate (expected blocks that start with -----BEGIN CERTIFICATE-----)")
	}
	return nil
}
