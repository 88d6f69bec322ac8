package collections

import "sync"

// claims holds the ids of what this process has created. A create whose response
// was lost looks for its object by what it looks like; what another create has
// already got is not it, however alike the two are. The zero value is ready.
type claims struct {
	mu  sync.Mutex
	ids map[string]bool
}

// take claims an id; false: it is claimed already.
func (c *claims) take(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids[id] {
		return false
	}
	if c.ids == nil {
		c.ids = map[string]bool{}
	}
	c.ids[id] = true
	return true
}

func (c *claims) has(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ids[id]
}
