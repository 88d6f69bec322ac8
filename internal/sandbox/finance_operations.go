package sandbox

import (
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// createRecord serves finance.records.create. The same idempotency key again
// gets the original answer, whatever the body, and makes nothing, also when the
// record has been changed or deleted since
// (service description, Financial management §1; wire contract: behaviour).
func createRecord(c *call, tx *store.Tx) (reply, error) {
	collection, err := c.collection()
	if err != nil {
		return reply{}, err
	}
	if !validKey(c.idempotencyKey) {
		return reply{}, errIdempotencyKey
	}
	s := c.server
	kept := replyID(c.organization, collection, c.idempotencyKey)
	if original, known := s.finance.replies.Get(tx, kept); known && c.idempotencyKey != "" {
		return c.single(http.StatusCreated, original.Record, c.now), nil
	}
	fields, err := c.readFields()
	if err != nil {
		return reply{}, err
	}
	row, object, err := s.putRecord(tx, recordRow{Organization: c.organization, Collection: collection, ID: s.source.uuid(),
		Number: s.next(tx), CreatedAt: instant{c.now}, UpdatedAt: instant{c.now}}, fields)
	if err != nil {
		return reply{}, err
	}
	s.lag.hide(row.ID)
	if c.idempotencyKey != "" {
		s.finance.replies.Put(tx, kept, recordReply{Record: object})
	}
	return c.single(http.StatusCreated, json.RawMessage(object), c.now), nil
}

// putRecord gives a record its fields, when they are valid, and answers it as
// clients see it.
func (s *Server) putRecord(tx *store.Tx, row recordRow, fields map[string]any) (recordRow, []byte, error) {
	p := problems{}
	checkRecord(p, row.Collection, fields)
	if err := p.err(); err != nil {
		return row, nil, err
	}
	var err error
	if row.Fields, err = encode(fields); err != nil {
		return row, nil, err
	}
	public, err := row.public()
	if err != nil {
		return row, nil, err
	}
	object, err := encode(public)
	if err != nil {
		return row, nil, err
	}
	s.finance.records.Put(tx, row.ID, row)
	return row, object, nil
}

// validKey tells whether a text may stand in X-Idempotency-Key: a version 4
// UUID, or nothing, as no key is needed.
func validKey(key string) bool {
	if key == "" {
		return true
	}
	id, err := uuid.Parse(key)
	return err == nil && len(key) == canonicalUUID && id.Version() == 4 && id.Variant() == uuid.RFC4122
}

// getRecord serves finance.records.get.
func getRecord(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findRecord(tx)
	if err != nil {
		return reply{}, err
	}
	object, err := row.public()
	if err != nil {
		return reply{}, err
	}
	return c.single(http.StatusOK, object, row.UpdatedAt.Time), nil
}

// updateRecord serves finance.records.update: it sets the top-level fields that
// are sent, and takes out those that are sent as null
// (wire contract: finance PATCH).
func updateRecord(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findRecord(tx)
	if err != nil {
		return reply{}, err
	}
	changed, err := c.readFields()
	if err != nil {
		return reply{}, err
	}
	fields, err := row.fields()
	if err != nil {
		return reply{}, err
	}
	for name, value := range changed {
		if fields[name] = value; value == nil {
			delete(fields, name)
		}
	}
	row.UpdatedAt = row.UpdatedAt.after(c.now)
	row, _, err = c.server.putRecord(tx, row, fields)
	if err != nil {
		return reply{}, err
	}
	object, err := row.public()
	return c.single(http.StatusOK, object, row.UpdatedAt.Time), err
}

// deleteRecord serves finance.records.delete. The key that the record was made
// with stays used.
func deleteRecord(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findRecord(tx)
	if err != nil {
		return reply{}, err
	}
	c.server.finance.records.Delete(tx, row.ID)
	return reply{status: http.StatusNoContent}, nil
}
