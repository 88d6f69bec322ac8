package check

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// rejected is what is wrong with an address.
func rejected(t *testing.T, url string) string {
	t.Helper()
	var resp validator.StringResponse
	HTTPS().ValidateString(t.Context(), validator.StringRequest{Path: path.Root("url"),
		ConfigValue: types.StringValue(url)}, &resp)
	if len(resp.Diagnostics) == 0 {
		return ""
	}
	return resp.Diagnostics[0].Detail()
}

// TestHTTPS: what leads into an internal network on its face, or is no https address, is rejected, with the code of
// the service.
func TestHTTPS(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "hooks.example.com/billing", "http://hooks.example.com/", "ftp://hooks.example.com/",
		"https:///billing", "https://", "https://%zz/", "https://localhost/", "https://LOCALHOST/",
		"https://localhost.:8443/", "https://api.localhost/", "https://printer.local/",
		"https://printer.LOCAL./", "https://vault.internal/", "https://metadata.google.internal/",
		"https://127.0.0.1/", "https://127.8.9.10:8443/", "https://0.0.0.0/", "https://0.1.2.3/",
		"https://10.0.0.1/", "https://10.255.255.255/", "https://172.16.0.1/", "https://172.31.255.255/",
		"https://192.168.0.1/", "https://169.254.169.254/", "https://100.64.0.1/", "https://100.127.255.255/",
		"https://224.0.0.1/", "https://255.255.255.255/", "https://[::]/", "https://[::1]/",
		"https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fc00::1]/", "https://[fdff:ffff::1]/",
		"https://[ff02::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:10.0.0.1]/",
		"https://[::ffff:a9fe:a9fe]/", "https://[::ffff:100.64.0.1]/", "https://2130706433/",
		"https://0x7f000001/", "https://0177.0.0.1/", "https://127.1/", "https://0x7f.0.0.1/",
		"https://127%2e0.0.1/", "https://10.0.0.1.:8443/hook?a=b", "https://hooks.corp.internal:8443/",
		"HTTPS://192.168.0.1/", "https://[0:0:0:0:0:ffff:c0a8:0101]/",
	} {
		if said := rejected(t, url); !strings.Contains(said, "INVALID_WEBHOOK_URL") {
			t.Errorf("%q: %q", url, said)
		}
	}
	for _, url := range []string{
		"https://hooks.example.com/billing?tenant=1", "HTTPS://Hooks.Example.com:8443/",
		"https://hooks.example.com", "https://8.8.8.8/", "https://172.15.255.255/", "https://172.32.0.1/",
		"https://100.63.255.255/", "https://100.128.0.1/", "https://192.169.0.1/",
		"https://[2606:4700::1111]/", "https://[::ffff:8.8.8.8]/", "https://local.example.com/",
		"https://internal.example.com/", "https://mylocalhost.example/", "https://10.example.com/",
		"https://notlocal/", "https://xn--caf-dma.example/",
	} {
		if said := rejected(t, url); said != "" {
			t.Errorf("%q: %q", url, said)
		}
	}
}
