package sandbox

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// web returns the web page.
func (s *Server) web() *page.Page {
	shown := &page.Page{
		Billing: s.billing, Finance: s.finance, Collections: s.collections, Tokens: s.storedTokens, Server: s.server,
		Logger: s.options.Logger, KeyHeader: s.options.CollectionsAuthHeader,
	}
	isReadOnly := s.core.Copy
	if s.options.WebReadOnly != nil {
		isReadOnly = *s.options.WebReadOnly
	}
	if !isReadOnly {
		shown.Actions = &page.Actions{Token: rand.Text(), Advance: s.webAdvance, AdvanceTo: s.webAdvanceTo,
			Resend: s.resend,
			Emit: func(ctx context.Context, endpoint, event string) error {
				if err := s.collections.EmitTo(endpoint, event); err != nil {
					return err
				}
				return s.settleDeliveries(ctx)
			}}
	}
	return shown
}

// webAdvance moves the clock forward only: a page is not the place to undo.
func (s *Server) webAdvance(ctx context.Context, by string) error {
	if strings.HasPrefix(strings.TrimSpace(by), "-") {
		return server.ErrValidation.With("The page moves the clock only forward.")
	}
	_, err := s.moveClock(ctx, ClockMove{Advance: by})
	return err
}

func (s *Server) webAdvanceTo(ctx context.Context, to time.Time) error {
	if to.Before(s.core.Clock.Now()) {
		return server.ErrValidation.With("The clock has passed this time. Load the page again.")
	}
	_, err := s.moveClock(ctx, ClockMove{Set: &to})
	return err
}
