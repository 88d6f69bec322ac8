// Package page serves the sandbox's web page: requests by run, data, and the history of each object. The templates read
// table rows through the functions in viewer.go. They list every displayed field explicitly, because a row may contain
// credentials. requests.go reads the request log, timeline.go the history of a subscription.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

//go:embed templates style.css page.js favicon.svg
var files embed.FS

// kinds maps the page's files to their media types.
var kinds = map[string]string{
	"style.css":   "text/css; charset=utf-8",
	"page.js":     "text/javascript; charset=utf-8",
	"favicon.svg": "image/svg+xml",
}

// layouts itself is never executed: each page has the functions of its viewer.
var layouts = template.Must(template.New("").Funcs((&viewer{Page: &Page{
	Billing: new(billing.Service), Collections: new(collections.Service),
}}).functions()).ParseFS(files, "templates/*.html"))

// contentPolicy allows the page only to load its own files, fetch itself, and submit its filter to itself.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

var errNothing = errors.New("nothing to show")

// Page serves the web page from the services, the tokens and the request log.
type Page struct {
	Billing     *billing.Service
	Finance     *finance.Service
	Collections *collections.Service
	Tokens      func(tx *store.Tx) []server.StoredToken // of recurring billing and financial management
	Server      *server.Server                          // provides the request log and the faults
	Logger      *slog.Logger
	Actions     *Actions // nil: the page is read-only
	KeyHeader   string   // carries the key of collections; empty: Authorization
}

// ServeHTTP serves the page and its files, and carries out its forms. It rejects requests for a Host other than this
// machine, so that a web site whose name resolves to this machine (DNS rebinding) can neither read nor use the page.
func (s *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Content-Security-Policy": contentPolicy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		w.Header().Set(name, value)
	}
	query := r.URL.Query()
	switch {
	case !local(r.Host):
		http.Error(w, "This page is available only on this machine: open it at 127.0.0.1 or localhost.", http.StatusForbidden)
	case r.Method == http.MethodPost && s.Actions != nil && slices.Contains(actionPaths, r.URL.Path):
		s.act(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "This is read-only.", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		s.write(w, r, "layout.html", func(v *viewer) (any, error) { return v.everything(), nil })
	case r.URL.Path == "/object":
		s.write(w, r, "detail.html", func(v *viewer) (any, error) { return v.object(query.Get("id")) })
	case r.URL.Path == "/request":
		s.write(w, r, "detail.html", func(v *viewer) (any, error) { return v.request(query.Get("id")) })
	default:
		name := strings.TrimPrefix(r.URL.Path, "/")
		content, err := files.ReadFile(name)
		if kinds[name] == "" || err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kinds[name])
		_, _ = w.Write(content) // the browser may have disconnected
	}
}

// write renders a template from a consistent view of the tables. It sends the page only if it has changed: the script
// polls every two seconds. The clock is in a header, so that the script can advance it.
func (s *Page) write(w http.ResponseWriter, r *http.Request, name string, read func(*viewer) (any, error)) {
	v := viewer{Page: s, now: s.Billing.Clock.Now(), query: r.URL.Query(), address: r.URL.RequestURI()}
	settled := s.Billing.Settle(v.now)
	v.requests = s.Server.Log.Since(0)
	var text bytes.Buffer
	err := s.Billing.DB.View(func(tx *store.Tx) error {
		v.tx = tx
		content, err := read(&v)
		err = errors.Join(settled, err)
		if err != nil {
			return err
		}
		layout, err := layouts.Clone()
		if err != nil {
			return err
		}
		return layout.Funcs(v.functions()).ExecuteTemplate(&text, name, content)
	})
	switch {
	case errors.Is(err, errNothing):
		s.fail(w, http.StatusNotFound, failure{"Not found",
			"There is no such object or request, or the log no longer contains it.", ""})
	case err != nil:
		s.Logger.Error("web page", "error", err)
		http.Error(w, "The page could not be created; see the log of the sandbox.", http.StatusInternalServerError)
	default:
		w.Header().Set("Sandbox-Time", iso(v.now))
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(text.Bytes())))
		if r.Header.Get("If-None-Match") == w.Header().Get("ETag") {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if shown := v.shownTime(); !shown.Equal(v.now) {
			text = *bytes.NewBuffer(bytes.Replace(text.Bytes(), clockElement(shown), clockElement(v.now), 1))
		}
		_, _ = w.Write(text.Bytes()) // the browser may have disconnected
	}
}

// failure is what a page says instead of what was asked for. Back is an address of the page, or empty.
type failure struct{ Title, Message, Back string }

func (s *Page) fail(w http.ResponseWriter, status int, of failure) {
	var text bytes.Buffer
	layout, err := layouts.Clone()
	if err == nil {
		err = layout.ExecuteTemplate(&text, "error.html", of)
	}
	if err != nil {
		s.Logger.Error("web page", "error", err)
		http.Error(w, of.Message, status)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // the browser may have disconnected
}

// shownTime is the time of the clock in what ETag stands for. It has no seconds while the clock is running, because
// every rendering would differ; write adds them to what is sent.
func (v *viewer) shownTime() time.Time {
	if v.Billing.Clock.Fixed() {
		return v.now
	}
	return v.now.Truncate(time.Minute)
}

func clockElement(at time.Time) []byte {
	return fmt.Appendf(nil, `<strong><time datetime="%s">%s</time></strong> UTC`, iso(at), clock(at))
}

func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return server.Loopback(strings.ToLower(strings.Trim(host, "[]")))
}
