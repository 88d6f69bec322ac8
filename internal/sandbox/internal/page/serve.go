package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// contentPolicy lets the page load its own files, fetch itself, and nothing
// else from anywhere.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page is the page, which is read from the services, the tokens and the request log.
type Page struct {
	Billing     *billing.Service
	Finance     *finance.Service
	Collections *collections.Service
	Tokens      func(tx *store.Tx) []server.StoredToken // of recurring billing and financial management
	Server      *server.Server                          // has the request log and the faults
	Logger      *slog.Logger
}

// ServeHTTP returns the page and its files, read-only. A host that is not this
// machine is rejected: the name of a web site that leads here must not let that
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
		s.writePage(w, r)
	case r.URL.Path == "/object":
		shown, ok := s.object(r.URL.Query())
		s.writeDetail(w, r, shown, ok)
	case r.URL.Path == "/request":
		shown, ok := s.request(r.URL.Query())
		s.writeDetail(w, r, shown, ok)
	default:
		content, kind, ok := File(strings.TrimPrefix(r.URL.Path, "/"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content) // a browser that has gone away is not a concern
	}
}

// born distinguishes this process from an earlier one at the same address.
var born = time.Now().UnixNano()

// revision is a text that is another one when the page would show something else. With a running clock it also changes
// every minute, because the page says how long ago things were.
func (s *Page) revision(now time.Time) string {
	last, length := s.Server.Log.Revision()
	shown := now
	if !s.Billing.Clock.Fixed() {
		shown = now.Truncate(time.Minute)
	}
	return fmt.Sprintf(`"%x-%x-%x-%x-%x-%v"`, born, s.Billing.DB.Revision(), last, length, shown.UnixMilli(),
		s.Server.Faults.Revision())
}

// writePage writes the page, unless the browser has it: the script asks every two seconds. The clock is in a header, so
// that it can continue.
func (s *Page) writePage(w http.ResponseWriter, r *http.Request) {
	now := s.Billing.Clock.Now()
	err := s.Billing.Settle(now) // before the revision is taken
	revision := s.revision(now)
	w.Header().Set("ETag", revision)
	w.Header().Set("Sandbox-Time", iso(now))
	if err == nil && r.Header.Get("If-None-Match") == revision {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	view, viewErr := s.view()
	s.write(w, errors.Join(err, viewErr), func(text io.Writer) error { return Render(text, view) })
}

func (s *Page) writeDetail(w http.ResponseWriter, r *http.Request, shown Detail, ok bool) {
	if !ok {
		http.NotFound(w, r)
		return
	}
	s.write(w, nil, func(text io.Writer) error { return RenderDetail(text, shown) })
}

func (s *Page) write(w http.ResponseWriter, err error, render func(io.Writer) error) {
	var text bytes.Buffer
	if err == nil {
		err = render(&text)
	}
	if err != nil {
		w.Header().Del("ETag")
		s.Logger.Error("web page", "error", err)
		http.Error(w, "The page could not be created; see the log of the sandbox.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes()) // a browser that has gone away is not a concern
}

// local reports whether a Host header names this machine.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return server.Loopback(strings.ToLower(strings.Trim(host, "[]")))
}
