package server

import (
	"net/http"

	"github.com/rs/cors"
)

// Paths that require no token, on every listener. They are not part of a service, so they are not logged and not
// affected by faults.
const (
	healthPath    = "/healthz"
	documentPath  = "/openapi.json"
	authorityPath = "/ca.pem"
)

// content is the response of a path that needs no token, and its media type.
type content struct {
	kind string
	body func() ([]byte, error)
}

// opened handles the paths that require no token, and CORS preflight requests, before the handler.
func (s *Server) opened(name string, handler http.Handler) http.Handler {
	open := map[string]content{
		healthPath:   {"application/json", func() ([]byte, error) { return []byte(`{"status":"ok"}`), nil }},
		documentPath: {"application/json", func() ([]byte, error) { return s.options.Document(name, s.Address(name)) }},
	}
	if !s.options.Plain {
		open[authorityPath] = content{"application/x-pem-file", func() ([]byte, error) { return s.authority, nil }}
	}
	served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, ok := open[r.URL.Path]
		if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
			handler.ServeHTTP(w, r)
			return
		}
		body, err := found.body()
		if err != nil {
			s.Respond(w, nil, err)
			return
		}
		response{status: http.StatusOK, header: http.Header{"Content-Type": {found.kind}}, body: body}.write(w, false)
	})
	if len(s.options.Origins) == 0 {
		return served
	}
	return cors.New(cors.Options{
		AllowedOrigins: s.options.Origins,
		AllowedMethods: []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: []string{"Date", "ETag", "Last-Modified", "Request-Id", "Retry-After"},
		// A page of another network must ask for permission to call this machine (Private Network Access).
		AllowPrivateNetwork: true,
	}).Handler(served)
}
