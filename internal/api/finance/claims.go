package finance

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// A key creates one record, for good. claims are what this process plans for the keys, and what it does with the
// records: a replacement with the same key creates and deletes one record, in either order.
type claims struct {
	mu      sync.Mutex
	planned map[string][]Claim  // by collection and key
	records map[string]*holding // by collection and id
}

// Claim is what a plan does with the record of a key.
type Claim struct {
	ID        string // "": it creates the record
	Destroyed bool   // it deletes the record
	Given     bool   // the configuration names the key; otherwise it follows from the body
	About     string // names the record in messages
	Replaces  string // collection and id of the record that is replaced by the one it creates, with "/" between
}

// ClaimKey notes what a plan does with the record of a key, and returns what was
// noted of it before.
func (s *Service) ClaimKey(collection, key string, c Claim) (others []Claim) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	if s.keys.planned == nil {
		s.keys.planned = map[string][]Claim{}
	}
	name := collection + "/" + normalKey(key)
	others = slices.Clone(s.keys.planned[name])
	s.keys.planned[name] = append(s.keys.planned[name], c)
	return others
}

// holding is what this process does with one record.
type holding struct {
	turn        chan struct{} // of one
	taken, gone bool          // a creation was given it, or it was deleted
}

// hold returns the notes on a record, once no request about it is under way. The caller has to call free.
func (s *Service) hold(ctx context.Context, collection, id string) (h *holding, free func(), err error) {
	s.keys.mu.Lock()
	if s.keys.records == nil {
		s.keys.records = map[string]*holding{}
	}
	name := collection + "/" + strings.ToLower(id)
	if h = s.keys.records[name]; h == nil {
		h = &holding{turn: make(chan struct{}, 1)}
		s.keys.records[name] = h
	}
	s.keys.mu.Unlock()
	free = func() { <-h.turn }
	select {
	case h.turn <- struct{}{}: // also after an interrupt: what was created has to be noted
		return h, free, nil
	default:
	}
	select {
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	case h.turn <- struct{}{}:
		return h, free, nil
	}
}
