package netguard_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
)

// Collections §5, §7: addresses rejected at registration without name resolution.
func TestCheckURL(t *testing.T) {
	t.Parallel()
	tests := map[string]error{
		"https://hooks.example.com/billing":   nil,
		"https://hooks.example.com:8443/a?b":  nil,
		"HTTPS://HOOKS.EXAMPLE.COM./billing":  nil,
		"https://8.8.8.8/":                    nil,
		"https://[2001:4860:4860::8888]/":     nil,
		"https://[::ffff:8.8.8.8]/":           nil,
		"https://localhost.example.com/":      nil,
		"https://notinternal.com/":            nil,
		"https://10.example.com/":             nil,
		"https://xn--bcher-kva.example/":      nil,
		"https://172.15.255.255/":             nil,
		"https://172.32.0.0/":                 nil,
		"https://100.63.255.255/":             nil,
		"https://100.128.0.0/":                nil,
		"https://[2002:808:808::1]/":          nil,
		"https://[64:ff9b::808:808]/":         nil,
		"http://hooks.example.com/":           netguard.ErrAddress,
		"hooks.example.com":                   netguard.ErrAddress,
		"ftp://hooks.example.com/":            netguard.ErrAddress,
		"https:hooks.example.com":             netguard.ErrAddress,
		"https://":                            netguard.ErrAddress,
		"https:///path":                       netguard.ErrAddress,
		"https://user:pass@hooks.example.com": netguard.ErrAddress,
		"https://hooks.example.com:0/":        netguard.ErrAddress,
		"https://hooks.example.com:65536/":    netguard.ErrAddress,
		"https://hooks.example.com:/":         netguard.ErrAddress,
		"https://hooks .example.com/":         netguard.ErrAddress,
		"https://hooks..example.com/":         netguard.ErrAddress,
		"https://bücher.example/":             netguard.ErrAddress,
		"https://１２７.０.０.１/":                  netguard.ErrAddress,
		"https://127。0。0。1/":                  netguard.ErrAddress,
		"":                                    netguard.ErrAddress,
		"\x00":                                netguard.ErrAddress,

		"https://localhost/":                   netguard.ErrInternal,
		"https://LOCALHOST./":                  netguard.ErrInternal,
		"https://a.localhost/":                 netguard.ErrInternal,
		"https://internal/":                    netguard.ErrInternal,
		"https://printer.local/":               netguard.ErrInternal,
		"https://metadata.google.internal/":    netguard.ErrInternal,
		"https://ERP.Internal./":               netguard.ErrInternal,
		"https://127.0.0.1/":                   netguard.ErrInternal,
		"https://127.255.255.254:9/":           netguard.ErrInternal,
		"https://127.0.0.1./":                  netguard.ErrInternal,
		"https://0.0.0.0/":                     netguard.ErrInternal,
		"https://0.1.2.3/":                     netguard.ErrInternal,
		"https://10.0.0.0/":                    netguard.ErrInternal,
		"https://10.255.255.255/":              netguard.ErrInternal,
		"https://172.16.0.0/":                  netguard.ErrInternal,
		"https://172.31.255.255/":              netguard.ErrInternal,
		"https://192.168.1.1/":                 netguard.ErrInternal,
		"https://169.254.169.254/latest":       netguard.ErrInternal,
		"https://100.64.0.0/":                  netguard.ErrInternal,
		"https://100.127.255.255/":             netguard.ErrInternal,
		"https://192.0.0.1/":                   netguard.ErrInternal,
		"https://192.0.2.1/":                   netguard.ErrInternal,
		"https://192.88.99.1/":                 netguard.ErrInternal,
		"https://198.51.100.1/":                netguard.ErrInternal,
		"https://203.0.113.1/":                 netguard.ErrInternal,
		"https://[2001:db8::1]/":               netguard.ErrInternal,
		"https://[3fff::1]/":                   netguard.ErrInternal,
		"https://[5f00::1]/":                   netguard.ErrInternal,
		"https://[::ffff:0:127.0.0.1]/":        netguard.ErrInternal,
		"https://[::ffff:0:8.8.8.8]/":          nil,
		"https://198.18.0.1/":                  netguard.ErrInternal,
		"https://224.0.0.1/":                   netguard.ErrInternal,
		"https://255.255.255.255/":             netguard.ErrInternal,
		"https://[::1]/":                       netguard.ErrInternal,
		"https://[::]/":                        netguard.ErrInternal,
		"https://[fc00::1]/":                   netguard.ErrInternal,
		"https://[fdff:ffff::1]/":              netguard.ErrInternal,
		"https://[fe80::1]/":                   netguard.ErrInternal,
		"https://[fe80::1%25eth0]/":            netguard.ErrInternal,
		"https://[2001:4860::1%25eth0]/":       netguard.ErrInternal,
		"https://[fec0::1]/":                   netguard.ErrInternal,
		"https://[ff02::1]/":                   netguard.ErrInternal,
		"https://[::ffff:127.0.0.1]/":          netguard.ErrInternal,
		"https://[::ffff:10.1.2.3]/":           netguard.ErrInternal,
		"https://[::ffff:a9fe:a9fe]/":          netguard.ErrInternal,
		"https://[0:0:0:0:0:ffff:7f00:1]/":     netguard.ErrInternal,
		"https://[::127.0.0.1]/":               netguard.ErrInternal,
		"https://[64:ff9b::10.0.0.1]/":         netguard.ErrInternal,
		"https://[2002:7f00:1::]/":             netguard.ErrInternal,
		"https://[2001:0:4136:e378::]/":        netguard.ErrInternal,
		"https://2130706433/":                  netguard.ErrInternal, // 127.0.0.1 in decimal
		"https://0177.0.0.1/":                  netguard.ErrInternal, // in octal
		"https://017700000001/":                netguard.ErrInternal,
		"https://0x7f000001/":                  netguard.ErrInternal, // in hexadecimal
		"https://0X7F.1/":                      netguard.ErrInternal,
		"https://127.1/":                       netguard.ErrInternal,
		"https://127.0.0.0x1/":                 netguard.ErrInternal,
		"https://0x/":                          netguard.ErrInternal,
		"https://134744072/":                   netguard.ErrInternal, // 8.8.8.8, but not to everyone
		"https://256.1.1.1/":                   netguard.ErrInternal,
		"https://hooks.example.com.127.0.0.1/": netguard.ErrInternal,
	}
	for address, want := range tests {
		if _, err := (netguard.Guard{}).CheckURL(address); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%q: %v, want %v", address, err, want)
		}
	}
}

// AllowLoopback allows only loopback.
func TestAllowLoopback(t *testing.T) {
	t.Parallel()
	guard := netguard.Guard{AllowLoopback: true}
	for _, address := range []string{"https://127.0.0.1:8443/", "https://[::1]/", "https://localhost/",
		"https://[::ffff:127.0.0.1]/"} {
		if _, err := guard.CheckURL(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{
		"http://127.0.0.1/", "https://10.0.0.1/", "https://[fc00::1]/", "https://0.0.0.0/", "https://169.254.169.254/",
		"https://2130706433/", "https://printer.local/", "https://[::]/",
	} {
		if _, err := guard.CheckURL(address); err == nil {
			t.Errorf("%s passes", address)
		}
	}
}

// responses resolves names from a list, one entry per lookup.
type responses struct {
	asked []string
	lists [][]string
}

func (a *responses) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	a.asked = append(a.asked, host)
	list := a.lists[0]
	if len(a.lists) > 1 {
		a.lists = a.lists[1:]
	}
	var out []netip.Addr
	for _, text := range list {
		out = append(out, netip.MustParseAddr(text))
	}
	return out, nil
}

// A name with any internal address is internal.
func TestResolve(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		found []string
		want  []string // nil: rejected
	}{
		"public":              {[]string{"8.8.8.8", "2001:4860:4860::8888"}, []string{"8.8.8.8", "2001:4860:4860::8888"}},
		"mapped public":       {[]string{"::ffff:8.8.8.8"}, []string{"8.8.8.8"}},
		"private":             {[]string{"10.0.0.1"}, nil},
		"one among public":    {[]string{"8.8.8.8", "192.168.0.1"}, nil},
		"mapped loopback":     {[]string{"::ffff:127.0.0.1"}, nil},
		"carrier-grade NAT":   {[]string{"100.100.1.1"}, nil},
		"unique-local":        {[]string{"fd00::1"}, nil},
		"cloud metadata":      {[]string{"169.254.169.254"}, nil},
		"NAT64 of a private":  {[]string{"64:ff9b::a00:1"}, nil},
		"unspecified address": {[]string{"::"}, nil},
	} {
		guard := netguard.Guard{Resolver: &responses{lists: [][]string{test.found}}}
		found, err := guard.Resolve(t.Context(), "hooks.example.com")
		var got []string
		for _, addr := range found {
			got = append(got, addr.String())
		}
		if !slices.Equal(got, test.want) || (test.want == nil) != errors.Is(err, netguard.ErrInternal) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Names reserved for documentation do not resolve, and are not looked up.
func TestReservedNames(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"hooks.example.com", "EXAMPLE.ORG.", "a.test", "b.invalid", "erp.example"} {
		var notFound *net.DNSError
		if _, err := (netguard.Guard{}).Resolve(t.Context(), host); !errors.As(err, &notFound) || !notFound.IsNotFound {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// A name that becomes internal between the check and the connection is not reached: the checked address is dialed.
func TestDialPinsTheAddress(t *testing.T) {
	t.Parallel()
	var dialed []string
	refusal := errors.New("no connection in this test")
	resolver := &responses{lists: [][]string{{"8.8.8.8", "2001:4860:4860::8888"}, {"127.0.0.1"}}}
	guard := netguard.Guard{Resolver: resolver, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		dialed = append(dialed, address)
		return nil, refusal
	}}
	if _, err := guard.DialContext(t.Context(), "tcp", "rebinding.example.com:443"); !errors.Is(err, refusal) {
		t.Errorf("first dial: %v", err)
	}
	if want := []string{"8.8.8.8:443", "[2001:4860:4860::8888]:443"}; !slices.Equal(dialed, want) {
		t.Errorf("dialed %v, want %v", dialed, want)
	}
	dialed = nil
	if _, err := guard.DialContext(t.Context(), "tcp", "rebinding.example.com:443"); !errors.Is(err,
		netguard.ErrInternal) || dialed != nil {
		t.Errorf("after the name's address changed: %v, dialed %v", err, dialed)
	}
	if len(resolver.asked) != 2 {
		t.Errorf("%d lookups, want one per dial", len(resolver.asked))
	}
}

// A user's own receiver is on this machine or in a private network, and nowhere else.
func TestLocal(t *testing.T) {
	t.Parallel()
	guard := netguard.Guard{Resolver: table{"app": {netip.MustParseAddr("172.18.0.3")},
		"both": {netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("8.8.8.8")}}}
	for host, want := range map[string]error{
		"127.0.0.1": nil, "::1": nil, "10.1.2.3": nil, "192.168.0.1": nil, "fd00::1": nil, "::ffff:127.0.0.1": nil, "app": nil,
		"8.8.8.8": netguard.ErrNotLocal, "169.254.169.254": netguard.ErrNotLocal, "fe80::1": netguard.ErrNotLocal,
		"0.0.0.0": netguard.ErrNotLocal, "64:ff9b::10.0.0.1": netguard.ErrNotLocal, "both": netguard.ErrNotLocal,
	} {
		if _, err := guard.LookupLocal(t.Context(), host); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", host, err, want)
		}
	}
	if _, err := guard.DialLocal(t.Context(), "tcp", "both:80"); !errors.Is(err, netguard.ErrNotLocal) {
		t.Errorf("dialed: %v", err)
	}
}

type table map[string][]netip.Addr

func (t table) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return t[host], nil
}
