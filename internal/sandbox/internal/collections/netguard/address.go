package netguard

import "net/netip"

// internal are the networks that are not public.
var internal = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // carrier-grade NAT
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, cloud metadata among it
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // relays of 6to4
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks of networks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, broadcast
	"::/128",          // unspecified
	"::1/128",         // loopback
	"64:ff9b:1::/48",  // translation to IPv4 inside a network
	"100::/64",        // discard
	"2001::/23",       // protocol assignments, Teredo
	"2001:db8::/32",   // documentation
	"3fff::/20",       // documentation
	"5f00::/16",       // segment routing
	"fc00::/7",        // unique-local
	"fe80::/10",       // link-local
	"fec0::/10",       // site-local
	"ff00::/8",        // multicast
)

// Networks whose addresses hold an IPv4 address, and at which byte.
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

// checkAddr judges one address, and the IPv4 address that it may represent.
func (g Guard) checkAddr(addr netip.Addr) error {
	if addr.Zone() != "" {
		return ErrInternal // a zone is an interface of this machine
	}
	addr = addr.Unmap()
	if g.AllowLoopback && addr.IsLoopback() {
		return nil
	}
	for _, prefix := range internal {
		if prefix.Contains(addr) {
			return ErrInternal
		}
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
