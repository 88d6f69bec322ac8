// Package delivery sends events to webhook endpoints: the states of a
// delivery, the schedule of its attempts, and one attempt over the network
// (service description, Collections §3 Delivery status, §5 and §8).
package delivery

import "time"

// MaxAttempts is how often a delivery is tried before it is exhausted
// (service description, Collections §8).
const MaxAttempts = 8

// firstWait is the wait after the first failure; it doubles with each one.
const firstWait = 4 * time.Minute

// Wait is how long after the failed attempt with that number, from 1, the next
// one comes. It is false after the last.
func Wait(failed int) (time.Duration, bool) {
	if failed < 1 || failed >= MaxAttempts {
		return 0, false
	}
	return firstWait << (failed - 1), true
}
