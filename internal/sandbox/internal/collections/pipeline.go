package collections

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// restAfterFailure is the pause after a failed write of the state.
const restAfterFailure = time.Second

// pipeline sends due deliveries: sequentially for each endpoint in the order of due times, concurrently across
// endpoints. It reads the tables when woken, when the clock is moved, and when the running clock reaches the next
// attempt.
type pipeline struct {
	sender delivery.Sender
	woken  chan struct{} // holds one wake-up, so that it cannot be lost
	stop   context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	busy    map[string]bool // endpoints with an attempt in progress
	settled chan struct{}   // closed and replaced after each attempt
}

func newPipeline(sender delivery.Sender) *pipeline {
	return &pipeline{
		sender: sender, woken: make(chan struct{}, 1), stop: func() {},
		busy: map[string]bool{}, settled: make(chan struct{}),
	}
}

func (p *pipeline) wake() {
	select {
	case p.woken <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// take reserves an endpoint; it returns false while an attempt to it is in progress.
func (p *pipeline) take(endpoint string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy[endpoint] {
		return false
	}
	p.busy[endpoint] = true
	return true
}

func (p *pipeline) release(endpoint string) {
	p.mu.Lock()
	delete(p.busy, endpoint)
	close(p.settled)
	p.settled = make(chan struct{})
	p.mu.Unlock()
	p.wake()
}

// state reports whether no attempt is in progress, and returns a channel that is closed after the next one.
func (p *pipeline) state() (quiet bool, settled <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.busy) == 0, p.settled
}

// Start starts sending, unless this is a copy.
func (s *Service) Start() error {
	if s.Copy {
		return nil
	}
	if err := errors.Join(s.endListeners(), s.DB.Update(s.catchUp)); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := s.pipeline
	p.stop = stop
	s.Clock.OnMove = p.wake
	p.work.Go(func() {
		for {
			next, waiting := s.dispatch(ctx)
			if !s.rest(ctx, next, waiting) {
				return
			}
		}
	})
	return nil
}

// Stop aborts the attempts in progress. Their deliveries remain due and are sent again at the next start, because their
// outcome is unknown.
func (s *Service) Stop() {
	s.pipeline.stop()
	s.pipeline.work.Wait()
}

// catchUp reschedules to now what came due while no server ran: receivers would reject an old signature time.
func (s *Service) catchUp(tx *store.Tx) error {
	now := s.Clock.Now()
	for id, row := range s.openOnes.All(tx, openKey) {
		if row.State.Due.Before(now) {
			row.State.Due = &now
			s.Deliveries.Put(tx, id, row)
		}
	}
	return nil
}

// open returns the deliveries with a pending attempt, earliest first.
func (s *Service) open() []DeliveryRow {
	return store.Read(s.DB, func(tx *store.Tx) []DeliveryRow {
		return store.Sorted(s.openOnes.All(tx, openKey), func(a, b DeliveryRow) int {
			return cmp.Or(a.State.Due.Compare(*b.State.Due), cmp.Compare(a.Number, b.Number))
		})
	})
}

// dispatch starts the due attempts, and returns the time of the next one.
func (s *Service) dispatch(ctx context.Context) (next time.Time, waiting bool) {
	now := s.Clock.Now()
	for _, row := range s.open() {
		if row.State.Due.After(now) {
			return *row.State.Due, true
		}
		if !s.pipeline.take(row.EndpointID) {
			continue // the end of that attempt wakes the pipeline
		}
		s.pipeline.work.Go(func() {
			defer s.pipeline.release(row.EndpointID)
			if err := s.attempt(ctx, row.ID); err != nil && ctx.Err() == nil {
				s.logger.Error("deliver", "delivery", row.ID, "error", err)
				_ = server.Wait(ctx, restAfterFailure) // the loop checks ctx itself
			}
		})
	}
	return time.Time{}, false
}

// rest sleeps until the next possible work; it returns false if ctx is done.
func (s *Service) rest(ctx context.Context, next time.Time, waiting bool) bool {
	var reached <-chan time.Time
	if waiting && !s.Clock.Fixed() {
		timer := time.NewTimer(next.Sub(s.Clock.Now()))
		defer timer.Stop()
		reached = timer.C
	}
	select {
	case <-reached:
	case <-s.pipeline.woken:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// attempt makes the due attempt of a delivery, at its due time: if the clock jumps over several attempts, each one is
// made at its own time.
func (s *Service) attempt(ctx context.Context, id string) error {
	message, send, err := s.compose(id)
	if err != nil || !send {
		return err
	}
	made, err := s.pipeline.sender.Send(ctx, message)
	internal := errors.Is(err, netguard.ErrInternal)
	if err != nil && !internal {
		return err
	}
	return s.DB.Update(func(tx *store.Tx) error {
		row, ok := s.Deliveries.Get(tx, id)
		switch {
		case !ok: // cleared during the attempt
			return nil
		case !internal:
			row.State = row.State.After(made)
		case row.State.Cycle == made.Cycle:
			row.State = row.State.GivenUp(made.Error)
		}
		s.Deliveries.Put(tx, id, row)
		return nil
	})
}

// compose creates the message of a delivery's next attempt. Without an active endpoint, the delivery is given up.
func (s *Service) compose(id string) (message delivery.Message, send bool, err error) {
	err = s.DB.Update(func(tx *store.Tx) error {
		row, ok := s.Deliveries.Get(tx, id)
		if !ok || !row.State.Open() {
			return nil
		}
		endpoint, ok := s.Endpoints.Get(tx, row.EndpointID)
		if !ok || !endpoint.Endpoint.Active {
			row.State = row.State.GivenUp(inactiveEndpoint)
			s.Deliveries.Put(tx, id, row)
			return nil
		}
		event, _ := s.events.Get(tx, row.EventID)
		message = delivery.Message{
			URL: endpoint.Endpoint.URL, ForwardTo: endpoint.ForwardTo,
			Event: row.Event, EventID: row.EventID, DeliveryID: row.ID,
			Number: row.State.Attempts + 1, Cycle: row.State.Cycle, At: *row.State.Due,
			Body: event.Body, Secret: endpoint.Secret, Credentials: endpoint.Credentials,
		}
		send = true
		return nil
	})
	return message, send, err
}

// WaitDeliveries waits until all due attempts have been made.
func (s *Service) WaitDeliveries(ctx context.Context) error {
	if s.Copy {
		return nil
	}
	for {
		quiet, settled := s.pipeline.state()
		open := s.open()
		if quiet && (len(open) == 0 || open[0].State.Due.After(s.Clock.Now())) {
			return nil
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
