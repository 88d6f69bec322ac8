package acctest

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// receiverHost resolves to this machine. The provider must reject loopback addresses, so the receiver has a public
// name, which is in its certificate.
const receiverHost = "example.com"

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
		o.AllowLoopbackReceivers, o.ReceiverCAs, o.Resolver = true, r.CAs(), resolver{}
	}
}

type resolver struct{}

// LookupNetIP implements sandbox.Resolver.
func (resolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if host != receiverHost {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
}
