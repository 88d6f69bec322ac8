package api

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
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

// permanent reports whether the next minutes will not change this error: the
// peer is another host, does not use TLS, or uses it in an unsupported way.
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
	return handshakeRejected(err)
}

// passingAlerts are the TLS alerts after which the next attempt may succeed:
// close_notify, internal_error and user_canceled.
var passingAlerts = []uint64{0, 80, 90}

// handshakeRejected reports whether the handshake ended because the two sides
// have nothing in common. crypto/tls keeps the type of its alerts to itself, but
// it is a number.
func handshakeRejected(err error) bool {
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "remote error" {
		alert := reflect.ValueOf(network.Err)
		return alert.Kind() == reflect.Uint8 && !slices.Contains(passingAlerts, alert.Uint())
	}
	// What the client itself does not accept in a handshake.
	return strings.HasPrefix(err.Error(), "tls: ")
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
	text := err.Error()
	if reason, ok := strings.CutPrefix(text, "http2: Transport: cannot retry err ["); ok {
		return strings.HasPrefix(reason, "http2: Transport received Server's graceful shutdown GOAWAY]") ||
			strings.HasPrefix(reason, "stream error: ") && strings.Contains(reason, "; REFUSED_STREAM")
	}
	// Only used for streams after the last one, on a connection whose first
	// stream the server turned down.
	return strings.HasPrefix(text, "http2: Transport received GOAWAY from server ErrCode:")
}
