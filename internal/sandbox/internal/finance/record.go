package finance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// RecordRow is a record of financial management.
type RecordRow struct {
	server.Owned
	Collection string           `json:"collection"`
	ID         string           `json:"id"`
	Number     int64            `json:"number"` // the order in which records were made
	Fields     json.RawMessage  `json:"fields"` // as sent, with every digit of a number
	CreatedAt  server.Timestamp `json:"created_at"`
	UpdatedAt  server.Timestamp `json:"updated_at"`
}

// recordReply is the response to a creation with an idempotency key.
type recordReply struct {
	Record json.RawMessage `json:"record"`
}

// givenByService are the read-only fields of a record.
var givenByService = []string{"id", "created_at", "updated_at"}

// recordRules are the fields with a documented format (service description, Financial management §2); others are
// free-form.
var recordRules = map[string]server.Rule{
	"company_id": server.UUID,
	"occurred_at": server.Both(
		server.TextWhere("must be a date, or a date with time and zone", momentText.MatchString), server.DateOrTime),
	"amount": money,
	"type":   server.OneOf("debit", "credit"),
	"name":   server.Filled,
}

// The patterns are also in openapi.yaml. momentText is stricter than the parser, which accepts single-digit hours and a
// comma before the fraction.
var (
	moneyText  = regexp.MustCompile(`^\d{1,15}\.\d{2}$`)
	zeroText   = regexp.MustCompile(`^0+\.00$`)
	momentText = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$`)
)

// money is a positive decimal string with two places, without the direction (service description, Financial management
// §2).
var money = server.TextWhere("must be money: a positive decimal string with two places, such as \"10.50\"",
	func(s string) bool { return moneyText.MatchString(s) && !zeroText.MatchString(s) })

// checkRecord validates a complete record against the rules of its collection.
func checkRecord(p server.Problems, collection string, fields map[string]any) {
	for name, rule := range recordRules {
		if value, given := fields[name]; given && value != nil {
			rule.Check(p, name, value)
		}
	}
	if collection == "accounts" && fields["name"] == nil {
		p["name"] = "is required"
	}
}

func (s *Service) readFields(c *server.Call) (map[string]any, error) {
	fields, err := server.ReadObject(c.Body)
	if err != nil {
		return nil, err
	}
	p := server.Problems{}
	for _, name := range givenByService {
		if _, given := fields[name]; given {
			p[name] = "is set by the service"
		}
	}
	return fields, p.Err()
}

// Decoded are the members of the record, without those that the service has added.
func (r RecordRow) Decoded() (map[string]any, error) {
	value, err := server.Decode(r.Fields)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", r.ID, err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("record %s is not an object", r.ID)
	}
	return fields, nil
}

func (r RecordRow) public() (map[string]any, error) {
	object, err := r.Decoded()
	if err != nil {
		return nil, err
	}
	object["id"], object["created_at"], object["updated_at"] = r.ID, r.CreatedAt, r.UpdatedAt
	return object, nil
}

func (s *Service) findRecord(c *server.Call, tx *store.Tx) (RecordRow, error) {
	row, err := server.Kind[RecordRow, any]{Table: s.Records}.Find(c, tx)
	if err == nil && row.Collection != c.Path["collection"] {
		return row, server.ErrNotFound
	}
	return row, err
}

// recordsInOrder returns an organization's records of a collection in order of creation.
func (s *Service) recordsInOrder(tx *store.Tx, organization, collection string) []RecordRow {
	return store.Sorted(s.RecordsOf.All(tx, CollectionKey(organization, collection)),
		func(a, b RecordRow) int { return cmp.Compare(a.Number, b.Number) })
}

var collectionName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// collection returns the name in the path. An invalid name is an unknown route.
func (s *Service) collection(c *server.Call) (string, error) {
	name := c.Path["collection"]
	if !collectionName.MatchString(name) {
		return "", server.ErrNoRoute
	}
	return name, nil
}

// createRecord serves finance.records.create. A repeated idempotency key returns the original response, whatever the
// body, and even if the record has since been changed or deleted (service description, Financial management §1; wire
// contract: behaviour).
func (s *Service) createRecord(c *server.Call, tx *store.Tx) (server.Reply, error) {
	collection, err := s.collection(c)
	if err != nil {
		return server.Reply{}, err
	}
	if !validKey(c.IdempotencyKey) {
		return server.Reply{}, errIdempotencyKey
	}
	kept := CollectionKey(c.Organization, collection) + "/" + strings.ToLower(c.IdempotencyKey)
	if original, known := s.replies.Get(tx, kept); known && c.IdempotencyKey != "" {
		return c.Single(http.StatusCreated, original.Record, c.Now), nil
	}
	fields, err := s.readFields(c)
	if err != nil {
		return server.Reply{}, err
	}
	_, object, err := s.putRecord(tx, RecordRow{
		Owned: server.Owned{Organization: c.Organization}, Collection: collection, ID: s.Source.UUID(), Number: s.Next(tx),
		CreatedAt: server.Timestamp{Time: c.Now}, UpdatedAt: server.Timestamp{Time: c.Now},
	}, fields)
	if err != nil {
		return server.Reply{}, err
	}
	if c.IdempotencyKey != "" {
		s.replies.Put(tx, kept, recordReply{Record: object})
	}
	return c.Single(http.StatusCreated, json.RawMessage(object), c.Now), nil
}

// putRecord validates and stores a record's fields, and returns the record in wire format.
func (s *Service) putRecord(tx *store.Tx, row RecordRow, fields map[string]any) (RecordRow, []byte, error) {
	p := server.Problems{}
	checkRecord(p, row.Collection, fields)
	if err := p.Err(); err != nil {
		return row, nil, err
	}
	var err error
	if row.Fields, err = server.Encode(fields); err != nil {
		return row, nil, err
	}
	public, err := row.public()
	if err != nil {
		return row, nil, err
	}
	object, err := server.Encode(public)
	if err != nil {
		return row, nil, err
	}
	s.Records.Put(tx, row.ID, row)
	return row, object, nil
}

// validKey reports whether a text is a valid X-Idempotency-Key: a version 4 UUID, or empty, because the key is
// optional.
func validKey(key string) bool {
	if key == "" {
		return true
	}
	id, err := uuid.Parse(key)
	return err == nil && len(key) == server.UUIDLength && id.Version() == 4 && id.Variant() == uuid.RFC4122
}

func (s *Service) showRecord(c *server.Call, _ *store.Tx, row RecordRow) (server.Reply, error) {
	object, err := row.public()
	return c.Single(http.StatusOK, object, row.UpdatedAt.Time), err
}

// updateRecord serves finance.records.update: it sets the top-level fields sent, and removes those sent as null (wire
// contract: finance PATCH).
func (s *Service) updateRecord(c *server.Call, tx *store.Tx, row RecordRow) (server.Reply, error) {
	changed, err := s.readFields(c)
	if err != nil {
		return server.Reply{}, err
	}
	fields, err := row.Decoded()
	if err != nil {
		return server.Reply{}, err
	}
	for name, value := range changed {
		if fields[name] = value; value == nil {
			delete(fields, name)
		}
	}
	row.UpdatedAt = row.UpdatedAt.Next(c.Now)
	if row, _, err = s.putRecord(tx, row, fields); err != nil {
		return server.Reply{}, err
	}
	return s.showRecord(c, tx, row)
}

// deleteRecord serves finance.records.delete. The record's idempotency key remains used.
func (s *Service) deleteRecord(_ *server.Call, tx *store.Tx, row RecordRow) (server.Reply, error) {
	s.Records.Delete(tx, row.ID)
	return server.Reply{Status: http.StatusNoContent}, nil
}
