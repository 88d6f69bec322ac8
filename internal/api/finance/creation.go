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
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

const (
	// mostSuccessors limits the number of deleted records with the same key that are skipped.
	mostSuccessors = 50
	// lookTimeout limits the read of a possibly older record, so that a created record reaches the state quickly.
	lookTimeout = time.Second
)

// RecordCreated is the result of CreateRecord.
type RecordCreated struct {
	Record
	// Existed means that, by the dates of the service, the record is older than the call: an earlier creation with the
	// same key created it. The Date of a response may come from another clock than the dates of records.
	Existed bool
}

// CreateRecord creates a record in a collection (wire contract: finance.records.create). key is a version 4 UUID, not
// case-sensitive. A creation with the same key creates no second record, even by another caller, so the record may be
// older than the call.
//
// The record that the service returns is the result, whatever reads and dates show, unless it may be another one (see
// isDoubtful): then the same request is sent once more, and only one answer twice, of a record that is not older, is
// the result ([OtherRecordError]). For a known key, the service
// returns the original result, even if that record was deleted since. Only if the record is proven deleted (see
// isGone), the creation is sent with the successor of the key, which is always the same. So at most one record is
// created: the first one that is not proven deleted.
//
// After it was sent, the request continues for at most 8 s after ctx has ended. If the outcome stays unknown
// ([MayHaveCreated]), the same call with the same key determines it.
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
		if made.isDoubtful(body) {
			again, err := s.post(ctx, collection, body, key)
			switch {
			case err != nil:
				return nil, &OtherRecordError{IDs: []string{created.ID}, Err: err}
			case !same.ID(again.ID, created.ID):
				return nil, &OtherRecordError{IDs: []string{created.ID, again.ID}}
			case made.Existed:
				return nil, &OtherRecordError{IDs: []string{created.ID}}
			}
		}
		if gone, err := s.take(collection, created.ID); err != nil {
			return nil, err
		} else if !gone && (s.isNew(created) || !s.isGone(ctx, collection, made)) {
			return made, nil
		}
		s.lost(collection, created.ID)
		key = successor(key)
	}
	return nil, fmt.Errorf("%d records were created with this idempotency key and its successors, and all of them are "+
		"deleted; use another key", mostSuccessors)
}

// OtherRecordError ends a creation that was answered with a record that may be another one than the one created.
type OtherRecordError struct {
	IDs []string // of the records in the responses to the same request
	Err error    // of the second request, if it failed
}

func (e *OtherRecordError) Error() string {
	text := fmt.Sprintf("the response shows the record %q, which existed before the request and is not what was sent",
		e.IDs[0])
	switch {
	case len(e.IDs) > 1:
		text = fmt.Sprintf("the same request was answered with two records, %q and %q", e.IDs[0], e.IDs[1])
	case e.Err != nil:
		text = fmt.Sprintf("the response shows the record %q, which is not what was sent, and sending the same request "+
			"again failed: %v", e.IDs[0], e.Err)
	}
	return text
}

// isDoubtful reports whether a record may be another one than the body created: if it shows nothing of the body, or is
// older than the request and differs.
func (made *RecordCreated) isDoubtful(body json.RawMessage) bool {
	var sent, shown map[string]json.RawMessage
	if json.Unmarshal(body, &sent) != nil || json.Unmarshal(made.Raw, &shown) != nil {
		return false
	}
	shows := 0
	for key, value := range sent {
		if same.WordedJSON(value, shown[key]) || sameAmount(value, shown[key]) {
			shows++
		}
	}
	return shows == 0 && len(sent) > 0 || made.Existed && shows < len(sent)
}

func sameAmount(a, b json.RawMessage) bool {
	var one, other string
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && SameAmount(one, other)
}

// amount matches an amount of this service: a string with a decimal point.
var amount = regexp.MustCompile(`^-?(0|[1-9][0-9]*)\.[0-9]+$`)

// SameAmount reports whether two texts are one amount, such as "10.5" and "10.50".
func SameAmount(a, b string) bool {
	return amount.MatchString(a) && amount.MatchString(b) && strings.TrimRight(a, "0") == strings.TrimRight(b, "0")
}

// isNew reports whether a record is dated after the whole second of the newest Date, or not dated. Any other record may
// be older, even if the clock does not run, and is read.
func (s *Service) isNew(created *Record) bool {
	at, dated := api.ParseTime(created.Field("created_at"))
	date, known := s.client.Date()
	return !dated || !known || at.After(date)
}

// isGone reports whether a record that a creation has returned was deleted before. A read without the record proves
// nothing, because it may lag. A change does not lag: the service rejects it if the record does not exist. The change
// has no effect, and is sent only if reads do not return the record; for a record that may be new, only after the lag.
//
// If a read returns an older record, the creation has returned that record.
func (s *Service) isGone(ctx context.Context, collection string, made *RecordCreated) bool {
	ctx, cancel := api.Completing(ctx)
	defer cancel()
	at := place(collection, made.ID)
	read := func(ctx context.Context) (*Record, error) {
		return api.Object[Record](ctx, s.client, api.Request{Operation: "finance.records.get", Path: at, Optional: true})
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
	_, err = api.Object[Record](ctx, s.client, api.Request{Operation: "finance.records.update", Path: at, Body: struct{}{},
		Optional: true})
	return api.IsNotFound(err)
}

// TakenError ends a creation whose record was also returned to another creation of this process: both have the same
// key.
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
	record, _, err := api.Create(ctx, s.client, api.Creation[Record]{
		Send: func(ctx context.Context) (Record, error) {
			asked := 0
			ask := func(ctx context.Context) (Record, error) {
				asked++
				return api.One[Record](ctx, s.client, request)
			}
			record, err := ask(ctx)
			// A request with the same key returns the record of the first one.
			if record, err = api.ReadBack(ctx, record, err, ask); err != nil && asked > 1 {
				err = &unseenError{err}
			}
			return record, err
		},
		Describe: fmt.Sprintf("record in the collection %q", collection),
		Again:    fmt.Sprintf("A creation with the key %s returns it, or creates it", key),
	})
	return &record, err
}

// unseenError is the error of a request that was sent again, because the first one succeeded without showing the
// record.
type unseenError struct{ error }

func (e *unseenError) Unwrap() error { return e.error }

// MayHaveCreated reports whether a failed creation may have created the record: unless it was clearly rejected, or not
// sent.
func MayHaveCreated(err error) bool {
	var taken *TakenError
	var unseen *unseenError
	var notSent *api.NotSentError
	_, open := api.AsAmbiguous(err)
	e, ok := api.AsError(err)
	switch {
	case open, errors.As(err, &unseen):
		return true
	case errors.As(err, &notSent):
		return false
	case !ok:
		return err != nil && !errors.As(err, &taken)
	case e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity:
		return false
	case e.Status == http.StatusRequestTimeout || e.Status < http.StatusBadRequest ||
		e.Status >= http.StatusInternalServerError:
		return true
	}
	// A rejection of the caller or the rate says nothing about an earlier attempt.
	return e.Uncertain
}

// claims records what this process does with records. A key creates one record, permanently: a replacement with the
// same key creates and deletes one record, in either order.
type claims struct {
	mu      sync.Mutex
	records map[string]holding // by collection and id
}

// holding is what this process does with one record.
type holding int

const (
	free     holding = iota
	taken            // returned to a creation
	deleting         // being deleted
	gone             // deleted
)

// hold changes the holding of a record from one value to another, and returns the previous holding.
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

// take records that a record was returned to a creation. It returns true if this process has deleted the record.
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

// lost records that a record returned to a creation does not exist.
func (s *Service) lost(collection, id string) { s.hold(collection, id, taken, gone) }

// KeyFor derives the idempotency key of a record from the collection and body, so that another process can repeat a
// creation without knowing the first. body is canonical JSON: sorted keys, no white space.
//
// The key has the form of a version 4 UUID, which the service requires (service description, Financial management §1);
// its random bits come from a SHA-256.
func KeyFor(collection string, body json.RawMessage) string {
	return uuidOf("finance record\x00" + collection + "\x00" + string(body))
}

// successor is the key after one whose record was deleted.
func successor(key string) string { return uuidOf("successor\x00" + key) }

func uuidOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6] = sum[6]&0x0f | 0x40 // version 4
	sum[8] = sum[8]&0x3f | 0x80 // variant of RFC 9562
	digits := hex.EncodeToString(sum[:16])
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

// KeyPattern matches valid idempotency keys: version 4 UUIDs.
var KeyPattern = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// normalKey returns the normal form of a key.
func normalKey(key string) string { return strings.ToLower(key) }
