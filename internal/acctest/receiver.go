package acctest

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Host names that the sandbox of a receiver resolves. The provider must reject loopback addresses, so the receiver has
// a public name, which is in its certificate; the other name resolves to an internal address.
const (
	receiverHost = "example.com"
	internalHost = "intranet.example.com"
)

// InternalURL looks public, but resolves to an internal address.
const InternalURL = "https://" + internalHost + "/hook"

// NewReceiver starts a receiver of webhooks with a public name.
func NewReceiver(t *testing.T) *hook.Receiver {
	t.Helper()
	r := hook.Start(t)
	r.URL = r.At(receiverHost) + "/hook"
	return r
}

// Receiving makes a sandbox resolve the receiver's name.
func Receiving(r *hook.Receiver) Option {
	return func(o *sandbox.Options) {
		o.AllowLoopbackReceivers, o.ReceiverCAs, o.Resolver = true, r.CAs(),
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
