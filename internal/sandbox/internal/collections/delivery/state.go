package delivery

import (
	"time"
)

// Status is the status of a delivery (service description, Collections §3).
type Status string

// The documented states.
const (
	Pending   Status = "pending"
	Success   Status = "success"
	Failed    Status = "failed"
	Exhausted Status = "exhausted"
)

// Attempt is one attempt with the captured request and response. Sensitive
// headers are redacted before they get here.
type Attempt struct {
	Number          int               `json:"number"` // from 1 in each cycle
	Cycle           int               `json:"cycle"`
	At              time.Time         `json:"at"`
	HTTPCode        int               `json:"http_code,omitempty"` // 0: there was no response
	Error           string            `json:"error,omitempty"`     // empty: success
	RequestHeaders  map[string]string `json:"request_headers,omitempty"`
	RequestBody     string            `json:"request_body,omitempty"`
	ResponseHeaders map[string]string `json:"response_headers,omitempty"`
	ResponseBody    string            `json:"response_body,omitempty"`
}

// Delivery is the delivery of one event to one endpoint. It is a value: the methods
// that move it return the moved one and share no memory with the old.
type Delivery struct {
	Status   Status `json:"status"`
	Attempts int    `json:"attempts"` // of this cycle
	// Cycle counts the manual redeliveries, so that the outcome of an attempt
	// that was under way meanwhile is distinguished from one of the new cycle.
	Cycle       int        `json:"cycle"`
	Due         *time.Time `json:"due,omitempty"` // of the next attempt; nil: there is none
	DeliveredAt *time.Time `json:"delivered_at,omitempty"`
	LastError   string     `json:"last_error,omitempty"`
	Trail       []Attempt  `json:"trail,omitempty"` // every attempt ever made, oldest first
}

// New is a delivery whose first attempt is due immediately.
func New(at time.Time) Delivery { return Delivery{Status: Pending, Due: &at} }

// Open reports whether there is an attempt to come.
func (d Delivery) Open() bool { return d.Due != nil }

// NextRetryAt is when a failed delivery is tried again; nil when it is not.
func (d Delivery) NextRetryAt() *time.Time {
	if d.Status != Failed {
		return nil
	}
	return d.Due
}

// Last is the newest attempt of this cycle.
func (d Delivery) Last() (Attempt, bool) {
	if len(d.Trail) == 0 || d.Trail[len(d.Trail)-1].Cycle != d.Cycle {
		return Attempt{}, false
	}
	return d.Trail[len(d.Trail)-1], true
}

// After is the delivery after an attempt: success, failed with the next attempt
// due, or exhausted after the last one. An attempt of a cycle that has ended
// meanwhile is kept in the record and changes nothing else.
func (d Delivery) After(a Attempt) Delivery {
	d.Trail = append(d.Trail[:len(d.Trail):len(d.Trail)], a)
	if a.Cycle != d.Cycle || !d.Open() {
		return d
	}
	d.Attempts, d.LastError, d.Due = a.Number, a.Error, nil
	if a.Error == "" {
		d.Status, d.DeliveredAt = Success, &a.At
		return d
	}
	wait, again := Wait(a.Number)
	if !again {
		d.Status = Exhausted
		return d
	}
	next := a.At.Add(wait)
	d.Status, d.Due = Failed, &next
	return d
}

// GivenUp is the delivery when it must not be sent at all: exhausted immediately,
// without a further attempt.
func (d Delivery) GivenUp(why string) Delivery {
	d.Status, d.Due, d.LastError = Exhausted, nil, why
	return d
}

// Redeliverable reports whether it may be sent again manually.
func (d Delivery) Redeliverable() bool { return d.Status == Failed || d.Status == Exhausted }

// Restarted is the delivery reset by a manual redelivery: a new cycle of
// attempts, the first one due immediately.
func (d Delivery) Restarted(at time.Time) Delivery {
	return Delivery{Status: Pending, Cycle: d.Cycle + 1, Due: &at, Trail: d.Trail}
}

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
