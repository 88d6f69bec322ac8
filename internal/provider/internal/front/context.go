package front

import (
	"context"
	"sync/atomic"
	"time"
)

// callContext is the context of one call. The framework keeps the contexts of all calls until the end of the process,
// to cancel them when Terraform is interrupted, and with them the loggers, the request and the stream of each call: 100
// kB for each object of a plan. So a context that it gets refers to nothing any more after the call.
type callContext struct {
	current atomic.Pointer[context.Context]
}

var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// releasable is ctx until release is called, and a canceled context from then on.
func releasable(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	c := &callContext{}
	c.current.Store(&ctx)
	return c, func() {
		cancel()
		c.current.Store(&ended)
	}
}

func (c *callContext) Deadline() (time.Time, bool) { return (*c.current.Load()).Deadline() }
func (c *callContext) Done() <-chan struct{}       { return (*c.current.Load()).Done() }
func (c *callContext) Err() error                  { return (*c.current.Load()).Err() }
func (c *callContext) Value(key any) any           { return (*c.current.Load()).Value(key) }
