package check

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// internalNetworks are the networks that a webhook must not point to, in addition to the loopback, private, link-local
// and unspecified addresses that netip detects: CGNAT (RFC 6598), "this network" (RFC 1122), benchmarking (RFC 2544),
// and the reserved rest of IPv4 (RFC 1112).
var internalNetworks = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
}

// HTTPS requires an https address without credentials, whose host is not a literal address of an internal network. Only
// the service can check what a name resolves to.
func HTTPS() validator.String {
	return check{"an https:// address outside of internal networks", func(s string) string {
		u, ok := parsedHTTPS(s)
		switch {
		case !ok:
			return "It is not an https:// address. The service rejects others (INVALID_WEBHOOK_URL). Write one such as " +
				"https://hooks.example.com/billing."
		case u.User != nil:
			return "The address contains credentials, which would appear in the state. Use authentication instead."
		case isInternal(u.Hostname()):
			return fmt.Sprintf("%s belongs to an internal network, so the service rejects it (INVALID_WEBHOOK_URL). Use an "+
				"address that the service can reach from outside.", u.Hostname())
		}
		return ""
	}}
}

// NoFragment rejects a part of an address that is never sent, and spaces, which servers read in different ways.
func NoFragment() validator.String {
	return check{"an address without a fragment and spaces", func(s string) string {
		switch u, ok := parsedHTTPS(s); {
		case ok && u.Fragment != "":
			return "The address contains a fragment (#…), which is never sent. Remove it."
		case ok && strings.ContainsFunc(s, unicode.IsSpace):
			return "The address contains a space. Remove it, or write it as %20."
		}
		return ""
	}}
}

func parsedHTTPS(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	return u, err == nil && u.Scheme == "https" && u.Hostname() != ""
}

// isInternal reports whether a host is a literal internal address, or a name that is only valid inside a network.
func isInternal(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") ||
		strings.HasSuffix(host, ".internal") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		// Some resolvers treat 127.1, 0x7f000001 and 2130706433 as addresses.
		return numericHost.MatchString(host)
	}
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return true
	}
	for _, network := range internalNetworks {
		if network.Contains(ip) {
			return true
		}
	}
	return false
}

var numericHost = regexp.MustCompile(`^(0x[0-9a-f]+|[0-9]+)(\.(0x[0-9a-f]+|[0-9]+))*$`)
