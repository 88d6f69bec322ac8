package sandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// bootstrap is what a restart over the same state file must find again:
// addresses change, credentials and the authority do not.
type bootstrap struct {
	Authority    authority          `json:"authority"`
	Organization string             `json:"organization"`
	Credentials  map[Service]string `json:"credentials"` // the first token of each service, whole
	ControlToken string             `json:"control_token"`
	// SigningKey signs the tokens of financial management.
	SigningKey string `json:"signing_key"`
	Starts     uint64 `json:"starts"`
}

const bootstrapID = "bootstrap"

// openState opens the tables and makes or finds the bootstrap row.
func (s *Server) openState(ctx context.Context) error {
	db, err := store.Open(s.options.StateFile)
	if err != nil {
		return err
	}
	s.db = db
	if err := errors.Join(s.openTables(), s.openCollections(), s.openFinance()); err != nil {
		return errors.Join(err, db.Close())
	}
	boot := func(tx *store.Tx) error { return s.boot(ctx, tx) }
	if err := errors.Join(db.Update(boot), db.View(s.readAgenda)); err != nil {
		return errors.Join(fmt.Errorf("prepare state: %w", err), db.Close())
	}
	return nil
}

// openTables attaches every table, and the indexes over them.
func (s *Server) openTables() error {
	var errs [8]error
	s.settings, errs[0] = store.NewTable[bootstrap](s.db, "settings")
	s.organizations, errs[1] = store.NewTable[Organization](s.db, "organizations")
	s.tokens, errs[2] = store.NewTable[storedToken](s.db, "tokens")
	s.customers, errs[3] = store.NewTable[customerRow](s.db, "customers")
	s.accounts, errs[4] = store.NewTable[accountRow](s.db, "billing_accounts")
	s.subscriptions, errs[5] = store.NewTable[subscriptionRow](s.db, "subscriptions")
	s.invoices, errs[6] = store.NewTable[invoiceRow](s.db, "invoices")
	s.invoiceNumbers, errs[7] = store.NewTable[int64](s.db, "invoice_numbers")
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	s.customerCodes = store.NewIndex(s.db, s.customers, customerRow.externalKey)
	s.accountCodes = store.NewIndex(s.db, s.accounts, accountRow.externalKey)
	s.subscriptionCodes = store.NewIndex(s.db, s.subscriptions, subscriptionRow.externalKey)
	s.accountsOf = store.NewIndex(s.db, s.accounts, func(r accountRow) string { return r.CustomerID })
	s.subscriptionsOf = store.NewIndex(s.db, s.subscriptions, func(r subscriptionRow) string { return r.Subscription.BillingAccountID })
	return nil
}

// readAgenda notes what the subscriptions in the state wait for.
func (s *Server) readAgenda(tx *store.Tx) error {
	for _, row := range s.subscriptions.All(tx) {
		if at, ok := row.due(); ok {
			s.agenda.note(at)
		}
	}
	return nil
}

func (s *Server) boot(ctx context.Context, tx *store.Tx) error {
	saved, ok := s.settings.Get(tx, bootstrapID)
	saved.Starts++
	s.source = newSource(s.options.Seed, saved.Starts)
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
	if s.bootstrap.SigningKey == "" {
		if err := s.renewFinance(tx); err != nil {
			return err
		}
	}
	s.settings.Put(tx, bootstrapID, s.bootstrap)
	return nil
}

// renewFinance gives a state file from before tokens were verified a signing
// key. The tokens of financial management in it were signed with one that was
// not kept: they go, and the first is made anew.
func (s *Server) renewFinance(tx *store.Tx) error {
	s.bootstrap.SigningKey = s.source.hex(64)
	first, listed := s.tokens.Get(tx, digest(s.bootstrap.Credentials[Finance]))
	for id, token := range s.tokens.All(tx) {
		if token.Service == Finance {
			s.tokens.Delete(tx, id)
		}
	}
	if !listed {
		return nil
	}
	value, err := s.putToken(tx, first.Token)
	s.bootstrap.Credentials[Finance] = value
	return err
}

// firstData is what a new state begins with.
func (s *Server) firstData(ctx context.Context, tx *store.Tx) error {
	if len(s.options.SeedDocument) == 0 && !s.options.NoExampleData {
		return s.putExamples(tx)
	}
	return s.seed(ctx, tx)
}

func (s *Server) firstBoot(tx *store.Tx) error {
	issuer, err := processAuthority()
	if s.options.StateFile != "" {
		issuer, err = newAuthority()
	}
	if err != nil {
		return err
	}
	organization := s.organizationWithDefaults(s.options.Organization)
	s.organizations.Put(tx, organization.ID, organization)
	s.bootstrap.Authority = issuer
	s.bootstrap.Organization = organization.ID
	s.bootstrap.ControlToken = "control_" + s.source.hex(20)
	s.bootstrap.SigningKey = s.source.hex(64)
	s.bootstrap.Credentials = map[Service]string{}

	tokens := s.options.Tokens
	if len(tokens) == 0 {
		tokens = []Token{{Service: Billing}, {Service: Finance}, {Service: Collections}}
	}
	for _, token := range tokens {
		if token.Service == "" {
			token.Service = Billing
		}
		value, err := s.putToken(tx, token)
		if err != nil {
			return err
		}
		if s.bootstrap.Credentials[token.Service] == "" {
			s.bootstrap.Credentials[token.Service] = value
		}
	}
	return nil
}
