package billing

import (
	"context"
	"sync"
)

// created is what this process has created so far. An object without an external_id is
// recognized by what it has in common with its creation, so of several such creations
// that look the same one is carried out at a time.
type created struct {
	mu    sync.Mutex
	ids   []string
	turns map[string]chan struct{}
}

// turn waits until no other creation with this key is under way. done ends it.
func (c *created) turn(ctx context.Context, key string) (done func(), err error) {
	c.mu.Lock()
	if c.turns == nil {
		c.turns = map[string]chan struct{}{}
	}
	turn, ok := c.turns[key]
	if !ok {
		turn = make(chan struct{}, 1)
		c.turns[key] = turn
	}
	c.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *created) note(ids ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids = append(c.ids, ids...)
}

func (c *created) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.ids...)
}
