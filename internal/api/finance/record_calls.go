package finance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const (
	// mostSuccessors bounds how many deleted records with the same key are passed over.
	mostSuccessors = 50
	// deletedAfter is how old a record must be before a read that does not show it proves that it was deleted: three
	// times as long as reads may lag.
	deletedAfter = 3 * api.ReadLag
	// readEvery is how often a younger one is read meanwhile.
	readEvery = 5 * time.Second
	// dateSlack is how much older than its creation a record may look, because the Date of a response has no fractions of
	// a second.
	dateSlack = time.Second
)

// RecordCreated is the result of CreateRecord.
type RecordCreated struct {
	Record
	// Existed says that the record is older than the call: an earlier creation with
	// the same key made it.
	Existed bool
}

// CreateRecord creates a record in a collection (wire contract:
// finance.records.create). key is a version 4 UUID; a
// create with the same key creates no second record, however often it is sent and by
// whom, so the record may be older than the call. The case of the key has no meaning.
//
// What the service has just returned is what the call has made, whatever reads show. Only
// a record that is proven older is read: for a key that it knows, the service returns the
// original result, also when that record was deleted since. Where it is proven deleted, the
// create is sent with the key that follows, which is always the same one. That makes at
// most one record: the first one that is not proven older ends it.
//
// Once sent, the request continues for at most 8 s after ctx has ended. Where the
// outcome stays unknown ([Unsettled]), the same call with the same key decides it.
func (s *Service) CreateRecord(ctx context.Context, collection string, body json.RawMessage,
	key string) (*RecordCreated, error) {
	key = normalKey(key)
	var passed response
	for range mostSuccessors {
		asked := time.Now()
		created, err := s.post(ctx, collection, body, key)
		if err != nil {
			return nil, err
		}
		now := response{asked, created.Field("created_at")}
		isNew := s.age(ctx, created) <= time.Since(asked)+dateSlack || now.follows(passed)
		made, err := s.claim(ctx, collection, created, isNew)
		if made != nil || err != nil {
			return made, err
		}
		key, passed = successor(key), now
	}
	return nil, fmt.Errorf("%d records were made with this idempotency key and those that follow it, and all of them "+
		"are deleted; use another key", mostSuccessors)
}

// claim takes the record that a creation was given. It is nil where that record is proven deleted.
func (s *Service) claim(ctx context.Context, collection string, created *Record, isNew bool) (*RecordCreated, error) {
	h, free, err := s.hold(ctx, collection, created.ID)
	if err != nil {
		return nil, fmt.Errorf("wait for the deletion of the record %q: %w", created.ID, err)
	}
	defer free()
	made := &RecordCreated{Record: *created, Existed: !isNew}
	switch {
	case h.gone:
		return nil, nil
	case h.taken:
		return nil, &TakenError{ID: created.ID}
	case !isNew:
		current, gone := s.current(ctx, collection, created)
		if h.gone = gone; gone {
			return nil, nil
		}
		made.Record = *current
	}
	h.taken = true
	return made, nil
}

// response is when a create was sent, and the time of creation that its response showed.
type response struct {
	asked   time.Time
	created string
}

// follows reports whether two records were created as long after each other as they were asked for: then this process
// has made both, and the Date of the responses, by which the first one looked older, is not that of the clock which
// dates records.
func (r response) follows(before response) bool {
	at, ok := api.Moment(r.created)
	earlier, known := api.Moment(before.created)
	return ok && known && (at.Sub(earlier)-r.asked.Sub(before.asked)).Abs() <= 2*dateSlack
}

// TakenError is a creation that was given a record which another creation of this process was given before: both have
// the same key.
type TakenError struct{ ID string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("the service returned the record %q, which another resource of this run has created with the same "+
		"idempotency key. Nothing was created. Set idempotency_key on one of them to another UUID of version 4", e.ID)
}

// age is how long ago a record was created, by the service's own clock; 0 where that is not known.
func (s *Service) age(ctx context.Context, r *Record) time.Duration {
	shown := r.Field("created_at")
	at, ok := api.Moment(shown)
	now, known := s.client.Now(ctx, func(context.Context) error { return nil })
	if !ok || !known || api.IsDate(shown) {
		return 0
	}
	return now.Sub(at)
}

func (s *Service) post(ctx context.Context, collection string, body json.RawMessage, key string) (*Record, error) {
	request := api.Request{
		Operation: "finance.records.create", Path: map[string]string{"collection": collection},
		Body: body, IdempotencyKey: key,
	}
	record, _, err := api.Settle(ctx, s.client, api.Creation[Record]{
		Send: func(ctx context.Context) (Record, error) {
			ask := func(ctx context.Context) (Record, error) { return api.One[Record](ctx, s.client, request) }
			record, err := ask(ctx)
			// The same key asks for the record that the first request has created.
			return api.ReadBack(ctx, record, err, ask)
		},
		Describe: fmt.Sprintf("record in the collection %q", collection),
	})
	return &record, err
}

// current is an older record as it is now, and whether it is proven deleted. Where reading it fails, the response to
// its creation is used instead: the record exists, and that must not be lost.
func (s *Service) current(ctx context.Context, collection string, created *Record) (record *Record, gone bool) {
	for {
		record, err := s.oneRecord(ctx, collection, created.ID)
		switch {
		case err == nil:
			return record, false
		case !api.IsNotFound(err):
			return created, false
		case s.age(ctx, created) >= deletedAfter:
			return nil, true
		}
		timer := time.NewTimer(readEvery)
		select {
		case <-ctx.Done():
			timer.Stop()
			return created, false
		case <-timer.C:
		}
	}
}

// Unsettled reports whether a create that failed may have created the record all the
// same: everything but a clear rejection.
func Unsettled(err error) bool {
	var taken *TakenError
	e, ok := api.AsError(err)
	if !ok {
		return err != nil && !errors.As(err, &taken)
	}
	switch {
	case e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity:
		return false
	case e.Status == http.StatusRequestTimeout || e.Status < http.StatusBadRequest ||
		e.Status >= http.StatusInternalServerError:
		return true
	}
	// Who asks, or how often, says nothing about an earlier attempt.
	return e.Uncertain
}

// GetRecord reads a record (wire contract: finance.records.get). A read that lags behind
// a write is repeated.
func (s *Service) GetRecord(ctx context.Context, collection, id string) (*Record, error) {
	return api.Newest(ctx, s.client, &s.writes, collection+"/"+id, func(ctx context.Context) (*Record, error) {
		return s.oneRecord(ctx, collection, id)
	}, func(r *Record) string { return r.Field("updated_at") })
}

func (s *Service) oneRecord(ctx context.Context, collection, id string) (*Record, error) {
	record, err := api.One[Record](ctx, s.client, api.Request{Operation: "finance.records.get",
		Path: place(collection, id)})
	if err != nil {
		return nil, err
	}
	return &record, nil
}

// UpdateRecord sets the top-level keys that are given and leaves the others as they
// are; nil removes a key (wire contract: finance.records.update). It returns the
// record as it is afterwards.
func (s *Service) UpdateRecord(ctx context.Context, collection, id string, change map[string]any) (*Record, error) {
	before := s.client.DateText()
	record, err := api.One[Record](ctx, s.client, api.Request{Operation: "finance.records.update",
		Path: place(collection, id), Body: change})
	return api.ReadBack(ctx, &record, err, func(ctx context.Context) (*Record, error) {
		s.writes.Note(collection+"/"+id, "", before)
		return s.GetRecord(ctx, collection, id)
	})
}

func place(collection, id string) map[string]string {
	return map[string]string{"collection": collection, "id": id}
}

// DeleteRecord deletes a record (wire contract: finance.records.delete). One that is
// not there is deleted. It is false, and nothing is sent, when a creation of this
// process was given the record: then it belongs to that one.
func (s *Service) DeleteRecord(ctx context.Context, collection, id string) (deleted bool, err error) {
	h, free, err := s.hold(ctx, collection, id)
	if err != nil {
		return false, err
	}
	defer free()
	if h.taken {
		return false, nil
	}
	err = api.Delete(ctx, s.client, api.Request{Operation: "finance.records.delete", Path: place(collection, id)})
	h.gone = err == nil
	return err == nil, err
}
