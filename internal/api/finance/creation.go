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
