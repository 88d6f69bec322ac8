package collections

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// The pipeline rests until the running clock reaches the next attempt, until it is
// woken, or until the end; a clock that stands still reaches nothing on its own.
func TestRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		running := &Service{Core: &server.Core{Clock: server.NewClock(time.Time{})}}
		standing := &Service{Core: &server.Core{Clock: server.NewClock(time.Now())}}
		for name, test := range map[string]struct {
			server  *Service
			waiting bool
			woken   time.Duration // 0: not at all
			takes   time.Duration
			goesOn  bool
		}{
			"running, next attempt":  {running, true, 0, 4 * time.Minute, true},
			"running, woken before":  {running, true, time.Minute, time.Minute, true},
			"running, nothing due":   {running, false, 0, time.Hour, false},
			"standing, next attempt": {standing, true, 0, time.Hour, false},
			"standing, woken":        {standing, true, time.Minute, time.Minute, true},
		} {
			p := newPipeline(delivery.Sender{})
			test.server.pipeline = p
			ctx, stop := context.WithTimeout(t.Context(), time.Hour)
			begin := time.Now()
			if test.woken > 0 {
				time.AfterFunc(test.woken, p.wake)
			}
			goesOn := test.server.rest(ctx, test.server.Clock.Now().Add(4*time.Minute), test.waiting)
			if took := time.Since(begin).Round(time.Second); took != test.takes || goesOn != test.goesOn {
				t.Errorf("%s: %v after %v, want %v after %v", name, goesOn, took, test.goesOn, test.takes)
			}
			stop()
		}
	})
}

// A wake-up while nobody waits is kept, and one is enough.
func TestWakeIsKept(t *testing.T) {
	t.Parallel()
	p := newPipeline(delivery.Sender{})
	p.wake()
	p.wake()
	<-p.woken
	select {
	case <-p.woken:
		t.Error("woken twice")
	default:
	}
	if !p.take("a") || p.take("a") || !p.take("b") {
		t.Error("an endpoint is reserved twice, or holds up another")
	}
	quiet, settled := p.state()
	p.release("a")
	<-settled
	if now, _ := p.state(); quiet || now || !p.take("a") {
		t.Error("released wrongly")
	}
}
