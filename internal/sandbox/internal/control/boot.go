// Package control is what controls a sandbox from outside its services: the tokens,
// the seed and example data that a new state begins with, and the control
// listener, over which a running sandbox is queried and controlled.
package control

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// bootstrap is what a restart over the same state file must find again:
// addresses change, credentials and the authority do not.
type bootstrap struct {
	Authority    server.Authority          `json:"authority"`
	Organization string                    `json:"organization"`
	Credentials  map[server.Service]string `json:"credentials"` // the first token of each service, whole
	ControlToken string                    `json:"control_token"`
	// SigningKey signs the tokens of financial management.
	SigningKey string `json:"signing_key"`
	Starts     uint64 `json:"starts"`
}

const bootstrapID = "bootstrap"

// Options are those of Options that say what a new state begins with.
type Options struct {
	Authority     func() (server.Authority, error)
	Seed          uint64
	SeedDocument  []byte
	NoExampleData bool
	StateFile     string // shown by the status; empty: in memory
	Organization  server.Organization
	Tokens        []server.Token
}

// Control is what controls a sandbox from outside its services: tokens, seeds and
// the control listener.
type Control struct {
	*server.Core
	options     Options
	billing     *billing.Service
	finance     *finance.Service
	collections *collections.Service
	Server      *server.Server // of the control listener

	settings  store.Table[bootstrap]
	tokens    store.Table[server.StoredToken]
	Bootstrap bootstrap
	stopped   chan struct{} // closed when a client requests the end
	stop      func()        // closes it, once
	// SeedIgnored: there is a seed document, and the state is not new.
	SeedIgnored bool
}

// Open makes or finds what the sandbox begins with.
func Open(
	ctx context.Context, c *server.Core, b *billing.Service, f *finance.Service, k *collections.Service, o Options,
) (*Control, error) {
	s := &Control{Core: c, options: o, billing: b, finance: f, collections: k, stopped: make(chan struct{})}
	s.stop = sync.OnceFunc(func() { close(s.stopped) })
	var errs [2]error
	s.settings, errs[0] = store.NewTable[bootstrap](c.DB, "settings")
	s.tokens, errs[1] = store.NewTable[server.StoredToken](c.DB, "tokens")
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if err := c.DB.Update(func(tx *store.Tx) error { return s.boot(ctx, tx) }); err != nil {
		return nil, fmt.Errorf("prepare state: %w", err)
	}
	return s, nil
}

func (s *Control) boot(ctx context.Context, tx *store.Tx) error {
	saved, ok := s.settings.Get(tx, bootstrapID)
	saved.Starts++
	s.Source = server.NewSource(s.options.Seed, saved.Starts)
	s.Bootstrap = saved
	s.SeedIgnored = ok && len(s.options.SeedDocument) > 0
	if !ok {
		if err := s.firstBoot(tx); err != nil {
			return err
		}
		if err := s.firstData(ctx, tx); err != nil {
			return err
		}
	}
	s.settings.Put(tx, bootstrapID, s.Bootstrap)
	return nil
}

// firstData is what a new state begins with.
func (s *Control) firstData(ctx context.Context, tx *store.Tx) error {
	if len(s.options.SeedDocument) == 0 && !s.options.NoExampleData {
		return s.finance.PutExamples(tx, s.Bootstrap.Organization)
	}
	return s.Seed(ctx, tx, s.options.SeedDocument)
}

func (s *Control) firstBoot(tx *store.Tx) error {
	issuer, err := s.options.Authority()
	if err != nil {
		return err
	}
	organization := s.OrganizationWithDefaults(s.options.Organization)
	s.Organizations.Put(tx, organization.ID, organization)
	s.Bootstrap.Authority = issuer
	s.Bootstrap.Organization = organization.ID
	s.Bootstrap.ControlToken = "control_" + s.Source.Hex(20)
	s.Bootstrap.SigningKey = s.Source.Hex(64)
	s.Bootstrap.Credentials = map[server.Service]string{}

	tokens := s.options.Tokens
	if len(tokens) == 0 {
		tokens = []server.Token{{Service: server.Billing}, {Service: server.Finance}, {Service: server.Collections}}
	}
	for _, token := range tokens {
		if token.Service == "" {
			token.Service = server.Billing
		}
		value, err := s.putToken(tx, token)
		if err != nil {
			return err
		}
		if s.Bootstrap.Credentials[token.Service] == "" {
			s.Bootstrap.Credentials[token.Service] = value
		}
	}
	return nil
}
