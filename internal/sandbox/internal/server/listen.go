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
	connections *connections
	Log         RequestLog
	certificate tls.Certificate

	addresses map[string]string // name → https://host:port
	http      []*http.Server
	serving   sync.WaitGroup
	late      atomic.Int64    // requests that were answered and are processed later
	stopped   context.Context // ends with the server
	stop      func()
}

// New is a server that listens on nothing yet, with a certificate of the
// authority.
func New(c *Core, issuer Authority, o Options) (*Server, error) {
	certificate, err := issuer.issue(o.Addr)
	if err != nil {
		return nil, err
	}
	stopped, stop := context.WithCancel(context.Background())
	return &Server{Core: c, options: o, Faults: faults{clock: c.Clock}, connections: newConnections(),
		certificate: certificate, addresses: map[string]string{}, stopped: stopped, stop: stop}, nil
}

// Address is where a service, or what else has that name, listens; empty: nowhere.
func (s *Server) Address(name string) string { return s.addresses[name] }

// Addresses are all addresses, by what listens there.
func (s *Server) Addresses() map[string]string { return maps.Clone(s.addresses) }

// ServeSite serves a service. Its connections can go silent.
func (s *Server) ServeSite(ctx context.Context, site Site) error {
	name := string(site.Service)
	return s.serve(ctx, name, s.options.Addr, site.Port, s.Handler(site), func(listener net.Listener) net.Listener {
		return s.secure(fallible{Listener: listener, server: s, service: name})
	})
}

// ServeSecure serves a handler over https.
func (s *Server) ServeSecure(ctx context.Context, name string, port int, handler http.Handler) error {
	return s.serve(ctx, name, s.options.Addr, port, handler, s.secure)
}

// ServePlain serves a handler over plain http, on loopback whatever the address
// of the services is.
func (s *Server) ServePlain(ctx context.Context, name string, port int, handler http.Handler) error {
	return s.serve(ctx, name, "127.0.0.1", port, handler, nil)
}

// Loopback reports whether a host, in lower case, is this machine.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// secure makes connections speak TLS 1.2 and 1.3 with the documented suites and no others.
// The three TLS 1.3 suites are the documented ones and cannot be configured
// in Go; of the TLS 1.2 suites Go does not implement
// ECDHE-RSA-AES256-SHA384, so a client that knows only that one is rejected.
func (s *Server) secure(listener net.Listener) net.Listener {
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

// serve listens under a name, and serves the handler on what wrap makes of the listener; without wrap over plain http.
//
// It speaks HTTP/1.1 only, unless the options say otherwise: a fault that drops
// the connection then drops that one request's connection, as an HTTP/2 stream
// error would not.
func (s *Server) serve(ctx context.Context, name, host string, port int, handler http.Handler,
	wrap func(net.Listener) net.Listener) error {
	address := net.JoinHostPort(host, strconv.Itoa(port))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen for %s on %s: %w", name, address, err)
	}
	s.addresses[name] = addressOf("http", host, listener)
	if wrap != nil {
		s.addresses[name] = addressOf("https", host, listener)
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

// addressOf is where a client on this machine reaches a listener: the host that the certificate is issued for. One that
// means every address of the machine is none itself.
func addressOf(scheme, host string, listener net.Listener) string {
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // no error: it is the address of a TCP listener
	return scheme + "://" + net.JoinHostPort(host, port)
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
	s.connections.reset() // those that are silent
	s.stop()
	s.serving.Wait()
	return errors.Join(errs...)
}

// keyBits is the documented size of the service's keys
// (service description, Recurring billing §1 Wire rules).
const keyBits = 2048

// Certificates use the real clock, not the sandbox's clock:
// clients verify them by theirs.
const certificateLife = 10 * 365 * 24 * time.Hour

// Authority is a certificate authority in PEM, as the state file keeps it.
type Authority struct {
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key"`
}

// ProcessAuthority is shared by all servers of one process that keep no
// state: generating RSA keys takes longer than the rest of a start.
var ProcessAuthority = sync.OnceValues(NewAuthority)

// serverKey is likewise made once; the certificate over it is made per start.
var serverKey = sync.OnceValues(func() (*rsa.PrivateKey, error) {
	return rsa.GenerateKey(rand.Reader, keyBits)
})

// NewAuthority makes a certificate authority.
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

// issue makes a server certificate for loopback and for host.
func (a Authority) issue(host string) (tls.Certificate, error) {
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
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = append(template.IPAddresses, ip)
	} else {
		template.DNSNames = append(template.DNSNames, host)
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
