package api

import (
	"errors"
	"time"

	"golang.org/x/time/rate"
)

const (
	measuredSpan  = 10 * time.Second // what "recent" means for the measured rate
	recoverEvery  = 10 * time.Second
	recoverFactor = 1.5
	slowest       = 0.2 // requests per second: slower is a standstill
)

var errLimitTooLow = errors.New("the client-side limit of requests per second does not let it through before its deadline")

// speed is the rate at which a gate lets requests through. Its owner locks.
type speed struct {
	limit     float64 // configured, in requests per second; 0: none
	current   float64 // in force; 0: none
	lift      float64 // without a limit: the rate at which slowing down ends
	limiter   *rate.Limiter
	steppedAt time.Time      // last step of the recovery
	starts    [256]time.Time // ring: when the latest requests went through
	next      int
}

func newSpeed(limit float64) speed {
	limit = max(limit, 0)
	s := speed{limit: limit}
	s.set(time.Time{}, limit)
	return s
}

// set puts a rate in force. Bursts are not allowed: a limit of n is never more
// than n in any second.
func (s *speed) set(now time.Time, perSecond float64) {
	s.current = perSecond
	limit := rate.Inf
	if perSecond > 0 {
		limit = rate.Limit(perSecond)
	}
	if s.limiter == nil {
		s.limiter = rate.NewLimiter(limit, 1)
		return
	}
	s.limiter.SetLimitAt(now, limit)
}

func (s *speed) reserve(now time.Time) *rate.Reservation { return s.limiter.ReserveN(now, 1) }

func (s *speed) started(now time.Time) {
	s.starts[s.next] = now
	s.next = (s.next + 1) % len(s.starts)
}

// measured is the recent rate in requests per second; a span below a second
// counts as one, so that a first burst is no absurd rate.
func (s *speed) measured(now time.Time) float64 {
	count, oldest := 0, now
	for _, start := range s.starts {
		if start.IsZero() || now.Sub(start) > measuredSpan {
			continue
		}
		count++
		if start.Before(oldest) {
			oldest = start
		}
	}
	return float64(count) / max(now.Sub(oldest).Seconds(), 1)
}

// halve slows down: half the rate in force, or half the measured one when none
// is. Without a configured limit the slowing ends at twice the rate that was
// too fast, as it may have been too fast only for a moment.
func (s *speed) halve(now time.Time) {
	before := s.current
	if before == 0 {
		before = s.measured(now)
		s.lift = 2 * before
	}
	floor := slowest
	if s.limit > 0 {
		floor = min(floor, s.limit)
	}
	s.limiter = nil // its queue belongs to the rate before
	s.set(now, max(before/2, floor))
	s.steppedAt = now
}

// reopened starts the recovery.
func (s *speed) reopened(now time.Time) { s.steppedAt = now }

// recover speeds up by one step for each span that has passed without a 429.
func (s *speed) recover(now time.Time) {
	if s.current == s.limit {
		return
	}
	for now.Sub(s.steppedAt) >= recoverEvery {
		s.steppedAt = s.steppedAt.Add(recoverEvery)
		faster := s.current * recoverFactor
		switch {
		case s.limit > 0 && faster >= s.limit, s.limit == 0 && faster >= s.lift:
			s.set(now, s.limit)
			return
		}
		s.set(now, faster)
	}
}
