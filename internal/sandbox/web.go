package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
)

const webListener = "web"

// contentPolicy lets the page load its own two files, fetch itself, and nothing
// else from anywhere.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// listenWeb serves the page. It is on loopback whatever Options.Addr says, and
// over plain http: no browser trusts the sandbox's authority, and nothing on the
// page or on the way to it is a credential.
func (s *Server) listenWeb(ctx context.Context) error {
	if !s.options.Web && s.options.WebPort == 0 {
		return nil
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(s.options.WebPort))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen for the web page on %s: %w", address, err)
	}
	s.listeners[webListener] = "http://" + listener.Addr().String()
	s.serve(listener, http.HandlerFunc(s.serveWeb))
	return nil
}

// WebURL is the address of the web page; empty without Options.Web.
func (s *Server) WebURL() string { return s.listeners[webListener] }

// serveWeb answers the page and its files, read-only. A host that is not this
// machine is refused: the name of a web site that leads here must not let that
// site read the page.
func (s *Server) serveWeb(w http.ResponseWriter, r *http.Request) {
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
		content, kind, ok := page.File(strings.TrimPrefix(r.URL.Path, "/"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content) // a browser that has gone away is no concern
	}
}

func (s *Server) writePage(w http.ResponseWriter) {
	view, err := s.view()
	var text bytes.Buffer
	if err == nil {
		err = page.Render(&text, view)
	}
	if err != nil {
		s.options.Logger.Error("web page", "error", err)
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
