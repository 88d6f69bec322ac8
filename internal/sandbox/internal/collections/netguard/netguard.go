// Package netguard prevents a sender of webhooks from reaching internal networks. It checks an address at registration,
// and resolves, checks and pins it again before each request (service description, Collections §5 Protection on the
// sender side).
package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

var (
	// ErrInternal means that an address belongs to an internal network.
	ErrInternal = errors.New("the address points to an internal network")
	// ErrAddress means that a URL is not a valid webhook address.
	ErrAddress = errors.New("not an https address")
	// ErrNotLocal means that an address is neither on this machine nor in a private network.
	ErrNotLocal = errors.New("the address is neither on this machine nor in a private network")
)

// Resolver looks up the addresses of a name; *net.Resolver implements it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Guard checks addresses. The zero value accepts only public ones.
type Guard struct {
	// AllowLoopback also allows loopback addresses and the name localhost.
	AllowLoopback bool
	// Resolver looks up names. If nil, the system's resolver is used, except for names reserved for documentation and
	// tests, which do not resolve.
	Resolver Resolver
	// Dial connects to a checked address; nil means net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// CheckURL checks an address without name resolution and returns its host. The error wraps ErrAddress or ErrInternal
// and never repeats the address.
func (g Guard) CheckURL(address string) (host string, err error) {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Opaque != "":
		return "", fmt.Errorf("%w: it is malformed", ErrAddress)
	case parsed.Scheme != "https":
		return "", fmt.Errorf("%w: it must start with https://", ErrAddress)
	case parsed.User != nil:
		return "", fmt.Errorf("%w: it must not hold credentials", ErrAddress)
	case !validPort(parsed):
		return "", fmt.Errorf("%w: its port is out of range", ErrAddress)
	}
	host = parsed.Hostname()
	return host, g.checkHost(host)
}

func validPort(address *url.URL) bool {
	if address.Port() == "" {
		return !strings.HasSuffix(address.Host, ":")
	}
	port, err := strconv.ParseUint(address.Port(), 10, 16)
	return err == nil && port > 0
}

// checkHost checks a literal address, or a name by its text.
func (g Guard) checkHost(host string) error {
	name := canonical(host)
	if addr, err := netip.ParseAddr(name); err == nil {
		return g.checkAddr(addr)
	}
	switch {
	case name == "" || !plain(name):
		return fmt.Errorf("%w: its host is not a name in ASCII", ErrAddress)
	case numeric(name):
		// Some resolvers interpret 2130706433, 0177.0.0.1 and 0x7f.1 as 127.0.0.1.
		return fmt.Errorf("%w: a numeric host must be written as four decimal numbers", ErrInternal)
	case within(name, "localhost"):
		if g.AllowLoopback {
			return nil
		}
		return ErrInternal
	case within(name, "local"), within(name, "internal"):
		return ErrInternal
	}
	return nil
}

// canonical returns a host for comparisons: lowercase, without the root's dot.
func canonical(host string) string {
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// plain reports whether a host has only ASCII letters, digits and the punctuation of names. This excludes the
// full-width digits that IDNA maps to ASCII.
func plain(host string) bool {
	for _, r := range host {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.' {
			return false
		}
	}
	return !strings.HasPrefix(host, ".") && !strings.Contains(host, "..")
}

// numeric reports whether the last label is a number, so that the host is an IPv4 address.
func numeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		_, err := strconv.ParseUint(hex, 16, 64)
		return err == nil || hex == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// within reports whether a name is the domain or a subdomain.
func within(name, domain string) bool {
	return name == domain || strings.HasSuffix(name, "."+domain)
}

// Resolve looks up the addresses of a host on every call and checks each of them: a name with any internal address is
// internal.
func (g Guard) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if err := g.checkHost(host); err != nil {
		return nil, err
	}
	if addr, err := netip.ParseAddr(canonical(host)); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	found, err := g.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	for i, addr := range found {
		if err := g.checkAddr(addr); err != nil {
			return nil, err
		}
		found[i] = addr.Unmap()
	}
	return found, nil
}

func (g Guard) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if g.Resolver != nil {
		return g.Resolver.LookupNetIP(ctx, "ip", host)
	}
	if reserved(canonical(host)) {
		return nil, &net.DNSError{Err: "the name is reserved for documentation and tests", Name: host, IsNotFound: true}
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// reserved reports whether RFC 2606 or RFC 6761 reserves a name. Examples use such names, and must not be contacted.
func reserved(name string) bool {
	return slices.ContainsFunc([]string{"test", "example", "invalid", "example.com", "example.net", "example.org"},
		func(domain string) bool { return within(name, domain) })
}

// DialContext connects only to an address that it has just resolved and checked, so that the name cannot resolve to
// another address in between (DNS rebinding).
func (g Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return g.connect(ctx, network, address, g.Resolve)
}

func (g Guard) connect(ctx context.Context, network, address string,
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addresses, err := lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	dial := g.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	var failures []error
	for _, addr := range addresses {
		conn, err := dial(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(append(failures, ctx.Err())...)
}

// LookupLocal returns the addresses of a host on this machine or in a private network, which a user of the sandbox may
// let it forward to. Every other address is an error, those of link-local services of a cloud included.
func (g Guard) LookupLocal(ctx context.Context, host string) ([]netip.Addr, error) {
	found := []netip.Addr{}
	if addr, err := netip.ParseAddr(host); err == nil {
		found = append(found, addr)
	} else if found, err = g.lookup(ctx, host); err != nil {
		return nil, err
	}
	for i, addr := range found {
		if found[i] = addr.Unmap(); !found[i].IsLoopback() && !found[i].IsPrivate() {
			return nil, ErrNotLocal
		}
	}
	return found, nil
}

// DialLocal connects only to an address that LookupLocal accepts.
func (g Guard) DialLocal(ctx context.Context, network, address string) (net.Conn, error) {
	return g.connect(ctx, network, address, g.LookupLocal)
}

// internal are the local, private and multicast networks that netip does not recognize.
var internal = prefixes(
	"0.0.0.0/8",       // this network
	"100.64.0.0/10",   // carrier-grade NAT
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // relays of 6to4
	"198.18.0.0/15",   // benchmarks of networks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"240.0.0.0/4",     // reserved, broadcast
	"64:ff9b:1::/48",  // translation to IPv4 inside a network
	"100::/64",        // discard
	"2001::/23",       // protocol assignments, Teredo
	"2001:db8::/32",   // documentation
	"3fff::/20",       // documentation
	"5f00::/16",       // segment routing
	"fec0::/10",       // site-local
)

// Networks whose addresses embed an IPv4 address, and its byte offset.
var embedding = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // IPv4-translated
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4
}

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// checkAddr checks one address, and the IPv4 address that it may represent.
func (g Guard) checkAddr(addr netip.Addr) error {
	if addr.Zone() != "" {
		return ErrInternal // a zone is a local interface
	}
	addr = addr.Unmap()
	if g.AllowLoopback && addr.IsLoopback() {
		return nil
	}
	if !addr.IsGlobalUnicast() || addr.IsPrivate() ||
		slices.ContainsFunc(internal, func(prefix netip.Prefix) bool { return prefix.Contains(addr) }) {
		return ErrInternal
	}
	if addr.Is4() {
		return nil
	}
	bytes := addr.As16()
	for _, e := range embedding {
		if e.prefix.Contains(addr) {
			return g.checkAddr(netip.AddrFrom4([4]byte(bytes[e.at : e.at+4])))
		}
	}
	return nil
}
