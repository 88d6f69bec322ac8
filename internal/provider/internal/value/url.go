package value

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// internalNetworks are the networks that no webhook may point to, in addition to loopback, private, link-local and
// unspecified addresses, which netip knows: CGNAT (RFC 6598), "this network" (RFC 1122), benchmarking (RFC 2544), and
// the reserved rest of IPv4 (RFC 1112).
var internalNetworks = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
}

// PublicURL requires an https address that does not literally name an internal network. What a name resolves to
// only the service can tell.
func PublicURL() validator.String {
	return check{"an https:// address outside of internal networks", "Invalid webhook address", func(s string) string {
		u, err := url.Parse(s)
		switch {
		case err != nil || u.Scheme != "https" || u.Hostname() == "":
			return fmt.Sprintf("%q is not an https:// address. The service only sends to https:// (its code for others is "+
				"INVALID_WEBHOOK_URL). Write one such as https://hooks.example.com/billing.", s)
		case u.User != nil:
			return "The address contains credentials, which would appear in the state. Use authentication instead."
		case u.Fragment != "":
			return "The address contains a fragment (#…), which is never sent. Remove it."
		case isInternal(u.Hostname()):
			return fmt.Sprintf("%s belongs to an internal network, so the service rejects it (INVALID_WEBHOOK_URL). Use an "+
				"address that the service can reach from outside.", u.Hostname())
		}
		return ""
	}}
}

// isInternal reports whether a host is a literal internal address, or a name that never leaves a network.
func isInternal(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") ||
		strings.HasSuffix(host, ".internal") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		// 127.1, 0x7f000001 and 2130706433 are addresses too, for some resolvers, and no names.
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

var headerName = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)

// HeaderName requires the name of an HTTP header.
func HeaderName() validator.String {
	return check{"the name of an HTTP header", "Invalid header name", func(s string) string {
		if headerName.MatchString(s) {
			return ""
		}
		return fmt.Sprintf("%q is not a header name. Write letters, digits and dashes, such as X-Webhook-Token.", s)
	}}
}
