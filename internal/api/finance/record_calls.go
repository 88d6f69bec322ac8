package finance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// mostSuccessors bounds how many deleted records with the same key are passed
// over.
const mostSuccessors = 50

// mostReadsOfOlder bounds the reads of a record that is older than the call, and so
// cannot be too new to be read.
const mostReadsOfOlder = 2

// RecordCreated is the result of CreateRecord.
type RecordCreated struct {
	Record
	// Existed says that the record is older than the call: an earlier creation with
	// the same key made it.
	Existed bool
}

// CreateRecord creates a record in a collection (wire contract:
// finance.records.create) and returns it as it is now. key is a version 4 UUID; a
// create with the same key creates no second record, however often it is sent and by
// whom, so the record may be older than the call. The case of the key has no meaning.
//
// For a key that it knows, the service returns the original result, also when that
// record was deleted since. So the record is read; when it is gone, the create is
// sent with the key that follows, which is always the same one, and so on. A record
// that this process deletes meanwhile is waited for, and counts as gone.
//
// Once sent, the request continues for at most 8 s after ctx has ended. Where the
// outcome stays unknown ([Unsettled]), the same call with the same key decides it.
func (s *Service) CreateRecord(ctx context.Context, collection string, body json.RawMessage,
	key string) (*RecordCreated, error) {
	key = normalKey(key)
	listed := s.listedBefore(ctx, collection)
	for range mostSuccessors {
		asked := time.Now()
		created, err := s.post(ctx, collection, body, key)
		if err != nil {
			return nil, err
		}
		older := listed[strings.ToLower(created.ID)] || s.older(ctx, created, asked)
		given, err := s.take(ctx, collection, created.ID)
		if err != nil {
			return nil, fmt.Errorf("wait for the deletion of the record %q: %w", created.ID, err)
		}
		if !given.gone {
			current, gone := s.current(ctx, collection, created, older)
			switch {
			case !gone && given.undeleted:
				return nil, &UndeletedError{ID: created.ID}
			case !gone:
				return &RecordCreated{Record: *current, Existed: older || given.before || changed(body, created, current)}, nil
			}
			s.release(collection, created.ID)
			if err := s.readsWork(ctx, collection); err != nil {
				// Only the text of it: wrapped, the response to a read would be taken
				// for the response to the create.
				return nil, fmt.Errorf("the service created the record %q and then reported that it does not exist: %s",
					created.ID, err.Error())
			}
		}
		key = successor(key)
	}
	return nil, fmt.Errorf("%d records were made with this idempotency key and those that follow it, and all of them "+
		"are deleted; use another key", mostSuccessors)
}

// UndeletedError is a creation that was given a record which this process was to
// delete for another resource, and could not: that resource still manages it.
type UndeletedError struct{ ID string }

func (e *UndeletedError) Error() string {
	return fmt.Sprintf("the service returned the record %q, which was created with the same key: a resource that this "+
		"run removes manages it, "+
		"and its deletion failed. Nothing was created. Correct what the error of the deletion reports and apply again; "+
		"where the resource was renamed, a moved block keeps the record without a deletion", e.ID)
}

// dateSlack is how much older than its creation a record may look, because the Date
// of a response has no fractions of a second.
const dateSlack = time.Second

// older reports whether a record was made before a request that was asked then, by
// the service's own clock. It is false where the record does not show its time.
func (s *Service) older(ctx context.Context, created *Record, asked time.Time) bool {
	shown := created.Field("created_at")
	at, ok := api.Moment(shown)
	now, known := s.client.Now(ctx, func(context.Context) error { return nil })
	return ok && known && !api.IsDate(shown) && at.Before(now.Add(-time.Since(asked)-dateSlack))
}

// changed reports whether a record has another value in a field that was sent than
// its creation had: another system has changed it since.
func changed(body json.RawMessage, created, current *Record) bool {
	var sent, before, now map[string]json.RawMessage
	if json.Unmarshal(body, &sent) != nil || json.Unmarshal(created.Raw, &before) != nil ||
		json.Unmarshal(current.Raw, &now) != nil {
		return false
	}
	for field := range sent {
		if !reflect.DeepEqual(tree(before[field]), tree(now[field])) {
			return true
		}
	}
	return false
}

// tree is a JSON value without its spelling; an absent one is null.
func tree(raw json.RawMessage) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

func (s *Service) post(ctx context.Context, collection string, body json.RawMessage, key string) (*Record, error) {
	request := api.Request{
		Operation: "finance.records.create", Path: map[string]string{"collection": collection},
		Body: body, IdempotencyKey: key,
	}
	record, _, err := api.Settle(ctx, api.Settlement[Record]{
		Create: func(ctx context.Context) (Record, error) {
			ask := func(ctx context.Context) (Record, error) { return api.One[Record](ctx, s.client, request) }
			record, err := ask(ctx)
			// The same key asks for the record that the first request has created.
			return api.ReadBack(ctx, record, err, ask)
		},
		Describe: fmt.Sprintf("record in the collection %q", collection),
	})
	return &record, err
}

// current is a record as it is now. Where reading it fails, the response to its
// creation is used instead: the record was created, and that must not be lost.
func (s *Service) current(ctx context.Context, collection string, created *Record,
	older bool) (record *Record, gone bool) {
	reads := 0
	record, err := api.Again(ctx, func(ctx context.Context) (*Record, error) {
		reads++
		return s.oneRecord(ctx, collection, created.ID)
	}, func(_ *Record, err error) bool { return api.IsNotFound(err) && !(older && reads >= mostReadsOfOlder) })
	switch {
	case err == nil:
		return record, false
	case api.IsNotFound(err):
		return nil, true
	default:
		return created, false
	}
}

// readsWork makes sure that a record which cannot be read is really gone: one that
// is listed must be readable. Otherwise every create would be taken for a deleted
// record, and another one made.
func (s *Service) readsWork(ctx context.Context, collection string) error {
	for listed, err := range s.ListRecords(ctx, collection, Query{Limit: 1}) {
		if err == nil && listed.ID != "" {
			_, err = s.oneRecord(ctx, collection, listed.ID)
		}
		if err != nil {
			return fmt.Errorf("records of this collection cannot be read: %w", err)
		}
	}
	return nil
}

// Unsettled reports whether a create that failed may have created the record all the
// same: everything but a clear rejection.
func Unsettled(err error) bool {
	var undeleted *UndeletedError
	e, ok := api.AsError(err)
	if !ok {
		return err != nil && !errors.As(err, &undeleted)
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
