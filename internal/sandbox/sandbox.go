package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
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
	seedIgnored bool          // there is a seed document, and the state is not new
	stopped     chan struct{} // closed when a client requests the end
	stop        func()        // closes it, once

	caFile    string
	temporary bool // caFile is removed by Close
	closing   sync.Once
	closed    error
	release   func() bool // releases the context of Start
}

// Start opens the state, binds the listeners and serves until Close, or until
// ctx is done. When it returns, requests are served. It fails when the state
// file cannot be read or is held by another process, or a port is taken.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{options: o.withDefaults(), stopped: make(chan struct{})}
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
	if s.core, err = server.OpenCore(o.StateFile, o.Start); err != nil {
		return err
	}
	guard := netguard.Guard{AllowLoopback: o.AllowLoopbackReceivers, Resolver: o.Resolver}
	s.billing, s.finance = billing.Open(s.core), finance.Open(s.core)
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

// bootstrap is what a restart over the same state file must find again:
// addresses change, credentials and the authority do not.
type bootstrap struct {
	Authority    server.Authority   `json:"authority"`
	Organization string             `json:"organization"`
	Credentials  map[Service]string `json:"credentials"` // the token of each service that may do everything, whole
	ControlToken string             `json:"control_token"`
	// SigningKey signs the tokens and the cursors of financial management.
	SigningKey string `json:"signing_key"`
	Starts     uint64 `json:"starts"`
}

const bootstrapID = "bootstrap"

func (s *Server) boot(ctx context.Context, tx *store.Tx) error {
	saved, ok := s.settings.Get(tx, bootstrapID)
	saved.Starts++
	s.core.Source = server.NewSource(s.options.Seed, saved.Starts)
	s.bootstrap = saved
	s.seedIgnored = ok && len(s.options.SeedDocument) > 0
	if !ok {
		if err := s.firstBoot(tx); err != nil {
			return err
		}
		if err := s.firstData(ctx, tx); err != nil {
			return err
		}
	}
	s.settings.Put(tx, bootstrapID, s.bootstrap)
	return nil
}

// firstData is what a new state begins with.
func (s *Server) firstData(ctx context.Context, tx *store.Tx) error {
	if len(s.options.SeedDocument) == 0 && !s.options.NoExampleData {
		return s.finance.PutExamples(tx, s.bootstrap.Organization)
	}
	return s.seed(ctx, tx, s.options.SeedDocument)
}

func (s *Server) firstBoot(tx *store.Tx) error {
	// Servers without a state file share the authority of the process.
	authority := server.ProcessAuthority
	if s.options.StateFile != "" {
		authority = server.NewAuthority
	}
	issuer, err := authority()
	if err != nil {
		return err
	}
	organization := s.core.OrganizationWithDefaults(s.options.Organization)
	s.core.Organizations.Put(tx, organization.ID, organization)
	s.bootstrap.Authority = issuer
	s.bootstrap.Organization = organization.ID
	s.bootstrap.ControlToken = "control_" + s.core.Source.Hex(20)
	s.bootstrap.SigningKey = s.core.Source.Hex(64)
	s.bootstrap.Credentials = map[Service]string{}

	for _, service := range []Service{Billing, Finance, Collections} {
		made, err := s.putToken(tx, Token{Service: service})
		if err != nil {
			return err
		}
		s.bootstrap.Credentials[service] = made.Value
	}
	return nil
}

func (s *Server) listen(ctx context.Context) (err error) {
	if err := s.writeCAFile(); err != nil {
		return err
	}
	if s.server, err = server.New(s.core, s.bootstrap.Authority, s.options.server()); err != nil {
		return err
	}
	for _, site := range s.sites() {
		if err := s.server.ServeSite(ctx, site); err != nil {
			return err
		}
	}
	if s.options.Web || s.options.WebPort != 0 {
		err := s.server.ServePlain(ctx, webListener, s.options.WebPort, &page.Page{
			Billing: s.billing, Finance: s.finance, Collections: s.collections, Tokens: s.storedTokens, Server: s.server,
			Logger: s.options.Logger,
		})
		if err != nil {
			return err
		}
	}
	// The last one: its status names all others.
	return s.server.ServeSecure(ctx, controlListener, s.options.ControlPort, s.controlHandler())
}

func (s *Server) sites() []server.Site {
	return []server.Site{
		{Service: Billing, Port: s.options.BillingPort, Routes: s.billing.Routes(),
			Find: s.tokensOf(Billing), Unknown: server.ErrUnauthorized, Settle: s.billing.Settle},
		{Service: Finance, Port: s.options.FinancePort, Routes: s.finance.Routes(), Records: true,
			Find: s.tokensOf(Finance), Unknown: finance.ErrUnknownJWT},
		{Service: Collections, Port: s.options.CollectionsPort, Routes: s.collections.Routes(),
			Find: s.collections.TokenOf, Unknown: collections.ErrUnknownKey, Used: s.collections.NoteUse,
			Loggable: collections.Loggable, Header: s.options.CollectionsAuthHeader},
	}
}

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

// writeCAFile puts the authority's certificate where the options say.
func (s *Server) writeCAFile() error {
	path := s.options.CAFile
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
