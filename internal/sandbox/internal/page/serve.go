package page

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// contentPolicy lets the page load its own two files, fetch itself, and nothing
// else from anywhere.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page is the page, which is read from the services and the request log.
type Page struct {
	Billing     *billing.Service
	Finance     *finance.Service
	Collections *collections.Service
	Log         *server.RequestLog
	Logger      *slog.Logger
}

// ServeHTTP returns the page and its files, read-only. A host that is not this
// machine is refused: the name of a web site that leads here must not let that
// site read the page.
func (s *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Content-Security-Policy": contentPolicy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		w.Header().Set(name, value)
	}
	switch {
	case !local(r.Host):
		http.Error(w, "This page is only for this machine: ask for it by 127.0.0.1 or localhost.", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "This page only shows.", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		s.writePage(w)
	default:
		content, kind, ok := File(strings.TrimPrefix(r.URL.Path, "/"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content) // a browser that has gone away is no concern
	}
}

func (s *Page) writePage(w http.ResponseWriter) {
	view, err := s.view()
	var text bytes.Buffer
	if err == nil {
		err = Render(&text, view)
	}
	if err != nil {
		s.Logger.Error("web page", "error", err)
		http.Error(w, "The page could not be made; the sandbox's log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes()) // a browser that has gone away is no concern
}

// local tells whether a Host header names this machine.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}
