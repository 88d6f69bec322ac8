package finance

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// A key creates one record, for good. So a record that is renamed in the
// configuration, without a moved block, is created and deleted in one run, and
// both requests are about the same record. The notes of this file let the two
// meet in whatever order they come.
type claims struct {
	mu      sync.Mutex
	planned map[string][]Claim  // by collection and key
	records map[string]*holding // by collection and id
	began   time.Time           // when the first entry of the state came; zero: none so far
}

// entriesTime is how long after the first entry of the state a removal waits for
// the others. Terraform reads and plans them side by side, and the plan of a removal
// may come before another entry is read.
const entriesTime = 500 * time.Millisecond

// Claim is what a plan does with the record of a key.
type Claim struct {
	ID        string // "": it creates the record
	Destroyed bool   // it deletes the record
	Given     bool   // the configuration names the key; otherwise it follows from the body
	About     string // tells the record from others, for messages
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

// Carried forgets what was planned for a key, as the record of it exists now: what is
// planned after that belongs to another run in the same process.
func (s *Service) Carried(collection, key string) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	delete(s.keys.planned, collection+"/"+normalKey(key))
}

// holding is what this process does with one record.
type holding struct {
	taken     bool            // a creation was given it
	ended     chan struct{}   // closed at the end of the deletion that is under way; nil: none is
	gone      bool            // it was deleted
	undeleted bool            // its deletion failed
	entries   map[string]bool // of the state that show it; true: that entry is removed
	aware     map[string]bool // the entries that every planned removal knows of; nil: none is planned
}

// notes returns the notes on a record. The caller holds the lock.
func (c *claims) notes(collection, id string) *holding {
	name := collection + "/" + strings.ToLower(id)
	if c.records == nil {
		c.records = map[string]*holding{}
	}
	if c.records[name] == nil {
		c.records[name] = &holding{entries: map[string]bool{}}
	}
	return c.records[name]
}

// Shown notes that an entry of the state shows the record. others are the entries
// that show it too. unaware reports that the removal of one of them was planned
// before this entry was known: that removal would delete the record.
func (s *Service) Shown(collection, id, entry string) (others []string, unaware bool) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	h := s.keys.shown(collection, id, entry)
	return h.without(entry), h.aware != nil && !h.aware[entry]
}

// shown notes an entry of the state. The caller holds the lock.
func (c *claims) shown(collection, id, entry string) *holding {
	if c.began.IsZero() {
		c.began = time.Now()
	}
	h := c.notes(collection, id)
	if _, known := h.entries[entry]; !known {
		h.entries[entry] = false
	}
	return h
}

// PlanRemoval notes that a plan removes an entry of the state, and returns the other
// entries that are known to show the record; see [Service.Remove]. Right after the
// first entry of this process it waits for others.
func (s *Service) PlanRemoval(ctx context.Context, collection, id, entry string) (others []string) {
	s.keys.mu.Lock()
	s.keys.shown(collection, id, entry)
	wait := time.Until(s.keys.began.Add(entriesTime))
	s.keys.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	h := s.keys.notes(collection, id)
	known := map[string]bool{}
	for other := range h.entries {
		known[other] = h.aware == nil || h.aware[other]
	}
	h.aware = known
	return h.without(entry)
}

// Remove notes that an entry of the state is removed. It is false while one of the
// others is left: then the record belongs to that one and must not be deleted. The
// last entry that a run removes deletes the record, in whatever order they come.
func (s *Service) Remove(collection, id, entry string, others []string) (last bool) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	h := s.keys.notes(collection, id)
	h.entries[entry] = true
	return !slices.ContainsFunc(others, func(other string) bool { return !h.entries[other] })
}

// without returns the entries but one.
func (h *holding) without(entry string) (others []string) {
	for other := range h.entries {
		if other != entry {
			others = append(others, other)
		}
	}
	slices.Sort(others)
	return others
}

// hold returns the notes on a record, once no deletion of it is under way. The
// caller has to call free.
func (s *Service) hold(ctx context.Context, collection, id string) (h *holding, free func(), err error) {
	for {
		s.keys.mu.Lock()
		h := s.keys.notes(collection, id)
		if h.ended == nil {
			return h, s.keys.mu.Unlock, nil
		}
		ended := h.ended
		s.keys.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		case <-ended:
		}
	}
}

// grant is what a creation learns about the record that it was given.
type grant struct {
	gone      bool // this process has deleted it
	before    bool // an earlier creation of this process was given it
	undeleted bool // its deletion by this process failed: it belongs to the resource that was to be removed
}

// take gives a record to a creation, unless this process has deleted it or was to
// delete it; a deletion that is under way is waited for.
func (s *Service) take(ctx context.Context, collection, id string) (grant, error) {
	h, free, err := s.hold(ctx, collection, id)
	if err != nil {
		return grant{}, err
	}
	defer free()
	g := grant{gone: h.gone, before: h.taken, undeleted: h.undeleted}
	h.taken = !h.gone && !h.undeleted
	return g, nil
}

// release takes a record back from a creation, as it does not exist.
func (s *Service) release(collection, id string) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	s.keys.notes(collection, id).taken = false
}

// DeleteRecord deletes a record (wire contract: finance.records.delete). One that is
// not there is deleted. It is false, and nothing is sent, when a creation of this
// process was given the record: then it belongs to that one.
func (s *Service) DeleteRecord(ctx context.Context, collection, id string) (deleted bool, err error) {
	h, free, err := s.hold(ctx, collection, id)
	if err != nil {
		return false, err
	}
	if h.taken {
		free()
		return false, nil
	}
	ended := make(chan struct{})
	h.ended = ended
	free()
	err = api.Delete(ctx, s.client, api.Request{Operation: "finance.records.delete", Path: place(collection, id)})
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	h.gone, h.undeleted, h.ended = err == nil, err != nil, nil
	close(ended)
	return err == nil, err
}
