package server

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
)

// Limits of a connection, so that a stalled client cannot occupy it forever.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	closeTimeout      = 2 * time.Second
	maxHeaderBytes    = 64 << 10
)

// Options are the options of the listeners.
type Options struct {
	Addr       string
	Hosts      []string // names of this machine; addresses use the first
	Plain      bool     // http instead of https
	Origins    []string // allowed origins of browser scripts
	HTTP2      bool
	MaxPerPage int
	Bend       []bend.Rule // what the services do otherwise than described
	OnRequest  func(Request)
	Logger     *slog.Logger
	Document   func(name, address string) ([]byte, error) // returns the OpenAPI document of a listener
}

// Server serves the services and the other listeners.
type Server struct {
	*Core
	options     Options
	bends       atomic.Pointer[[]bend.Rule] // those of the options, and of Bend; nil: only the former
	Faults      faults
	connections *connections
	Log         RequestLog
	certificate tls.Certificate
	authority   []byte // PEM

	addresses map[string]string       // name → https://host:port
	mounted   map[string]http.Handler // host → service, see RoundTrip
	http      []*http.Server
	serving   sync.WaitGroup
	late      atomic.Int64    // requests that were answered and are processed later
	stopped   context.Context // ends with the server
	stop      func()
}

// New returns a server without listeners.
func New(c *Core, o Options) *Server {
	stopped, stop := context.WithCancel(context.Background())
	return &Server{Core: c, options: o, Faults: faults{clock: c.Clock}, connections: newConnections(),
		addresses: map[string]string{}, mounted: map[string]http.Handler{}, stopped: stopped, stop: stop}
}

// Certify gives the listeners a certificate issued by the authority.
func (s *Server) Certify(issuer Authority) (err error) {
	s.authority = issuer.Certificate
	s.certificate, err = issuer.issue(append([]string{s.options.Addr}, s.options.Hosts...)...)
	return err
}

// Address returns the address of the service or listener with that name; empty without one.
func (s *Server) Address(name string) string { return s.addresses[name] }

// Addresses returns all addresses by name.
func (s *Server) Addresses() map[string]string { return maps.Clone(s.addresses) }

// ServeSite serves a service, whose connections can go silent.
func (s *Server) ServeSite(ctx context.Context, site Site) error {
	name := string(site.Service)
	return s.serve(ctx, name, site.Port, s.opened(name, s.Handler(site)), func(listener net.Listener) net.Listener {
		return s.secure(fallible{Listener: listener, server: s, service: name})
	})
}

// ServeSecure serves a handler like the services.
func (s *Server) ServeSecure(ctx context.Context, name string, port int, handler http.Handler) error {
	return s.serve(ctx, name, port, s.opened(name, handler), s.secure)
}

// ServePlain serves a handler over plain http, always on loopback.
func (s *Server) ServePlain(ctx context.Context, name string, port int, handler http.Handler) error {
	return s.serve(ctx, name, port, handler, nil)
}

// Loopback reports whether a host, in lower case, is this machine.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// secure restricts connections to TLS 1.2 and 1.3 with the documented suites. The three TLS 1.3 suites are the
// documented ones and are not configurable in Go. Go does not implement ECDHE-RSA-AES256-SHA384 for TLS 1.2, so a
// client that supports only that suite is rejected.
func (s *Server) secure(listener net.Listener) net.Listener {
	if s.options.Plain {
		return listener
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{s.certificate},
		MinVersion:   tls.VersionTLS12,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256,
			tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
	}
	if s.options.HTTP2 {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	return tls.NewListener(listener, config)
}

// serve listens under a name and serves the handler on the listener returned by wrap; if wrap is nil, over plain http
// on loopback.
//
// By default it speaks HTTP/1.1 only. A fault that drops the connection then affects that request's connection, unlike
// an HTTP/2 stream error.
func (s *Server) serve(ctx context.Context, name string, port int, handler http.Handler,
	wrap func(net.Listener) net.Listener) error {
	host, hosts, scheme := s.options.Addr, s.options.Hosts, "https"
	if wrap == nil {
		host, hosts = "127.0.0.1", nil
	}
	if wrap == nil || s.options.Plain {
		scheme = "http"
	}
	address := net.JoinHostPort(host, strconv.Itoa(port))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			err = errors.New("another program uses this port; choose another one, or 0 for any that is free")
		}
		return fmt.Errorf("listen for %s on %s: %w", name, address, err)
	}
	s.addresses[name] = addressOf(scheme, append(hosts, host)[0], listener)
	if wrap != nil {
		listener = wrap(listener)
	}
	server := &http.Server{
		Handler:           handler,
		Protocols:         new(http.Protocols),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnContext:       withConnection,
		ConnState:         s.connections.follow,
		ErrorLog:          slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelDebug),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(s.options.HTTP2)
	server.RegisterOnShutdown(s.connections.closeUnused)
	s.http = append(s.http, server)
	s.serving.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.options.Logger.Error("serve", "error", err)
		}
	})
	return nil
}

// addressOf returns the address for clients, with the host in the certificate. A wildcard address cannot be used
// itself.
func addressOf(scheme, host string, listener net.Listener) string {
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // cannot fail for a TCP listener
	return scheme + "://" + net.JoinHostPort(host, port)
}

// Stop gives requests in progress a short time to complete, then drops them.
func (s *Server) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var errs []error
	for _, server := range s.http {
		if err := server.Shutdown(ctx); err != nil {
			errs = append(errs, server.Close())
		}
	}
	s.connections.reset() // the silent ones
	s.stop()
	s.serving.Wait()
	return errors.Join(errs...)
}

// keyBits is the documented size of the service's keys
// (service description, Recurring billing §1 Wire rules).
const keyBits = 2048

// Certificates use the real clock instead of the sandbox's, because clients verify them with the real clock.
const certificateLife = 10 * 365 * 24 * time.Hour

// Authority is a certificate authority in PEM, as stored in the state file.
type Authority struct {
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key"`
}

// ProcessAuthority is shared by all servers of a process that have no state file: generating RSA keys takes longer than
// the rest of a start.
var ProcessAuthority = sync.OnceValues(NewAuthority)

// serverKey is also created once; its certificate is created at each start.
var serverKey = sync.OnceValues(func() (*rsa.PrivateKey, error) {
	return rsa.GenerateKey(rand.Reader, keyBits)
})

// NewAuthority creates a certificate authority.
func NewAuthority() (Authority, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return Authority{}, fmt.Errorf("make the authority's key: %w", err)
	}
	template := certificateTemplate("Billing sandbox CA")
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return Authority{}, fmt.Errorf("make the authority's certificate: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Authority{}, fmt.Errorf("encode the authority's key: %w", err)
	}
	return Authority{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}, nil
}

// issue creates a server certificate for loopback and hosts.
func (a Authority) issue(hosts ...string) (tls.Certificate, error) {
	parent, err := tls.X509KeyPair(a.Certificate, a.Key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the certificate authority of the state file: %w", err)
	}
	key, err := serverKey()
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make the server's key: %w", err)
	}
	template := certificateTemplate("Billing sandbox")
	template.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = []string{"localhost"}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.Leaf, key.Public(), parent.PrivateKey)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make the server's certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

func certificateTemplate(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLife),
	}
}
