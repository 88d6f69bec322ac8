package api

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
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
	// maxPEMBytes limits a certificate file; it is far above the size of any system bundle.
	maxPEMBytes = 8 << 20
)

// connections is the real transport. It can replace all connections, because one that has stopped responding is only
// detected when a request on it times out.
type connections struct {
	make func() *http.Transport

	mu     sync.Mutex
	inUse  *http.Transport
	number int
}

// RoundTrip sends a request on the current connections.
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

// renew makes later requests use new connections, after a request on connections with this number has timed out. It
// does not affect running requests.
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

// newTransport is used without an http.Client, so redirects are not followed and cookies are not stored.
func newTransport(cfg Config) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
			if r.StatusCode == http.StatusOK {
				return nil
			}
			// net/http would report only the text of the status, such as "Forbidden".
			return &net.OpError{Op: "proxyconnect", Net: "tcp",
				Err: errors.New("the proxy responded with status " + cleanLine(r.Status, maxHintRunes))}
		},
		// An address that drops packets is detected before the attempt times out.
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig:     tlsConfig(cfg.RootCAs),
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true, // a custom TLS configuration disables it otherwise
		// A connection that has stopped responding is closed before its requests time out.
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second},
		MaxIdleConnsPerHost:    32, // above Terraform's usual parallelism of 10
		IdleConnTimeout:        60 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// transportFor returns the transport of a call. A request that must not be repeated goes out on a young connection of
// HTTP/1.1; the first request of a client needs no other one for that.
func (c *Client) transportFor(k *call) http.RoundTripper {
	if k.repeatable || c.once == nil || c.version.Load() > 1 || c.version.Load() == 0 && !c.begun.Swap(true) {
		return c.transport
	}
	return c.once
}

// young makes no request use a connection that was idle for a second or longer. A server, or a device before it, may
// have closed it without a word: a request on it is lost, and whether it was processed is unknown. Connections of
// HTTP/2 are pinged instead.
func young(t *http.Transport) *http.Transport {
	t.IdleConnTimeout = time.Second
	t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(0) // a handshake takes one round trip
	return t
}

// permanent reports whether an error will not change within minutes: the peer is another host, does not use TLS, or
// rejects this client.
func (c *Client) permanent(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var lookup *net.DNSError
	switch {
	case errors.As(err, &certificate), errors.As(err, &record):
		return true
	case errors.As(err, &lookup):
		// A name that was never resolved is probably misspelled. One that was resolved before comes back.
		return lookup.IsNotFound && !c.outage.served.Load()
	}
	// A server that has accepted this client before may reject it while it restarts.
	return isAlert(err) && !c.outage.served.Load()
}

// isAlert reports whether the server ended the connection with a TLS alert. crypto/tls has no type for it.
func isAlert(err error) bool {
	var remote *net.OpError
	return errors.As(err, &remote) && remote.Op == "remote error"
}

// streamError has the fields of net/http's internal HTTP/2 stream error, which errors.As copies into any such struct.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return "stream error" }

const refusedStream = 7 // RFC 9113, section 7

// unprocessed reports whether the server is proven not to have processed the request. Any such request may be sent
// again. With HTTP/2, the server rejected the stream, or sent a GOAWAY with an earlier last stream (RFC 9113, section
// 8.7). With TLS 1.3, it asks for a missing client certificate only after the handshake.
//
// net/http handles these cases itself, unless it has started to send a body that it cannot rewind. Then it reports the
// reason only as text, which contains nothing from the server; so does a connection that ended before its first stream.
func unprocessed(err error) bool {
	if err == nil {
		return false
	}
	var stream streamError
	if errors.As(err, &stream) {
		return stream.Code == refusedStream
	}
	if isAlert(err) {
		return strings.HasSuffix(err.Error(), "certificate required")
	}
	reason, unsent := strings.CutPrefix(err.Error(), "http2: Transport: cannot retry err [")
	return err.Error() == "http2: client conn could not be established" ||
		unsent && strings.HasPrefix(reason, "http2: Transport received Server's graceful shutdown GOAWAY]") ||
		unsent && strings.HasPrefix(reason, "stream error: ") && strings.Contains(reason, "; REFUSED_STREAM") ||
		// Only for streams after the last one, on a connection whose first stream the server rejected.
		strings.HasPrefix(reason, "http2: Transport received GOAWAY from server ErrCode:")
}

// tlsConfig offers TLS 1.2 and 1.3 with the cipher suites that all three services document (service description,
// Recurring billing §1).
//
// The suites of TLS 1.3 cannot be configured in Go, but they are the three documented ones. crypto/tls does not
// implement ECDHE-RSA-AES256-SHA384 (CBC with SHA-384), so four of the five documented suites of TLS 1.2 are offered.
//
// AES128-SHA256 is a documented CBC suite that Go considers insecure and uses only if the peer supports no other.
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

// LoadCertPool returns the system's certificate authorities and those of a PEM file. It returns an error if the file
// cannot be read, contains no certificate, or contains an invalid one or another block, such as a private key.
func LoadCertPool(pemFile string) (*x509.CertPool, error) {
	if strings.Contains(pemFile, "-----BEGIN") {
		return nil, errors.New("it is the certificate itself; name the file that contains it")
	}
	info, err := os.Stat(pemFile)
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case info.IsDir():
		return nil, errors.New("it is a folder; name the PEM file in it")
	case info.Size() > maxPEMBytes:
		return nil, fmt.Errorf("the file has %d bytes, but a bundle may have at most %d", info.Size(), maxPEMBytes)
	}
	data, err := os.ReadFile(pemFile)
	if err != nil {
		return nil, withoutPath(err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("load the system's certificate authorities: %w", err)
	}
	return pool, addCertificates(pool, data)
}

// withoutPath returns the cause of a file's error.
func withoutPath(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return file.Err
	}
	return err
}

func addCertificates(pool *x509.CertPool, data []byte) error {
	count := 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return fmt.Errorf("it contains a PEM block of type %q, but only CERTIFICATE blocks are allowed", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("certificate %d cannot be parsed: %w", count+1, err)
		}
		pool.AddCert(certificate)
		count++
	}
	if count == 0 {
		return fmt.Errorf("it contains no PEM certificate (expected blocks that start with -----BEGIN CERTIFICATE-----)")
	}
	return nil
}
