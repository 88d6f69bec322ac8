package api

import (
	"errors"
	"math"
	"time"
)

const (
	measuredSpan = 2 * time.Second // what "recent" means for the measured rate
	allowed      = 0.92            // of the measured rate: what a 429 leaves to hope for
	slowing      = 0.9             // of that, at first
	steepness    = 0.3             // of the recovery, in requests per second³
	slowest      = 0.5             // requests per second: slower is a standstill
	unlimited    = 1000            // requests per second: a higher rate is not limited
)

var errLimitTooLow = errors.New("the client-side limit of requests per second does not let it through before its " +
	"deadline")

// speed is the rate at which a gate lets requests through. Its owner locks.
//
// After a 429 it follows the curve of CUBIC (RFC 9438): fast back to nearly
// the rate that was too fast, slowly past it, and then faster and faster. So it is
// near the rate that the service allows within seconds, and stays there.
type speed struct {
	limit    float64         // configured, in requests per second; 0: none
	current  float64         // in force; 0: none
	before   float64         // what the last 429 leaves to hope for
	guessed  bool            // from a first burst, which says little
	openedAt time.Time       // after the last 429
	due      time.Time       // of the next request
	starts   [1024]time.Time // ring: when the latest requests went through
	next     int
}

func newSpeed(limit float64) speed {
	limit = max(limit, 0)
	return speed{limit: limit, current: limit}
}

// interval is the time between two requests. Bursts are not allowed: a limit of n
// is never more than n in any second.
func (s *speed) interval() time.Duration {
	if s.current == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / s.current)
}

// started notes a request that goes through. One that is only a little late does
// not delay the next one.
func (s *speed) started(now time.Time) {
	if late := now.Sub(s.due); late < 0 || late > s.interval() {
		s.due = now
	}
	s.due = s.due.Add(s.interval())
	s.starts[s.next] = now
	s.next = (s.next + 1) % len(s.starts)
}

// measured is the recent rate in requests per second; a span below a second
// counts as one, so that a first burst is not an absurd rate. What was before the
// gate opened last does not count, as nothing was sent in between.
func (s *speed) measured(now time.Time) float64 {
	count, oldest := 0, now
	for _, start := range s.starts {
		if start.IsZero() || now.Sub(start) > measuredSpan || start.Before(s.openedAt) {
			continue
		}
		count++
		if start.Before(oldest) {
			oldest = start
		}
	}
	return float64(count) / max(now.Sub(oldest).Seconds(), 1)
}

// slow slows down after a 429: to a part of the rate that was too fast.
func (s *speed) slow(now time.Time) {
	measured := s.measured(now)
	switch {
	case s.current == 0:
		s.before, s.guessed = measured, true
	case now.Sub(s.openedAt) < time.Second:
		s.before, s.guessed = s.current, false // too short a time to measure
	default:
		s.before, s.guessed = min(measured, s.current), false
	}
	s.before *= allowed
	floor := slowest
	if s.limit > 0 {
		floor = min(floor, s.limit)
	}
	s.current = max(slowing*s.before, floor)
	s.openedAt = now
}

// reopened starts the recovery.
func (s *speed) reopened(now time.Time) { s.openedAt = now }

// recover speeds up with the time that has passed without a 429.
func (s *speed) recover(now time.Time) {
	if s.current == s.limit {
		return
	}
	elapsed := now.Sub(s.openedAt).Seconds()
	turning := math.Cbrt(s.before * (1 - slowing) / steepness)
	perSecond := s.before + steepness*math.Pow(elapsed-turning, 3)
	if s.guessed {
		perSecond = s.before * math.Exp2(elapsed)
	}
	switch {
	case s.limit > 0 && perSecond >= s.limit, s.limit == 0 && perSecond >= unlimited:
		s.current = s.limit
	case perSecond > s.current:
		s.current = perSecond
	}
}
