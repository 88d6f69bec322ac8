package page

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// exports are the variables with the address and token of each service.
var exports = map[server.Service][2]string{
	server.Billing:     {"BILLING_BASE_URL", "BILLING_TOKEN"},
	server.Finance:     {"BILLING_FINANCE_BASE_URL", "BILLING_FINANCE_TOKEN"},
	server.Collections: {"BILLING_COLLECTIONS_BASE_URL", "BILLING_COLLECTIONS_API_KEY"},
}

// ownHeaders are the headers that curl sets itself.
var ownHeaders = []string{"Accept-Encoding", "Content-Length", "Connection", "User-Agent"}

// curl returns a command that repeats a request with the sandbox's exports. It is empty if the log does not have the
// complete request. keyHeader is the header that carries the key of collections; empty: Authorization. Other headers
// that the log masks are left out.
func curl(r server.Request, keyHeader string) string {
	if r.Token == "" || r.Headers == nil || !r.HasWholeBody() || strings.Contains(string(r.Body), server.Masked) {
		return ""
	}
	names := exports[r.Service]
	parts := []string{`curl --cacert "$BILLING_CA_CERTIFICATE_FILE"`}
	if r.Method != http.MethodGet {
		parts = append(parts, "-X "+quoted(r.Method))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		value := r.Headers[name]
		switch {
		case slices.Contains(ownHeaders, name):
		case value != server.Masked:
			parts = append(parts, "-H "+quoted(name+": "+value))
		case name == "Authorization" && (r.Service != server.Collections || keyHeader == ""):
			parts = append(parts, `-H "Authorization: Bearer $`+names[1]+`"`)
		case r.Service == server.Collections && strings.EqualFold(name, keyHeader):
			parts = append(parts, "-H "+quoted(name+": ")+`"$`+names[1]+`"`)
		}
	}
	if len(r.Body) > 0 {
		parts = append(parts, "--data-binary "+quoted(string(r.Body)))
	}
	return strings.Join(append(parts, `"$`+names[0]+`"`+quoted(address(r))), " \\\n  ")
}

// quoted quotes a word for a POSIX shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
