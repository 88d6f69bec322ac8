package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"
)

// Limits of a connection: a client that stalls must not hold one for ever.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	closeTimeout      = 2 * time.Second
	maxHeaderBytes    = 64 << 10
)

// Options are those of Options that the listeners know.
type Options struct {
	Addr       string
	HTTP2      bool
	MaxPerPage int
	Tolerance  Tolerance
	OnRequest  func(Request)
	Logger     *slog.Logger
}

// Server serves the services and what else listens.
type Server struct {
	*Core
	options     Options
	Faults      faults
	lines       lines
	Log         RequestLog
	runs        runs
	certificate tls.Certificate

	addresses map[string]string // name → https://host:port
	http      []*http.Server
	serving   sync.WaitGroup
}

// New is a server that listens on nothing yet, with a certificate of the
// authority.
func New(c *Core, issuer Authority, o Options) (*Server, error) {
	certificate, err := issuer.issue(o.Addr)
	if err != nil {
		return nil, err
	}
	return &Server{Core: c, options: o, certificate: certificate, addresses: map[string]string{}}, nil
}

// Address is where a service, or what else has that name, listens; empty: nowhere.
func (s *Server) Address(name string) string { return s.addresses[name] }

// Addresses are all addresses, by what listens there.
func (s *Server) Addresses() map[string]string { return maps.Clone(s.addresses) }

// ServeSite serves a service. Its connections can go silent.
func (s *Server) ServeSite(ctx context.Context, site Site) error {
	name := string(site.Service)
	listener, err := s.bind(ctx, name, s.options.Addr, site.Port, "https")
	if err != nil {
		return err
	}
	s.serveTLS(fallible{Listener: listener, server: s, service: name}, s.Handler(site))
	return nil
}

// ServeSecure serves a handler over https.
func (s *Server) ServeSecure(ctx context.Context, name string, port int, handler http.Handler) error {
	listener, err := s.bind(ctx, name, s.options.Addr, port, "https")
	if err != nil {
		return err
	}
	s.serveTLS(listener, handler)
	return nil
}

// ServePlain serves a handler over plain http, on loopback whatever the address
// of the services is.
func (s *Server) ServePlain(ctx context.Context, name string, port int, handler http.Handler) error {
	listener, err := s.bind(ctx, name, "127.0.0.1", port, "http")
	if err != nil {
		return err
	}
	s.serve(listener, handler)
	return nil
}

// Loopback reports whether a host, in lower case, is this machine.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (s *Server) bind(ctx context.Context, name, host string, port int, scheme string) (net.Listener, error) {
	address := net.JoinHostPort(host, strconv.Itoa(port))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for %s on %s: %w", name, address, err)
	}
	s.addresses[name] = scheme + "://" + listener.Addr().String()
	return listener, nil
}

func (s *Server) serveTLS(listener net.Listener, handler http.Handler) {
	config := tlsConfig(s.certificate)
	config.NextProtos = s.options.protocols()
	s.serve(tls.NewListener(listener, config), handler)
}

// AddFault activates a fault and returns its id.
func (s *Server) AddFault(f Fault) string {
	if f.Clock != 0 {
		s.Clock.differ(f.Clock)
	}
	return s.Faults.add(f)
}

// RemoveFault ends one fault, and reports whether there is one with this id.
func (s *Server) RemoveFault(id string) bool {
	if !s.Faults.remove(id) {
		return false
	}
	s.Clock.differ(s.Faults.clock())
	return true
}

// ClearFaults removes every fault.
func (s *Server) ClearFaults() {
	s.Faults.clear()
	s.Clock.differ(0)
}

// serve speaks HTTP/1.1 only, unless the options say otherwise: a fault that drops
// the connection then drops that one request's connection, as an HTTP/2 stream
// error would not.
func (s *Server) serve(listener net.Listener, handler http.Handler) {
	server := &http.Server{
		Handler:           handler,
		Protocols:         new(http.Protocols),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnContext:       withConnection,
		ConnState:         s.runs.follow,
		ErrorLog:          slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelDebug),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(s.options.HTTP2)
	s.http = append(s.http, server)
	s.serving.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.options.Logger.Error("serve", "error", err)
		}
	})
}

// Stop lets the requests under way end, for a short time, and then drops
// what is left of them.
func (s *Server) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var errs []error
	for _, server := range s.http {
		if err := server.Shutdown(ctx); err != nil {
			errs = append(errs, server.Close())
		}
	}
	s.lines.reset() // those that are silent
	s.serving.Wait()
	return errors.Join(errs...)
}
