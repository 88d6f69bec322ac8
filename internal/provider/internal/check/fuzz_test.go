package check

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// FuzzHTTPS: an address that is accepted is one of https without credentials, outside of the networks that are
// written in it.
func FuzzHTTPS(f *testing.F) {
	for _, seed := range []string{
		"https://hooks.example.com/x", "https://127.0.0.1", "https://[::1]", "https://[::ffff:10.0.0.1]",
		"https://[fe80::1%25eth0]", "https://0x7f.1", "https://u:p@h.example", "https://h.example#f", "http://h.example",
		"https://localhost.", "https://LOCALHOST", "https://a.internal", "https://100.64.0.1:443", "https:h.example",
		"https://", "https://[64:ff9b::7f00:1]", "https://1.2.3.4.", "https://%6cocalhost", "https://[::1%25]", "https://1.1",
	} {
		f.Add(seed)
	}
	https, whole := HTTPS().(check), NoFragment().(check)
	f.Fuzz(func(t *testing.T, address string) {
		if https.wrong(address) != "" || whole.wrong(address) != "" {
			return
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
			t.Fatalf("%q is accepted: %v", address, err)
		}
		host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
		ip := net.ParseIP(host)
		if zoned, err := netip.ParseAddr(host); err == nil {
			ip = net.IP(zoned.WithZone("").AsSlice())
		}
		if ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || host == "localhost" {
			t.Errorf("%q is accepted", address)
		}
	})
}

// FuzzTexts: no text breaks a validator, and what is wrong is said in words.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"", " ", "a@b.c", "A <a@b.c>", "2026-02-30", "2026-01-31T12:00:00Z", "BR", "12.5",
		"100.000000000000000001", "1e2", "\u200b", "X-Token", "\xff", "--5", "+5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range []check{Email().(check), Date().(check), DateOrDateTime().(check), Phone().(check),
			Percent().(check), HeaderName().(check), HTTPS().(check), NoFragment().(check), OneLine().(check)} {
			if wrong := v.wrong(s); strings.ContainsAny(wrong, "\x00\r\n") {
				t.Errorf("%q: %q", s, wrong)
			}
		}
		var blank validator.StringResponse
		NotBlank().ValidateString(t.Context(), validator.StringRequest{Path: path.Root("a"),
			ConfigValue: types.StringValue(s)}, &blank)
		if !blank.Diagnostics.HasError() && strings.TrimSpace(s) == "" {
			t.Errorf("%q is accepted", s)
		}
	})
}
