package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Names of the listeners that are not services.
const (
	controlListener = "control"
	webListener     = "web page"
)

// Server is a running sandbox.
type Server struct {
	options     Options
	core        *server.Core
	billing     *billing.Service
	finance     *finance.Service
	collections *collections.Service
	server      *server.Server

	settings    store.Table[bootstrap]
	tokens      store.Table[server.StoredToken] // of recurring billing and financial management
	bootstrap   bootstrap
	movedPorts  []string      // listeners whose port was taken
	seedIgnored bool          // there is a seed document or a copy, and the state is not new
	copied      *copyOf       // of Options.Copy, for a new state
	stopped     chan struct{} // closed when a client requests the end
	stop        func()        // closes it, once

	caFile    string
	temporary bool // caFile is removed by Close
	closing   sync.Once
	closed    error
	release   func() bool // releases the context of Start
	instance  string      // of Status
}

// Start opens the state, binds the listeners and serves until Close, or until
// ctx is done. When it returns, requests are served. It fails when the state
// file cannot be read or is held by another process, or a port is taken.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{options: o.withDefaults(), stopped: make(chan struct{}), instance: rand.Text()}
	if s.options.PlainHTTP && !Loopback(s.options.Addr) {
		return nil, errPlain
	}
	s.stop = sync.OnceFunc(func() { close(s.stopped) })
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.listen(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.release = context.AfterFunc(ctx, func() {
		if err := s.Close(); err != nil {
			s.options.Logger.Error("close sandbox", "error", err)
		}
	})
	return s, nil
}

// open opens the state and the services over it.
func (s *Server) open(ctx context.Context) (err error) {
	o := s.options
	if s.core, err = server.OpenCore(o.StateFile, o.Start, o.Logger); err != nil {
		return err
	}
	if err := s.openCopy(); err != nil {
		return err
	}
	guard := netguard.Guard{AllowLoopback: o.AllowLoopbackReceivers, Resolver: o.Resolver}
	s.billing, s.finance = billing.Open(s.core), finance.Open(s.core)
	s.billing.Arithmetic = o.Arithmetic
	s.collections = collections.Open(s.core, guard, o.ReceiverCAs, o.Logger)
	s.settings = store.NewTable[bootstrap](s.core.DB, "settings")
	s.tokens = store.NewTable[server.StoredToken](s.core.DB, "tokens")
	if err := s.core.DB.Err(); err != nil {
		return err
	}
	if err := s.core.DB.Update(func(tx *store.Tx) error { return s.boot(ctx, tx) }); err != nil {
		return fmt.Errorf("prepare state: %w", err)
	}
	s.finance.CursorKey = []byte(s.bootstrap.SigningKey)
	return s.collections.Start()
}

// openCopy reads the copy that a new state begins with, and sets the clock to its time.
func (s *Server) openCopy() error {
	settings := store.NewTable[bootstrap](s.core.DB, "settings")
	saved, used := bootstrap{}, false
	store.Read(s.core.DB, func(tx *store.Tx) bool { saved, used = settings.Get(tx, bootstrapID); return used })
	s.core.Copy = saved.Copy != nil
	if used || s.options.Copy == nil {
		return s.core.DB.Err()
	}
	of, organization, err := readCopy(s.options.Copy)
	if err != nil {
		return err
	}
	s.copied, s.options.Organization, s.core.Copy = &of, organization, true
	s.core.Clock.Begin(of.Time)
	return nil
}

// bootstrap is what a restart over the same state file must find again: credentials, the authority and, unless they are
// taken, the ports.
type bootstrap struct {
	Authority    server.Authority   `json:"authority"`
	Organization string             `json:"organization"`
	Credentials  map[Service]string `json:"credentials"` // the token of each service that may do everything, whole
	ControlToken string             `json:"control_token"`
	// SigningKey signs the tokens and the cursors of financial management.
	SigningKey string `json:"signing_key"`
	Starts     uint64 `json:"starts"`
	// Ports are those of the services and control at the last start.
	Ports map[string]int `json:"ports,omitempty"`
	// Copy is set for the copy of an organization.
	Copy *copyOf `json:"copy,omitempty"`
}

const bootstrapID = "bootstrap"

func (s *Server) boot(ctx context.Context, tx *store.Tx) error {
	saved, ok := s.settings.Get(tx, bootstrapID)
	saved.Starts++
	s.core.Source = server.NewSource(s.options.Seed, saved.Starts)
	s.bootstrap = saved
	if err := s.checkSettled(); err != nil {
		return err
	}
	s.seedIgnored = ok && (len(s.options.SeedDocument) > 0 || s.options.Copy != nil)
	if !ok {
		if err := s.firstBoot(tx); err != nil {
			return err
		}
		if err := s.firstData(ctx, tx); err != nil {
			return err
		}
	}
	for service := range s.bootstrap.Credentials {
		s.bootstrap.Credentials[service] = cmp.Or(s.settled(service), s.bootstrap.Credentials[service])
	}
	s.bootstrap.ControlToken = cmp.Or(s.options.ControlToken, s.bootstrap.ControlToken)
	if err := s.settleTokens(tx); err != nil {
		return err
	}
	s.settings.Put(tx, bootstrapID, s.bootstrap)
	return nil
}

// firstData writes the initial data of a new state.
func (s *Server) firstData(ctx context.Context, tx *store.Tx) error {
	if s.options.Copy != nil && s.core.Copy {
		return s.load(tx)
	}
	if len(s.options.SeedDocument) == 0 && !s.options.NoExampleData {
		return s.finance.PutExamples(tx, s.bootstrap.Organization)
	}
	return s.seed(ctx, tx, s.options.SeedDocument)
}

// organizationID is the organization of every sandbox without a seed: what a state remembers of it holds after a
// restart.
const organizationID = "3c1f7f2a-52d8-4c7e-9a0b-8f6b1c0e9d24"

func (s *Server) firstBoot(tx *store.Tx) error {
	// Servers without a state file share the authority of the process.
	authority := server.ProcessAuthority
	switch {
	case s.options.NoListeners:
		authority = func() (none server.Authority, _ error) { return none, nil }
	case s.options.StateFile != "":
		authority = server.NewAuthority
	}
	issuer, err := authority()
	if err != nil {
		return err
	}
	organization := s.options.Organization
	if s.options.Seed == 0 || s.copied != nil {
		organization.ID = cmp.Or(organization.ID, organizationID)
	}
	organization = s.core.OrganizationWithDefaults(organization)
	s.core.Organizations.Put(tx, organization.ID, organization)
	s.bootstrap.Authority = issuer
	s.bootstrap.Organization = organization.ID
	s.bootstrap.ControlToken = "control_" + s.core.Source.Hex(20)
	s.bootstrap.SigningKey = s.core.Source.Hex(64)
	s.bootstrap.Credentials = map[Service]string{}
	s.bootstrap.Copy = s.copied
	services := []Service{Billing, Finance, Collections}
	if s.copied != nil { // its keys come from the copy
		prefix := cmp.Or(s.copied.Key, "ck_copy_"+s.core.Source.Hex(4))
		s.bootstrap.Credentials[Collections] = prefix + "_" + s.core.Source.Hex(20)
		services = services[:2]
	}
	for _, service := range services {
		made, err := s.putToken(tx, Token{Service: service}, s.settled(service))
		if err != nil {
			return err
		}
		s.bootstrap.Credentials[service] = made.Value
	}
	return nil
}

func (s *Server) listen(ctx context.Context) (err error) {
	s.server = server.New(s.core, s.options.server())
	if s.options.NoListeners {
		for _, site := range s.sites() {
			s.server.Mount(site)
		}
		return nil
	}
	if err := errors.Join(s.writeCAFile(), s.server.Certify(s.bootstrap.Authority)); err != nil {
		return err
	}
	for _, site := range s.sites() {
		err := s.bind(string(site.Service), site.Port, func(port int) error {
			site.Port = port
			return s.server.ServeSite(ctx, site)
		})
		if err != nil {
			return err
		}
	}
	if s.options.Web || s.options.WebPort != 0 {
		err := s.server.ServePlain(ctx, webListener, s.options.WebPort, s.web())
		if err != nil {
			return err
		}
	}
	// The last one: its status names all others.
	err = s.bind(controlListener, s.options.ControlPort, func(port int) error {
		return s.server.ServeSecure(ctx, controlListener, port, s.controlHandler())
	})
	if err != nil {
		return err
	}
	return s.keepPorts()
}

// bind serves a listener on its port, else on the one of the last start, else on a free one.
func (s *Server) bind(name string, port int, serve func(port int) error) error {
	if last := s.bootstrap.Ports[name]; port == 0 && last != 0 {
		if serve(last) == nil {
			return nil
		}
		s.movedPorts = append(s.movedPorts, name)
	}
	return serve(port)
}

// keepPorts stores the ports for the next start.
func (s *Server) keepPorts() error {
	if s.options.StateFile == "" {
		return nil
	}
	ports := map[string]int{}
	for _, name := range []string{string(Billing), string(Finance), string(Collections), controlListener} {
		address, err := url.Parse(s.server.Address(name))
		if err != nil {
			return err
		}
		ports[name], _ = strconv.Atoi(address.Port()) // which the server has written
	}
	if maps.Equal(ports, s.bootstrap.Ports) {
		return nil
	}
	s.bootstrap.Ports = ports
	return s.core.DB.Update(func(tx *store.Tx) error {
		s.settings.Put(tx, bootstrapID, s.bootstrap)
		return nil
	})
}

func (s *Server) sites() []server.Site {
	return []server.Site{
		{Service: Billing, Port: s.options.BillingPort, Routes: s.billing.Routes(),
			Find: s.tokensOf(Billing), Unknown: server.ErrUnauthorized, Settle: s.billing.Settle,
			PriceOf: s.billing.PriceOf},
		{Service: Finance, Port: s.options.FinancePort, Routes: s.finance.Routes(), Records: true,
			Find: s.tokensOf(Finance), Unknown: finance.ErrUnknownJWT},
		{Service: Collections, Port: s.options.CollectionsPort, Routes: s.collections.Routes(),
			Find: s.collections.TokenOf, Unknown: collections.ErrUnknownKey, Used: s.collections.NoteUse,
			Loggable: collections.Loggable, Header: s.options.CollectionsAuthHeader},
	}
}

// Bend makes the services differ from now on, besides the options. It replaces the rules of the last call.
func (s *Server) Bend(rules ...bend.Rule) { s.server.Bend(rules...) }

// Close ends the listeners, waits for the requests under way, stops the
// deliveries and releases the state file. A second call returns what the first
// one did.
func (s *Server) Close() error {
	s.closing.Do(func() {
		var errs []error
		if s.release != nil {
			s.release()
		}
		if s.server != nil {
			errs = append(errs, s.server.Stop())
		}
		if s.collections != nil {
			s.collections.Stop()
		}
		if s.core != nil {
			errs = append(errs, s.core.DB.Close())
		}
		if s.temporary {
			errs = append(errs, os.Remove(s.caFile))
		}
		s.closed = errors.Join(errs...)
	})
	return s.closed
}

// errPlain keeps tokens off networks.
var errPlain = errors.New("plain http is served on loopback only")

// writeCAFile puts the authority's certificate where the options say.
func (s *Server) writeCAFile() error {
	path := s.options.CAFile
	if s.options.PlainHTTP && path == "" {
		return nil // nothing has a certificate
	}
	if path == "" && s.options.StateFile != "" {
		path = s.options.StateFile + ".ca.pem"
	}
	if path == "" {
		file, err := os.CreateTemp("", "billing-sandbox-*.ca.pem")
		if err != nil {
			return fmt.Errorf("write the CA certificate: %w", err)
		}
		s.caFile, s.temporary = file.Name(), true
		_, err = file.Write(s.CAPEM())
		return errors.Join(err, file.Close())
	}
	// Terraform runs in its own folders, so a relative path would be lost.
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("place the CA certificate: %w", err)
	}
	s.caFile = path
	if err := os.WriteFile(path, s.CAPEM(), 0o644); err != nil {
		return fmt.Errorf("write the CA certificate: %w", err)
	}
	return nil
}

// Resolver finds the addresses of a name; *net.Resolver is one.
type Resolver = netguard.Resolver

// Options configure a sandbox. The zero value is a
// server in memory, on free ports of 127.0.0.1, on the real clock.
type Options struct {
	// Addr is the host that the services and control bind to and that their addresses
	// contain, "127.0.0.1" when empty. With 0.0.0.0 or ::, the addresses contain 127.0.0.1.
	Addr string
	// Hosts are names of this machine, such as that of a container, for which the certificate is valid too. The
	// addresses contain the first one.
	Hosts []string
	// PlainHTTP serves http instead of https. Addr must be on loopback.
	PlainHTTP bool
	// Origins are those from which scripts of browsers may call the services and control; "*" is any.
	Origins []string
	// The ports of the listeners; 0 takes the one that StateFile has from the last start, else a free one.
	BillingPort, FinancePort, CollectionsPort, ControlPort int

	// NoListeners opens no port, and no file but StateFile: the services are reached only through Server.RoundTrip.
	NoListeners bool

	// HTTP2 lets the services speak HTTP/2 too. A fault that drops a connection
	// resets then only the stream of its request.
	HTTP2 bool

	// Web serves a page for browsers that shows what is in the sandbox, over
	// plain http and on loopback only, at WebPort; 0 takes a free one, and any
	// other turns the page on.
	Web     bool
	WebPort int
	// WebReadOnly leaves out the forms with which the page moves the clock, sends deliveries again and emits events. Nil:
	// only a copy's page is without them.
	WebReadOnly *bool

	// StateFile keeps everything in a file, in which a confirmed write
	// survives a crash of the process; empty means memory only.
	StateFile string
	// CAFile is where the PEM of the certificate authority is written. Empty
	// means next to the state file, or without one a temporary file that Close
	// removes.
	CAFile string

	// Start is the time at which the clock stands still until it is moved; zero uses
	// the clock of the state file, or else the real one.
	Start time.Time
	// Seed, when not zero, is what ids, tokens and shuffles come from, so that
	// the same requests in the same order get the same responses.
	Seed uint64
	// SeedDocument is the JSON of what the organization begins with: an object
	// of lists (customers, billing_accounts, subscriptions, webhook_endpoints,
	// api_keys) and of finance, an object of lists by collection. Each element
	// is the body of the operation that makes it. When something is wrong with
	// it, Start fails with a *SeedError and nothing has been made. Only a new
	// state is seeded; see Server.SeedIgnored.
	SeedDocument []byte
	// Copy opens the copy of an organization (package orgcopy), which is what the sandbox begins with instead of a seed:
	// exactly these objects, and a clock that stands at the time of the copy. No delivery is sent and no amount is
	// invented. When something is wrong with the copy, Start fails with an *orgcopy.Error. Only a new state takes a copy.
	Copy func() (io.ReadCloser, error)
	// Prices is a user's price list, for amounts that the copy does not show.
	Prices []amounts.Entry
	// Arithmetic is how recurring billing computes amounts, except in a copy. The zero value rounds the sum half up.
	Arithmetic amounts.Arithmetic
	// Tokens are known from the start, with these values. The first one of a service that may do everything is the
	// service's in Env. A revoked one is valid again after a reset. When one cannot be used, Start fails with a
	// *TokenError.
	Tokens []SettledToken
	// ControlToken is the token of the control listener; empty: it is generated.
	ControlToken string
	// MaxPerPage is the largest page size; zero means 100, as documented. A test sets
	// 2, so that every listing crosses a page boundary.
	MaxPerPage int
	// Bend makes the services differ from their descriptions.
	Bend []bend.Rule

	// NoExampleData lets financial management begin empty, and not with the
	// accounts, payables and receivables of two companies. A seed replaces the
	// example data as well. Ignored when the state file is not new.
	NoExampleData bool

	// Organization is what the first tokens belong to. Fields left empty
	// get example values; Environment is "sandbox". Ignored when the state file
	// has one already.
	Organization Organization

	// CollectionsAuthHeader is the header that carries the bare key of
	// collections; empty means Authorization with Bearer.
	CollectionsAuthHeader string
	// AllowLoopbackReceivers lets webhook endpoints be on this machine. All
	// other internal networks stay rejected, and https stays required.
	AllowLoopbackReceivers bool
	// ReceiverCAs are the authorities that webhook receivers may have their
	// certificates from; nil means the system's.
	ReceiverCAs *x509.CertPool
	// Resolver is asked for the addresses of receivers, at registration and again
	// at every attempt. Nil means the system's, which is not asked for names that
	// are reserved for documentation and tests.
	Resolver Resolver

	// OnRequest is called for every request after its response, from several
	// goroutines at the same time; nil logs them with the Logger, at debug.
	OnRequest func(Request)
	// Logger logs broken connections at debug and failures of the
	// sandbox itself at error; nil means no log.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = "127.0.0.1"
	}
	if o.MaxPerPage <= 0 {
		o.MaxPerPage = server.DocumentedMaxPerPage
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o Options) server() server.Options {
	return server.Options{Addr: o.Addr, Hosts: o.Hosts, Plain: o.PlainHTTP, Origins: o.Origins, HTTP2: o.HTTP2,
		MaxPerPage: o.MaxPerPage, Bend: o.Bend, OnRequest: o.OnRequest,
		Logger: o.Logger, Document: OpenAPI}
}
