package netguard_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
)

// FuzzCheckURL checks that accepted addresses use https, and that their host is not an internal address in any
// notation.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{
		"https://hooks.example.com:8443/x?y", "https://127.0.0.1", "https://0177.0.0.1", "https://2130706433",
		"https://[::ffff:7f00:1]", "https://[64:ff9b::a00:1]", "https://[2002:7f00:1::]", "https://[fe80::1%25x]",
		"https://１２７.0.0.1", "https://localhost.", "https://a.local", "https://a:0", "https://a:", "https://u@a.example",
		"https:a", "https://a.example:99999", "https://..", "https://0x7f.1", "https://%31%32%37.0.0.1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		host, err := netguard.Guard{}.CheckURL(address)
		if err != nil {
			if len(address) > 12 && strings.Contains(err.Error(), address) {
				t.Errorf("the error repeats %q", address)
			}
			return
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Hostname() != host || host == "" {
			t.Fatalf("%q passes: %v", address, err)
		}
		if ip, err := netip.ParseAddr(strings.TrimSuffix(host, ".")); err == nil {
			ip = ip.Unmap()
			if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
				t.Errorf("%q passes", address)
			}
		}
	})
}
