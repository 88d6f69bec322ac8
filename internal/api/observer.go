package api

import (
	"context"
	"time"
)

// Observer hears of every exchange with a service; it is how the caller logs.
// Everything it is given is already masked. Its methods are called from many
// goroutines and must not block.
type Observer interface {
	// Request is called before each attempt.
	Request(ctx context.Context, e Exchange)
	// Response is called after each attempt, also when it ended in a
	// transport error (Err is set, Status is 0).
	Response(ctx context.Context, e Exchange)
	// Waiting is called before a pause: a retry, or a gate closed by 429.
	// Delay and Reason are set.
	Waiting(ctx context.Context, e Exchange)
	// Fallback is called when what only saves requests has failed, and the requests
	// are sent. Reason and Err are set.
	Fallback(ctx context.Context, e Exchange)
}

// Exchange is what an Observer learns of one attempt. Path is the template,
// never the path with ids filled in.
type Exchange struct {
	Service, Operation, Method, Path string

	Status    int
	Attempt   int // counts from 1
	RequestID string
	Duration  time.Duration // of the attempt, until its body was read
	Delay     time.Duration // of the pause announced by Waiting
	Reason    string        // of the pause or the fallback
	Err       error         // transport error, or what has failed

	// RequestBody and ResponseBody return the masked bodies, computed only
	// when called. Either may be nil.
	RequestBody, ResponseBody func() string
}

// silent is the Observer of a client without one.
type silent struct{}

func (silent) Request(context.Context, Exchange)  {}
func (silent) Response(context.Context, Exchange) {}
func (silent) Waiting(context.Context, Exchange)  {}
func (silent) Fallback(context.Context, Exchange) {}
