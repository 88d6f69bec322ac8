package sandbox

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Server is a running sandbox.
type Server struct {
	options   Options
	clock     *Clock
	source    *source
	faults    faults
	log       requestLog
	lag       readLag
	agenda    agenda
	db        *store.DB
	bootstrap bootstrap
	// seedIgnored: there is a seed document, and the state is not new.
	seedIgnored bool

	settings      store.Table[bootstrap]
	organizations store.Table[Organization]
	tokens        store.Table[storedToken]
	customers     store.Table[customerRow]
	accounts      store.Table[accountRow]
	subscriptions store.Table[subscriptionRow]
	invoices      store.Table[invoiceRow]
	// invoiceNumbers holds the last number given to an invoice, by organization.
	invoiceNumbers store.Table[int64]
	collections    collections
	finance        finance

	// The live objects of a type, by externalKey.
	customerCodes     store.Index[customerRow]
	accountCodes      store.Index[accountRow]
	subscriptionCodes store.Index[subscriptionRow]

	accountsOf      store.Index[accountRow]      // by customer
	subscriptionsOf store.Index[subscriptionRow] // by billing account

	listeners map[string]string // name → https://host:port
	http      []*http.Server
	serving   sync.WaitGroup
	caFile    string
	temporary bool // caFile is removed by Close
	closing   sync.Once
	closed    error
	release   func() bool // lets go of the context of Start
}

// Start opens the state, binds the listeners and serves until Close, or until
// ctx is done. When it returns, requests are answered. It fails when the state
// file cannot be read or is held by another process, or a port is taken.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{options: o.withDefaults(), clock: newClock(o.Start), listeners: map[string]string{}}
	if err := s.openState(ctx); err != nil {
		return nil, err
	}
	s.lag.listings = o.ReadLag // what the state begins with is not new
	if err := s.startPipeline(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.writeCAFile(); err != nil {
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

// Close ends the listeners, waits for the requests under way, breaks off the
// deliveries and releases the state file. A second call answers what the first one did.
func (s *Server) Close() error {
	s.closing.Do(func() {
		if s.release != nil {
			s.release()
		}
		s.closed = s.stopListening()
		s.stopPipeline()
		s.closed = errors.Join(s.closed, s.db.Close(), s.removeCAFile())
	})
	return s.closed
}

func (s *Server) removeCAFile() error {
	if !s.temporary {
		return nil
	}
	return os.Remove(s.caFile)
}

// BillingURL is the base address of recurring billing, without a final slash.
func (s *Server) BillingURL() string { return s.listeners[string(Billing)] }

// FinanceURL is the base address of financial management.
func (s *Server) FinanceURL() string { return s.listeners[string(Finance)] }

// CollectionsURL is the base address of collections.
func (s *Server) CollectionsURL() string { return s.listeners[string(Collections)] }

// ControlURL is the address at which the running sandbox is asked and steered.
func (s *Server) ControlURL() string { return s.listeners[controlListener] }

// ControlToken is the bearer token of the control listener.
func (s *Server) ControlToken() string { return s.bootstrap.ControlToken }

// CAPEM is the certificate of the authority that has signed the listeners'.
func (s *Server) CAPEM() []byte { return s.bootstrap.Authority.Certificate }

// CAFile is the absolute path of the file that holds CAPEM.
func (s *Server) CAFile() string { return s.caFile }

// BillingToken is the first token of recurring billing; without Options.Tokens
// one that may do everything.
func (s *Server) BillingToken() string { return s.bootstrap.Credentials[Billing] }

// FinanceToken is the first token of financial management, a JWT.
func (s *Server) FinanceToken() string { return s.bootstrap.Credentials[Finance] }

// CollectionsKey is the first API key of collections.
func (s *Server) CollectionsKey() string { return s.bootstrap.Credentials[Collections] }

// Organization is the one the default tokens belong to.
func (s *Server) Organization() Organization {
	var organization Organization
	// The function given to View returns no error, so View returns none.
	_ = s.db.View(func(tx *store.Tx) error {
		organization, _ = s.organizations.Get(tx, s.bootstrap.Organization)
		return nil
	})
	return organization
}

// NewOrganization makes another organization, whose id a Token may name.
func (s *Server) NewOrganization(o Organization) (Organization, error) {
	o = s.organizationWithDefaults(o)
	err := s.db.Update(func(tx *store.Tx) error {
		s.organizations.Put(tx, o.ID, o)
		return nil
	})
	return o, err
}

// SeedIgnored tells that Options.SeedDocument was left alone, because the state
// file has been used before.
func (s *Server) SeedIgnored() bool { return s.seedIgnored }

// Clock is the time the sandbox lives in.
func (s *Server) Clock() *Clock { return s.clock }

// AddFault puts a fault in force and answers its id.
func (s *Server) AddFault(f Fault) string { return s.faults.add(f) }

// ClearFaults takes every fault out of force.
func (s *Server) ClearFaults() { s.faults.clear() }

// Requests answers the request log of the three services, oldest first.
func (s *Server) Requests() []Request { return s.log.since(0) }

// ResetRequests empties the request log.
func (s *Server) ResetRequests() { s.log.reset() }

// Env is the environment in which the provider finds this sandbox, and the
// sandbox command its control listener.
func (s *Server) Env() map[string]string {
	env := map[string]string{
		"BILLING_BASE_URL":              s.BillingURL(),
		"BILLING_TOKEN":                 s.BillingToken(),
		"BILLING_FINANCE_BASE_URL":      s.FinanceURL(),
		"BILLING_FINANCE_TOKEN":         s.FinanceToken(),
		"BILLING_COLLECTIONS_BASE_URL":  s.CollectionsURL(),
		"BILLING_COLLECTIONS_API_KEY":   s.CollectionsKey(),
		"BILLING_CA_CERTIFICATE_FILE":   s.CAFile(),
		"BILLING_SANDBOX_CONTROL_URL":   s.ControlURL(),
		"BILLING_SANDBOX_CONTROL_TOKEN": s.ControlToken(),
	}
	if header := s.options.CollectionsAuthHeader; header != "" {
		env["BILLING_COLLECTIONS_AUTH_HEADER"] = header
	}
	return env
}
