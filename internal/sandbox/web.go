package sandbox

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"net"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// The page is static: its script reads what the control listener's routes return, under /api and without the control
// token, and shows it. Everybody on this machine can open it, so that what it reads has no query of an address, which
// may be a password; the bodies of requests and rows of objects have no credential in the first place.

//go:embed page
var pageFiles embed.FS

// pageTypes are the media types of the page's files.
var pageTypes = map[string]string{".html": "text/html", ".css": "text/css", ".js": "text/javascript",
	".svg": "image/svg+xml"}

// pageHeaders allow the page to load its own files and to fetch from itself alone.
var pageHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
		"img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
}

// pageActions are the routes that the page uses to change something.
var pageActions = []string{"POST /clock", "POST /events", "POST /deliveries/{id}/resend"}

// web returns the handler of the page.
func (s *Server) web() http.Handler {
	isReadOnly := s.core.Copy
	if s.options.WebReadOnly != nil {
		isReadOnly = *s.options.WebReadOnly
	}
	token := ""
	if !isReadOnly {
		token = rand.Text()
	}
	mux := http.NewServeMux()
	for _, route := range s.controlRoutes() {
		method, path, _ := strings.Cut(route.pattern, " ")
		if route.pattern == "POST /clock" {
			route.serve = s.webClock
		}
		switch {
		case method == http.MethodGet:
			mux.Handle("GET /api"+path, s.shown(route.serve))
		case !isReadOnly && slices.Contains(pageActions, route.pattern):
			mux.Handle("POST /api"+path, s.acting(token, route.serve))
		}
	}
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { servePageFile(w, r, token) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range pageHeaders {
			w.Header().Set(name, value)
		}
		// A site whose name resolves to this machine (DNS rebinding) can neither read nor use the page.
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !server.Loopback(strings.ToLower(strings.Trim(host, "[]"))) {
			http.Error(w, "This page is available only on this machine: open it at 127.0.0.1 or localhost.",
				http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// servePageFile serves a file of the page, with the token that its actions repeat; empty: it is read-only.
func servePageFile(w http.ResponseWriter, r *http.Request, token string) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	content, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", pageTypes[path.Ext(name)]+"; charset=utf-8")
	_, _ = w.Write([]byte(strings.Replace(string(content), "{{token}}", token, 1))) // the browser may have disconnected
}

// shown returns what a route of the control listener returns, without the queries of addresses.
func (s *Server) shown(serve func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value, err := serve(r)
		if err == nil {
			value, err = withoutQueries(value)
		}
		s.server.Respond(w, value, err)
	})
}

// webClock moves the clock forward only: a page is not the place to undo.
func (s *Server) webClock(r *http.Request) (any, error) {
	var move ClockMove
	if err := readControl(r, &move); err != nil {
		return nil, err
	}
	if strings.HasPrefix(strings.TrimSpace(move.Advance), "-") {
		return nil, server.ErrValidation.With("The page moves the clock only forward.")
	}
	if move.Set != nil && move.Set.Before(s.core.Clock.Now()) {
		return nil, server.ErrValidation.With("The clock has passed this time. Load the page again.")
	}
	return s.moveClock(r.Context(), move)
}

var errNotThePage = (&server.Error{Status: http.StatusForbidden, Code: "forbidden"}).With(
	"This is not from this page, or from before a restart. Load the page again.")

// acting carries out a route of the control listener for the page itself, which no other site can do in its place.
func (s *Server) acting(token string, serve func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if http.NewCrossOriginProtection().Check(r) != nil ||
			subtle.ConstantTimeCompare([]byte(r.Header.Get("Page-Token")), []byte(token)) != 1 {
			s.server.Respond(w, nil, errNotThePage)
			return
		}
		s.shown(serve).ServeHTTP(w, r)
	})
}

var addressWithQuery = regexp.MustCompile(`(https?://[^\s?]*)\?\S*`)

// withoutQueries returns a value as its JSON is decoded, without the queries of the addresses in it. The payload of a
// delivery is shown as it is signed.
func withoutQueries(value any) (any, error) {
	switch v := value.(type) {
	case RequestState:
		v.Body, v.Response = bodyWithoutQueries(v.Body), bodyWithoutQueries(v.Response)
		value = v
	case []RequestState:
		for i := range v {
			v[i].Body, v[i].Response = bodyWithoutQueries(v[i].Body), bodyWithoutQueries(v[i].Response)
		}
	}
	document, err := server.Encode(value)
	if err != nil {
		return nil, err
	}
	decoded, err := server.Decode(document)
	return stripped("", decoded), err
}

func stripped(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = stripped(key, inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = stripped(name, inner)
		}
	case string:
		if name != "payload" {
			return addressWithQuery.ReplaceAllString(v, "$1?…")
		}
	}
	return value
}

// bodyWithoutQueries is withoutQueries of a logged body, which need not be JSON.
func bodyWithoutQueries(body []byte) []byte {
	value, err := server.Decode(body)
	if err != nil {
		return addressWithQuery.ReplaceAll(body, []byte("$1?…"))
	}
	document, _ := server.Encode(value) // it has been decoded
	shown, _ := server.Encode(stripped("", value))
	if bytes.Equal(document, shown) {
		return body
	}
	return shown
}
