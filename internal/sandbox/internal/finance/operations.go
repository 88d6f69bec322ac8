package finance

import (
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// createRecord serves finance.records.create. A repeated idempotency key
// returns the original response, with any body, and creates nothing, also when the
// record has been changed or deleted since
// (service description, Financial management §1; wire contract: behaviour).
func (s *Service) createRecord(c *server.Call, tx *store.Tx) (server.Reply, error) {
	collection, err := s.collection(c)
	if err != nil {
		return server.Reply{}, err
	}
	if !validKey(c.IdempotencyKey) {
		return server.Reply{}, errIdempotencyKey
	}
	kept := replyID(c.Organization, collection, c.IdempotencyKey)
	if original, known := s.replies.Get(tx, kept); known && c.IdempotencyKey != "" {
		return c.Single(http.StatusCreated, original.Record, c.Now), nil
	}
	fields, err := s.readFields(c)
	if err != nil {
		return server.Reply{}, err
	}
	_, object, err := s.putRecord(tx, RecordRow{
		Organization: c.Organization, Collection: collection, ID: s.Source.UUID(), Number: s.Next(tx),
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

// putRecord gives a record its fields, when they are valid, and returns it as
// clients see it.
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

// validKey reports whether a text may be the value of X-Idempotency-Key: a version 4
// UUID, or nothing, as no key is needed.
func validKey(key string) bool {
	if key == "" {
		return true
	}
	id, err := uuid.Parse(key)
	return err == nil && len(key) == server.UUIDLength && id.Version() == 4 && id.Variant() == uuid.RFC4122
}

// getRecord serves finance.records.get.
func (s *Service) getRecord(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findRecord(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	object, err := row.public()
	if err != nil {
		return server.Reply{}, err
	}
	return c.Single(http.StatusOK, object, row.UpdatedAt.Time), nil
}

// updateRecord serves finance.records.update: it sets the top-level fields that
// are sent, and removes those that are sent as null
// (wire contract: finance PATCH).
func (s *Service) updateRecord(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findRecord(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
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
	row, _, err = s.putRecord(tx, row, fields)
	if err != nil {
		return server.Reply{}, err
	}
	object, err := row.public()
	return c.Single(http.StatusOK, object, row.UpdatedAt.Time), err
}

// deleteRecord serves finance.records.delete. The key that the record was made
// with stays used.
func (s *Service) deleteRecord(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findRecord(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	s.Records.Delete(tx, row.ID)
	return server.Reply{Status: http.StatusNoContent}, nil
}
