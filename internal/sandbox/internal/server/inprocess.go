package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
)

// Mount serves a service to RoundTrip, without a listener.
func (s *Server) Mount(site Site) {
	host := string(site.Service) + ".sandbox.test"
	s.addresses[string(site.Service)], s.mounted[host] = "https://"+host, s.Handler(site)
}

type faultKey struct{}

// WithFault makes a request on ctx meet the fault that meets returns for its operation, if any, when RoundTrip carries
// it out.
func WithFault(ctx context.Context, meets func(operation string) (Fault, bool)) context.Context {
	return context.WithValue(ctx, faultKey{}, meets)
}

// meets returns the fault of a request.
func (s *Server) meets(r *http.Request, operation string) (Fault, bool) {
	if meets, given := r.Context().Value(faultKey{}).(func(string) (Fault, bool)); given {
		if fault, hit := meets(operation); hit {
			return fault, true
		}
	}
	return s.Faults.take(operation, r.Method, r.URL.Path)
}

// RoundTrip implements http.RoundTripper for mounted services: the handler runs in the caller's goroutine. A fault that
// drops the connection is an error of the request.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	handler := s.mounted[r.URL.Host]
	if handler == nil {
		return nil, fmt.Errorf("no service is mounted at %s", r.URL.Host)
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	received := r.Clone(r.Context())
	if received.Body == nil {
		received.Body = http.NoBody
	}
	a := &inMemory{header: http.Header{}}
	cut := serve(handler, a, received)
	if err := r.Context().Err(); err != nil && cut {
		return nil, err
	}
	if a.status == 0 {
		return nil, io.EOF // as from a connection that is closed
	}
	body := io.Reader(&a.body)
	if cut {
		body = io.MultiReader(body, failing{})
	}
	length, err := strconv.ParseInt(a.header.Get("Content-Length"), 10, 64)
	if err != nil {
		length = -1
	}
	return &http.Response{StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: a.header, Body: io.NopCloser(body), ContentLength: length, Request: r}, nil
}

// serve runs a handler, and reports whether it has aborted the response.
func serve(handler http.Handler, w http.ResponseWriter, r *http.Request) (cut bool) {
	defer func() {
		if reason := recover(); reason != nil {
			err, _ := reason.(error)
			if cut = errors.Is(err, http.ErrAbortHandler); !cut {
				panic(reason)
			}
		}
	}()
	handler.ServeHTTP(w, r)
	return false
}

// inMemory is a response in memory.
type inMemory struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *inMemory) Header() http.Header { return a.header }

func (a *inMemory) WriteHeader(status int) { a.status = status }

func (a *inMemory) Write(b []byte) (int, error) { return a.body.Write(b) }

// failing is the end of a truncated body.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
