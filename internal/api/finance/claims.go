package finance

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// A key makes one record, for good. So a record that is renamed in the
// configuration, without a moved block, is created and deleted in one run, and
// both requests are about the same record. The notes of this file let the two
// meet in whatever order they come.
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
	taken bool          // a creation was given it
	ended chan struct{} // closed at the end of the deletion that is under way; nil: none is
	gone  bool          // it was deleted
}

// hold returns the notes on a record, once no deletion of it is under way. The
// caller has to call free.
func (s *Service) hold(ctx context.Context, collection, id string) (h *holding, free func(), err error) {
	name := collection + "/" + strings.ToLower(id)
	for {
		s.keys.mu.Lock()
		if s.keys.records == nil {
			s.keys.records = map[string]*holding{}
		}
		if s.keys.records[name] == nil {
			s.keys.records[name] = &holding{}
		}
		h := s.keys.records[name]
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

// take gives a record to a creation. It is false when this process has deleted
// the record; a deletion that is under way is waited for. before says that an
// earlier creation of this process was given the same record.
func (s *Service) take(ctx context.Context, collection, id string) (taken, before bool, err error) {
	h, free, err := s.hold(ctx, collection, id)
	if err != nil {
		return false, false, err
	}
	defer free()
	before = h.taken
	h.taken = !h.gone
	return h.taken, before, nil
}

// release takes a record back from a creation, as it does not exist.
func (s *Service) release(collection, id string) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	if h := s.keys.records[collection+"/"+strings.ToLower(id)]; h != nil {
		h.taken = false
	}
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
	h.gone, h.ended = err == nil, nil
	close(ended)
	return err == nil, err
}
