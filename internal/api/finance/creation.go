package finance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const (
	// mostSuccessors bounds how many deleted records with the same key are passed over.
	mostSuccessors = 50
	// lookTimeout bounds the read of what may be older: what the service has returned is not kept from the state for long.
	lookTimeout = time.Second
)

// RecordCreated is the result of CreateRecord.
type RecordCreated struct {
	Record
	// Existed says that the record is older than the call by the dates of the service: an earlier creation with the same
	// key made it. The Date of a response may be of another clock than the one that dates records.
	Existed bool
}

// CreateRecord creates a record in a collection (wire contract:
// finance.records.create). key is a version 4 UUID; a
// create with the same key creates no second record, however often it is sent and by
// whom, so the record may be older than the call. The case of the key has no meaning.
//
// What the service returns is what the call has made, whatever reads and dates show. For a
// key that it knows, the service returns the original result, also when that record was
// deleted since. Only where it is proven deleted (see isGone) the create is sent with the key
// that follows, which is always the same one. That makes at most one record: the first one
// that is not proven deleted ends it.
//
// Once sent, the request continues for at most 8 s after ctx has ended. Where the
// outcome stays unknown ([Unsettled]), the same call with the same key decides it.
func (s *Service) CreateRecord(ctx context.Context, collection string, body json.RawMessage,
	key string) (*RecordCreated, error) {
	key = normalKey(key)
	for range mostSuccessors {
		asked := time.Now()
		created, err := s.post(ctx, collection, body, key)
		if err != nil {
			return nil, err
		}
		made := &RecordCreated{Record: *created, Existed: s.client.Older(created.Field("created_at"), asked)}
		if gone, err := s.take(collection, created.ID); err != nil {
			return nil, err
		} else if !gone && (s.isNew(created) || !s.isGone(ctx, collection, made)) {
			return made, nil
		}
		s.lost(collection, created.ID)
		key = successor(key)
	}
	return nil, fmt.Errorf("%d records were made with this idempotency key and those that follow it, and all of them "+
		"are deleted; use another key", mostSuccessors)
}

// isNew reports whether a record is dated after the whole second of the newest Date, or not at all. Any other one may
// be older, also where the clock stands still, and is looked at.
func (s *Service) isNew(created *Record) bool {
	at, dated := api.Moment(created.Field("created_at"))
	date, known := s.client.Date()
	return !dated || !known || at.After(date)
}

// isGone reports whether a record that a creation has returned was deleted before. A read that does not show it proves
// nothing, as it may lag. A change of it does not lag: the service rejects it when there is no such record. It changes
// nothing, and it is sent when reads do not show the record, of a record that may be new when they do not lag any more.
//
// Where a read shows an older record, that is what the creation has returned.
func (s *Service) isGone(ctx context.Context, collection string, made *RecordCreated) bool {
	ctx, cancel := api.Completing(ctx)
	defer cancel()
	at := place(collection, made.ID)
	read := func(ctx context.Context) (*Record, error) {
		return s.one(ctx, api.Request{Operation: "finance.records.get", Path: at, Optional: true})
	}
	shortly, stop := context.WithTimeout(ctx, lookTimeout)
	defer stop()
	current, err := read(shortly)
	if err == nil && made.Existed {
		made.Record = *current
	}
	if api.IsNotFound(err) && !made.Existed {
		_, err = api.Again(ctx, read, func(_ *Record, err error) bool { return api.IsNotFound(err) })
	}
	if !api.IsNotFound(err) {
		return false
	}
	_, err = s.one(ctx, api.Request{Operation: "finance.records.update", Path: at, Body: struct{}{}, Optional: true})
	return api.IsNotFound(err)
}

// TakenError is a creation that was given a record which another creation of this process was given before: both have
// the same key.
type TakenError struct{ ID string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("the service returned the record %q, which another resource of this run has created with the same "+
		"idempotency key. Nothing was created. Set idempotency_key on one of them to another UUID of version 4", e.ID)
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
		Again:    fmt.Sprintf("A creation with the key %s returns it, or creates it", key),
	})
	return &record, err
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

// A key creates one record, for good. claims are what this process plans for the keys, and what it does with the
// records: a replacement with the same key creates and deletes one record, in either order.
type claims struct {
	mu      sync.Mutex
	planned map[string][]Claim // by collection and key
	records map[string]holding // by collection and id
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
type holding int

const (
	free     holding = iota
	taken            // a creation was given it
	deleting         // its deletion is under way
	gone             // it was deleted
)

// hold changes what this process does with a record, unless it does something with it already. It returns what that is,
// or was.
func (s *Service) hold(collection, id string, from, to holding) (was holding) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	if s.keys.records == nil {
		s.keys.records = map[string]holding{}
	}
	name := collection + "/" + strings.ToLower(id)
	if was = s.keys.records[name]; was == from {
		s.keys.records[name] = to
	}
	return was
}

// take notes that a creation was given a record. It returns true for one that this process has deleted.
func (s *Service) take(collection, id string) (deleted bool, err error) {
	switch s.hold(collection, id, free, taken) {
	case taken:
		return false, &TakenError{ID: id}
	case deleting:
		return false, fmt.Errorf("the service returned the record %q, which another resource of this run is deleting; apply "+
			"again", id)
	case gone:
		return true, nil
	}
	return false, nil
}

// lost notes that a record which a creation was given does not exist.
func (s *Service) lost(collection, id string) { s.hold(collection, id, taken, gone) }

// KeyFor derives the idempotency key of a record from what is to be made: the same
// collection and body always give the same key, so that a create can be repeated
// by another process that knows nothing of the first one. body is JSON in a form
// that does not vary: sorted keys, no white space.
//
// The key has the form of a version 4 UUID, which the service asks for (service
// description, Financial management §1); its random bits are those of a SHA-256.
func KeyFor(collection string, body json.RawMessage) string {
	return uuidOf("finance record\x00" + collection + "\x00" + string(body))
}

// successor is the key that follows one which a deleted record has used up.
func successor(key string) string { return uuidOf("successor\x00" + key) }

func uuidOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6] = sum[6]&0x0f | 0x40 // version 4
	sum[8] = sum[8]&0x3f | 0x80 // variant of RFC 9562
	digits := hex.EncodeToString(sum[:16])
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

// KeyPattern matches what can be an idempotency key: a version 4 UUID.
var KeyPattern = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// SameKey reports whether two idempotency keys are the same one: they are UUIDs,
// whose case has no meaning.
func SameKey(a, b string) bool { return strings.EqualFold(a, b) }

// normalKey is the one spelling of a key.
func normalKey(key string) string { return strings.ToLower(key) }
